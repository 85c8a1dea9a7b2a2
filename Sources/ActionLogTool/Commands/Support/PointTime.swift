import ActionLog

/// Times as people write them: RFC 3339 with some parts left out, UTC unless an offset is given.
enum PointTime {
  /// Reads for instance `2026-11-21`, `2026-11-21T09:00`, `2026-11-21 09:00:05.25`, `2026-11-21T10:00:05+01:00`.
  ///
  /// What is left out is zero: a day is its first moment.
  static func parse(_ text: String) -> LogTime? {
    guard text.utf8.count <= 40 else { return nil }
    let date = text.prefix(10)
    var rest = text.dropFirst(10)
    guard date.count == 10 else { return nil }
    guard !rest.isEmpty else { return LogTime(parsing: "\(date)T00:00:00.000000Z") }
    guard let separator = rest.popFirst(), separator == "T" || separator == "t" || separator == " " else { return nil }
    guard let offset = takeOffset(&rest), let clock = clock(rest) else { return nil }
    guard let local = LogTime(parsing: "\(date)T\(clock)Z") else { return nil }
    return LogTime(microseconds: local.microseconds - offset * 1_000_000)
  }

  /// Takes `Z` or `+01:00` from the end.
  ///
  /// - Returns: Seconds east of UTC; 0 when nothing is written.
  private static func takeOffset(_ text: inout Substring) -> Int64? {
    if text.hasSuffix("Z") || text.hasSuffix("z") {
      text.removeLast()
      return 0
    }
    guard let sign = text.lastIndex(where: { character in character == "+" || character == "-" }) else { return 0 }
    let parts = text[text.index(after: sign)...].split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ part in part.count == 2 && part.allSatisfy(\.isASCIIDigit) }),
      let hours = Int64(parts[0]), let minutes = Int64(parts[1]), hours < 24, minutes < 60
    else { return nil }
    let seconds = hours * 3_600 + minutes * 60
    let isEast = text[sign] == "+"
    text = text[..<sign]
    return isEast ? seconds : -seconds
  }

  /// Fills `09:00` up to `09:00:00.000000`.
  private static func clock(_ text: Substring) -> String? {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = parts.first, whole.count == 5 || whole.count == 8 else { return nil }
    let fraction = parts.count == 2 ? parts[1] : "0"
    guard (1...9).contains(fraction.count), fraction.allSatisfy(\.isASCIIDigit) else { return nil }
    let digits = (fraction + "000000").prefix(6)
    return (whole.count == 5 ? "\(whole):00" : String(whole)) + "." + digits
  }
}
