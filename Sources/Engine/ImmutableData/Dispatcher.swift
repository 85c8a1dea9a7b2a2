/// A type that actions and thunks can be dispatched to.
///
/// Dispatching an action is the only way to change the state, so the state can be rebuilt from a log of the accepted actions.
///
/// The associated types `Dispatcher` and `Selector` allow a test double to pass other doubles to a thunk.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 1; "dispatch" in Redux.
public protocol Dispatcher<State, Action>: Sendable {
  /// The state that the reducer transforms.
  associatedtype State: Sendable
  /// The actions that can be dispatched.
  associatedtype Action: Sendable
  /// The dispatcher that thunks receive.
  associatedtype Dispatcher: ImmutableData.Dispatcher<State, Action>
  /// The selector that thunks receive.
  associatedtype Selector: ImmutableData.Selector<State>

  /// Folds `action` into the state, then yields it to every stream.
  ///
  /// - Parameter action: The action.
  /// - Throws: The reducer's error, in which case the state is unchanged and nothing is yielded.
  @MainActor func dispatch(action: Action) throws

  /// Runs `thunk`, which may select and dispatch.
  ///
  /// Streams receive only the actions that the thunk dispatches, not the thunk.
  ///
  /// - Throws: The thunk's error.
  @MainActor func dispatch(
    thunk: @Sendable (Self.Dispatcher, Self.Selector) throws -> Void
  ) rethrows

  /// Runs an asynchronous `thunk`, which may select and dispatch.
  ///
  /// Other actions can be dispatched at each suspension point of the thunk.
  ///
  /// - Throws: The thunk's error.
  @MainActor func dispatch(
    thunk: @Sendable (Self.Dispatcher, Self.Selector) async throws -> Void
  ) async rethrows
}
