extension DateText {
  /// Reads a date and time of RFC 3339, in UTC or with an offset, with a fraction of any length.
  ///
  /// `t` and `z` may be small letters, as section 5.6 says.
  ///
  /// - Returns: The double nearest to the seconds since 2001, or `nil` if the text is none or names no time of a day. A leap second is
  ///   none, as a count of seconds has no place for it.
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

  /// Whether a text would be a date and time if its second were not the sixty-first of a minute.
  static func isLeapSecond(_ text: [UInt8]) -> Bool {
    guard text.count >= 20, text[17] == UInt8(ascii: "6"), text[18] == UInt8(ascii: "0") else { return false }
    var earlier = text
    (earlier[17], earlier[18]) = (UInt8(ascii: "5"), UInt8(ascii: "9"))
    return secondsSince2001(parsing: earlier) != nil
  }

  /// Reads `Z` or `±HH:MM` as seconds.
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

  /// Reads at most nine digits; no digits are 0.
  private static func number(_ text: ArraySlice<UInt8>) -> Int64? {
    var value: Int64 = 0
    for byte in text {
      guard (0x30...0x39).contains(byte) else { return nil }
      value = value * 10 + Int64(byte - 0x30)
    }
    return value
  }
}
