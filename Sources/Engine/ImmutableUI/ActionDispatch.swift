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

/// A store of any kind as one type: a live one, or one that can show its past.
///
/// The environment of SwiftUI has a value of one type for each key. Property wrappers that name this type read every store:
///
/// ```swift
/// let store = ViewStore(TimeTravelStore(.store(try recorder.makeStore(), recorder: recorder)))
/// ```
///
/// Views compare stores by identity, so an app makes one for each of its stores, and keeps it.
@MainActor public final class ViewStore<State: Sendable, Action: Sendable>: Sendable {
  private let selector: any ImmutableData.Selector<State>
  private let dispatchAction: @MainActor @Sendable (Action) throws -> Void
  private let makeStoreStream: @MainActor @Sendable () -> ActionStream<(oldState: State, action: Action)>
  private let makeShownStream: @MainActor @Sendable () -> ActionStream<(oldState: State, action: Action)>

  /// Creates a store that passes everything to another one, and retains it.
  public init<Base: ImmutableData.Dispatcher<State, Action> & ImmutableData.Selector<State> & Streamer<State, Action>>(
    _ store: Base
  ) where Base.Stream == ActionStream<(oldState: State, action: Action)> {
    selector = store
    dispatchAction = { action in try store.dispatch(action: action) }
    makeStoreStream = { store.makeStream() }
    if let past = store as? any ViewStreamer<State, Action> {
      makeShownStream = { past.makeViewStream() }
    } else {
      makeShownStream = { store.makeStream() }
    }
  }
}

extension ViewStore: ImmutableData.Dispatcher {
  /// Dispatches an action to the store.
  ///
  /// - Throws: The store's error; the state is then unchanged.
  public func dispatch(action: Action) throws { try dispatchAction(action) }
}

extension ViewStore: ImmutableData.Selector {
  /// Applies `selector` to the state that the store shows.
  public func select<T: Sendable>(_ selector: @Sendable (State) -> T) -> T { self.selector.select(selector) }
}

extension ViewStore: ViewStreamer {
  /// Makes a stream of all actions that the store accepts from now on.
  public func makeStream() -> ActionStream<(oldState: State, action: Action)> { makeStoreStream() }

  /// Makes a stream of the actions that lead from one shown state to the next.
  package func makeViewStream() -> ActionStream<(oldState: State, action: Action)> { makeShownStream() }
}
