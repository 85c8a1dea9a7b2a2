public import ActionLog
public import EventSourcing
import JSONCoding
import Platform

/// A point of a history in the words of the user, before its revision is known.
///
/// | syntax | meaning |
/// |---|---|
/// | `42` | revision 42: the state after 42 actions |
/// | `start`, `end` | the first revision (0 unless the log was pruned), the last revision |
/// | `-3` | three actions before the end |
/// | `2026-11-21T09:00:05Z` | the last revision at or before a time |
/// | `2026-11-21` | the last revision at or before the first moment of a day, in UTC |
/// | `today`, `yesterday` | the same, for the day of the present time and the day before it, in UTC |
/// | `5m ago`, `1h30m ago` | the last revision at or before a time, counted back from now |
/// | anything else | the revision of the ``Mark`` of that name |
public enum HistoryPoint: Hashable, Sendable {
  /// The first revision: 0, the state before any action, or that of the base of a pruned log.
  case start
  /// The last revision.
  case end
  /// A revision.
  case revision(Int)
  /// The revision this many actions before the end.
  case fromEnd(Int)
  /// The last revision at or before a time.
  case time(LogTime)
  /// The last revision at or before the first moment of a day, which is the value. Commands that take a range can include the
  /// whole day.
  case day(LogTime)
}

extension HistoryPoint: CustomStringConvertible {
  /// The point in the syntax of ``init(parsing:now:marks:)``.
  public var description: String {
    switch self {
    case .start: "start"
    case .end: "end"
    case .revision(let revision): "\(revision)"
    case .fromEnd(let count): "-\(count)"
    case .time(let time): time.description
    case .day(let start): String(start.description.prefix(10))
    }
  }
}

extension HistoryPoint {
  /// Parses a point.
  ///
  /// - Parameters:
  ///   - text: The text; see ``HistoryPoint`` for the syntax.
  ///   - now: The time that `ago`, `today` and `yesterday` are relative to.
  ///   - marks: The marks whose names are points.
  /// - Throws: ``TimeTravelError/Code/invalidPoint``, which says what is wrong with the text, or names the marks that may have
  ///   been meant.
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
        "\(EscapedText.quoting(text)) is not a point of a history: write a revision (42), start, end, a position from the "
          + "end (-3), a time (2026-11-21T09:00:05Z) or day (2026-11-21, yesterday), how long ago (5m ago), or the name of a mark"
          + (names.isEmpty ? " (there are no marks)" : ""),
        suggestions: NameSuggestion.suggestions(for: name, among: ["start", "end", "today", "yesterday"] + names)
      )
    }
    self = .revision(mark.revision)
  }

  /// Parses a point that needs no marks; `nil` if the text has none of the forms.
  ///
  /// - Throws: ``TimeTravelError/Code/invalidPoint`` for a text that begins like one of the forms and is not valid.
  package static func form(_ text: String, now: LogTime) throws(TimeTravelError) -> HistoryPoint? {
    let trimmed = collapsed(text)
    switch trimmed {
    case "start": return .start
    case "end": return .end
    case "today": return .day(ZonedTime.startOfDay(now))
    case "yesterday": return .day(ZonedTime.startOfDay(now, daysBefore: 1))
    default: break
    }
    if let number = try number(trimmed) { return number }
    if let duration = try PastDuration.parse(trimmed) { return .time(now.advanced(by: .zero - duration)) }
    if let start = try ZonedTime.day(trimmed) { return .day(start) }
    return try ZonedTime.point(trimmed).map(HistoryPoint.time)
  }

  static func collapsed(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// Parses `42` and `-3`.
  private static func number(_ text: String) throws(TimeTravelError) -> HistoryPoint? {
    let digits = text.utf8.first == UInt8(ascii: "-") ? text.dropFirst() : text[...]
    guard !digits.isEmpty, digits.utf8.allSatisfy({ byte in (0x30...0x39).contains(byte) }) else { return nil }
    guard let value = Int(digits) else {
      throw TimeTravelError(.invalidPoint, "\(text) is larger than any revision")
    }
    return digits.startIndex == text.startIndex ? .revision(value) : .fromEnd(value)
  }
}

extension HistoryPoint {
  /// Returns the revision of the point in a history.
  ///
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange`` with the available revisions, ``TimeTravelError/Code/pruned`` for one before
  ///   the base of a pruned log; `LogError` if the log cannot be read.
  public func resolved<M: Model>(in history: History<M>) throws -> Int {
    try resolved(in: history, lastRevision: try history.lastRevision())
  }

