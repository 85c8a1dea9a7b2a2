import ActionLog
import Testing

@Suite("Times", .timeLimit(.minutes(60)))
struct LogTimeTests {
  @Test(arguments: [
    (0, "1970-01-01T00:00:00.000000Z"),
    (-1, "1969-12-31T23:59:59.999999Z"),
    (951_782_400_000_000, "2000-02-29T00:00:00.000000Z"),
    (1_795_251_605_123_456, "2026-11-21T09:00:05.123456Z"),
    (4_107_542_399_999_999, "2100-02-28T23:59:59.999999Z"),
    (253_402_300_799_999_999, "9999-12-31T23:59:59.999999Z"),
    (-62_135_596_800_000_000, "0001-01-01T00:00:00.000000Z"),
    (-62_009_366_400_000_000, "0005-01-01T00:00:00.000000Z"),
  ])
  func isWrittenAndReadInTwentySevenBytes(microseconds: Int64, text: String) {
    #expect(LogTime(microseconds: microseconds).description == text)
    #expect(LogTime(parsing: text)?.microseconds == microseconds)
    #expect(text.utf8.count == 27)
  }

  @Test(arguments: [
    "", "2026-11-21T09:00:05Z", "2026-11-21T09:00:05.12345Z", "2026-11-21T09:00:05.1234567Z",
    "2026-11-21t09:00:05.123456Z", "2026-11-21T09:00:05.123456z", "2026-11-21 09:00:05.123456Z",
    "2026-11-21T09:00:05,123456Z", "2026-11-21T24:00:00.000000Z", "2026-11-21T09:60:05.123456Z",
    "2026-11-21T09:00:60.000000Z", "2026-00-21T09:00:05.123456Z", "2026-13-21T09:00:05.123456Z",
    "2026-11-00T09:00:05.123456Z", "2026-11-31T09:00:05.123456Z", "2026-02-29T09:00:05.123456Z",
    "2100-02-29T09:00:05.123456Z", "0000-12-31T23:59:59.999999Z", "+026-11-21T09:00:05.123456Z",
    "2026-11-21T09:00:05.12345６",
    "2026-1１-21T09:00:05.1234Z", "2026-11-21T09:00:05.123456+",
  ])
  func refusesEveryOtherText(text: String) {
    #expect(LogTime(parsing: text) == nil)
  }

  @Test func everyDayOfEightHundredYearsReadsBack() {
    let day: Int64 = 86_400_000_000
    var time = LogTime(microseconds: -11_676_096_000_000_000)
    var last = ""
    for _ in 0..<292_194 {
      let text = time.description
      guard LogTime(parsing: text) == time, text > last else {
        Issue.record("\(time.microseconds) is written as \(text), after \(last)")
        return
      }
      last = text
      time = LogTime(microseconds: time.microseconds + day)
    }
    #expect(time.description == "2400-01-01T00:00:00.000000Z")
  }

  @Test func isHeldToTheYearsThatHaveFourDigits() {
    #expect(LogTime(microseconds: .max) == .latest)
    #expect(LogTime(microseconds: .min) == .earliest)
    #expect(LogTime.latest.advanced(by: .seconds(Int64.max)) == .latest)
    #expect(LogTime.earliest.advanced(by: .seconds(Int64.min)) == .earliest)
    #expect(LogTime(microseconds: 5).advanced(by: .milliseconds(-1)).microseconds == -995)
  }
}
