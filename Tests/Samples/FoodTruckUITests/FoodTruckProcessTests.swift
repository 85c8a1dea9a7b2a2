import EventSourcing
import FoodTruckData
import Foundation
import TestSupport
import Testing
import TreeCollections

/// The program in a pseudoterminal: presses keys and compares the screen.
@Suite("foodtruck", .timeLimit(.minutes(60))) struct FoodTruckProcessTests {
  private static let up = "\u{1B}[A"
  private static let down = "\u{1B}[B"
  private static let right = "\u{1B}[C"

  private let directory: TemporaryDirectory
  private let terminal: PseudoTerminal

  init() throws {
    directory = try TemporaryDirectory()
    terminal = try PseudoTerminal(columns: 76, rows: 16)
  }

  private func start(_ arguments: String..., in window: PseudoTerminal? = nil) throws -> ChildProcess {
    try (window ?? terminal).run(
      [Executable.path(of: "foodtruck"), "--data", directory.path("data"), "--from", "2026-11-21T09:00:00Z"] + arguments
    )
  }

  private func recorded(at revision: Int? = nil) throws -> FoodTruckState {
    try History<FoodTruckLog>(at: directory.path("data/log")).state(at: revision)
  }

  @Test("a torn tail is truncated, quarantined and reported")
  func tornTail() async throws {
    func run() async throws -> RunningProgram.Run {
      try await RunningProgram.run("foodtruck", "--data", directory.path("data"))
    }
    #expect(try await run().ending == .status(0))
    #expect(try await LogFaults.isTornTailReported(of: directory.path("data/log"), by: run))
  }

  @Test("the screens are correct")
  func screens() async throws {
    let truck = try start()
    try await terminal.wait(for: "no orders yet")
    for count in 1...9 {
      try terminal.press("n")
      try await terminal.wait(for: count == 1 ? "1 order " : "\(count) orders")
    }
    // The drawer with the past of the application.
    try terminal.press("[")
    try await terminal.wait("the past") { screen in
      screen.text.contains("the past of") && screen.text.contains("revision ")
    }
    try terminal.press("f")
    try await terminal.wait("the present") { screen in !screen.text.contains("the past of") }
    // The ninth order is from another city: the truck has moved.
    try terminal.press(Self.up, "\r")
    try await terminal.wait(for: "Order Details")
    try terminal.press("p")
    try await terminal.wait(for: "preparing")
    try terminal.press("\u{1B}")
    try await terminal.wait("the list") { screen in
      screen.text.contains("[1 Orders]") && screen.text.contains("1 in preparation")
        && !screen.text.contains("Order Details")
    }
    #expect(
      terminal.screen.lines == [
        "The Rolling Ring                        9 orders · 1 in preparation · paused",
        "[1 Orders] 2 Card  3 Sales  4 Donuts",
        "by status",
        "    Order       Status     Donuts  City          Placed",
        "›   Order#1     preparing       8  Old Harbour   09:00",
        "    Order#9     placed          1  Seven Hills   09:08",
        "    Order#8     placed          5  Old Harbour   09:07",
        "    Order#7     placed          5  Old Harbour   09:06",
        "    Order#6     placed          8  Old Harbour   09:05",
        "    Order#5     placed          6  Old Harbour   09:04",
        "    Order#4     placed          5  Old Harbour   09:03",
        "    Order#3     placed          6  Old Harbour   09:02",
        "    Order#2     placed          9  Old Harbour   09:01",
        "",
        "Enter View Details  n Create Order  c Complete Order  Space Mark",
        "? Help  Tab Next  s Sort  / Search  l Live  + Speed ×1  q Quit",
      ])
    try terminal.press("2")
    try await terminal.wait(for: "Top Donuts")
    #expect(
      terminal.screen.lines == [
        "The Rolling Ring                        9 orders · 1 in preparation · paused",
        " 1 Orders [2 Card] 3 Sales  4 Donuts",
        "",
        "New Orders                           │ Top Donuts",
        "                                     │",
        "Order#9  placed                      │ 1. Lemon Cloud           11",
        "Berry Patch                          │ 2. Maple Walk             9",
        "                                     │ 3. Salted Caramel         9",
        "                                     │ 4. Midnight Cocoa         7",
        "Order#8     placed     09:07         │ 5. Café                   7",
        "Order#7     placed     09:06         │",
        "Order#6     placed     09:05         │",
        "Order#5     placed     09:04         │",
        "",
        "Enter View Details",
        "? Help  Tab Next  l Live  + Speed ×1  q Quit",
      ])
    try terminal.press("3", Self.right)
    try await terminal.wait(for: "Top 5 of Old Harbour")
    // The orders are recorded today.
    let lines = terminal.screen.lines.map { line in line.replacing(/20\d\d-\d\d-\d\d/, with: "2026-11-23") }
    #expect(
      lines == [
        "The Rolling Ring                        9 orders · 1 in preparation · paused",
        " 1 Orders  2 Card [3 Sales] 4 Donuts",
        "                                │",
        "Top 5 of Old Harbour            │ By city and day  live",
        "  Lemon Cloud           11  ███ │ Day         City           Orders  Donuts",
        "  Maple Walk             9  ██  │ 2026-11-23  Old Harbour         8      52",
        "  Salted Caramel         9  ██  │ 2026-11-23  Seven Hills         1       1",
        "  Midnight Cocoa         7  ██  │",
        "  Café                   7  ██  │",
        "                                │",
        "                                │",
        "                                │",
        "                                │",
        "",
        "→ Next city  ← Previous city  (e Edit)  < Earlier  (> Later)",
        "? Help  Tab Next  l Live  + Speed ×1  q Quit",
      ])
    try terminal.press("q")
    #expect(try await truck.wait() == .status(0))
    try await terminal.wait("the shell's screen") { screen in !screen.isAlternate && screen.showsCursor }
    #expect(try terminal.isCooked())
    #expect(try recorded().orders.count == 9)
  }

  @Test("the sales board shows the past and returns to the present")
  func pastSales() async throws {
    /// The orders of all rows of the board.
    @Sendable func orders(_ screen: VirtualTerminal) -> Int {
      screen.lines.compactMap { line in line.firstMatch(of: /│ 20\d\d-\d\d-\d\d .* (\d+) +\d+ *$/) }
        .reduce(0) { sum, row in sum + (Int(row.1) ?? 0) }
    }
    let truck = try start()
    try await terminal.wait(for: "no orders yet")
    for count in 1...14 {
      try terminal.press("n")
      try await terminal.wait(for: count == 1 ? "1 order " : "\(count) orders")
    }
    try terminal.press("3")
    try await terminal.wait("the present") { screen in
      screen.text.contains("By city and day  live") && orders(screen) == 14
    }
    try terminal.press("<")
    try await terminal.wait(for: "By city and day  at revision ")
    let shown = try #require(terminal.screen.text.firstMatch(of: /at revision (\d+)/).flatMap { match in Int(match.1) })
    let past = try recorded(at: shown).orders.count
    #expect((1..<14).contains(past))
    #expect(orders(terminal.screen) == past)
    try terminal.press(">")
    try await terminal.wait("the present") { screen in
      screen.text.contains("By city and day  live") && orders(screen) == 14
    }
    try terminal.press("q")
    #expect(try await truck.wait() == .status(0))
  }

  @Test("after kill -9 the truck is restored")
  func killed() async throws {
    let truck = try start()
    try await terminal.wait(for: "no orders yet")
    try terminal.press("n", "n", "n")
    try await terminal.wait(for: "3 orders")
    try terminal.press(Self.down, "\r")
    try await terminal.wait(for: "Order Details")
    try terminal.press("p")
    try await terminal.wait(for: "1 in preparation")
    try terminal.press("\u{1B}", "s")
    try await terminal.wait(for: "by newest")
    // The log is written shortly after the screen.
    #expect(try await eventually { try recorded().activities == ["Order#3"] })
    #expect(try await eventually { trial.storedPlace.contains(#""sort":"newest""#) })
    truck.kill(SIGKILL)
    #expect(try await truck.wait() == .signal(SIGKILL))

    let window = try PseudoTerminal(columns: 76, rows: 16)
    let again = try start(in: window)
    try await window.wait(for: "3 orders · 1 in preparation")
    #expect(
      window.screen.lines[3...6] == [
        "    Order       Status     Donuts  City          Placed",
        "›   Order#3     preparing       6  Old Harbour   09:02",
        "    Order#2     placed          9  Old Harbour   09:01",
        "    Order#1     placed          8  Old Harbour   09:00",
      ])
    #expect(window.screen.lines[2] == "by newest")
    // The order in preparation is still selected and is handed over. The next order has the next number.
    try window.press("c")
    try await window.wait(for: "Order Complete")
    try window.press("\u{1B}", "n")
    try await window.wait(for: "4 orders")
    try window.press("q")
    #expect(try await again.wait() == .status(0))
    let state = try recorded()
    #expect(state.activities.isEmpty && state.orders["Order#3"]?.status == .completed)
    #expect(state.orders.keys.sorted() == ["Order#1", "Order#2", "Order#3", "Order#4"])
  }

  @Test("the feed creates orders, at a selected speed")
  func live() async throws {
    let truck = try start("--live", "--speed", "64")
    try await terminal.wait(for: "live ×64")
    try await terminal.wait("five customers") { screen in
      (screen.lines.first ?? "").split(separator: " ").contains { word in (Int(word) ?? 0) >= 5 }
    }
    try terminal.press("l")
    try await terminal.wait(for: "paused")
    try terminal.press("q")
    #expect(try await truck.wait() == .status(0))
    let state = try recorded()
    // A generated order depends on its number and not on the time.
    let source = OrderSource(seed: 5) { number in Order.previewDate + 60 * Double(number - 1) }
    #expect(state.orders.count >= 5)
    for number in 1...state.orders.count {
      #expect(state.orders["Order#\(number)"] == Order.BackingData(source.order(number: number, donuts: Donut.all)))
    }
  }

  @Test("a second truck on the same data is rejected, and the first one continues")
  func secondProcess() async throws {
    let truck = try start()
    try await terminal.wait(for: "no orders yet")
    let window = try PseudoTerminal(columns: 100, rows: 16)
    let second = try start(in: window)
    #expect(try await second.wait() == .status(4))
    try await window.wait(for: "error: ")
    try terminal.press("n")
    try await terminal.wait(for: "1 order ")
    try terminal.press("q")
    #expect(try await truck.wait() == .status(0))
  }

  private var trial: ApplicationTrial { ApplicationTrial("foodtruck", data: directory.path("data"), log: "log") }

  @Test(
    "invalid calls are rejected before anything is created",
    arguments: [["--json"], ["extra"], ["--speed", "3"], ["--from", "now"]])
  func wrongCalls(arguments: [String]) async throws {
    let run = try await trial.run(arguments)
    #expect(run.ending == .status(2), "\(run.output)")
    #expect(!trial.hasData)
  }

  @Test("a path to the log instead of its parent directory is rejected")
  func logForFolder() async throws {
    #expect(try await trial.run().ending == .status(0))
    let run = try await RunningProgram.run("foodtruck", "--data", directory.path("data/log"))
    #expect(run.ending == .status(2))
    #expect(run.output.contains("Give '--data \(directory.path("data"))'. Nothing was changed."), "\(run.output)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path("data")) == ["log"])
  }

  @Test("a data directory that cannot be created is reported")
  func obstructed() async throws {
    let run = try await trial.runObstructed()
    #expect(run.ending == .status(3))
    #expect(run.output.contains("Name another one with --data DIR"))
  }

  @Test("a damaged log is reported with its location and not changed")
  func damaged() async throws {
    let (run, isUntouched) = try await trial.runDamaged()
    #expect(run.ending == .status(1) && isUntouched)
    #expect(trial.reportsDamage(run.output), "\(run.output)")
  }
}
