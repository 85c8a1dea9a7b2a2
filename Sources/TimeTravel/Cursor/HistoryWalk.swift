import EventSourcing

/// A walk to a point of a history, done on any thread: what a cursor begins with.
struct HistoryWalk<M: Model>: Sendable {
  let walker: HistoryWalker<M>
  let revision: Int
  let state: M.State

  init(_ history: History<M>, to point: HistoryPoint) throws {
    var walker = try HistoryWalker(history)
    revision = try point.resolved(in: history, lastRevision: walker.lastRevision)
    state = try walker.state(at: revision)
    walker.settle(at: revision)
    self.walker = walker
  }
}
