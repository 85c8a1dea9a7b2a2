public import ActionLog
import TextDisplay

extension HistoryPoint {
  /// Reads a point.
  ///
  /// - Parameters:
  ///   - text: What was typed; see ``HistoryPoint`` for the forms.
  ///   - now: The time that `ago` counts back from.
  ///   - marks: The marks whose names are points, too.
  /// - Throws: ``TimeTravelError/Code/invalidPoint``, which says what is wrong with the form that was tried, or names the marks that
  ///   may have been meant.
  public init(parsing text: String, now: LogTime, marks: [Mark] = []) throws(TimeTravelError) {
    if let point = try Self.form(text, now: now) {
      self = point
      return
    }
    let name = Self.collapsed(text)
    guard let mark = marks.first(where: { mark in mark.name == name }) else {
      let names = marks.map(\.name)
      throw TimeTravelError(
        .invalidPoint,
        "\(TerminalText.quoting(text)) is not a point of a history: write a revision (42), start, end, a place from the "
          + "end (-3), a time (2026-11-21T09:00:05Z) or day (2026-11-21), how long ago (5m ago), or the name of a mark"
          + (names.isEmpty ? ", of which there are none" : ""),
        suggestions: NameSuggestion.suggestions(for: name, among: ["start", "end"] + names)
      )
    }
    self = .revision(mark.revision)
  }

  /// What a text means that needs no marks; `nil` when it has none of the forms.
  ///
  /// - Throws: ``TimeTravelError/Code/invalidPoint`` for a text that begins like a form and does not go on like it.
  package static func form(_ text: String, now: LogTime) throws(TimeTravelError) -> HistoryPoint? {
    let trimmed = collapsed(text)
    switch trimmed {
    case "start": return .start
    case "end": return .end
    default: break
    }
    if let number = try number(trimmed) { return number }
    if let duration = try PastDuration.parse(trimmed) { return .time(now.advanced(by: .zero - duration)) }
    if let start = try ZonedTime.day(trimmed) { return .day(start) }
    return try ZonedTime.point(trimmed).map(HistoryPoint.time)
  }

  /// The text with one space wherever there is space within it.
  static func collapsed(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// Reads `42` and `-3`.
  private static func number(_ text: String) throws(TimeTravelError) -> HistoryPoint? {
    let digits = text.utf8.first == UInt8(ascii: "-") ? text.dropFirst() : text[...]
    guard !digits.isEmpty, digits.utf8.allSatisfy({ byte in (0x30...0x39).contains(byte) }) else { return nil }
    guard let value = Int(digits) else {
      throw TimeTravelError(.invalidPoint, "\(text) is larger than any revision")
    }
    return digits.startIndex == text.startIndex ? .revision(value) : .fromEnd(value)
  }
}
