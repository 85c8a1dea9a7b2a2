import ActionLog
public import EventSourcing

extension History {
  /// Finds the recorded actions that a filter includes, oldest first: those that could have changed a selection.
  ///
  /// The filter of a selector is such a predicate over a log:
  ///
  /// ```swift
  /// // Which actions could have changed the list of birds?
  /// try history.actions(includedBy: AnimalsFilter.filterAnimals(categoryId: "Bird"), in: 1...lastRevision) { action in
  ///   print(action.seq, action.record.type)
  ///   return true
  /// }
  /// ```
  ///
  /// A record that an upcaster turns into several actions is found if the filter includes one of them.
  ///
  /// - Parameters:
  ///   - isIncluded: The filter. It receives the state before the action, and the action.
  ///   - range: The revisions to search. No action leads to revision 0.
  ///   - options: Whether snapshots are used, and the callbacks for progress and cancellation.
  ///   - body: Receives each action, and returns whether to continue.
  /// - Returns: The work of the search.
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``; the errors of reading and folding, of `isIncluded` and of `body`.
  /// - Complexity: O(distance from the snapshot before the range to its end). The state before each action is held while it is
  ///   folded, so a reducer that changes a `Dictionary` copies it; a `TreeDictionary` copies a few nodes.
  /// - SeeAlso: The ImmutableData programming guide, chapters 8 and 12 (`AnimalsFilter`, `QuakesFilter`).
  @discardableResult
  public func actions(
    includedBy isIncluded: (M.State, M.Action) throws -> Bool, in range: ClosedRange<Int>,
    options: ReplayOptions = ReplayOptions(), _ body: (RecordedAction<M.Action>) throws -> Bool
  ) throws -> QuestionWork {
    let known = RevisionRange(last: try lastRevision())
    _ = try known.checking(range.lowerBound)
    _ = try known.checking(range.upperBound)
    let first = max(0, range.lowerBound - 1)
    var work = QuestionWork()
    var before: M.State?
    var check = CancellationCheck(options.isCancelled)
    // The visitor does not use the closures after `walk` returns.
    return try withoutActuallyEscaping(isIncluded) { isIncluded in
      try withoutActuallyEscaping(body) { body in
        let replayed = try walk(
          fromSnapshotAtOrBefore: first, to: range.upperBound, options: options,
          visitor: StateVisitor(
            from: first,
            begin: { state, _ in
              work.statesVisited += 1
              before = state
              return true
            },
            visit: { state, batch, index in
              work.statesVisited += 1
              try check.pass()
              let recorded = try recordedAction(in: batch, at: index)
              defer { before = state }
              guard let oldState = before, try Self.includes(recorded.actions, from: oldState, isIncluded) else {
                return true
              }
              return try body(recorded)
            }))
        work.add(replayed.report)
        return work
      }
    }
  }

  /// Whether a filter includes one of the actions of a record.
  private static func includes(
    _ actions: [M.Action], from oldState: M.State, _ isIncluded: (M.State, M.Action) throws -> Bool
  ) throws -> Bool {
    var state = oldState
    for (index, action) in actions.enumerated() {
      if try isIncluded(state, action) { return true }
      if index < actions.count - 1 { try M.reduce(into: &state, action: action) }
    }
    return false
  }
}
