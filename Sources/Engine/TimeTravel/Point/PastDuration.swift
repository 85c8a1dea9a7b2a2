import TextDisplay

/// Reads `5m ago`: one or more numbers with units, then the word.
enum PastDuration {
  /// Longer than the range of years that a log can hold, and far from overflow: ten thousand years.
  private static let limitSeconds = 10_000 * 366 * 86_400

  /// - Returns: `nil` if the text does not end in `ago`.
  static func parse(_ text: String) throws(TimeTravelError) -> Duration? {
    guard text == "ago" || text.hasSuffix(" ago") else { return nil }
    let amount = text.dropLast("ago".count).filter { character in character != " " }
    guard !amount.isEmpty else {
      throw TimeTravelError(.invalidPoint, "how long ago is missing: write for instance 5m ago")
    }
    var seconds = 0
    var rest = Substring(amount)
    while !rest.isEmpty {
      let digits = rest.prefix { character in ("0"..."9").contains(character) }
      let unit = rest.dropFirst(digits.count).prefix { character in !("0"..."9").contains(character) }
      seconds += try length(digits, unit)
      guard seconds <= limitSeconds else { throw tooLong(text) }
      rest = rest[unit.endIndex...]
    }
    return .seconds(seconds)
  }

  private static func length(_ digits: Substring, _ unit: Substring) throws(TimeTravelError) -> Int {
    guard !digits.isEmpty else {
      throw TimeTravelError(
        .invalidPoint,
        "a whole number is missing before \(TerminalText.quoting(String(unit))): write for instance 5m ago")
    }
    let unitSeconds: Int
    switch unit {
    case "s", "sec", "second", "seconds": unitSeconds = 1
    case "m", "min", "minute", "minutes": unitSeconds = 60
    case "h", "hour", "hours": unitSeconds = 3_600
    case "d", "day", "days": unitSeconds = 86_400
    case "w", "week", "weeks": unitSeconds = 604_800
    default:
      let problem =
        unit.isEmpty ? "the unit after \(digits) is missing" : "\(TerminalText.quoting(String(unit))) is no unit"
      throw TimeTravelError(.invalidPoint, "\(problem): write s, m, h, d or w")
    }
    guard let number = Int(digits), number <= limitSeconds / unitSeconds else { throw tooLong(String(digits + unit)) }
    return number * unitSeconds
  }

  private static func tooLong(_ text: String) -> TimeTravelError {
    TimeTravelError(.invalidPoint, "\(text) is longer than any history")
  }
}
