/// A point in time as RFC 3339 writes it in UTC: `2026-11-21T09:00:05.123456Z`.
///
/// A `Date` is a double that counts seconds from the start of 2001. The text is exact if the decimal number of seconds that it
/// stands for, rounded to a double, is that double. Nothing goes by way of 1970, which loses almost half of all values.
struct DateText {
  /// Whole seconds since the start of 2001, rounded down.
  let seconds: Int64
  /// The decimal digits after the point, without zeros at the end.
  let fraction: UInt32
  let digits: Int

  /// Days from the start of 2001 to 0001-01-01 and to 10000-01-01.
  private static let days: Range<Int64> = -730_485..<2_921_574

  private static let powers: [UInt32] = [
    1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
  ]

  /// Finds the shortest text that stands for a date.
  ///
  /// - Returns: `nil` if nine digits are not enough, or the year is not within 0001 … 9999.
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

  /// The double nearest to whole seconds plus a fraction, rounded once.
  static func double(_ seconds: Int64, _ fraction: UInt32, _ digits: Int) -> Double {
    let power = Int64(powers[digits])
    let (product, overflow) = seconds.multipliedReportingOverflow(by: power)
    let (sum, carry) = product.addingReportingOverflow(Int64(fraction))
    if !overflow, !carry, sum.magnitude <= 1 << 53 { return Double(sum) / Double(power) }
    return double(seconds, padded(fraction, digits))
  }

  /// The double nearest to whole seconds plus a fraction of any length, rounded once.
  static func double(_ seconds: Int64, _ fraction: [UInt8]) -> Double {
    var digits = fraction
    var whole = seconds
    if seconds < 0, fraction.contains(where: { $0 != 0x30 }) {
      // −3 + 0.25 is −2.75: the digits of a negative number are the complement.
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

  /// Appends the text.
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
