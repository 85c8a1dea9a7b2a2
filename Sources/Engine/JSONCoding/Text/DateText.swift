/// An RFC 3339 timestamp in UTC: `2026-11-21T09:00:05.123456Z`.
///
/// A `Date` is a double that counts seconds since the start of 2001. A text is exact if its decimal number of seconds, rounded to a double,
/// is that double. The conversion does not use seconds since 1970, which would lose almost half of all values.
struct DateText {
  /// The whole seconds since the start of 2001, rounded down.
  let seconds: Int64
  /// The decimal digits after the point, without trailing zeros.
  let fraction: UInt32
  let digits: Int

  /// The supported days relative to 2001-01-01: from 0001-01-01 up to, not including, 10000-01-01.
  private static let days: Range<Int64> = -730_485..<2_921_574

  private static let powers: [UInt32] = [
    1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
  ]

  /// Finds the shortest exact text of a date.
  ///
  /// - Returns: `nil` if nine fraction digits are not enough, or the year is not in 0001…9999.
  init?(secondsSince2001 value: Double) {
    let limits = DateText.days
    let range = Double(limits.lowerBound * 86_400)..<Double(limits.upperBound * 86_400)
    guard range.contains(value) else { return nil }
    let floor = value.rounded(.down)
    let rest = value - floor
    for digits in 0...9 {
      let power = DateText.powers[digits]
      var whole = Int64(floor)
      var fraction = UInt32((rest * Double(power)).rounded(.toNearestOrEven))
      if fraction == power {
        whole += 1
        fraction = 0
      }
      guard whole < limits.upperBound * 86_400 else { continue }
      guard DateText.double(whole, fraction, digits) == value else { continue }
      self.seconds = whole
      self.fraction = fraction
      self.digits = digits
      return
    }
    return nil
  }

  /// Returns the double nearest to whole seconds plus a fraction, rounded once.
  static func double(_ seconds: Int64, _ fraction: UInt32, _ digits: Int) -> Double {
    let power = Int64(powers[digits])
    let (product, overflow) = seconds.multipliedReportingOverflow(by: power)
    let (sum, carry) = product.addingReportingOverflow(Int64(fraction))
    if !overflow, !carry, sum.magnitude <= 1 << 53 { return Double(sum) / Double(power) }
    return double(seconds, padded(fraction, digits))
  }

  /// Returns the double nearest to whole seconds plus a fraction of any length, rounded once.
  static func double(_ seconds: Int64, _ fraction: [UInt8]) -> Double {
    var digits = fraction
    var whole = seconds
    if seconds < 0, fraction.contains(where: { $0 != 0x30 }) {
      // −3 + 0.25 is −2.75: the digits of a negative number are complemented.
      whole += 1
      var borrow = false
      for index in digits.indices.reversed() {
        let digit = digits[index] - 0x30
        let complement = (borrow ? 9 : 10) - digit
        borrow = borrow || digit > 0
        digits[index] = 0x30 + complement % 10
      }
    }
    let sign = seconds < 0 ? "-" : ""
    let text = "\(sign)\(whole.magnitude).\(String(decoding: digits, as: UTF8.self))0"
    return Double(text) ?? .nan
  }

  private static func padded(_ value: UInt32, _ digits: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0x30, count: digits)
    var rest = value
    for index in bytes.indices.reversed() {
      bytes[index] += UInt8(rest % 10)
      rest /= 10
    }
    return bytes
  }

  func append(to output: inout [UInt8]) {
    CivilSecond(secondsSince2001: seconds).append(to: &output)
    if digits > 0 {
      output.append(UInt8(ascii: "."))
      output.append(contentsOf: DateText.padded(fraction, digits))
    }
    output.append(UInt8(ascii: "Z"))
  }
}

extension DateText {
  /// Parses an RFC 3339 date and time with a `T`, in UTC or with an offset, with a fraction of any length.
  ///
  /// - Returns: The seconds since 2001, rounded to the nearest double, or `nil` if the text is not a valid date and time. Leap seconds are
  ///   invalid, because a count of seconds cannot represent them.
  static func secondsSince2001(parsing text: [UInt8]) -> Double? {
    guard let time = parts(of: text), !time.isLeapSecond else { return nil }
    if time.fraction.count <= 9, let value = DateTimeText.number(time.fraction) {
      return double(time.seconds, UInt32(value), time.fraction.count)
    }
    return double(time.seconds, Array(time.fraction))
  }

  /// Whether a text is a valid date and time except that its second is 60.
  static func isLeapSecond(_ text: [UInt8]) -> Bool { parts(of: text)?.isLeapSecond ?? false }

  private static func parts(of text: [UInt8]) -> DateTimeText? {
    do throws(DateTimeText.Fault) {
      let parts = try DateTimeText(text)
      return text[10] == UInt8(ascii: " ") ? nil : parts
    } catch {
      return nil
    }
  }
}

