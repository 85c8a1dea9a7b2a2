public import ImmutableData

/// Dispatches actions, and nothing else: what a user interface is given of a store.
///
/// User interface code says what happened; thunks are dispatched by listeners only. It learns nothing of the store behind
/// it either, so a test can hand it a closure.
///
/// ```swift
/// let dispatch = ActionDispatch(store)
/// try dispatch(.didTapIncrementButton)
/// ```
///
/// - SeeAlso: The ImmutableData programming guide, chapter 4 (`Dispatch`).
public struct ActionDispatch<Action: Sendable>: Sendable {
  private let body: @MainActor @Sendable (Action) throws -> Void

  /// Makes a dispatch from what is to be done with an action.
  public init(_ body: @escaping @MainActor @Sendable (Action) throws -> Void) {
    self.body = body
  }

  /// Makes a dispatch to a store. It holds the store.
  public init(_ dispatcher: some ImmutableData.Dispatcher<some Sendable, Action>) {
    self.init { action in try dispatcher.dispatch(action: action) }
  }

  /// Dispatches an action.
  ///
  /// - Throws: The reducer's error: the action was refused and the state is unchanged.
  @MainActor public func callAsFunction(_ action: Action) throws {
    try body(action)
  }
}
