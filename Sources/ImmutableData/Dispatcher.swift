/// A type to which actions and thunks can be dispatched.
///
/// Dispatching an action is the only way a state changes. That is why a log of the accepted actions is enough to
/// rebuild it.
///
/// The two associated types exist so that a test double can hand other doubles to a thunk.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 1; "dispatch" in Redux.
public protocol Dispatcher<State, Action>: Sendable {
  /// The state that the reducer transforms.
  associatedtype State: Sendable
  /// What can happen.
  associatedtype Action: Sendable
  /// What a thunk is given to dispatch with.
  associatedtype Dispatcher: ImmutableData.Dispatcher<State, Action>
  /// What a thunk is given to select with.
  associatedtype Selector: ImmutableData.Selector<State>

  /// Folds `action` into the state, then tells every stream.
  ///
  /// - Parameter action: What happened.
  /// - Throws: The reducer's error. The state is then unchanged and no stream is told.
  @MainActor func dispatch(action: Action) throws

  /// Runs `thunk`, which may select and dispatch.
  ///
  /// The thunk itself is not an event: only the actions that it dispatches are seen by streams.
  ///
  /// - Throws: The thunk's error.
  @MainActor func dispatch(
    thunk: @Sendable (Self.Dispatcher, Self.Selector) throws -> Void
  ) rethrows

  /// Runs an asynchronous `thunk`, which may select and dispatch.
  ///
  /// Other dispatches can come in between at each of the thunk's suspension points.
  ///
  /// - Throws: The thunk's error.
  @MainActor func dispatch(
    thunk: @Sendable (Self.Dispatcher, Self.Selector) async throws -> Void
  ) async rethrows
}
