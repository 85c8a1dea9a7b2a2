public import ActionLog
import TextDisplay

extension HistoryPoint {
  /// Reads a point.
  ///
  /// - Parameters:
  ///   - text: What was typed; see ``HistoryPoint`` for the forms.
  ///   - now: The time that `ago` counts back from.
  /// - Throws: ``TimeTravelError/Code/invalidPoint``, which says what is wrong with the form that was tried.
  public init(parsing text: String, now: LogTime) throws(TimeTravelError) {
    let trimmed = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    switch trimmed {
    case "start": self = .start
    case "end": self = .end
    default:
      if let number = try Self.number(trimmed) {
        self = number
      } else if let duration = try PastDuration.parse(trimmed) {
        self = .time(now.advanced(by: .zero - duration))
      } else if let time = try ZonedTime.parse(trimmed) {
        self = .time(time)
      } else {
        throw TimeTravelError(
          .invalidPoint,
          "\(TerminalText.quoting(text)) is not a point of a history: write a revision (42), start, end, a place from the "
            + "end (-3), a time (2026-11-21T09:00:05Z), or how long ago (5m ago)",
          suggestions: NameSuggestion.suggestions(for: trimmed, among: ["start", "end"])
        )
      }
    }
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
