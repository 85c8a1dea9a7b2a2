import Platform

/// The number of actions that a store has accepted, whoever listens, and whether it accepts more.
///
/// A stream counts its own elements only, and none after it has ended. This counter lives as long as any reference to it, so a
/// consumer that was detached from a store can determine whether the store has accepted more actions.
package final class ActionCounter: Sendable {
  private struct Recording: Sendable {
    let recorder: ObjectIdentifier
    /// The revision that action 0 would have in the recorder's log.
    let offset: Int
    /// The error of each dispatch after the store has ended its streams.
    let refusal: (any Error)?
    /// Called in the dispatch of each action with its number, before any stream receives the action.
    let onAction: (@Sendable (Int) -> Void)?
  }

  private struct Contents: Sendable {
    var count = 0
    var recordings: [Recording] = []
    /// The error of each dispatch, because the actions are no longer recorded.
    var refusal: (any Error)?
    var hasEndedStreams = false

    mutating func increment() -> (number: Int, recordings: [Recording]) {
      count += 1
      return (count, recordings)
    }
  }

  private let contents = Locked(Contents())

  package init() {}

  package var count: Int { contents.withLock { contents in contents.count } }

  /// Counts an action that a store is about to accept.
  ///
  /// - Throws: The error of the recorder that ended, if the actions were recorded and are not any more. The action is not counted.
  package func admit() throws {
    let (number, recordings) = try contents.withLock { contents throws(any Error) in
      if let refusal = contents.refusal { throw refusal }
      return contents.increment()
    }
    for recording in recordings { recording.onAction?(number) }
  }

  /// Counts an accepted action, before any stream receives it.
  package func increment() {
    let (number, recordings) = contents.withLock { contents in contents.increment() }
    for recording in recordings { recording.onAction?(number) }
  }

  /// Whether at least one recorder records the actions.
  package var isRecorded: Bool {
    contents.withLock { contents in !contents.recordings.isEmpty && contents.refusal == nil }
  }

  /// Notes that a recorder records the actions from now on.
  ///
  /// - Parameters:
  ///   - recorder: The recorder. It calls ``endRecording(by:refusal:)`` before it is deallocated.
  ///   - revision: The last revision of its log. The next action has the next one.
  ///   - refusal: The error of each dispatch after the store has ended its streams.
  ///   - onAction: Called in the dispatch of each action with its number, before any stream receives the action.
  package func beginRecording(
    by recorder: AnyObject, after revision: Int, refusal: (any Error)? = nil, onAction: (@Sendable (Int) -> Void)? = nil
  ) {
    let id = ObjectIdentifier(recorder)
    contents.withLock { contents in
      contents.recordings.removeAll { recording in recording.recorder == id }
      contents.recordings.append(
        Recording(recorder: id, offset: revision - contents.count, refusal: refusal, onAction: onAction))
      contents.refusal = nil
      contents.hasEndedStreams = false
    }
  }

  /// The revision in the log of the action with a number.
  ///
  /// - Returns: `nil` if no recorder records the actions, or if several do in logs with different revisions.
  package func revision(of number: Int) -> Int? {
    contents.withLock { contents in
      guard let offset = contents.recordings.first?.offset,
        contents.recordings.allSatisfy({ recording in recording.offset == offset }), number + offset > 0
      else { return nil }
      return number + offset
    }
  }

  /// Refuses actions because a recorder is about to end, unless another one records them.
  ///
  /// - Parameter error: The error of each dispatch; `nil` to accept actions again.
  package func refuse(_ error: (any Error)?, by recorder: AnyObject) {
    contents.withLock { contents in
      guard contents.recordings.map(\.recorder) == [ObjectIdentifier(recorder)] else { return }
      // Without streams, the actions that a store accepted again would not be recorded.
      contents.refusal = error ?? (contents.hasEndedStreams ? contents.recordings.last?.refusal : nil)
    }
  }

  /// Refuses actions because the store has ended its streams, if a recorder consumes one of them.
  func refuseAfterStreams() {
    contents.withLock { contents in
      contents.hasEndedStreams = true
      if let refusal = contents.recordings.last?.refusal { contents.refusal = refusal }
    }
  }

  /// Notes that a recorder has left.
  ///
  /// - Parameter refusal: The error of each dispatch until a recorder records the actions again, unless another one does now.
  package func endRecording(by recorder: AnyObject, refusal: any Error) {
    contents.withLock { contents in
      contents.recordings.removeAll { recording in recording.recorder == ObjectIdentifier(recorder) }
      if contents.recordings.isEmpty { contents.refusal = refusal }
    }
  }
}

/// The number of elements that a stream has yielded and its consumer has consumed.
package struct StreamCounts: Equatable, Sendable {
  package var yielded: Int
  package var consumed: Int

  package var buffered: Int { yielded - consumed }

  package init(yielded: Int = 0, consumed: Int = 0) {
    self.yielded = yielded
    self.consumed = consumed
  }
}

