import Foundation
import QuakesData
import Testing
import TreeCollections

@Suite struct QuakesSelectorTests {
  /// 2026-11-21 is a day of 24 hours in UTC.
  private static let noon = Date(timeIntervalSinceReferenceDate: 816_955_200)
  private static let midnight = noon.addingTimeInterval(-43_200)
  private static let nextMidnight = noon.addingTimeInterval(43_200)

  private static func calendar(_ zone: String) throws -> Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: zone))
    return calendar
  }

  private let utc: Calendar

  init() throws { utc = try Self.calendar("UTC") }

  @Test func selectsCountStatusAndQuake() {
    let state = QuakesState.with(Quake.previewQuakes, .failure(error: "offline"))
    #expect(QuakesState.selectQuakesCount()(state) == 8)
    #expect(QuakesState.selectQuakesCount()(QuakesState()) == 0)
    #expect(QuakesState.selectQuakesStatus()(state) == .failure(error: "offline"))
    #expect(QuakesState.selectQuakesStatus()(QuakesState()) == nil)
    #expect(QuakesState.selectQuake(quakeId: "small")(state) == .small)
    #expect(QuakesState.selectQuake(quakeId: "none")(state) == nil)
    #expect(QuakesState.selectQuake(quakeId: nil)(state) == nil)
  }

  /// The interval of a day is closed at both ends.
  @Test(
    arguments: [
      (midnight.addingTimeInterval(-0.001), false), (midnight, true), (noon, true), (nextMidnight, true),
      (nextMidnight.addingTimeInterval(0.001), false),
    ] as [(Date, Bool)])
  func aDayIsClosedAtBothEnds(time: Date, expected: Bool) {
    let state = QuakesState.with([.small.with(time: time)])
    for moment in [Self.midnight, Self.noon, Self.nextMidnight.addingTimeInterval(-1)] {
      let found = QuakesState.selectQuakes(searchText: "", searchDate: moment, calendar: utc)(state)
      #expect(found.isEmpty != expected)
    }
  }

  /// A day has 25 hours when clocks are set back, and 23 when they are set forward.
  @Test(arguments: [("2026-10-25", 25), ("2026-03-29", 23), ("2026-11-21", 24)])
  func dayLengthFollowsTheCalendar(day: String, hours: Int) throws {
    let berlin = try Self.calendar("Europe/Berlin")
    let parts = day.split(separator: "-").compactMap { part in Int(part) }
    let start = try #require(
      berlin.date(from: DateComponents(year: parts[0], month: parts[1], day: parts[2])))
    let quakes = (0...26).map { hour in
      Quake(
        quakeId: "\(hour)", magnitude: 1, time: start.addingTimeInterval(Double(hour) * 3_600), updated: start,
        name: "",
        longitude: 0, latitude: 0)
    }
    let found = QuakesState.selectQuakes(searchText: "", searchDate: start, calendar: berlin)(.with(quakes))
    #expect(found.count == hours + 1)
  }

  @Test func timeZoneDeterminesTheDay() throws {
    let state = QuakesState.with([.small.with(time: Self.midnight.addingTimeInterval(3_600))])
    let select = { (zone: String) in
      QuakesState.selectQuakes(searchText: "", searchDate: Self.noon, calendar: try Self.calendar(zone))(state).count
    }
    #expect(try select("UTC") == 1)
    #expect(try select("America/Los_Angeles") == 0)
  }

  @Test(
    arguments: [("", 2), ("California", 1), ("california", 0), ("Curaçao", 1), ("Curacao", 0), ("of", 1)]
      as [(String, Int)])
  func searchIsCaseAndDiacriticSensitive(text: String, count: Int) {
    let state = QuakesState.with([.small, .large.with(name: "Curaçao")])
    let found = QuakesState.selectQuakes(searchText: text, searchDate: Self.noon, calendar: utc)(state)
    #expect(found.count == count)
    #expect(found.allSatisfy { key, quake in key == quake.id && quake.name.contains(text) || text.isEmpty })
  }

  @Test func matchingQuakesAreSorted() {
    let early = Quake.small.with(time: Self.midnight)
    let state = QuakesState.with([.large, early, .medium, .xlarge.with(time: Self.nextMidnight.addingTimeInterval(9))])
    func ids(_ order: SortOrder) -> [[Quake.ID]] {
      [
        QuakesState.selectQuakesValues(
          searchText: "", searchDate: Self.noon, calendar: utc, sort: \.magnitude, order: order)(state).map(\.id),
        QuakesState.selectQuakesValues(
          searchText: "", searchDate: Self.noon, calendar: utc, sort: \.time, order: order)(state).map(\.id),
      ]
    }
    #expect(ids(.forward) == [["small", "medium", "large"], ["small", "large", "medium"]])
    #expect(ids(.reverse) == [["large", "medium", "small"], ["large", "medium", "small"]])
  }

  /// The order of a dictionary differs between processes; with this many rows, a sort that depended on it would fail.
  @Test(arguments: [SortOrder.forward, .reverse])
  func equalQuakesAreSortedByID(order: SortOrder) {
    let ids = (10..<60).map { number in "id\(number)" }
    let quakes = ids.map { id in
      Quake(
        quakeId: id, magnitude: 1, time: Self.noon, updated: Self.noon, name: "Same", longitude: 0, latitude: 0)
    }
    let found = QuakesState.selectQuakesValues(
      searchText: "Same", searchDate: Self.noon, calendar: utc, sort: \.magnitude, order: order)(.with(quakes))
    #expect(found.map(\.id) == ids)
  }
}
