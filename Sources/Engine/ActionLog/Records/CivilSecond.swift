internal import JSONCoding

/// A whole second of the calendar, the part of a time that consecutive records share.
struct CivilSecond {
  private let date: CivilDate
  private let secondOfDay: Int

  /// The second that a time lies in.
  init(of time: LogTime) {
    let seconds = CivilSecond.whole(of: time) - CivilSecond.secondsTo2001
    let days = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
    date = CivilDate(daysSince2001: days)
    secondOfDay = Int(seconds - days * 86_400)
  }

  /// From 1970 to 2001, where the calendar of the coders begins.
  private static let secondsTo2001: Int64 = 978_307_200

  /// Whole seconds since 1970 of a date and a time of day; `nil` for a date that is not on the calendar.
  static func seconds(year: Int, month: Int, day: Int, secondOfDay: Int) -> Int64? {
    guard let date = CivilDate(year: Int64(year), month: Int64(month), day: Int64(day)) else { return nil }
    return date.daysSince2001 * 86_400 + Int64(secondOfDay) + secondsTo2001
  }

  /// Whole seconds since 1970, rounded down.
  static func whole(of time: LogTime) -> Int64 {
    let microseconds = time.microseconds
    return (microseconds >= 0 ? microseconds : microseconds - 999_999) / 1_000_000
  }

  /// The microseconds after the whole second.
  static func microsecond(of time: LogTime) -> Int {
    Int(time.microseconds - whole(of: time) * 1_000_000)
  }

  /// Appends 19 bytes, for instance `2026-11-21T09:00:00`.
  func append(to output: inout [UInt8]) {
    CivilSecond.appendDigits(Int(date.year), count: 4, to: &output)
    output.append(UInt8(ascii: "-"))
    CivilSecond.appendDigits(Int(date.month), count: 2, to: &output)
    output.append(UInt8(ascii: "-"))
    CivilSecond.appendDigits(Int(date.day), count: 2, to: &output)
    output.append(UInt8(ascii: "T"))
    CivilSecond.appendDigits(secondOfDay / 3_600, count: 2, to: &output)
    output.append(UInt8(ascii: ":"))
    CivilSecond.appendDigits(secondOfDay / 60 % 60, count: 2, to: &output)
    output.append(UInt8(ascii: ":"))
    CivilSecond.appendDigits(secondOfDay % 60, count: 2, to: &output)
  }

  /// Appends a number that is not negative, with leading zeros.
  static func appendDigits(_ value: Int, count: Int, to output: inout [UInt8]) {
    let start = output.count
    for _ in 0..<count { output.append(UInt8(ascii: "0")) }
    var rest = value
    for index in stride(from: start + count - 1, through: start, by: -1) {
      output[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
  }
}
