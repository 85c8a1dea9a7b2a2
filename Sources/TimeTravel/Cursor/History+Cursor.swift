import ActionLog
public import EventSourcing

extension History {
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
