import ActionLog
import ActionLogTesting
import CounterData
import CounterUI
import DebugDrawer
import EventSourcing
import Foundation
import ImmutableData
import Platform
import TerminalUI
import TestSupport
import Testing
import TimeTravel

@Suite("The counter's screen") @MainActor
struct CounterScreenTests {
  private let disk = MemoryFileSystem()

  private func driver(_ screen: any TerminalScreen, rows: Int = 12) -> ScreenDriver {
    ScreenDriver(screen, columns: 60, rows: rows)
  }

  /// A recorded store, and its screen with the drawer.
  private func recorded(
    startingAt base: CounterState? = nil, in files: (any LogFileSystem)? = nil, rows: Int = 12
  ) async throws -> (store: TimeTravelStore<CounterModel>, driver: ScreenDriver) {
    let recorder = try await Recorder<CounterModel>.open(at: "log", startingAt: base, fileSystem: files ?? disk)
    let store = TimeTravelStore<CounterModel>(.store(try recorder.makeStore(), recorder: recorder))
    let screen = CounterScreen(store, recorded: store)
    return (store, driver(DrawerScreen(screen, HistoryDrawer(store)), rows: rows))
  }

  @Test("the buttons and their keys count")
  func counting() async {
    let driver = driver(CounterScreen(CounterPreview.usual.makeStore()))
    #expect(driver.text.contains("Value: 0"))
    driver.press("+", .up, "=")
    #expect(await settle { driver.text.contains("Value: 3") })
    driver.press("-", .right, .enter)
    #expect(await settle { driver.text.contains("Value: 1") })
    driver.press(.left, " ")
    #expect(await settle { driver.text.contains("Value: 2") })
    #expect(driver.press("x") == .ignored)
    #expect(driver.press("q") == .finish)
    #expect(driver.isFinished)
  }