/// An unbounded, counted stream for a single consumer.
///
/// With `AsyncStream` a consumer cannot determine whether it has caught up. A recorder needs this to drain the stream before it
/// closes.
///
/// - Yielding never waits and never drops an element: a gap in a log is worse than a long buffer. `counts` reports the length of the
///   buffer.
/// - Elements are delivered in the order in which they were yielded.
/// - After the stream is finished, the consumer receives the buffered elements, then the end.
/// - After the consuming task is canceled, the stream accepts no further elements; buffered elements are still delivered.
/// - The stream ends for the producer when the stream and its iterator are deallocated.
/// - A second concurrent consumer is a programmer error.
public struct ActionStream<Element: Sendable>: AsyncSequence, Sendable {
  private let buffer: StreamBuffer<Element>
  private let lifetime: Lifetime
  /// The counter of the store that makes the stream.
  package let accepted: ActionCounter
  /// The number of actions that the store had accepted when it made the stream.
  private let start: Int

  init(accepted: ActionCounter, onTermination: @escaping @Sendable () -> Void) {
    self.accepted = accepted
    start = accepted.count
    let buffer = StreamBuffer<Element>(onTermination: onTermination)
    self.buffer = buffer
    self.lifetime = Lifetime(buffer: buffer)
  }

  /// The number of elements yielded and consumed so far.
  package var counts: StreamCounts { buffer.counts }

  /// The revision in the log of the last action that the consumer received.
  ///
  /// - Returns: `nil` before the first one, and if the store is not recorded.
  package var lastRevision: Int? {
    let consumed = buffer.counts.consumed
    return consumed == 0 ? nil : accepted.revision(of: start + consumed)
  }

  /// Returns the iterator for the stream's only consumer.
  public func makeAsyncIterator() -> Iterator {
    Iterator(buffer: buffer, lifetime: lifetime)
  }

  /// The producer's end, which does not keep the stream alive.
  var continuation: Continuation { Continuation(buffer: buffer) }

  struct Continuation: Sendable {
    fileprivate let buffer: StreamBuffer<Element>

    func yield(_ element: Element) { buffer.yield(element) }
    func finish() { buffer.finish() }
    var counts: StreamCounts { buffer.counts }
  }

  /// The consumer's end of the stream.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let buffer: StreamBuffer<Element>
    fileprivate let lifetime: Lifetime

    /// Waits for the next element.
    public mutating func next() async -> Element? {
      await buffer.next()
    }

    /// Waits for the next element, on the caller's actor.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
      await buffer.next()
    }

    /// Waits for an element, then returns the buffered elements, at most `limit`.
    ///
    /// The result may be shorter than both `limit` and the buffer if it has a few hundred elements.
    ///
    /// - Returns: At least one element, or `nil` if the stream has ended.
    /// - Complexity: O(*n*) in the length of the result, or O(1) if the result is exactly one chunk of 1,024 elements.
    package mutating func nextBatch(limit: Int = .max) async -> [Element]? {
      await buffer.nextBatch(limit: limit)
    }
  }

  /// Ends the stream when its last consumer is deallocated.
  fileprivate final class Lifetime: Sendable {
    private let buffer: StreamBuffer<Element>

    init(buffer: StreamBuffer<Element>) { self.buffer = buffer }

    deinit { buffer.terminate() }
  }
}

private final class StreamBuffer<Element: Sendable>: Sendable {
  private struct Contents: Sendable {
    var queue = StreamQueue<Element>()
    var isFinished = false
    var isTerminated = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let contents = Locked(Contents())
  private let onTermination: @Sendable () -> Void

  init(onTermination: @escaping @Sendable () -> Void) {
    self.onTermination = onTermination
  }

  var counts: StreamCounts { contents.withLock { contents in contents.queue.counts } }

  func yield(_ element: Element) {
    let waiter = contents.withLock { contents -> CheckedContinuation<Void, Never>? in
      guard !contents.isFinished else { return nil }
      contents.queue.add(element)
      defer { contents.waiter = nil }
      return contents.waiter
    }
    waiter?.resume()
  }

  /// Stops accepting elements. Buffered elements are still delivered.
  func finish() {
    let waiter = contents.withLock { contents -> CheckedContinuation<Void, Never>? in
      contents.isFinished = true
      defer { contents.waiter = nil }
      return contents.waiter
    }
    waiter?.resume()
  }

  /// Ends the stream because its consumer is canceled or deallocated.
  func terminate() {
    finish()
    let isFirst = contents.withLock { contents -> Bool in
      defer { contents.isTerminated = true }
      return !contents.isTerminated
    }
    if isFirst { onTermination() }
  }

  func next() async -> Element? {
    await take { queue in queue.takeFirst() }
  }

  func nextBatch(limit: Int) async -> [Element]? {
    precondition(limit > 0, "the limit of a batch must be positive")
    return await take { queue in queue.isEmpty ? nil : queue.take(limit: limit) }
  }

  private func take<Taken: Sendable>(_ body: @Sendable (inout StreamQueue<Element>) -> Taken?) async -> Taken? {
    while true {
      if Task.isCancelled { terminate() }
      let (taken, hasEnded) = contents.withLock { contents in (body(&contents.queue), contents.isFinished) }
      if let taken { return taken }
      if hasEnded { return nil }
      await waitForElement()
    }
  }

  private func waitForElement() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = contents.withLock { contents -> Bool in
          guard contents.queue.isEmpty, !contents.isFinished else { return true }
          precondition(contents.waiter == nil, "a stream must have only one consumer")
          contents.waiter = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      terminate()
    }
  }
}
