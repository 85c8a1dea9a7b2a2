package import JSONCoding

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A time in UTC, in microseconds.
///
/// Times are informative. The order of records is that of their revisions, because clocks can be set back.
public struct LogTime: Hashable, Sendable {
  /// Microseconds since 1970-01-01T00:00:00Z, not counting leap seconds.
  public let microseconds: Int64

  /// The first microsecond of the year 1.
  public static let earliest = LogTime(inRange: -62_135_596_800_000_000)

  /// The last microsecond of the year 9999. Later years do not fit in the 27 bytes of the text.
  public static let latest = LogTime(inRange: 253_402_300_799_999_999)

  /// Creates a time from microseconds since 1970.
  ///
  /// - Parameter microseconds: Clamped to the years 1 to 9999.
  public init(microseconds: Int64) {
    self.microseconds = min(max(microseconds, LogTime.earliest.microseconds), LogTime.latest.microseconds)
  }

  /// Creates a time from microseconds that are known to be in the years 1 to 9999.
  init(inRange microseconds: Int64) {
    self.microseconds = microseconds
  }

  /// Returns the time of the system clock.
  public static func now() -> LogTime {
    LogTime(microseconds: SystemClock.microsecondsSince1970())
  }

  /// Returns the time after a duration, clamped to the range of years.
  public func advanced(by duration: Duration) -> LogTime {
    let (seconds, attoseconds) = duration.components
    let (whole, isOverflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    let (sum, isSumOverflow) = microseconds.addingReportingOverflow(
      isOverflow ? (seconds < 0 ? .min : .max) : whole)
    if isSumOverflow { return seconds < 0 ? .earliest : .latest }
    let (total, isTotalOverflow) = sum.addingReportingOverflow(attoseconds / 1_000_000_000_000)
    return isTotalOverflow ? (seconds < 0 ? .earliest : .latest) : LogTime(microseconds: total)
  }
}

extension LogTime: Comparable {
  /// Whether one time is earlier than another.
  public static func < (first: LogTime, second: LogTime) -> Bool {
    first.microseconds < second.microseconds
  }
}

extension LogTime: CustomStringConvertible {
  /// The length of the text: `2026-11-21T09:00:00.000000Z`.
  static let textSizeBytes = 27

  /// The time in RFC 3339 form, in UTC with six digits of fraction: exactly 27 bytes.
  public var description: String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(LogTime.textSizeBytes)
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  package func append(to output: inout [UInt8]) {
    CivilSecond(of: self).append(to: &output)
    output.append(UInt8(ascii: "."))
    let microsecond = CivilSecond.microsecond(of: self)
    CivilSecond.appendPair(microsecond / 10_000, to: &output)
    CivilSecond.appendPair(microsecond / 100 % 100, to: &output)
    CivilSecond.appendPair(microsecond % 100, to: &output)
    output.append(UInt8(ascii: "Z"))
  }

  /// Parses exactly the form of ``description``.
  ///
  /// - Returns: `nil` for any other text: another length, an offset other than `Z`, a date or time that does not exist,
  ///   or a leap second.
  public init?(parsing text: some StringProtocol) {
    self.init(parsing: Array(text.utf8))
  }

  /// Parses exactly the form of ``description`` from its bytes.
  public init?(parsing bytes: some Collection<UInt8>) {
    guard bytes.count == LogTime.textSizeBytes else { return nil }
    let time = bytes.withContiguousStorageIfAvailable { LogTime.parse(UnsafeRawBufferPointer($0)) }
    guard let time = time ?? Array(bytes).withUnsafeBytes(LogTime.parse) else { return nil }
    self = time
  }

  static func parse(_ bytes: UnsafeRawBufferPointer) -> LogTime? {
    guard bytes.count == textSizeBytes else { return nil }
    guard bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"), bytes[10] == UInt8(ascii: "T"),
      bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"), bytes[19] == UInt8(ascii: "."),
      bytes[26] == UInt8(ascii: "Z")
    else { return nil }
    // A pair with a byte that is not a digit is at least 100, so a comparison below fails.
    let century = pair(bytes, 0)
    let yearOfCentury = pair(bytes, 2)
    let hour = pair(bytes, 11)
    let minute = pair(bytes, 14)
    let second = pair(bytes, 17)
    let fraction = (pair(bytes, 20), pair(bytes, 22), pair(bytes, 24))
    guard century < 100, yearOfCentury < 100, hour < 24, minute < 60, second < 60, fraction.0 < 100,
      fraction.1 < 100, fraction.2 < 100,
      let seconds = CivilSecond.seconds(
        year: century * 100 + yearOfCentury, month: pair(bytes, 5), day: pair(bytes, 8),
        secondOfDay: (hour * 60 + minute) * 60 + second)
    else { return nil }
    let microseconds = (fraction.0 * 100 + fraction.1) * 100 + fraction.2
    return LogTime(microseconds: seconds * 1_000_000 + Int64(microseconds))
  }

