/// The single owner of an application's state.
///
/// A store consists of an initial state and a reducer. Dispatching an action replaces the state with the reducer's result, then yields
/// the previous state and the action to every stream. A store is isolated to the main actor, so views can read it
/// synchronously.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 1; "store" in Redux.
@MainActor final public class Store<State: Sendable, Action: Sendable>: Sendable {
  private let registrar = StreamRegistrar<(oldState: State, action: Action)>()
  private var currentState: State
  private let reducer: @Sendable (State, Action) throws -> State

  /// Creates a store.
  ///
  /// - Parameters:
  ///   - state: The initial state.
  ///   - reducer: A pure function: no effects, no clock, no random values. It throws to reject an action.
  public init(
    initialState state: State,
    reducer: @escaping @Sendable (State, Action) throws -> State
  ) {
    self.currentState = state
    self.reducer = reducer
  }

  /// Ends all current streams. Their consumers receive the buffered elements, then the end. A recorded store refuses actions from
  /// then on.
  public func finish() {
    registrar.finish()
  }

  /// Counts the actions that the store accepts.
  package nonisolated var accepted: ActionCounter { registrar.accepted }

  /// The counts of each open stream, in order of creation.
  ///
  /// The largest ``StreamCounts/buffered`` is the backlog of the slowest consumer.
  package var streamCounts: [StreamCounts] { registrar.counts }
}

extension Store: Dispatcher {
  /// Folds `action` into the state, then yields the previous state and the action to every stream.
  ///
  /// When the call returns, the element is in every stream's buffer, but no consumer has run. An action that does not change the state
  /// is yielded as well.
  ///
  /// - Throws: The reducer's error; the error of a recorder that recorded the store and does not record it any more. The state is
  ///   then unchanged, and nothing is yielded.
  public func dispatch(action: Action) throws {
    let oldState = currentState
    let next = try reducer(oldState, action)
    try registrar.accepted.admit()
    currentState = next
    registrar.deliver((oldState: oldState, action: action))
  }
}

extension Store: Selector {
  /// Applies `selector` to the current state.
  public func select<T: Sendable>(_ selector: @Sendable (State) -> T) -> T {
    selector(currentState)
  }
}

extension Store: Streamer {
  /// Returns a stream of all actions accepted from now on. Elements are yielded to streams in order of their creation.
  public func makeStream() -> ActionStream<(oldState: State, action: Action)> {
    registrar.makeStream()
  }
}
