import ActionLog
public import EventSourcing
import JSONCoding

extension History {
  /// Takes a stretch of the history as values.
  ///
  /// - Parameters:
  ///   - range: The revisions of the states that are wanted. Of a stretch beyond the limits the newest part is taken.
  ///   - limits: How much is taken.
  ///   - options: Whether snapshots are used, and whom to tell of the progress.
  ///   - compared: Called after each action of the excerpt with how many states were compared and how many there are: comparing
  ///     large states takes longer than folding.
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``; `LogError` with the code `beyondLimit` when the state that it
  ///   begins with is larger than the limit; what reading and folding throw, and what the state's coding throws.
  /// - Complexity: O(distance from the snapshot before the range to its end), and what comparing each state with the next takes.
  public func excerpt(
    of range: ClosedRange<Int>, limits: ExcerptLimits = ExcerptLimits(), options: ReplayOptions = ReplayOptions(),
    compared: ((_ done: Int, _ total: Int) throws -> Void)? = nil
  ) throws -> HistoryExcerpt {
    let known = RevisionRange(last: try lastRevision())
    _ = try known.checking(range.lowerBound)
    _ = try known.checking(range.upperBound)
    let first = max(range.lowerBound, range.upperBound - limits.actions)
    var builder = ExcerptBuilder<M.State>(limits: limits)
    var visited = 0
    _ = try walk(
      fromSnapshotAtOrBefore: first, to: range.upperBound, options: options,
      visitor: StateVisitor(
        from: first,
        begin: { state, revision in
          try builder.begin(state, at: revision)
          return true
        },
        visit: { state, batch, index in
          // Comparing two large states takes longer than folding thousands of actions.
          if options.isCancelled() { throw CancellationError() }
          try builder.append(state, record: batch.record(at: index))
          visited += 1
          try compared?(visited, range.upperBound - first)
          return true
        }))
    let (start, foundBase, steps) = builder.result()
    let base = try foundBase ?? StateTree(encoding: state(at: start, options: options).state)
    let size = base.root.bytes().count
    guard size <= limits.bytes else {
      throw LogError(
        .beyondLimit, "the state at revision \(start) takes \(size) bytes, and the limit is \(limits.bytes)", path: path
      )
    }
    let reason: HistoryExcerpt.Cut = start > first ? .size : .count
    return HistoryExcerpt(
      first: start, base: base, steps: steps,
      cut: start > range.lowerBound ? (asked: range.lowerBound, reason: reason) : nil)
  }
}