  /// Returns the number of two digits; at least 100 if they are not digits.
  @inline(__always)
  private static func pair(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> Int {
    let tens = bytes[index] &- UInt8(ascii: "0")
    let ones = bytes[index + 1] &- UInt8(ascii: "0")
    return tens < 10 && ones < 10 ? Int(tens) * 10 + Int(ones) : 100
  }
}

extension CivilSecond {
  init(of time: LogTime) {
    self.init(secondsSince2001: CivilSecond.whole(of: time) - CivilSecond.secondsTo2001)
  }

  /// From 1970 to 2001, the origin of `CivilDate`.
  fileprivate static let secondsTo2001: Int64 = 978_307_200

  /// Returns the seconds since 1970 of a date and a time of day; `nil` for a date that does not exist.
  static func seconds(year: Int, month: Int, day: Int, secondOfDay: Int) -> Int64? {
    guard let date = CivilDate(year: Int64(year), month: Int64(month), day: Int64(day)) else { return nil }
    return date.daysSince2001 * 86_400 + Int64(secondOfDay) + secondsTo2001
  }

  /// Returns the seconds since 1970, rounded down.
  static func whole(of time: LogTime) -> Int64 {
    let microseconds = time.microseconds
    return (microseconds >= 0 ? microseconds : microseconds - 999_999) / 1_000_000
  }

  static func microsecond(of time: LogTime) -> Int {
    Int(time.microseconds - whole(of: time) * 1_000_000)
  }
}

/// A parser of RFC 3339 times with any offset and any number of fraction digits.
///
/// Digits after the microsecond are truncated, because a point in the history includes only what is at or before it. A leap second
/// (`23:59:60` UTC at the end of a month, as in RFC 3339, section 5.7), which a ``LogTime`` does not count, becomes the last
/// microsecond before it, so that it stays in its minute and day.
package enum ZonedTime {
  package typealias Fault = DateTimeText.Fault

  /// Parses a text.
  ///
  /// - Returns: `nil` if the text does not begin like a date.
  package static func parse(_ text: String) throws(Fault) -> LogTime? {
    let bytes = Array(text.utf8)
    // Most texts are times of a log.
    if let time = bytes.withUnsafeBytes(LogTime.parse) { return time }
    guard bytes.count >= 5, bytes[..<4].allSatisfy({ byte in (0x30...0x39).contains(byte) }),
      bytes[4] == UInt8(ascii: "-")
    else { return nil }
    let parts = try DateTimeText(bytes)
    let digits = (Array(parts.fraction) + repeatElement(UInt8(ascii: "0"), count: 6)).prefix(6)
    let fraction = digits.reduce(0) { value, digit in value * 10 + Int64(digit - 0x30) }
    let time = LogTime(
      microseconds: (parts.seconds + CivilSecond.secondsTo2001) * 1_000_000 + (parts.isLeapSecond ? 999_999 : fraction))
    guard !parts.isLeapSecond || time.advanced(by: .microseconds(1)).description.hasSuffix("-01T00:00:00.000000Z")
    else { throw .notOnCalendar }
    return time
  }
}

// MARK: - The system's clock and names

enum SystemClock {
  static func microsecondsSince1970() -> Int64 {
    var now = timespec()
    // It fails only for a clock that does not exist.
    clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1_000
  }
}

enum SystemHost {
  static var processID: Int { Int(getpid()) }

  /// The name of the machine; `unknown` if it has none.
  static var name: String {
    // POSIX allows 255 bytes. The extra byte terminates a truncated name.
    var bytes = [CChar](repeating: 0, count: 257)
    guard gethostname(&bytes, 256) == 0 else { return "unknown" }
    let name = String(decoding: bytes.prefix { byte in byte != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return name.isEmpty ? "unknown" : name
  }

  /// The last component of the path of the program.
  static var program: String {
    let path = CommandLine.arguments.first ?? ""
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    return name.isEmpty ? "unknown" : name
  }
}
