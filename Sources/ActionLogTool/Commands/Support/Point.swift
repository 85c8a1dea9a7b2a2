import ActionLog

/// A moment of a history, as people write it.
enum Point: Sendable, Equatable {
  case revision(Int)
  case start
  case end
  /// So many revisions before the end.
  case beforeEnd(Int)
  /// The last revision at or before a time.
  case time(LogTime)
  /// The last revision that is at least so old.
  case ago(Duration)

  /// What can be written, for help and errors.
  static let forms =
    "a revision (42), start, end, -3 (from the end), a time (2026-11-21T09:00:05Z) or an age ('5m ago')"

  /// Reads a point.
  ///
  /// - Throws: A usage error that lists the forms.
  init(_ text: String) throws(ToolFailure) {
    if let point = Self.word(text) ?? Self.number(text) ?? Self.age(text) {
      self = point
    } else if let time = PointTime.parse(text) {
      self = .time(time)
    } else {
      throw .usage("'\(text)' is not a point of a history", advice: "A point is \(Self.forms).")
    }
  }

  private static func word(_ text: String) -> Point? {
    switch text {
    case "start": .start
    case "end": .end
    default: nil
    }
  }

  private static func number(_ text: String) -> Point? {
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    guard !digits.isEmpty, digits.allSatisfy(\.isASCIIDigit), let number = Int(digits) else { return nil }
    return text.hasPrefix("-") ? .beforeEnd(number) : .revision(number)
  }

  /// For instance `5m ago`, `90 s ago`, `2 hours ago`.
  private static func age(_ text: String) -> Point? {
    guard text.hasSuffix(" ago") else { return nil }
    let amount = text.dropLast(4)
    let digits = amount.prefix(while: \.isASCIIDigit)
    let unit = amount.dropFirst(digits.count).drop { character in character == " " }
    guard let number = Int64(digits), let seconds = secondsPerUnit(unit) else { return nil }
    let (total, isOverflow) = number.multipliedReportingOverflow(by: seconds)
    return isOverflow ? nil : .ago(.seconds(total))
  }

  private static func secondsPerUnit(_ unit: Substring) -> Int64? {
    switch unit {
    case "s", "sec", "second", "seconds": 1
    case "m", "min", "minute", "minutes": 60
    case "h", "hour", "hours": 3_600
    case "d", "day", "days": 86_400
    case "w", "week", "weeks": 604_800
    default: nil
    }
  }
}
