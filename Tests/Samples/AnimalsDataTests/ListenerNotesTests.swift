import AnimalsData
import ImmutableData
import Platform
import SampleSupport
import TestSupport
import Testing

/// The lines of guide chapter 6: in debug builds, with the flag.
@MainActor @Suite struct ListenerNotesTests {
  private let lines = Locked<[String]>([])

  private func listen(isEnabled: Bool) async throws {
    let flag = "com.northbronson.AnimalsData.Debug"
    let notes = DebugOutput(isEnabled: { key in isEnabled && key == flag }) { [lines] line in
      lines.withLock { lines in lines.append(line) }
    }
    let scene = DebugOutput.$current.withValue(notes) { Scene() }
    try scene.tap(.categoryList(.onAppear))
    #expect(await scene.settles(.with(categories: Category.samples, .success), calls: 1))
    #if DEBUG
    if isEnabled { #expect(await settle { lines.withLock { lines in lines.count } == 6 }) }
    #endif
  }

  #if DEBUG
  @Test func debugOutputHasActionAndStates() async throws {
    try await listen(isEnabled: true)
    let lines = lines.withLock { lines in lines }
    let names = lines.map { line in line.prefix { character in character != ":" } }
    let element = ["Old State", "Action", "New State"].map { name in "[AnimalsData][Listener] \(name)"[...] }
    #expect(names == element + element)
    #expect(lines[0] == "[AnimalsData][Listener] Old State: \(AnimalsState())")
    #expect(lines[2] == "[AnimalsData][Listener] New State: \(AnimalsState.with(.waiting))")
  }
  #endif

  @Test func debugOutputRequiresTheFlag() async throws {
    try await listen(isEnabled: false)
    #expect(lines.withLock { lines in lines }.isEmpty)
  }
}
