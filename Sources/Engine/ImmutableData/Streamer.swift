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
/// The streams of a store end only with the store. A cursor in a history can jump too far to yield every action in between, and
/// finishes its streams instead. A consumer that shows the state then reads the current state and makes a new stream, both in one
/// synchronous step on the main actor, so that it misses no action.
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
