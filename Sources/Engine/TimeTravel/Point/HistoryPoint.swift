public import ActionLog

/// A point of a history as a person names it, before it is known which revision that is.
///
/// | written | meaning |
/// |---|---|
/// | `42` | revision 42: the state after 42 actions |
/// | `start`, `end` | revision 0, the last revision |
/// | `-3` | three actions before the end |
/// | `2026-11-21T09:00:05Z` | the last revision at or before a time |
/// | `2026-11-21` | the last revision at or before the first moment of a day, in UTC |
/// | `5m ago`, `1h30m ago` | the same, counted back from now |
/// | anything else | the revision of the ``Mark`` of that name |
public enum HistoryPoint: Hashable, Sendable {
  /// Revision 0, the state before any action.
  case start
  /// The last revision.
  case end
  /// A revision.
  case revision(Int)
  /// So many actions before the end.
  case fromEnd(Int)
  /// The last revision at or before a time.
  case time(LogTime)
  /// The last revision at or before the first moment of a day, which is given. What takes a stretch can take all of the day.
  case day(LogTime)
}

extension HistoryPoint: CustomStringConvertible {
  /// The point as ``init(parsing:now:marks:)`` reads it.
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
