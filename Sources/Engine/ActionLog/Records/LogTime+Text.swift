extension LogTime: CustomStringConvertible {
  /// The length of the text: `2026-11-21T09:00:00.000000Z`.
  static let textSizeBytes = 27

  /// RFC 3339 in UTC with six digits of fraction: exactly 27 bytes.
  public var description: String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(LogTime.textSizeBytes)
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the 27 bytes.
  func append(to output: inout [UInt8]) {
    CivilSecond(of: self).append(to: &output)
    output.append(UInt8(ascii: "."))
    CivilSecond.appendDigits(CivilSecond.microsecond(of: self), count: 6, to: &output)
    output.append(UInt8(ascii: "Z"))
  }

  /// Reads exactly the form that ``description`` writes.
  ///
  /// - Returns: `nil` for every other text: another length, an offset other than `Z`, a day or second that is not on the
  ///   calendar, a leap second.
  public init?(parsing text: some StringProtocol) {
    self.init(parsing: Array(text.utf8))
  }

  /// Reads exactly the form that ``description`` writes, from its bytes.
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
    // Each pair of digits is 100 or more when one of its bytes is no digit, and so fails a comparison below.
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

  /// The number that two digits make; at least 100 when they are none.
  @inline(__always)
  private static func pair(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> Int {
    let tens = bytes[index] &- UInt8(ascii: "0")
    let ones = bytes[index + 1] &- UInt8(ascii: "0")
    return tens < 10 && ones < 10 ? Int(tens) * 10 + Int(ones) : 100
  }
}
