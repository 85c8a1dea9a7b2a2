import ActionLog
import ActionLogTesting
import DebugDrawer
import EventSourcing
import Foundation
import ImmutableData
import ImmutableUI
import TerminalUI
import TestSupport
import Testing
import TimeTravel

/// A drawer over a recorded store in memory.
@Suite(.timeLimit(.minutes(60))) @MainActor struct HistoryDrawerTests {
  private let disk = MemoryFileSystem()

  private struct Scene {
    let store: TimeTravelStore<Stock>
    let live: Store<Stock.State, Stock.Action>
    let screen: StockScreen
    let drawer: HistoryDrawer<Stock>
    let driver: ScreenDriver
    let branches: Branches
  }

  @MainActor private final class Branches {
    var paths: [String] = []
    func listen(to store: Store<Stock.State, Stock.Action>) { paths.append("\(store.state.count)") }
  }

  /// A stock after the given actions, with a drawer of 100 columns.
  private func scene(_ actions: [Stock.Action]) async throws -> Scene {
    var configuration = RecordingConfiguration<Stock>()
    configuration.log.durability = .written
    let recorder = try await Recorder<Stock>.open(at: "log", configuration: configuration, fileSystem: disk)
    let live = try recorder.makeStore()
    let store = TimeTravelStore<Stock>(.store(live, recorder: recorder))
    for action in actions { try store.dispatch(action: action) }
    let screen = StockScreen(store)
    let branches = Branches()
    func listen(to store: Store<Stock.State, Stock.Action>) { branches.listen(to: store) }
    // begin: drawer
    let drawer = HistoryDrawer(store) { branch in
      if case .store(let live, _) = branch { listen(to: live) }
    }
    let application = DrawerScreen(screen, drawer)
    // end: drawer
    return Scene(
      store: store, live: live, screen: screen, drawer: drawer,
      driver: ScreenDriver(application, columns: 100, rows: 24), branches: branches)
  }

  private static let three: [Stock.Action] = [.add("tea", 2), .add("rice", 5), .add("tea", 1)]

  @Test func openingShowsTheStepBeforeTheLast() async throws {
    let scene = try await scene(Self.three)
    #expect(await settle { scene.driver.text.contains("8 goods") })
    #expect(scene.driver.press("[") == .handled)
    await scene.drawer.settled()
    #expect(scene.drawer.isOpen && scene.drawer.revision == 2 && scene.drawer.actions.map(\.revision) == [1, 2, 3])
    #expect(scene.drawer.changes.map(\.description) == ["+ /goods/rice: 5"])
    #expect(await settle { scene.driver.text.contains("7 goods") })
    let lines = scene.driver.lines
    #expect(lines[12].contains("the past of log") && lines[12].contains("revision 2 of 3"))
    #expect(lines[13].hasPrefix("  0 the start") && lines[15].hasPrefix("› 2 ") && lines[15].contains("add"))
    #expect(lines[13].contains("+ /goods/rice: 5"))
    #expect(lines[23].hasPrefix("? help  [ back  ] forward  Esc live"))
    try await scene.store.close()
  }

  @Test func keysStepInOrder() async throws {
    let scene = try await scene((1...30).map { number in .add("tea", number) })
    scene.driver.press("[", "[", "[", "[")
    await scene.drawer.settled()
    #expect(scene.drawer.revision == 26)
    scene.driver.press("]", .right, .left, .up)
    await scene.drawer.settled()
    #expect(scene.drawer.revision == 26)
    // The keys of tui.
    scene.driver.press("n", " ", "n", "p")
    await scene.drawer.settled()
    #expect(scene.drawer.revision == 28)
    scene.driver.press("0")
    await scene.drawer.settled()
    #expect(scene.drawer.revision == 0)
    scene.driver.press("$")
    await scene.drawer.settled()
    #expect(scene.drawer.revision == 30)
    scene.driver.press(.home)
    await scene.drawer.settled()
    #expect(scene.drawer.revision == 0 && scene.drawer.changes.isEmpty && scene.driver.press("[") == .ignored)
    scene.driver.press(.pageDown)
    await scene.drawer.settled()
    #expect(scene.drawer.revision == 10, "a page has ten rows")
    scene.driver.press(.end)
    await scene.drawer.settled()
    #expect(scene.drawer.revision == 30 && scene.screen.text == "465 goods")
    // After the last action comes the present.
    scene.driver.press("]")
    await scene.drawer.settled()
    #expect(!scene.drawer.isOpen && !scene.store.isPaused && scene.drawer.actions.isEmpty)
    try await scene.store.close()
  }

  @Test func whileOpenTheScreenGetsNoKeys() async throws {
    let scene = try await scene(Self.three)
    scene.driver.press("[")
    await scene.drawer.settled()
    #expect(scene.driver.press("+") == .ignored && scene.store.live.lastRevision == 3)
    scene.driver.press("f", "+")
    #expect(scene.store.live.lastRevision == 4 && !scene.drawer.isOpen)
    #expect(await settle { scene.driver.text.contains("9 goods") })
    // In a text field the key is text.
    scene.driver.press("/", "[")
    #expect(scene.screen.field?.text == "[" && !scene.drawer.isOpen)
    try await scene.store.close()
  }

  @Test func causesAreListed() async throws {
    let scene = try await scene([])
    let stream = scene.live.makeStream()
    let effects = Task {
      for await (_, action) in stream {
        guard case .add("order", _) = action else { continue }
        try await RecordMeta.withCause(latestIn: stream) { try scene.live.dispatch(action: .add("tea", 1)) }
      }
    }
    try scene.store.dispatch(action: .add("order", 1))
    #expect(await settle { scene.live.state.goods["tea"] == 1 })
    effects.cancel()
    scene.driver.press("[")
    await scene.drawer.settled()
    #expect(scene.drawer.actions.map(\.cause) == [nil, 1])
    #expect(scene.driver.text.contains("add ← 1"))
    try await scene.store.close()
  }

  @Test func blameWalksBackThroughChanges() async throws {
    let scene = try await scene(Self.three + [.add("rice", 1)])
    scene.driver.press("[")
    await scene.drawer.settled()
    // The selected change is the suggestion.
    scene.driver.press("b")
    #expect(scene.driver.lines[23].contains("who changed: /goods/tea"))
    scene.driver.press(.enter)
    await scene.drawer.settled()
    #expect(scene.drawer.blameText == "/goods/tea: 2 → 3 by action 3, add")
    #expect(scene.driver.text.contains("/goods/tea: 2 → 3 by action 3"))
    #expect(scene.driver.lines[23].contains("b earlier change"))
    scene.driver.press("b")
    await scene.drawer.settled()
    #expect(scene.drawer.blameText == "/goods/tea: – → 2 by action 1, add")
    scene.driver.press("j")
    await scene.drawer.settled()
    #expect(scene.drawer.revision == 1 && scene.drawer.blame == nil)
    scene.driver.press("b", .control("u"))
    scene.driver.type("/goods/rice\n")
    await scene.drawer.settled()
    #expect(scene.drawer.blameText == "/goods/rice: no such value up to revision 1")
    scene.driver.press("b", .control("u"))
    scene.driver.type("goods\n")
    await scene.drawer.settled()
    #expect(scene.drawer.message != nil && scene.drawer.revision == 1)
    // Escape closes the answer first, and the drawer then.
    #expect(scene.drawer.blame != nil)
    scene.driver.press(.escape)
    #expect(scene.drawer.isOpen && scene.drawer.blame == nil)
    scene.driver.press(.escape)
    #expect(!scene.drawer.isOpen)
    try await scene.store.close()
  }

  @Test func branchContinuesInTheApp() async throws {
    let scene = try await scene(Self.three)
    scene.driver.press("[")
    await scene.drawer.settled()
    // In tui, c compares, and e and l are free.
    for key: Key in ["c", "e", "l"] { #expect(scene.driver.press(key) == .ignored) }
    scene.driver.press("C")
    #expect(scene.driver.lines[23].contains("continue in the new log: log-at-2"))
    scene.driver.press(.enter)
    await scene.drawer.settled()
    #expect(!scene.drawer.isOpen && scene.store.live.path == "log-at-2" && scene.branches.paths == ["7"])
    #expect(scene.driver.text.contains("continued from revision 2 in log-at-2"))
    scene.driver.press("+")
    #expect(scene.drawer.message == nil)
    #expect(await settle { scene.driver.text.contains("8 goods") })
    // The same branch again is refused, and nothing changes.
    scene.driver.press("[")
    await scene.drawer.settled()
    scene.drawer.branch(to: "log")
    await scene.drawer.settled()
    #expect(scene.drawer.isOpen && scene.drawer.revision == 2 && scene.drawer.message != nil)
    try await scene.store.close()
    #expect(try await History<Stock>(at: "log", fileSystem: disk).lastRevision() == 3)
    #expect(try await History<Stock>(at: "log-at-2", fileSystem: disk).state().goods == ["tea": 3, "rice": 5])
  }

  @Test func closingOverridesPendingCommands() async throws {
    let scene = try await scene(Self.three)
    scene.driver.press("[", "[", .escape)
    await scene.drawer.settled()
    #expect(!scene.drawer.isOpen && !scene.store.isPaused && scene.drawer.message == nil)
    #expect(scene.screen.text == "8 goods")
    try await scene.store.close()
  }

  @Test func failureIsShown() async throws {
    let scene = try await scene(Self.three)
    #expect(await settle { scene.store.live.lastRevision == 3 })
    try await scene.store.live.sync()
    disk.capacityBytes = disk.usedBytes
    try scene.store.dispatch(action: .add("tea", 1))
    scene.driver.press("[")
    await scene.drawer.settled()
    #expect(scene.drawer.isOpen && scene.drawer.revision == nil && scene.drawer.message != nil)
    scene.driver.press(.escape)
    disk.capacityBytes = nil
    if case .store(_, let recorder) = scene.store.live { recorder.resume() }
    try await scene.store.close()
  }

  @Test func smallScreensAreDrawn() async throws {
    let scene = try await scene(Self.three)
    scene.driver.press("[")
    await scene.drawer.settled()
    for (columns, rows) in [(40, 12), (20, 6), (1, 1), (200, 60)] {
      scene.driver.size = TerminalSize(columns: columns, rows: rows)
      #expect(scene.driver.lines.count == rows)
    }
    scene.driver.press("?")
    #expect(scene.driver.text.contains("continue here"))
    scene.driver.press("x")
    #expect(!scene.driver.text.contains("any key closes"))
    #expect(scene.driver.press("q") == .finish)
    try await scene.store.close()
  }
}

/// Goods by their names.
private enum Stock: Model {
  struct State: Codable, Equatable, Sendable {
    var goods: [String: Int] = [:]

    var count: Int { goods.values.reduce(0, +) }
  }

  enum Action: Codable, Equatable, Sendable {
    case add(String, Int)
  }

  static let name = "stock"
  static let schema = 1
  static let initialState = State()

  static func reduce(into state: inout State, action: Action) {
    guard case .add(let name, let count) = action else { return }
    state.goods[name, default: 0] += count
  }
}

/// A screen with a number, a key that adds tea, and a search field.
@MainActor private final class StockScreen: TerminalScreen {
  private let store: TimeTravelStore<Stock>
  private let count: Selection<TimeTravelStore<Stock>, Int>
  private(set) var field: TerminalUI.TextField?

  init(_ store: TimeTravelStore<Stock>) {
    self.store = store
    count = Selection(store, outputSelector: \.count)
  }

  var text: String { "\(store.state.count) goods" }

  func render(on canvas: Canvas) { canvas.write("\(count.output) goods", row: 0) }

  func handle(_ key: Key) -> KeyResponse {
    if var field {
      guard field.handle(key) else { return .ignored }
      self.field = field
      return .handled
    }
    switch key {
    case "+":
      do { try store.dispatch(action: .add("tea", 1)) } catch { Issue.record(error) }
    case "/": field = TerminalUI.TextField()
    default: return .ignored
    }
    return .handled
  }
}
