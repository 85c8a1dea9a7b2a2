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
    let day = (Double(seconds) / 86_400).rounded(.down)
    let date = CivilDate(daysSince2001: Int64(day))
    let time = UInt32(seconds - Int64(day) * 86_400)
    output.append(contentsOf: DateText.padded(UInt32(date.year), 4))
    output.append(UInt8(ascii: "-"))
    output.append(contentsOf: DateText.padded(UInt32(date.month), 2))
    output.append(UInt8(ascii: "-"))
    output.append(contentsOf: DateText.padded(UInt32(date.day), 2))
    output.append(UInt8(ascii: "T"))
    output.append(contentsOf: DateText.padded(time / 3600, 2))
    output.append(UInt8(ascii: ":"))
    output.append(contentsOf: DateText.padded(time / 60 % 60, 2))
    output.append(UInt8(ascii: ":"))
    output.append(contentsOf: DateText.padded(time % 60, 2))
    if digits > 0 {
      output.append(UInt8(ascii: "."))
      output.append(contentsOf: DateText.padded(fraction, digits))
    }
    output.append(UInt8(ascii: "Z"))
  }
}

extension DateText {
  /// Parses an RFC 3339 date and time, in UTC or with an offset, with a fraction of any length.
  ///
  /// `t` and `z` may be lower case, according to section 5.6.
  ///
  /// - Returns: The seconds since 2001, rounded to the nearest double, or `nil` if the text is not a valid date and time. Leap seconds are
  ///   invalid, because a count of seconds cannot represent them.
  static func secondsSince2001(parsing text: [UInt8]) -> Double? {
    guard text.count >= 20, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
      text[10] == UInt8(ascii: "T") || text[10] == UInt8(ascii: "t"),
      text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
      let year = number(text[0..<4]), let month = number(text[5..<7]), let day = number(text[8..<10]),
      let date = CivilDate(year: year, month: month, day: day),
      let hour = number(text[11..<13]), hour < 24,
      let minute = number(text[14..<16]), minute < 60,
      let second = number(text[17..<19]), second < 60
    else { return nil }
    var rest = text[19...]
    var fraction: ArraySlice<UInt8> = []
    if rest.first == UInt8(ascii: ".") {
      fraction = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
      if fraction.isEmpty { return nil }
      rest = rest[fraction.endIndex...]
    }
    guard let offset = offset(rest) else { return nil }
    let seconds = date.daysSince2001 * 86_400 + hour * 3600 + minute * 60 + second - offset
    if fraction.count <= 9, let value = number(fraction) {
      return double(seconds, UInt32(value), fraction.count)
    }
    return double(seconds, Array(fraction))
  }

  /// Whether a text is a valid date and time except that its second is 60.
  static func isLeapSecond(_ text: [UInt8]) -> Bool {
    guard text.count >= 20, text[17] == UInt8(ascii: "6"), text[18] == UInt8(ascii: "0") else { return false }
    var earlier = text
    (earlier[17], earlier[18]) = (UInt8(ascii: "5"), UInt8(ascii: "9"))
    return secondsSince2001(parsing: earlier) != nil
  }

  private static func offset(_ text: ArraySlice<UInt8>) -> Int64? {
    if text.elementsEqual("Z".utf8) || text.elementsEqual("z".utf8) { return 0 }
    let bytes = Array(text)
    guard bytes.count == 6, bytes[3] == UInt8(ascii: ":"),
      let hours = number(bytes[1..<3]), hours < 24, let minutes = number(bytes[4..<6]), minutes < 60
    else { return nil }
    switch bytes[0] {
    case UInt8(ascii: "+"): return hours * 3600 + minutes * 60
    case UInt8(ascii: "-"): return -(hours * 3600 + minutes * 60)
    default: return nil
    }
  }

  /// Parses up to nine digits. An empty text is 0.
  private static func number(_ text: ArraySlice<UInt8>) -> Int64? {
    var value: Int64 = 0
    for byte in text {
      guard (0x30...0x39).contains(byte) else { return nil }
      value = value * 10 + Int64(byte - 0x30)
    }
    return value
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
