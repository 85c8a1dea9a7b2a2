package import AsyncSequenceTestUtils
import ImmutableData

/// A store for listeners whose state a test sets and whose streams it feeds, element by element.
///
/// ``tell(_:)`` returns when the listener of the newest stream is done with the action, so nothing depends on time.
@MainActor package class StoreDouble<State: Sendable, Action: Sendable>: ImmutableData.Selector, Streamer {
  /// What a listener can ask of a store, in the order in which it asked.
  package enum Call: Equatable, Sendable { case select, makeStream }
  package typealias Element = (oldState: State, action: Action)

  /// What selections are made from.
  package var state: State
  /// What was asked so far.
  package private(set) var calls: [Call] = []
  /// The streams that were made, the newest at the end.
  package private(set) var streams: [AsyncSequenceTestDouble<Element>] = []

  private var streamWaiter: CheckedContinuation<Void, Never>?
  private let end: CheckedContinuation<Void, Never>?

  /// Makes a store.
  ///
  /// - Parameters:
  ///   - state: The first state.
  ///   - end: Is resumed when nobody holds the store any more.
  package init(state: State, end: CheckedContinuation<Void, Never>? = nil) {
    self.state = state
    self.end = end
  }

  deinit {
    end?.resume()
  }

  /// How many selections were made.
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

  /// Tells the newest stream of an action that met the present state and changed nothing.
  package func tell(_ action: Action) async {
    await tell((oldState: state, action: action))
  }

  /// Sets the state, then tells the newest stream.
  package func change(to state: State, by action: Action) async {
    let element = (oldState: self.state, action: action)
    self.state = state
    await tell(element)
  }

  /// Tells the newest stream of an element that a test makes.
  package func tell(_ element: Element) async {
    await streams[streams.count - 1].iterator.resume(returning: element)
  }

  /// Ends the newest stream.
  package func endStream() async {
    await streams[streams.count - 1].iterator.resume(returning: nil)
  }

  /// Ends the newest stream, and waits until another one is made.
  package func restartStream() async {
    let stream = streams[streams.count - 1]
    await withCheckedContinuation { continuation in
      streamWaiter = continuation
      Task { await stream.iterator.resume(returning: nil) }
    }
  }
}

/// A store for listeners whose streams end although it goes on.
@MainActor
package final class RestartingStoreDouble<State: Sendable, Action: Sendable>: StoreDouble<State, Action>,
  RestartingStreamer
{}

/// A dispatcher that writes down what it is given, runs thunks with doubles, and reduces nothing.
@MainActor package final class DispatcherDouble<State: Sendable, Action: Sendable>: ImmutableData.Dispatcher {
  /// The actions that were dispatched, also by thunks, in order. A refused one is among them.
  package private(set) var actions: [Action] = []
  /// Is thrown for each action, when there is one.
  package var refusal: (any Error)?
  /// What thunks select from.
  package let selector: SelectorDouble<State>

  /// Makes a dispatcher; thunks see `state`.
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

/// A selector whose state a test sets.
@MainActor package final class SelectorDouble<State: Sendable>: ImmutableData.Selector {
  /// What selections are made from.
  package var state: State
  /// How many selections were made.
  package private(set) var selections = 0

  /// Makes a selector of a state.
  package init(state: State) {
    self.state = state
  }

  package func select<T: Sendable>(_ selector: @Sendable (State) -> T) -> T {
    selections += 1
    return selector(state)
  }
}
