package import AsyncSequenceTestUtils
import ImmutableData

/// A store for listeners whose state and streams are controlled by a test.
///
/// ``send(_:)`` returns after the listener of the newest stream handled the action, so nothing depends on time.
@MainActor package class StoreDouble<State: Sendable, Action: Sendable>: ImmutableData.Selector, Streamer {
  /// A call of a listener.
  package enum Call: Equatable, Sendable { case select, makeStream }
  package typealias Element = (oldState: State, action: Action)

  /// The state of selections.
  package var state: State
  /// The calls so far, in order.
  package private(set) var calls: [Call] = []
  /// The created streams, newest last.
  package private(set) var streams: [AsyncSequenceTestDouble<Element>] = []

  private var streamWaiter: CheckedContinuation<Void, Never>?
  private let end: CheckedContinuation<Void, Never>?

  /// Creates a store.
  ///
  /// - Parameters:
  ///   - state: The initial state.
  ///   - end: A continuation that is resumed when the store is deinitialized.
  package init(state: State, end: CheckedContinuation<Void, Never>? = nil) {
    self.state = state
    self.end = end
  }

  deinit {
    end?.resume()
  }

  /// The number of selections.
  package var selections: Int { calls.count { call in call == .select } }

  package func select<T: Sendable>(_ selector: @Sendable (State) -> T) -> T {
    calls.append(.select)
    return selector(state)
  }

  package func makeStream() -> AsyncSequenceTestDouble<Element> {
    calls.append(.makeStream)
    streams.append(AsyncSequenceTestDouble())
    streamWaiter?.resume()
    streamWaiter = nil
    return streams[streams.count - 1]
  }

  /// Sends an action to the newest stream, with the current state as its old state.
  package func send(_ action: Action) async {
    await send((oldState: state, action: action))
  }

  /// Sets the state, then sends the action to the newest stream.
  package func change(to state: State, by action: Action) async {
    let element = (oldState: self.state, action: action)
    self.state = state
    await send(element)
  }

  /// Sends an element to the newest stream.
  package func send(_ element: Element) async {
    await streams[streams.count - 1].iterator.resume(returning: element)
  }

  /// Ends the newest stream.
  package func endStream() async {
    await streams[streams.count - 1].iterator.resume(returning: nil)
  }

  /// Ends the newest stream, and waits for a new one.
  package func restartStream() async {
    let stream = streams[streams.count - 1]
    await withCheckedContinuation { continuation in
      streamWaiter = continuation
      Task { await stream.iterator.resume(returning: nil) }
    }
  }
}

/// A store for listeners whose streams end before the store does.
@MainActor
package final class RestartingStoreDouble<State: Sendable, Action: Sendable>: StoreDouble<State, Action>,
  RestartingStreamer
{}

/// A dispatcher that records actions, runs thunks with doubles, and reduces nothing.
@MainActor package final class DispatcherDouble<State: Sendable, Action: Sendable>: ImmutableData.Dispatcher {
  /// The dispatched actions in order, including those of thunks and refused ones.
  package private(set) var actions: [Action] = []
  /// The error that every dispatch throws, if any.
  package var refusal: (any Error)?
  /// The selector of thunks.
  package let selector: SelectorDouble<State>

  /// Creates a dispatcher whose thunks select from `state`.
  package init(state: State) {
    selector = SelectorDouble(state: state)
  }

  package func dispatch(action: Action) throws {
    actions.append(action)
    if let refusal { throw refusal }
  }

  package func dispatch(
    thunk: @Sendable (DispatcherDouble, SelectorDouble<State>) throws -> Void
  ) rethrows {
    try thunk(self, selector)
  }

  package func dispatch(
    thunk: @Sendable (DispatcherDouble, SelectorDouble<State>) async throws -> Void
  ) async rethrows {
    try await thunk(self, selector)
  }
}

/// A selector whose state is set by a test.
@MainActor package final class SelectorDouble<State: Sendable>: ImmutableData.Selector {
  /// The state of selections.
  package var state: State
  /// The number of selections.
  package private(set) var selections = 0

  /// Creates a selector of a state.
  package init(state: State) {
    self.state = state
  }

  package func select<T: Sendable>(_ selector: @Sendable (State) -> T) -> T {
    selections += 1
    return selector(state)
  }
}
