public import ActionLog

/// A point of a history as a person names it, before it is known which revision that is.
///
/// | written | meaning |
/// |---|---|
/// | `42` | revision 42: the state after 42 actions |
/// | `start`, `end` | revision 0, the last revision |
/// | `-3` | three actions before the end |
/// | `2026-11-21T09:00:05Z` | the last revision at or before a time |
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
    }
  }
}
