public import ActionLog
public import EventSourcing
public import JSONCoding

extension History {
  /// Finds the actions of a stretch that changed a value and after which a condition holds, oldest first.
  ///
  /// - Parameters:
  ///   - condition: What is to hold of an action and of the state that it led to; `nil` asks for nothing.
  ///   - pointers: Places of values, one of which the action is to have changed; none asks for nothing. An action that changes a
  ///     value below a place changes the value at it, too.
  ///   - range: The revisions to look at. No action leads to revision 0.
  ///   - options: Whether snapshots are used, and whom to tell of the progress.
  ///   - body: Takes each action. What it returns says whether to go on.
  /// - Returns: What it took.
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``; what reading and folding throw, what the state's coding throws, and what
  ///   `body` throws.
  /// - Complexity: O(distance from the snapshot before the range to its end), and a look at each of the states.
  @discardableResult
  public func actions(
    where condition: Condition?, touching pointers: [JSONPointer] = [], in range: ClosedRange<Int>,
    options: ReplayOptions = ReplayOptions(), _ body: (LogRecord) throws -> Bool
  ) throws -> QuestionWork {
    let known = RevisionRange(last: try lastRevision())
    _ = try known.checking(range.lowerBound)
    _ = try known.checking(range.upperBound)
    var work = QuestionWork()
    let question = ActionQuestion<M.State>(condition, touching: pointers)
    let first = max(0, range.lowerBound - 1)
    var check = CancellationCheck(options.isCancelled)
    // The visitor is done with `body` when `walk` returns.
    try withoutActuallyEscaping(body) { body in
      let replayed = try walk(
        fromSnapshotAtOrBefore: first, to: range.upperBound, options: options,
        visitor: StateVisitor(
          from: first,
          begin: { state, _ in
            work.statesVisited += 1
            try question.begin(state)
            return true
          },
          visit: { state, batch, index in
            work.statesVisited += 1
            try check.pass()
            let holds = try question.holds(at: state, after: batch.record(at: index))
            return holds ? try body(batch.record(at: index)) : true
          }))
      work.add(replayed.report)
    }
    question.addHints(to: &work)
    return work
  }
}
