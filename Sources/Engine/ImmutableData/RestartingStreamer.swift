/// A streamer whose streams can end while it continues to change.
///
/// The streams of a store end only with the store. A cursor in a history can jump too far to yield every action in between, and
/// finishes its streams instead. A consumer that shows the state then reads the current state and makes a new stream, both in one
/// synchronous step on the main actor, so that it misses no action.
///
/// A conforming type must return an open stream from ``Streamer/makeStream()``; otherwise its consumers would loop forever.
public protocol RestartingStreamer<State, Action>: Streamer {}
