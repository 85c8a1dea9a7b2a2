/// A streamer whose streams can end although it goes on: the end says "start again from the state".
///
/// The streams of a live store end with the store, so whoever consumes one to its end is done. A cursor in a history can
/// move so far that telling every action on the way helps nobody; it finishes its streams instead. A consumer that shows
/// the state then reads the state and makes a new stream, in one synchronous stretch on the main actor so that nothing
/// falls between the two.
///
/// A type that conforms promises that ``Streamer/makeStream()`` gives a stream that is still open: a consumer would make
/// streams without end otherwise.
public protocol RestartingStreamer<State, Action>: Streamer {}
