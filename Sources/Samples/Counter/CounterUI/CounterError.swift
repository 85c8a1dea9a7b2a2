package import CounterData

/// What the preview's reducer throws: the state and the action that met.
package struct CounterError: Error, Equatable {
  /// The state, which stays.
  package let state: CounterState
  /// The action, which was refused.
  package let action: CounterAction
}

extension CounterError: CustomStringConvertible {
  package var description: String { "\(action) at \(CounterState.selectValue()(state)) is refused by this preview" }
}