  @Test("two windows on one store show the same value")
  func windowsAgree() async {
    let driver = driver(CounterScreen(CounterPreview.usual.makeStore()))
    driver.press("w", "+", .tab, "+", "+")
    #expect(await settle { driver.text.components(separatedBy: "Value: 3").count == 3 })
    #expect(
      driver.text == """
         preview, not recorded                                 live
        ┌─ Window 1 ─────────────────┐┌─ Window 2 ─────────────────┐
        │                            ││                            │
        │ Value: 3                   ││ Value: 3                   │
        │                            ││                            │
        │ [ Increment ] [ Decrement ]││ [›Increment‹] [ Decrement ]│
        └────────────────────────────┘└────────────────────────────┘



        ? help  + increment  - decrement  Enter press  ← button
        q quit  w one window  Tab window

        """)
    driver.press("w", "-")
    #expect(await settle { driver.text.contains("Value: 2") && !driver.text.contains("Window") })
  }

  @Test func questionMarkShowsTheKeys() async throws {
    let (store, driver) = try await recorded(rows: 24)
    driver.press("?")
    for row in ["+ = ↑          increment", "Tab Shift-Tab  window", "[              past", "any key closes"] {
      #expect(driver.text.contains(row), "\(driver.text)")
    }
    driver.press("+")
    #expect(!driver.text.contains("any key closes") && driver.text.contains("Value: 0"), "the key only closes the help")
    driver.press("+", "[")
    #expect(await settle { driver.text.contains("revision 0 of 1") })
    driver.press("?")
    #expect(driver.text.contains("any key closes") && driver.text.contains("forward"))
    try await store.close()
  }

  @Test("two windows follow actions that are dispatched elsewhere")
  func windowsFollowTheStore() async throws {
    let store = CounterPreview.usual.makeStore()
    let drivers = [driver(CounterScreen(store)), driver(CounterScreen(store))]
    for _ in 0..<5 { try store.dispatch(action: .didTapDecrementButton) }
    for driver in drivers {
      #expect(await settle { driver.needsDrawing })
      #expect(driver.text.contains("Value: -5"))
    }
  }

  @Test("the reason of a rejection is shown, and the value does not change")
  func refusing() async {
    let driver = driver(CounterScreen(CounterPreview.refusing.makeStore()))
    driver.press("+")
    #expect(driver.text.contains("refused: didTapIncrementButton at 0 is refused by"))
    #expect(driver.text.contains("Value: 0"))
    driver.press(.right)
    #expect(!driver.text.contains("refused"))
  }

  @Test("rejected actions are logged as rejected and not replayed")
  func refusedInTheLog() async throws {
    let (store, driver) = try await recorded(startingAt: CounterState(.max))
    driver.press("+")
    #expect(driver.text.contains("refused: overflow"))
    let reader = try LogReader.open(at: "log", fileSystem: disk)
    #expect(await settle { (try? reader.types())?.contains("@rejected") == true })
    driver.press("-")
    try await store.close()
    let history = try await History<CounterModel>(at: "log", fileSystem: disk)
    #expect(try reader.types().filter { type in !type.hasPrefix("@") } == ["didTapDecrementButton"])
    #expect(CounterState.selectValue()(try history.state()) == .max - 1)
  }

  @Test("the screen shows the history and returns to the live store")
  func past() async throws {
    let (store, driver) = try await recorded()
    driver.press("+", "+", "-", "+", "[")
    #expect(await settle { driver.text.contains("revision 3 of 4") })
    #expect(driver.lines[0].hasSuffix("past"))
    #expect(await settle { driver.text.contains("Value: 1") })
    driver.press("[")
    #expect(await settle { driver.text.contains("Value: 2") && driver.text.contains("revision 2 of 4") })
    #expect(driver.press("+") == .ignored, "the history cannot be changed")
    driver.press("[", "[")
    #expect(await settle { driver.text.contains("Value: 0") && driver.text.contains("revision 0 of 4") })
    #expect(driver.press("[") == .ignored)
    // The keys are handled at once; the steps follow each other.
    for _ in 1...4 { driver.press("]") }
    #expect(await settle { driver.text.contains("Value: 2") && driver.text.contains("revision 4 of 4") })
    driver.press("]")
    #expect(await settle { !driver.text.contains("revision") })
    driver.press("+")
    #expect(await settle { driver.text.contains("Value: 3") })
    try await store.close()
  }

  @Test("nothing is recorded of an action that is dispatched into the past")
  func refusedInThePast() async throws {
    let (store, _) = try await recorded()
    let driver = driver(CounterScreen(store, recorded: store))
    driver.press("+", "+")
    try await store.pause(at: .start)
    driver.press("+")
    #expect(await settle { driver.text.contains("Value: 0") && driver.text.contains("refused: revision 0 is shown") })
    store.resume()
    #expect(await settle { driver.text.contains("Value: 2") })
    try await store.close()
    let reader = try LogReader.open(at: "log", fileSystem: disk)
    #expect(try reader.types().filter { type in type == "@rejected" || !type.hasPrefix("@") }.count == 2)
  }

  @Test("the history is opened off the main thread")
  func pastOffTheMainThread() async throws {
    let places = Locked<Set<Bool>>([])
    let watched = FaultyFileSystem(disk) { _ in
      let isMain = Thread.isMainThread
      places.withLock { places in _ = places.insert(isMain) }
    }
    let (store, driver) = try await recorded(in: watched)
    driver.press("+", "+")
    try await store.live.sync()
    watched.forgetCalls()
    driver.press("[")
    #expect(await settle { driver.text.contains("revision 2 of 2") || driver.text.contains("revision 1 of 2") })
    #expect(watched.calls.count > 5 && places.withLock(\.self) == [false])
    try await store.close()
  }

  @Test("a reopened counter has its last value")
  func reopening() async throws {
    let (store, driver) = try await recorded()
    driver.press("+", "+", "+", "-")
    try await store.close()
    let (again, later) = try await recorded()
    #expect(later.text.contains("Value: 2"))
    try await again.close()
  }
}

extension LogReader {
  /// The types of all records, in order.
  fileprivate func types() throws -> [String] {
    var records = try records()
    var types: [String] = []
    while let record = try records.next() { types.append(record.type) }
    return types
  }
}
