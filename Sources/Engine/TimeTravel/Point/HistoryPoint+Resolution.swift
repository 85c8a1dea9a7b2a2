import ActionLog
public import EventSourcing

extension HistoryPoint {
  /// The revision that the point means in a history.
  ///
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange`` with the revisions that there are; `LogError` when the log
  ///   cannot be read.
  /// - Complexity: That of `History.lastRevision()` and, for a time, of `History.revision(at:)`.
  public func resolved<M: Model>(in history: History<M>) throws -> Int {
    try resolved(in: history, lastRevision: try history.lastRevision())
  }

  /// The revision that the point means in a history whose end is known.
  func resolved<M: Model>(in history: History<M>, lastRevision: Int) throws -> Int {
    switch self {
    case .start: return 0
    case .end: return lastRevision
    case .revision(let revision):
      return try RevisionRange(last: lastRevision).checking(revision)
    case .fromEnd(let count):
      guard count >= 0, count <= lastRevision else {
        throw RevisionRange(last: lastRevision).error(MissingRevision(beforeTheEnd: count, of: 0...lastRevision))
      }
      return lastRevision - count
    case .time(let time), .day(let time):
      // Actions that were recorded since the end was looked for are not part of this history.
      return min(try history.revision(at: time), lastRevision)
    }
  }
}
