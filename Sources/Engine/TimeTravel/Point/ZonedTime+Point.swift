package import ActionLog
import TextDisplay

extension ZonedTime {
  /// Reads a text that stands for a point.
  ///
  /// Times are shown as `2026-11-21 09:00:05.250`, in UTC without saying so; copied from there they mean what they meant. With
  /// a `T` it is somebody else's form, and has to name its zone. A day alone is its first moment, see ``day(_:)``.
  ///
  /// - Returns: `nil` if the text does not begin like a date.
  static func point(_ text: String) throws(TimeTravelError) -> LogTime? {
    if let start = try day(text) { return start }
    let isShown =
      text.utf8.dropFirst(10).first == UInt8(ascii: " ")
      && !text.utf8.dropFirst(19).contains { byte in
        byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte | 0x20 == UInt8(ascii: "z")
      }
    do throws(Fault) { return try parse(isShown ? text + "Z" : text) } catch {
      throw error.explained(text)
    }
  }

  /// Reads a day of the calendar, `2026-11-21`.
  ///
  /// - Returns: Its first moment in UTC; `nil` if the text has not the form of a day.
  static func day(_ text: String) throws(TimeTravelError) -> LogTime? {
    guard text.utf8.count == 10, text.utf8.allSatisfy(isOfDay), text.utf8.filter({ byte in byte == hyphen }).count == 2
    else { return nil }
    do throws(Fault) { return try parse(text + "T00:00:00Z") } catch {
      throw error.explained(text)
    }
  }

  /// The last moment of a day that begins at another one.
  package static func lastMoment(ofDayFrom start: LogTime) -> LogTime {
    // In one step: behind the last day that there is no time could stand for the next one's beginning.
    start.advanced(by: .seconds(86_400) - .microseconds(1))
  }

  private static let hyphen = UInt8(ascii: "-")

  private static func isOfDay(_ byte: UInt8) -> Bool { byte == hyphen || (0x30...0x39).contains(byte) }
}

extension ZonedTime.Fault {
  fileprivate func explained(_ text: String) -> TimeTravelError {
    let shown = TerminalText.escaping(text)
    switch self {
    case .noZone:
      return TimeTravelError(
        .invalidPoint, "\(shown) does not say its time zone: write \(shown)Z for UTC, or an offset")
    case .malformed:
      return TimeTravelError(
        .invalidPoint,
        "\(shown) is not a time: write it as 2026-11-21T09:00:05Z or 2026-11-21T10:00:05.25+01:00, or a day as 2026-11-21"
      )
    case .notOnCalendar:
      return TimeTravelError(.invalidPoint, "\(shown) is not on the calendar")
    }
  }
}
