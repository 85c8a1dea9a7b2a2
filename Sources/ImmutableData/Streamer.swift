/// A type that tells subscribers of every accepted action, with the state that the action met.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 1; "listener middleware" in Redux.
public protocol Streamer<State, Action>: Sendable {
  /// The state before the action.
  associatedtype State: Sendable
  /// The action that was accepted.
  associatedtype Action: Sendable
  /// The stream that one subscriber consumes.
  associatedtype Stream: AsyncSequence, Sendable
  where Stream.Element == (oldState: State, action: Action)

  /// Makes a stream of everything that is accepted from now on.
  ///
  /// There is no replay: what was dispatched before the call is not in the stream. One stream serves one consumer.
  @MainActor func makeStream() -> Stream
}
