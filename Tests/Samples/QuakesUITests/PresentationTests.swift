import EventSourcing
import Foundation
import ImmutableData
import ImmutableUI
import QuakesData
import QuakesUI
import Testing

@Suite struct QuakeTextTests {
  private let english = Locale(identifier: "en_US")
  private let calendar = Calendar(identifier: .gregorian)

  @Test(
    arguments: [(4.5, "4.5"), (4, "4.0"), (-0.34, "-0.3"), (1.25, "1.2"), (10.06, "10.1"), (0, "0.0")]
      as [(Double, String)])
  func magnitudesHaveOneDigit(magnitude: Double, text: String) {
    #expect(Quake.small.with(magnitude: magnitude).magnitudeString(locale: english) == text)
  }

  @Test func magnitudesFollowTheLocale() {
    #expect(Quake.large.magnitudeString(locale: Locale(identifier: "de_DE")) == "4,5")
  }

  @Test func datesAreComplete() throws {
    let text = Quake.small.fullDate(
      locale: english, calendar: calendar, timeZone: try #require(TimeZone(identifier: "America/Los_Angeles")))
    // The space before AM depends on the platform's locale data.
    let plain = text.map { character in character.isWhitespace ? " " : character }
    #expect(String(plain).hasPrefix("Saturday, November 21, 2026"))
    #expect(String(plain).contains("12:30:00 AM"))
  }

  @Test(
    arguments: [
      (0, "now"), (-0.9, "now"), (-1, "1 second ago"), (-59, "59 seconds ago"), (-60, "1 minute ago"),
      (-119, "1 minute ago"), (-120, "2 minutes ago"), (-3_600, "1 hour ago"), (-7_200, "2 hours ago"),
      (-86_400, "yesterday"), (-2 * 86_400, "2 days ago"), (-7 * 86_400, "last week"), (-14 * 86_400, "2 weeks ago"),
      (-30 * 86_400, "last month"), (-60 * 86_400, "2 months ago"), (-365 * 86_400, "last year"),
      (-800 * 86_400, "2 years ago"), (1, "in 1 second"), (3_600, "in 1 hour"), (7_300, "in 2 hours"),
      (86_400, "tomorrow"), (7 * 86_400, "next week"), (365 * 86_400, "next year"),
    ] as [(Double, String)])
  func relativeTimes(seconds: Double, text: String) {
    let quake = Quake.small.with(time: Quake.sampleDate.addingTimeInterval(seconds))
    #expect(quake.relativeTime(to: Quake.sampleDate) == text)
  }

  @Test func distantDatesAreFormatted() {
    let quake = Quake.small.with(time: Date(timeIntervalSinceReferenceDate: -1e300))
    #expect(quake.relativeTime(to: Quake.sampleDate).hasSuffix(" years ago"))
  }

  @Test(
    arguments: [
      (0, .green), (0.99, .green), (1, .yellow), (1.99, .yellow), (2, .orange), (3, .red), (4.99, .red), (5, .purple),
      (6.99, .purple), (7, .indigo), (9.5, .indigo), (-0.01, .gray), (.infinity, .gray), (-.infinity, .gray),
      (.nan, .gray),
    ] as [(Double, QuakeColor)])
  func magnitudesHaveColors(magnitude: Double, color: QuakeColor) {
    #expect(Quake.small.with(magnitude: magnitude).color == color)
  }
}

@Suite struct QuakeListTests {
  private typealias Placeholder = QuakeListRules.Placeholder

  @Test(
    arguments: [
      (0, 0, nil), (0, 5, nil), (0, 5, "small"), (1, 5, nil), (2, 2, "small"), (0, 0, "small"),
    ] as [(Int, Int, Quake.ID?)])
  func rulesDependOnCountsAndSelection(shown: Int, total: Int, selection: Quake.ID?) {
    let rules = QuakeListRules(shownCount: shown, totalCount: total, selection: selection)
    #expect(rules.isRefreshEnabled)
    #expect(rules.isDeleteEnabled == (total > 0))
    #expect(rules.isDeleteSelectedEnabled == (total > 0 && selection != nil))
    #expect(rules.isSortEnabled == (shown > 0))
    #expect(rules.isDatePickerEnabled == (total > 0))
    #expect(rules.placeholder == (shown > 0 ? nil : total == 0 ? .nothingLoaded : .nothingFound))
  }

