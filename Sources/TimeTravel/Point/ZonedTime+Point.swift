import ActionLog
import TextDisplay

extension ZonedTime {
  /// Reads a text that stands for a point.
  ///
  /// Times are shown as `2026-11-21 09:00:05.250`, in UTC without saying so; copied from there they mean what they meant. With
  /// a `T` it is somebody else's form, and has to name its zone.
  ///
  /// - Returns: `nil` if the text does not begin like a date.
  static func point(_ text: String) throws(TimeTravelError) -> LogTime? {
    let isShown =
      text.utf8.dropFirst(10).first == UInt8(ascii: " ")
      && !text.utf8.dropFirst(19).contains { byte in
        byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte | 0x20 == UInt8(ascii: "z")
      }
    do throws(Fault) { return try parse(isShown ? text + "Z" : text) } catch {
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