  func resolved<M: Model>(in history: History<M>, lastRevision: Int) throws -> Int {
    switch self {
    case .start: return history.firstRevision
    case .end: return lastRevision
    case .revision(let revision):
      return try RevisionRange(of: history, last: lastRevision).checking(revision)
    case .fromEnd(let count):
      let known = RevisionRange(of: history, last: lastRevision)
      guard count >= 0, count <= lastRevision - known.first else {
        throw known.error(MissingRevision(beforeEnd: count, of: known.revisions))
      }
      return lastRevision - count
    case .time(let time), .day(let time):
      // Actions that were recorded after `lastRevision` was read are not part of this history.
      return min(try history.revision(at: time), lastRevision)
    }
  }
}

/// The revisions of a history, and the error for other revisions.
struct RevisionRange {
  /// The first revision: 0, or that of the base of a pruned log.
  let first: Int
  let last: Int

  init<M: Model>(of history: History<M>, last: Int) {
    self.init(first: history.firstRevision, last: last)
  }

  init(first: Int, last: Int) {
    self.first = first
    self.last = max(first, last)
  }

  var revisions: ClosedRange<Int> { first...last }

  func checking(_ revision: Int) throws(TimeTravelError) -> Int {
    guard revisions.contains(revision) else { throw error(MissingRevision(revision, of: revisions)) }
    return revision
  }

  func error(_ missing: MissingRevision) -> TimeTravelError {
    TimeTravelError(
      missing.isPruned ? .pruned : .revisionOutOfRange, missing.sentence, availableRevisions: missing.available)
  }
}

extension History {
  package func check(_ range: ClosedRange<Int>) throws {
    let known = RevisionRange(of: self, last: try lastRevision())
    _ = try known.checking(range.lowerBound)
    _ = try known.checking(range.upperBound)
  }
}

// MARK: - Times

extension ZonedTime {
  /// Parses a time or a day.
  ///
  /// Logs show times as `2026-11-21 09:00:05.250`, in UTC without a zone, and this form is accepted. A time with a `T` must
  /// name its zone. A day is its first moment, see ``day(_:)``.
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

  /// Parses a day, `2026-11-21`.
  static func day(_ text: String) throws(TimeTravelError) -> LogTime? {
    guard text.utf8.count == 10, text.utf8.allSatisfy(isOfDay), text.utf8.filter({ byte in byte == hyphen }).count == 2
    else { return nil }
    do throws(Fault) { return try parse(text + "T00:00:00Z") } catch {
      throw error.explained(text)
    }
  }

  /// The first moment of the day of a time in UTC, or of an earlier day.
  static func startOfDay(_ time: LogTime, daysBefore count: Int64 = 0) -> LogTime {
    let day: Int64 = 86_400_000_000
    // Rounded down, also before 1970. No time of a log is near an overflow.
    let days = (time.microseconds >= 0 ? time.microseconds : time.microseconds - (day - 1)) / day
    return LogTime(microseconds: (days - count) * day)
  }

  package static func lastMoment(ofDayFrom start: LogTime) -> LogTime {
    // In one step, because the next day may be beyond the last valid time.
    start.advanced(by: .seconds(86_400) - .microseconds(1))
  }

  private static let hyphen = UInt8(ascii: "-")

  private static func isOfDay(_ byte: UInt8) -> Bool { byte == hyphen || (0x30...0x39).contains(byte) }
}

extension ZonedTime.Fault {
  fileprivate func explained(_ text: String) -> TimeTravelError {
    let shown = EscapedText.escaping(text)
    switch self {
    case .noZone:
      return TimeTravelError(
        .invalidPoint, "\(shown) has no time zone: write \(shown)Z for UTC, or an offset")
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

/// Parses `5m ago`: one or more numbers with units, then `ago`.
enum PastDuration {
  /// Ten thousand years: longer than the range of years in a log, and far from overflow.
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
        "a whole number is missing before \(EscapedText.quoting(String(unit))): write for instance 5m ago")
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
        unit.isEmpty ? "the unit after \(digits) is missing" : "\(EscapedText.quoting(String(unit))) is not a unit"
      throw TimeTravelError(.invalidPoint, "\(problem): write s, m, h, d or w")
    }
    guard let number = Int(digits), number <= limitSeconds / unitSeconds else { throw tooLong(String(digits + unit)) }
    return number * unitSeconds
  }

  private static func tooLong(_ text: String) -> TimeTravelError {
    TimeTravelError(.invalidPoint, "\(text) is longer than any history")
  }
}