  @Test func countsAreFormatted() {
    let rules = { (shown: Int, total: Int) in QuakeListRules(shownCount: shown, totalCount: total) }
    #expect(rules(0, 0).countText == "0 earthquakes")
    #expect(rules(1, 8).countText == "1 earthquake")
    #expect(rules(8, 8).countText == "8 earthquakes")
    #expect(rules(1, 8).totalText == "8 total")
    #expect(rules(0, 0).placeholder?.text == "Refresh to load earthquakes")
    #expect(rules(0, 1).placeholder?.text == nil)
  }

  @Test func menusHaveTitles() {
    #expect(
      QuakesAction.UI.QuakeList.RefreshQuakesRange.allCases.map(\.title)
        == ["All Hour", "All Day", "All Week", "All Month"])
    #expect(QuakeListOptions.SortParameter.allCases.map(\.title) == ["Time", "Magnitude"])
  }

  @Test func windowOpensWithTodaySortedByTime() {
    let options = QuakeListOptions(now: Quake.sampleDate)
    #expect(options.searchText == "" && options.searchDate == Quake.sampleDate)
    #expect(options.sortParameter == .time && options.sortOrder == .forward)
  }

  @Test @MainActor func optionsSearchAndSortTheList() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
    let early = Quake.large.with(time: Quake.sampleDate.addingTimeInterval(-60))
    let state = QuakesState.with([.small, early, .medium.with(name: "Elsewhere")])
    let store = Store(initialState: state, reducer: QuakesModel.reducer)
    func ids(_ options: QuakeListOptions) -> [Quake.ID] {
      Selection(store, QuakesQuery.values(options, calendar: calendar)).output.map(\.id)
    }
    var options = QuakeListOptions(now: Quake.sampleDate)
    #expect(ids(options) == ["large", "medium", "small"])
    options.sortParameter = .magnitude
    options.sortOrder = .reverse
    #expect(ids(options) == ["large", "medium", "small"])
    options.sortOrder = .forward
    options.searchText = "California"
    #expect(ids(options) == ["small", "large"])
  }

  @Test func listAndMapFollowEachOther() {
    var selection = QuakeSelection(list: "small")
    #expect(selection.map == "small")
    selection.selectInList("large")
    #expect(selection.map == "large")
    #expect(selection.selectOnMap("medium") == "medium")
    #expect(selection.list == "medium")
    #expect(selection.selectOnMap("medium") == nil, "the list has selected it already")
    #expect(selection.selectOnMap(nil) == nil)
    #expect(selection.list == nil && selection.map == nil)
  }
}

@Suite struct QuakeMapTests {

  @Test func markersGrowWithTheMagnitude() {
    let mark = QuakeMarker(.large, selection: nil)
    #expect(mark.quakeId == "large" && mark.size == 45 && mark.color == .red)
    #expect(!mark.hasBlackStroke && mark.strokeWidth == 1 && mark.fillOpacity == 0.5)
    let selected = QuakeMarker(.large, selection: "large")
    #expect(selected.size == 45)
    #expect(selected.hasBlackStroke && selected.strokeWidth == 2 && selected.fillOpacity == 1)
    #expect(QuakeMarker(.small, selection: "large").hasBlackStroke == false)
  }

  @Test func titleIsThatOfTheSelectedQuake() throws {
    #expect(QuakeTitle(nil).title == "Earthquakes" && QuakeTitle(nil).subtitle == "")
    let zone = try #require(TimeZone(identifier: "UTC"))
    let title = QuakeTitle(
      .small, locale: Locale(identifier: "en_US"), calendar: Calendar(identifier: .gregorian), timeZone: zone)
    #expect(title.title == "West of California")
    #expect(
      title.subtitle
        == Quake.small.fullDate(
          locale: Locale(identifier: "en_US"), calendar: Calendar(identifier: .gregorian), timeZone: zone))
  }
}
