public import ActionLog
public import EventSourcing
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

  /// The text with single spaces, and none at its ends.
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
  /// - Complexity: That of `History.lastRevision()` and, for a time, of `History.revision(at:)`.
  public func resolved<M: Model>(in history: History<M>) throws -> Int {
    try resolved(in: history, lastRevision: try history.lastRevision())
  }

  /// Returns the revision of the point in a history whose last revision is known.
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
package struct RevisionRange {
  /// The first revision: 0, or that of the base of a pruned log.
  let first: Int
  let last: Int

  /// Creates the range from the last revision of a history.
  package init<M: Model>(of history: History<M>, last: Int) {
    self.init(first: history.firstRevision, last: last)
  }

  /// Creates the range.
  init(first: Int, last: Int) {
    self.first = first
    self.last = max(first, last)
  }

  var revisions: ClosedRange<Int> { first...last }

  /// Returns the revision if the history has it.
  package func checking(_ revision: Int) throws(TimeTravelError) -> Int {
    guard revisions.contains(revision) else { throw error(MissingRevision(revision, of: revisions)) }
    return revision
  }

  func error(_ missing: MissingRevision) -> TimeTravelError {
    TimeTravelError(
      missing.isPruned ? .pruned : .revisionOutOfRange, missing.sentence, availableRevisions: missing.available)
  }
}
