import ActionLog
import TextDisplay

extension ZonedTime {
  /// Reads a text that stands for a point.
  ///
  /// - Returns: `nil` if the text does not begin like a date.
  static func point(_ text: String) throws(TimeTravelError) -> LogTime? {
    do throws(Fault) { return try parse(text) } catch {
      let shown = TerminalText.escaping(text)
      switch error {
      case .noZone:
        throw TimeTravelError(
          .invalidPoint, "\(shown) does not say its time zone: write \(shown)Z for UTC, or an offset")
      case .malformed:
        throw TimeTravelError(
          .invalidPoint,
          "\(shown) is not a time: write it as 2026-11-21T09:00:05Z or 2026-11-21T10:00:05.25+01:00")
      case .notOnCalendar:
        throw TimeTravelError(.invalidPoint, "\(shown) is not on the calendar")
      }
    }
  }
}
