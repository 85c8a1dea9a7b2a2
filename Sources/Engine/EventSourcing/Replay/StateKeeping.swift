package import ActionLog

/// What a replay is told that wants some of the states on the way.
package struct StateKeeping<State: Sendable> {
  /// The next revision that is wanted behind one, or `nil`.
  package var next: (Int) -> Int?
  /// Takes a state that is wanted. Whoever keeps it makes the fold copy what it writes next.
  package var keep: (State, Int) -> Void

  /// Wants the states that `next` names.
  package init(next: @escaping (Int) -> Int?, keep: @escaping (State, Int) -> Void) {
    self.next = next
    self.keep = keep
  }
}

/// Whoever looks at every state of a stretch of history while it is folded. Looking keeps nothing, so the fold goes on in place.
package struct StateVisitor<State: Sendable> {
  /// The revision to begin at; `nil` is where the fold begins.
  package var first: Int?
  /// Takes the state at the first revision. What it returns says whether to go on.
  package var begin: (_ state: State, _ revision: Int) throws -> Bool
  /// Takes each state behind it, with the batch and the index of the record that led to it. What it returns says whether to go on.
  package var visit: (_ state: State, _ batch: RecordBatch, _ index: Int) throws -> Bool

  /// Looks at every state from `first` on.
  ///
  /// - Parameters:
  ///   - first: The revision to begin at; `nil` is where the fold begins.
  ///   - begin: Takes the state at the first revision, and says whether to go on.
  ///   - visit: Takes each state behind it, with the place of its record, and says whether to go on.
  package init(
    from first: Int? = nil,
    begin: @escaping (_ state: State, _ revision: Int) throws -> Bool,
    visit: @escaping (_ state: State, _ batch: RecordBatch, _ index: Int) throws -> Bool
  ) {
    self.first = first
    self.begin = begin
    self.visit = visit
  }
}
