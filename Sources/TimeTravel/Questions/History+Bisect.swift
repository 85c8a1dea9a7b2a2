import ActionLog
public import EventSourcing

extension History {
  /// Finds the first revision at which a condition holds, by halving.
  ///
  /// Halving proves that the condition does not hold at one revision and holds at the next. That this is the first such place
  /// follows only if the condition, once it holds, goes on to hold. So states at even distances are looked at as well; when they
  /// contradict it, or when the condition does not hold at the end, every state is looked at instead, and the answer says so.
  ///
  /// - Parameters:
  ///   - condition: A condition over the state alone.
  ///   - range: The revisions to look at; `nil` is all of them.
  ///   - options: Whether snapshots are used, whom to tell of the progress, and when to stop.
  /// - Throws: ``TimeTravelError/Code/unanswerable`` for a condition that looks at the action or at what changed;
  ///   ``TimeTravelError/Code/revisionOutOfRange``; what reading and folding throw, and what the state's coding throws.
  /// - Complexity: O(log *n*) states, each at the distance to the nearest snapshot or state that was folded before; O(*n*) when
  ///   every state is looked at.
  public func bisect(
    _ condition: Condition, in range: ClosedRange<Int>? = nil, options: ReplayOptions = ReplayOptions()
  ) throws -> BisectAnswer {
    var walker = try HistoryWalker(self)
    return try walker.bisect(condition, in: range, options: options)
  }
}
