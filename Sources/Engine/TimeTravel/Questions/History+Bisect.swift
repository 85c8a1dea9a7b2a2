import ActionLog
public import EventSourcing

extension History {
  /// Finds the first revision at which a condition holds, by halving.
  ///
  /// The range is halved over the snapshots in it, and what remains is scanned forward. That proves that the condition does not hold
  /// at one revision and holds at the next. It is the first such revision if the condition, once it holds, continues to hold. If a
  /// snapshot shows that the condition comes and goes, or if it holds at none, the range is scanned from its beginning. Without
  /// snapshots the search is that of ``firstRevision(where:after:upTo:options:)``. A search never folds an action twice.
  ///
  /// - Parameters:
  ///   - condition: A condition over the state alone.
  ///   - range: The revisions to look at; `nil` is all of them.
  ///   - options: Whether snapshots are used, whom to tell of the progress, and when to stop.
  /// - Throws: ``TimeTravelError/Code/unanswerable`` for a condition that looks at the action or at what changed;
  ///   ``TimeTravelError/Code/revisionOutOfRange``; what reading and folding throw, and what the state's coding throws.
  /// - Complexity: O(log *n*) snapshots of *n*, and O(distance between two of them); O(length of the range) if it is scanned.
  public func bisect(
    _ condition: Condition, in range: ClosedRange<Int>? = nil, options: ReplayOptions = ReplayOptions()
  ) throws -> BisectAnswer {
    var walker = try HistoryWalker(self, keepsStates: false)
    return try walker.bisect(condition, in: range, options: options)
  }
}
