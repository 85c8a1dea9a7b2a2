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

extension Dispatcher where Self: ImmutableData.Selector {
  /// Runs `thunk` with the store as dispatcher and selector. No other action can be dispatched in between.
  @MainActor public func dispatch(thunk: @Sendable (Self, Self) throws -> Void) rethrows { try thunk(self, self) }

  /// Runs an asynchronous `thunk` with the store as dispatcher and selector.
  @MainActor public func dispatch(thunk: @Sendable (Self, Self) async throws -> Void) async rethrows {
    try await thunk(self, self)
  }
}

/// A type that slices of the state can be selected from.
///
/// A selector is a pure function from the state to a slice or a derived value. Results are not cached; memoization is up to the
/// view layer.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 1; "selector" in Redux.
public protocol Selector<State>: Sendable {
  /// The state to select from.
  associatedtype State: Sendable

  /// Applies `selector` to the current state.
  @MainActor func select<T: Sendable>(_ selector: @Sendable (State) -> T) -> T
}

extension Selector {
  /// The complete current state.
  ///
  /// A view that selects the complete state updates at every change, so select the smallest slice that it needs.
  @MainActor public var state: State {
    select { state in state }
  }
}

/// A type that yields every accepted action to its subscribers, with the state before the action.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 1; "listener middleware" in Redux.
public protocol Streamer<State, Action>: Sendable {
  /// The state before the action.
  associatedtype State: Sendable
  /// The action that was accepted.
  associatedtype Action: Sendable
  /// The stream for one subscriber.
  associatedtype Stream: AsyncSequence, Sendable
  where Stream.Element == (oldState: State, action: Action)

  /// Returns a stream of all actions accepted from now on.
  ///
  /// Earlier actions are not replayed. A stream must have only one consumer.
  @MainActor func makeStream() -> Stream
}

/// A streamer whose streams can end while it continues to change.
///
/// A cursor in a history can jump too far to yield every action in between, and finishes its streams instead. A consumer that shows
/// the state then reads the current state and makes a new stream, both in one synchronous step, so that it misses no action.
///
/// A conforming type must return an open stream from ``Streamer/makeStream()``; otherwise its consumers would loop forever.
package protocol RestartingStreamer<State, Action>: Streamer {}

/// A streamer that can also show other states than the last one: those of its past.
///
/// ``Streamer/makeStream()`` delivers what happens, for listeners with effects. The streams of views deliver the actions that lead from
/// one shown state to the next, and end when the shown state changes in any other way.
package protocol ViewStreamer<State, Action>: Selector, RestartingStreamer {
  /// Returns an open stream for a view.
  @MainActor func makeViewStream() -> ActionStream<(oldState: State, action: Action)>
}
