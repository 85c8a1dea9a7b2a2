/// The one place that holds an application's state.
///
/// A store is made from an initial state and a reducer. Dispatching an action replaces the state by what the reducer
/// returns, then tells every stream of the state before and the action. It lives on the main actor so that views can
/// read synchronously.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 1; "store" in Redux.
@MainActor final public class Store<State: Sendable, Action: Sendable>: Sendable {
  private let registrar = StreamRegistrar<(oldState: State, action: Action)>()
  private var currentState: State
  private let reducer: @Sendable (State, Action) throws -> State

  /// Makes a store.
  ///
  /// - Parameters:
  ///   - state: The state before any action.
  ///   - reducer: A pure function: no effect, no clock, no random value. It may throw to refuse an action.
  public init(
    initialState state: State,
    reducer: @escaping @Sendable (State, Action) throws -> State
  ) {
    self.currentState = state
    self.reducer = reducer
  }

  /// Ends every stream: consumers receive what is buffered, then the end. Later streams are not affected.
  public func finish() {
    registrar.finish()
  }

  /// What was yielded and consumed on each stream that is still registered, in the order in which they were made.
  ///
  /// The largest ``StreamCounts/buffered`` tells how far the slowest subscriber lags behind.
  public var streamCounts: [StreamCounts] { registrar.counts }
}

extension Store: Dispatcher {
  /// Folds `action` into the state and yields the state before and the action to every stream, in that order.
  ///
  /// When it returns, the element is in every stream's buffer, but no subscriber has run. An equal state is yielded all
  /// the same.
  ///
  /// - Throws: The reducer's error; the state is then unchanged and nothing is yielded.
  public func dispatch(action: Action) throws {
    let oldState = currentState
    currentState = try reducer(oldState, action)
    registrar.yield((oldState: oldState, action: action))
  }

  /// Runs `thunk` with the store as dispatcher and as selector; nothing else can be dispatched in between.
  public func dispatch(
    thunk: @Sendable (Store, Store) throws -> Void
  ) rethrows {
    try thunk(self, self)
  }

  /// Runs an asynchronous `thunk` with the store as dispatcher and as selector.
  public func dispatch(
    thunk: @Sendable (Store, Store) async throws -> Void
  ) async rethrows {
    try await thunk(self, self)
  }
}

extension Store: Selector {
  /// Applies `selector` to the current state.
  public func select<T: Sendable>(_ selector: @Sendable (State) -> T) -> T {
    selector(currentState)
  }
}

extension Store: Streamer {
  /// Makes a stream of everything that is accepted from now on; streams are told in the order in which they were made.
  public func makeStream() -> ActionStream<(oldState: State, action: Action)> {
    registrar.makeStream()
  }
}
