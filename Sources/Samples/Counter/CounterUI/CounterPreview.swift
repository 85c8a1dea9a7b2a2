package import CounterData
package import ImmutableData

/// Stores to look at the counter's screen with, without a log.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 4 (the previews of `Content`).
package enum CounterPreview: String, CaseIterable, Sendable {
  /// The counter as it is.
  case usual
  /// A reducer that refuses every action: what a person sees of an error.
  case refusing

  /// Makes the store.
  @MainActor package func makeStore() -> Store<CounterState, CounterAction> {
    switch self {
    case .usual: Store(initialState: CounterState(), reducer: CounterReducer.reduce)
    case .refusing:
      Store(initialState: CounterState()) { state, action in throw CounterError(state: state, action: action) }
    }
  }
}
