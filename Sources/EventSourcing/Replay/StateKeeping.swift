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
