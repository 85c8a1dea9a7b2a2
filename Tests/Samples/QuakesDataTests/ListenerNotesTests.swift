import ImmutableData
import Platform
import QuakesData
import SampleSupport
import TestSupport
import Testing
import TreeCollections

/// The lines of guide chapter 10: in debug builds, with the flag.
@MainActor @Suite struct ListenerNotesTests {
  #if DEBUG
  @Test(arguments: ["com.northbronson.QuakesData.Debug", "com.northbronson.AnimalsData.Debug"])
  func debugOutputHasActionAndStates(flag: String) async throws {
    let lines = Locked<[String]>([])
    let notes = DebugOutput(isEnabled: { key in key == flag }) { line in
      lines.withLock { lines in lines.append(line) }
    }
    let scene = DebugOutput.$current.withValue(notes) { Scene(stored: [.small]) }
    try scene.tap(.onAppear)
    #expect(await scene.settles(.with([.small], .success), calls: 1))
    guard flag.contains("Quakes") else {
      #expect(lines.withLock { lines in lines }.isEmpty)
      return
    }
    #expect(await settle { lines.withLock { lines in lines.count } == 6 })
    let texts = lines.withLock { lines in lines }
    #expect(texts.first == "[QuakesData][Listener] Old State: \(QuakesState())")
    #expect(texts.dropFirst(2).first == "[QuakesData][Listener] New State: \(QuakesState.with([], .waiting))")
  }
  #endif
}
