import ActionLog
public import EventSourcing

extension History {
  /// From so far apart, a snapshot between two revisions is looked for: reading their names costs about as much.
  private static var snapshotDistance: Int { 1_024 }

  /// Compares the states at two revisions, in any order.
  ///
  /// The later state is folded from the earlier one, so the two share what did not change between them. Where a snapshot lies between
  /// them and they are far apart, it is folded from there.
  ///
  /// - Throws: What reading and folding throw, and what the state's coding throws.
  /// - Complexity: That of `state(at:)` for the earlier revision, and O(distance) from there or from the snapshot.
  package func difference(from first: Int, to second: Int, options: ReplayOptions) throws -> StateDiff {
    let (start, end) = (min(first, second), max(first, second))
    let options = options.countingFolds(upTo: end)
    let earlier = try state(at: start, options: options).state
    let isFar =
      try options.usesSnapshots && end - start > Self.snapshotDistance
      && snapshots?.revisions().contains { revision in revision > start && revision <= end } ?? false
    let later =
      isFar
      ? try state(at: end, options: options).state
      : try advance(earlier, from: start, to: end, options: options).state
    return try first <= second ? StateDiff(encoding: earlier, to: later) : StateDiff(encoding: later, to: earlier)
  }

  /// Makes a cursor that stands at a point of this history.
  ///
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``; what reading and folding throw.
  /// - Complexity: That of `state(at:)`.
  @MainActor public func cursor(at point: HistoryPoint = .end) throws -> HistoryCursor<M> {
    try HistoryCursor(self, at: point)
  }

  /// Opens a history and makes a cursor in it; reading and folding are done on a thread that may block.
  ///
  /// - Parameters:
  ///   - point: Where the cursor stands.
  ///   - open: Opens the history. It may block.
  /// - Returns: The cursor.
  /// - Throws: What `open` throws; ``TimeTravelError/Code/revisionOutOfRange``; what reading and folding throw.
  /// - Complexity: That of `state(at:)`.
  @MainActor package static func openCursor(
    at point: HistoryPoint = .end, _ open: @escaping @Sendable () throws -> History<M>
  ) async throws -> HistoryCursor<M> {
    HistoryCursor(try await OffPool.run { try HistoryWalk(try open(), to: point) })
  }
}
