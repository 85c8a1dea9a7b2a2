public import EventSourcing

extension History {
  /// Makes a cursor that stands at a point of this history.
  ///
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``; what reading and folding throw.
  /// - Complexity: That of `state(at:)`.
  @MainActor public func cursor(at point: HistoryPoint = .end) throws -> HistoryCursor<M> {
    try HistoryCursor(self, at: point)
  }
}
