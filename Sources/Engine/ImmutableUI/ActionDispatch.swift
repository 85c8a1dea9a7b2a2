public import ImmutableData

/// A function that dispatches actions: all that a user interface needs of a store.
///
/// User interface code reports what happened; only listeners dispatch thunks. The code does not depend on the store either, so a
/// test can pass a closure.
///
/// ```swift
/// let dispatch = ActionDispatch(store)
/// try dispatch(.didTapIncrementButton)
/// ```
///
/// - SeeAlso: The ImmutableData programming guide, chapter 4 (`Dispatch`).
public struct ActionDispatch<Action: Sendable>: Sendable {
  private let body: @MainActor @Sendable (Action) throws -> Void

  /// Creates a dispatch that calls a closure with each action.
  public init(_ body: @escaping @MainActor @Sendable (Action) throws -> Void) {
    self.body = body
  }

  /// Creates a dispatch to a store and retains the store.
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
