import ActionLog
import Testing
import TimeTravel

@Suite struct HistoryPointTests {
  /// 2026-11-21T09:00:00Z.
  private let now = LogTime(microseconds: 1_795_251_600_000_000)

  @Test(arguments: [
    ("42", "42"), ("0", "0"), ("007", "7"), ("start", "start"), ("end", "end"), ("-3", "-3"), ("-0", "-0"),
    (" end ", "end"),
    ("2026-11-21T09:00:05Z", "2026-11-21T09:00:05.000000Z"),
    ("2026-11-21t09:00:05.25z", "2026-11-21T09:00:05.250000Z"),
    ("2026-11-21 09:00:05.123456789Z", "2026-11-21T09:00:05.123456Z"),
    // The form in which times are shown.
    ("2026-11-21 09:00:05", "2026-11-21T09:00:05.000000Z"),
    ("2026-11-21 09:00:05.250", "2026-11-21T09:00:05.250000Z"),
    ("2026-11-21 09:00:05.25-01:00", "2026-11-21T10:00:05.250000Z"),
    ("2026-11-21T00:30:00+01:00", "2026-11-20T23:30:00.000000Z"),
    ("2024-02-28T23:59:59.999999-00:30", "2024-02-29T00:29:59.999999Z"),
    ("2026-11-21T09:00:05+23:59", "2026-11-20T09:01:05.000000Z"),
    ("2026-11-21T09:00:05-00:00", "2026-11-21T09:00:05.000000Z"),
    // Leap seconds, of the examples in RFC 3339 and others: the last microsecond before.
    ("1990-12-31T23:59:60Z", "1990-12-31T23:59:59.999999Z"),
    ("1990-12-31T15:59:60-08:00", "1990-12-31T23:59:59.999999Z"),
    ("2016-12-31t23:59:60.999999999z", "2016-12-31T23:59:59.999999Z"),
    ("2012-07-01T05:29:60.5+05:30", "2012-06-30T23:59:59.999999Z"),
    ("2016-12-31 23:59:60", "2016-12-31T23:59:59.999999Z"),
    // A day.
    ("2026-11-21", "2026-11-21"), (" 2024-02-29 ", "2024-02-29"), ("today", "2026-11-21"),
    (" yesterday ", "2026-11-20"),
    ("5m ago", "2026-11-21T08:55:00.000000Z"),
    ("1h30m ago", "2026-11-21T07:30:00.000000Z"),
    ("2 days ago", "2026-11-19T09:00:00.000000Z"),
    ("1 week  3 hours ago", "2026-11-14T06:00:00.000000Z"),
    ("90sec ago", "2026-11-21T08:58:30.000000Z"),
    ("0s ago", "2026-11-21T09:00:00.000000Z"),
  ])
  func pointsAreParsed(text: String, description: String) throws {
    let point = try HistoryPoint(parsing: text, now: now)
    #expect(point.description == description)
    #expect(try HistoryPoint(parsing: point.description, now: now) == point)
  }

  @Test(arguments: [
    ("strat", #""strat" is not a point of a history"#),
    ("", #""" is not a point of a history"#),
    ("-", #""-" is not a point of a history"#),
    ("+5", #""+5" is not a point of a history"#),
    ("1.5", #""1.5" is not a point of a history"#),
    ("\u{1B}[1m", #""\u001b[1m" is not a point of a history"#),
    ("99999999999999999999", "99999999999999999999 is larger than any revision"),
    ("-99999999999999999999", "-99999999999999999999 is larger than any revision"),
    ("2026-11-2", "2026-11-2 is not a time: write it as 2026-11-21T09:00:05Z"),
    ("20261121-0", #""20261121-0" is not a point of a history"#),
    ("2026-11-32", "2026-11-32 is not on the calendar"),
    ("2026--1121", "2026--1121 is not a time"),
    ("2026-11-21T09:00:05", "2026-11-21T09:00:05 has no time zone: write 2026-11-21T09:00:05Z for UTC"),
    ("2026-11-21T09:00Z", "2026-11-21T09:00Z is not a time"),
    ("2026-02-30T09:00:05Z", "2026-02-30T09:00:05Z is not on the calendar"),
    ("2026-11-21T24:00:00Z", "2026-11-21T24:00:00Z is not on the calendar"),
    ("2026-11-30T09:00:60Z", "2026-11-30T09:00:60Z is not on the calendar"),
    ("2026-11-21T23:59:60Z", "2026-11-21T23:59:60Z is not on the calendar"),
    ("2016-12-31T23:59:60+01:00", "2016-12-31T23:59:60+01:00 is not on the calendar"),
    ("2016-12-31T23:59:61Z", "2016-12-31T23:59:61Z is not on the calendar"),
    ("9999-12-31T23:59:60Z", "9999-12-31T23:59:60Z is not on the calendar"),
    ("2026-11-21T09:00:05.Z", "2026-11-21T09:00:05.Z is not a time"),
    ("2026-11-21T09:00:05+1:00", "2026-11-21T09:00:05+1:00 is not a time"),
    ("2026-11-21T09:00:05+25:00", "2026-11-21T09:00:05+25:00 is not a time"),
    ("ago", "how long ago is missing"),
    ("m ago", #"a whole number is missing before "m""#),
    ("5 ago", "the unit after 5 is missing: write s, m, h, d or w"),
    ("5y ago", #""y" is not a unit: write s, m, h, d or w"#),
    ("99999999999999999999w ago", "99999999999999999999w is longer than any history"),
    ("9999999999999w ago", "9999999999999w is longer than any history"),
  ])
  func invalidPointsAreExplained(text: String, message: String) {
    let error = #expect(throws: TimeTravelError.self) { try HistoryPoint(parsing: text, now: now) }
    #expect(error?.code == .invalidPoint)
    #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "")")
  }

  @Test func dayIsItsFirstMoment() throws {
    let midnight = try #require(LogTime(parsing: "2026-11-21T00:00:00.000000Z"))
    #expect(try HistoryPoint(parsing: "2026-11-21", now: now) == .day(midnight))
  }

  @Test(arguments: [
    ("2026-03-01T00:00:00.000000Z", "2026-03-01", "2026-02-28"),
    ("2024-03-01T23:59:59.999999Z", "2024-03-01", "2024-02-29"),
    ("1970-01-01T00:00:00.000000Z", "1970-01-01", "1969-12-31"),
    ("1969-12-31T23:59:59.999999Z", "1969-12-31", "1969-12-30"),
    ("0001-01-01T12:00:00.000000Z", "0001-01-01", "0001-01-01"),
  ])
  func todayAndYesterdayAreDaysInUTC(now: String, today: String, yesterday: String) throws {
    let now = try #require(LogTime(parsing: now))
    #expect(try HistoryPoint(parsing: "today", now: now).description == today)
    #expect(try HistoryPoint(parsing: "yesterday", now: now) == HistoryPoint(parsing: yesterday, now: now))
  }

  @Test func misspelledWordIsSuggested() {
    let error = #expect(throws: TimeTravelError.self) { try HistoryPoint(parsing: "strat", now: now) }
    #expect(error?.suggestions == ["start"])
  }

  @Test func earliestTimeIsTheLimit() throws {
    #expect(try HistoryPoint(parsing: "500000w ago", now: now) == .time(.earliest))
  }
}
