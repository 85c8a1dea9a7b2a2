import EventSourcing
import Foundation
import ImmutableData
import ImmutableUI
import Platform
import QuakesData
import QuakesUI
import SampleSupport
import TerminalUI
import TestSupport
import Testing
import TreeCollections

/// The screen without a terminal: presses keys and compares the text.
@Suite(.timeLimit(.minutes(60))) @MainActor struct ScreenTests {
  /// A screen on a store without effects.
  @MainActor private struct Scene {
    let store: Store<QuakesState, QuakesAction>
    let driver: ScreenDriver
    let notices = ScreenNotices()

    init(
      _ quakes: [Quake] = Quake.around, columns: Int = 80, rows: Int = 24, style: MapStyle = .braille
    ) throws {
      store = Store(initialState: QuakesState(), reducer: QuakesModel.reducer)
      if !quakes.isEmpty {
        try store.dispatch(action: .local(.didFetchQuakes(result: .success(quakes: quakes))))
      }
      var calendar = Calendar(identifier: .gregorian)
      calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
      let surroundings = QuakesScreen<Store<QuakesState, QuakesAction>>.Surroundings(
        now: { Quake.sampleDate }, calendar: calendar, locale: Locale(identifier: "en_US"), mapStyle: style)
      notices.listen(to: store)
      driver = ScreenDriver(
        QuakesScreen(store, dispatch: ActionDispatch(store), notices: notices, surroundings: surroundings),
        columns: columns, rows: rows)
    }

    var status: Status? { store.state.quakes.status }
  }

  @Test func screensMatchGoldenFiles() throws {
    try Golden.expect(Scene().driver.text, is: "screen-80x24.txt")
    try Golden.expect(Scene(columns: 130, rows: 34).driver.text, is: "screen-130x34.txt")
    try Golden.expect(Scene(columns: 80, rows: 44).driver.text, is: "screen-80x44.txt")
    try Golden.expect(Scene(columns: 40, rows: 12).driver.text, is: "screen-40x12.txt")
    try Golden.expect(Scene(columns: 80, rows: 24, style: .ascii).driver.text, is: "screen-ascii.txt")
    let map = try Scene()
    map.driver.press(.end, .tab)
    try Golden.expect(map.driver.text, is: "screen-map.txt")
    map.driver.press(.enter)
    try Golden.expect(map.driver.text, is: "screen-detail.txt")
  }

  @Test func listIsSortedAndReversed() throws {
    let scene = try Scene()
    #expect(scene.driver.lines[1].contains("Unnamed place"), "by time")
    scene.driver.press("s")
    #expect(scene.driver.lines[1].hasPrefix("   0.7"))
    scene.driver.press("o")
    #expect(scene.driver.lines[1].contains("Ōfunato"))
    #expect(scene.driver.text.contains("Magnitude ↓"))
    scene.driver.press("s")
    #expect(scene.driver.lines[1].contains("The Geysers"), "the newest")
  }

  @Test func listFollowsTheSearch() throws {
    let scene = try Scene()
    scene.driver.press("/")
    scene.driver.type("Japax")
    #expect(scene.driver.text.contains("No earthquakes found"))
    scene.driver.press(.backspace)
    scene.driver.type("n")
    #expect(scene.driver.lines[1].contains("Ōfunato") && scene.driver.lines[2].isEmpty)
    scene.driver.press(.enter)
    #expect(scene.driver.text.contains("1 earthquake · 12 total · Nov 21, 2026 · Time ↑ · 'Japan'"))
    scene.driver.press(.escape)
    #expect(scene.driver.text.contains(" 12 earthquakes"))
    scene.driver.press("/")
    scene.driver.type("q")
    #expect(!scene.driver.isFinished, "q is text in the search field")
    scene.driver.press(.escape)
    #expect(scene.driver.text.contains(" 12 earthquakes"))
  }

  @Test func dayCanBeChanged() throws {
    let scene = try Scene()
    scene.driver.press("<")
    #expect(scene.driver.text.contains("Nov 20, 2026") && scene.driver.text.contains("0 earthquakes · 12 total"))
    #expect(scene.driver.text.contains("No earthquakes found"))
    scene.driver.press(">", ">")
    #expect(scene.driver.text.contains("Nov 22, 2026"))
    scene.driver.press("t")
    #expect(scene.driver.text.contains("Nov 21, 2026") && scene.driver.text.contains(" 12 earthquakes"))
  }

  /// Keys obey the rules of the guide.
  @Test func disabledKeysHaveNoEffect() throws {
    let scene = try Scene([])
    #expect(scene.driver.text.contains("Refresh to load earthquakes"))
    #expect(scene.status == .waiting, "the list appeared")
    let empty = scene.driver.text
    scene.driver.press("d", "D", "s", "o", "<", ">", .delete, .enter, .down)
    #expect(scene.driver.text == empty)
    #expect(scene.driver.press("x") == .ignored)
    #expect(scene.driver.press("q") == .finish)
  }

  @Test func deletionIsConfirmedAndShownAtOnce() async throws {
    let scene = try Scene()
    scene.driver.press(.down, "d")
    #expect(scene.driver.text.contains("Delete this earthquake?"))
    scene.driver.press("n")
    #expect(scene.store.state.quakes.data.count == 12)
    scene.driver.press("d", "y")
    #expect(scene.store.state.quakes.data["tx1"] == nil)
    #expect(await settle { scene.driver.text.contains("11 earthquakes · 11 total") })
    #expect(scene.driver.lines[1].hasPrefix("›"), "the next one is selected")
    scene.driver.press("D", .right, .enter)
    #expect(await settle { scene.driver.text.contains("0 total") })
  }

  @Test func rolledBackDeletionIsReported() async throws {
    let scene = try Scene([.small])
    scene.driver.press(.down, "d", "y")
    let reason = FailureReason(code: "noSpace", message: "the disk is full", place: "default.store")
    try scene.store.dispatch(action: .local(.didFailToDeleteQuakes(quakes: [.small], reason: reason)))
    #expect(
      await settle {
        scene.driver.text.contains("'West of California' was not deleted, and is back: noSpace: the disk is full")
      })
    scene.notices.reportFailure("something less")
    #expect(!scene.driver.text.contains("something less"))
    #expect(scene.driver.text.contains("1 earthquake · 1 total"))
    scene.driver.press(.down)
    #expect(!scene.driver.text.contains("not deleted"), "it was read")
  }

  @Test func feedIsSelectedWithArrows() throws {
    let ranges = Locked<[QuakesAction.UI.QuakeList.RefreshQuakesRange]>([])
    let store = Store<QuakesState, QuakesAction>(initialState: QuakesState()) { state, action in
      if case .ui(.quakeList(.onTapRefreshQuakesButton(let range))) = action {
        ranges.withLock { ranges in ranges.append(range) }
      }
      return try QuakesModel.reducer(state, action)
    }
    let driver = ScreenDriver(QuakesScreen(store, dispatch: ActionDispatch(store)), columns: 80, rows: 24)
    driver.press("r")
    #expect(driver.text.contains("↑ ↓ choose  Enter refresh  Esc cancel"))
    driver.press(.up, .down, .down, .end, .up, .enter)
    #expect(!driver.text.contains("All Week"))
    #expect(ranges.withLock(\.self) == [.allWeek])
  }

  @Test func feedIsFetchedAndCanFail() async throws {
    let scene = try Scene()
    scene.driver.press("r")
    #expect(scene.driver.text.contains("All Hour") && scene.driver.text.contains("All Month"))
    scene.driver.press("w")
    #expect(scene.status == .waiting)
    #expect(await settle { scene.driver.lines[0].hasSuffix("waiting …") })
    try scene.store.dispatch(
      action: .remote(.didFetchQuakes(result: .failure(error: "statusError: the server answered with status 503"))))
    #expect(await settle { scene.driver.text.contains("status 503") && scene.driver.lines[0].hasSuffix("failed") })
    scene.driver.press("r", .escape)
    #expect(scene.status == .failure(error: "statusError: the server answered with status 503"))
    scene.driver.press("r", "h")
    try scene.store.dispatch(action: .remote(.didFetchQuakes(result: .success(quakes: []))))
    #expect(await settle { !scene.driver.text.contains("503") && scene.driver.lines[0] == " Earthquakes" })
  }

  /// Selecting on the map moves the list, and the other way around.
  @Test func listAndMapFollowEachOther() throws {
    let scene = try Scene(columns: 130, rows: 34)
    scene.driver.press(.tab, .right)
    #expect(scene.driver.lines[0].contains("Ōfunato, Japan · Saturday"), "the strongest")
    #expect(scene.driver.lines.contains { line in line.hasPrefix("›  7.4") })
    scene.driver.press(.down)
    #expect(scene.driver.lines[0].contains("Hualien") || scene.driver.lines[0].contains("Banda"))
    scene.driver.press(.tab, .home)
    #expect(scene.driver.lines[0].contains("Earthquakes") == false)
    scene.driver.press("+", "+")
    #expect(scene.driver.text.contains("×4"))
    scene.driver.press("-", "-", "-", .escape)
    #expect(!scene.driver.text.contains("×") && scene.driver.lines[0] == " Earthquakes")
  }

  /// Zooms in on the strongest quake, then selects its neighbor.
  @Test func mapShowsTheSurroundingsOfTheSelectedQuake() throws {
    let scene = try Scene(columns: 80, rows: 24)
    scene.driver.press(.tab, .right, "+")
    #expect(scene.driver.text.contains("×2"))
    scene.driver.press(.down)
    #expect(scene.driver.text.contains("×16"))
    scene.driver.press("-")
    #expect(scene.driver.text.contains("×8"))
  }

  /// The next key clears a notice, but not a recording failure.
  @Test func recordingFailureIsShownUntilItEnds() throws {
    let scene = try Scene()
    scene.notices.report(recordingFailure: "not recorded: the disk is full")
    scene.notices.report("something else")
    #expect(scene.driver.needsDrawing)
    scene.driver.press(.down)
    #expect(scene.driver.text.contains("not recorded: the disk is full"))
    scene.notices.report(recordingFailure: nil)
    #expect(!scene.driver.text.contains("not recorded") && !scene.driver.text.contains("something else"))
  }

  @Test func helpListsTheKeys() throws {
    let scene = try Scene()
    scene.driver.press("?")
    try Golden.expect(scene.driver.text, is: "screen-help.txt")
    scene.driver.press(.escape)
    #expect(!scene.driver.text.contains("─ Keys ─"))
  }

  /// Names come from a feed and can contain anything.
  @Test(arguments: [(1, 1), (10, 3), (30, 5), (200, 60)])
  func oddNamesAreDrawnAtAnySize(columns: Int, rows: Int) throws {
    let names = [
      "\u{1B}[2Jgone", "三陸沖", "Tab\there", "Cafe\u{301}", String(repeating: "long ", count: 400), "\u{200D}",
    ]
    let quakes = names.enumerated().map { number, name in
      Quake.small.with(quakeId: "q\(number)", magnitude: [.nan, .infinity, 1e300, -1, 0, 9][number], name: name)
    }
    let scene = try Scene(quakes, columns: columns, rows: rows)
    for _ in names { scene.driver.press(.down, .enter, .escape, .tab, "+", .tab, "d", "n") }
    #expect(scene.driver.lines.count == rows)
    #expect(!scene.driver.text.contains("\u{1B}"))
  }
}
