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
    let second = CivilSecond(of: self)
    second.append(to: &output)
    appendFraction(to: &output)
  }

  /// Appends the last eight bytes, for instance `.123456Z`.
  func appendFraction(to output: inout [UInt8]) {
    output.append(UInt8(ascii: "."))
    CivilSecond.appendDigits(Int(microseconds - CivilSecond.whole(of: self) * 1_000_000), count: 6, to: &output)
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
    guard let year = number(bytes, 0..<4), let month = number(bytes, 5..<7), let day = number(bytes, 8..<10),
      let hour = number(bytes, 11..<13), let minute = number(bytes, 14..<16), let second = number(bytes, 17..<19),
      let fraction = number(bytes, 20..<26)
    else { return nil }
    guard hour < 24, minute < 60, second < 60,
      let seconds = CivilSecond.seconds(
        year: year, month: month, day: day, secondOfDay: (hour * 60 + minute) * 60 + second)
    else { return nil }
    return LogTime(microseconds: seconds * 1_000_000 + Int64(fraction))
  }

  private static func number(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int? {
    var value = 0
    for index in range {
      let digit = bytes[index] &- UInt8(ascii: "0")
      guard digit <= 9 else { return nil }
      value = value * 10 + Int(digit)
    }
    return value
  }
}
