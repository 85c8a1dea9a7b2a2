import ActionLog
public import EventSourcing
public import JSONCoding

// Questions that begin from the states which a cursor keeps, and keep more on the way. The cursor stays where it is, and yields
// nothing. They block; whoever wants to end one from another thread gives options whose `isCancelled` says so.
extension HistoryCursor {
  /// Finds the first revision at which a condition holds, by halving: `History.bisect(_:in:options:)` over the states that the
  /// cursor keeps, too.
  ///
  /// - Parameters:
  ///   - condition: A condition over the state alone.
  ///   - range: The revisions to look at; `nil` is all of them.
  ///   - options: Whether snapshots are used, whom to tell of the progress, and when to stop.
  /// - Throws: As `History.bisect(_:in:options:)`.
  /// - Complexity: O(log *n*) states that are kept, and O(distance between two of them): 127 actions at most where the history was
  ///   folded before; O(length of the range) if it is scanned. Benchmark `bisect: since when a condition holds`.
  public func bisect(
    _ condition: Condition, in range: ClosedRange<Int>? = nil, options: ReplayOptions = ReplayOptions()
  ) throws -> BisectAnswer {
    defer { walker.settle(at: revision) }
    return try walker.bisect(condition, in: range, options: options)
  }

  /// Finds the first revision behind a point at which a condition holds: `History.firstRevision(where:after:upTo:options:)` with
  /// the states that the cursor keeps.
  ///
  /// - Parameters:
  ///   - condition: The condition.
  ///   - revision: The revision behind which is looked; `nil` looks at revision 0, too.
  ///   - last: The last revision that is looked at; `nil` is the end.
  ///   - options: Whether snapshots are used, whom to tell of the progress, and when to stop.
  /// - Throws: As `History.firstRevision(where:after:upTo:options:)`.
  /// - Complexity: O(distance from the nearest state before the revision that is kept to the answer).
  public func firstRevision(
    where condition: Condition, after revision: Int? = nil, upTo last: Int? = nil,
    options: ReplayOptions = ReplayOptions()
  ) throws -> ConditionAnswer {
    defer { walker.settle(at: self.revision) }
    return try walker.firstRevision(where: condition, after: revision, upTo: last, options: options)
  }

  /// Finds the last revision before a point at which a condition holds: `History.lastRevision(where:before:downTo:options:)` with the
  /// states that the cursor keeps.
  ///
  /// - Parameters:
  ///   - condition: The condition.
  ///   - revision: The revision before which is looked; `nil` looks at the last one, too.
  ///   - options: Whether snapshots are used, whom to tell of the progress, and when to stop.
  /// - Throws: As `History.lastRevision(where:before:downTo:options:)`.
  /// - Complexity: O(distance from the revision to the answer) where the history was folded before.
  public func lastRevision(
    where condition: Condition, before revision: Int? = nil, options: ReplayOptions = ReplayOptions()
  ) throws -> ConditionAnswer {
    defer { walker.settle(at: self.revision) }
    return try walker.lastRevision(where: condition, before: revision, options: options)
  }

  /// Finds the last action that changed a value: `History.blame(_:at:options:)` with the states that the cursor keeps.
  ///
  /// - Parameters:
  ///   - pointer: The place of the value in the state as JSON.
  ///   - revision: The revision to ask at; `nil` is the one that the cursor is at.
  ///   - options: Whether snapshots are used, whom to tell of the progress, and when to stop: that is asked about every 64 states
  ///     that are looked at, by each of the threads.
  /// - Throws: As `History.blame(_:at:options:)`; `CancellationError`.
  /// - Complexity: O(distance from the revision to the change), which is looked at by as many threads as there are processors;
  ///   benchmark `blame: who changed a value last`.
  public func blame(
    _ pointer: JSONPointer, at revision: Int? = nil, options: ReplayOptions = ReplayOptions()
  ) throws -> BlameAnswer {
    defer { walker.settle(at: self.revision) }
    return try walker.blame(pointer, at: revision ?? self.revision, options: options)
  }
}