/// The parts of an RFC 3339 date and time, in UTC or with an offset.
///
/// `t` and `z` may be lower case, and a space may be in place of `T`, according to section 5.6.
package struct DateTimeText {
  package enum Fault: Error {
    case noZone
    case malformed
    case notOnCalendar
  }

  /// The whole seconds since the start of 2001; in a leap second, those of the second before.
  package let seconds: Int64
  /// The digits after the point, any number of them.
  package let fraction: ArraySlice<UInt8>
  /// Whether the second is 60. Whether there was such a second is not checked.
  package let isLeapSecond: Bool

  package init(_ text: [UInt8]) throws(Fault) {
    guard text.count >= 19, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
      text[10] | 0x20 == UInt8(ascii: "t") || text[10] == UInt8(ascii: " "),
      text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
      let year = Self.number(text[0..<4]), let month = Self.number(text[5..<7]), let day = Self.number(text[8..<10]),
      let hour = Self.number(text[11..<13]), let minute = Self.number(text[14..<16]),
      let second = Self.number(text[17..<19])
    else { throw .malformed }
    var rest = text[19...]
    var fraction: ArraySlice<UInt8> = []
    if rest.first == UInt8(ascii: ".") {
      fraction = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
      if fraction.isEmpty { throw .malformed }
      rest = rest[fraction.endIndex...]
    }
    let offset = try Self.offset(rest)
    guard let date = CivilDate(year: year, month: month, day: day), hour < 24, minute < 60, second <= 60 else {
      throw .notOnCalendar
    }
    seconds = date.daysSince2001 * 86_400 + hour * 3600 + minute * 60 + min(second, 59) - offset
    isLeapSecond = second == 60
    self.fraction = fraction
  }

  private static func offset(_ text: ArraySlice<UInt8>) throws(Fault) -> Int64 {
    if text.isEmpty { throw .noZone }
    if text.elementsEqual("Z".utf8) || text.elementsEqual("z".utf8) { return 0 }
    let bytes = Array(text)
    guard bytes.count == 6, bytes[0] == UInt8(ascii: "+") || bytes[0] == UInt8(ascii: "-"),
      bytes[3] == UInt8(ascii: ":"), let hours = number(bytes[1..<3]), hours < 24,
      let minutes = number(bytes[4..<6]), minutes < 60
    else { throw .malformed }
    let seconds = hours * 3600 + minutes * 60
    return bytes[0] == UInt8(ascii: "-") ? -seconds : seconds
  }

  /// Parses up to nine digits. An empty text is 0.
  static func number(_ text: ArraySlice<UInt8>) -> Int64? {
    var value: Int64 = 0
    for byte in text {
      guard (0x30...0x39).contains(byte) else { return nil }
      value = value * 10 + Int64(byte - 0x30)
    }
    return value
  }
}

/// A second on the calendar.
package struct CivilSecond {
  private let date: CivilDate
  private let secondOfDay: Int

  /// Creates a second of the years 1…9999.
  package init(secondsSince2001 seconds: Int64) {
    let days = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
    date = CivilDate(daysSince2001: days)
    secondOfDay = Int(seconds - days * 86_400)
  }

  /// Appends 19 bytes, such as `2026-11-21T09:00:00`.
  package func append(to output: inout [UInt8]) {
    CivilSecond.appendPair(Int(date.year) / 100, to: &output)
    CivilSecond.appendPair(Int(date.year) % 100, to: &output)
    output.append(UInt8(ascii: "-"))
    CivilSecond.appendPair(Int(date.month), to: &output)
    output.append(UInt8(ascii: "-"))
    CivilSecond.appendPair(Int(date.day), to: &output)
    output.append(UInt8(ascii: "T"))
    CivilSecond.appendPair(secondOfDay / 3_600, to: &output)
    output.append(UInt8(ascii: ":"))
    CivilSecond.appendPair(secondOfDay / 60 % 60, to: &output)
    output.append(UInt8(ascii: ":"))
    CivilSecond.appendPair(secondOfDay % 60, to: &output)
  }

  /// Appends a number below 100 as two digits.
  @inlinable @inline(__always)
  package static func appendPair(_ value: Int, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / 10))
    output.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10))
  }
}

/// A day of the proleptic Gregorian calendar, by Howard Hinnant's algorithms (`chrono`-Compatible Low-Level Date Algorithms).
package struct CivilDate {
  package let year: Int64
  package let month: Int64
  package let day: Int64

  /// The days from 0000-03-01, the start of the algorithms' 400-year eras, to 2001-01-01.
  private static let offset: Int64 = 730_791
  private static let daysOfEra: Int64 = 146_097

  /// Creates a day from the days since 2001-01-01. The day must not be before 0001-01-01, which keeps all values nonnegative.
  package init(daysSince2001 days: Int64) {
    let shifted = days + CivilDate.offset
    let era = shifted / CivilDate.daysOfEra
    let dayOfEra = shifted % CivilDate.daysOfEra
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// Creates a day of the years 1…9999, or `nil` if there is no such day in the calendar.
  package init?(year: Int64, month: Int64, day: Int64) {
    guard (1...9999).contains(year), (1...12).contains(month), day >= 1 else { return nil }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard day <= lengths[Int(month) - 1] else { return nil }
    self.year = year
    self.month = month
    self.day = day
  }

  package var daysSince2001: Int64 {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = shiftedYear / 400
    let yearOfEra = shiftedYear % 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * CivilDate.daysOfEra + dayOfEra - CivilDate.offset
  }
}
