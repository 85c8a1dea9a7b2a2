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
