/// The rules of the counter: one up, one down.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 3.
public enum CounterReducer {
  /// Returns the state after `action`.
  ///
  /// - Throws: An error that says "overflow" when the number would leave the range of `Int`. The guide's reducer traps
  ///   there, which would let a hand-made log bring the program down.
  /// - Complexity: O(1).
  @Sendable public static func reduce(state: CounterState, action: CounterAction) throws -> CounterState {
    var state = state
    try reduce(into: &state, action: action)
    return state
  }

  /// Folds `action` into `state`.
  ///
  /// - Throws: An error that says "overflow" when the number would leave the range of `Int`; `state` is then unchanged.
  /// - Complexity: O(1).
  public static func reduce(into state: inout CounterState, action: CounterAction) throws {
    let (value, overflow) =
      switch action {
      case .didTapIncrementButton: state.value.addingReportingOverflow(1)
      case .didTapDecrementButton: state.value.subtractingReportingOverflow(1)
      }
    guard !overflow else { throw Error(code: .overflow, value: state.value, action: action) }
    state.value = value
  }
}
