import Platform

/// A stream that counts the elements yielded by its producer and consumed by its consumer.
///
/// With `AsyncStream` a consumer cannot determine whether it has caught up. A recorder needs this to drain the stream before it
/// closes.
package protocol CountedStream: AsyncSequence, Sendable where AsyncIterator: BatchIterator {
  /// The number of elements yielded and consumed so far.
  var counts: StreamCounts { get }
  /// The counter of the store that makes the stream. It counts on after the stream has ended.
  var accepted: ActionCounter { get }
}

/// The number of actions that a store has accepted, whoever listens.
///
/// A stream counts its own elements only, and none after it has ended. This counter lives as long as any reference to it, so a
/// consumer that was detached from a store can determine whether the store has accepted more actions.
package final class ActionCounter: Sendable {
  /// A recorder of the actions.
  private struct Recording: Sendable {
    let recorder: ObjectIdentifier
    /// The revision that action 0 would have in the recorder's log.
    let offset: Int
    /// Called in the dispatch of each action with its number, before any stream receives the action.
    let onAction: (@Sendable (Int) -> Void)?
  }

  private struct Contents: Sendable {
    var count = 0
    var recordings: [Recording] = []
    /// Calls due at the next action.
    var lossHandlers: [ObjectIdentifier: @Sendable () -> Void] = [:]
  }

  private let contents = Locked(Contents())

  /// Makes a counter at 0.
  package init() {}

  /// The number of actions accepted so far.
  package var count: Int { contents.withLock { contents in contents.count } }

  /// Counts an action. A store calls it for each accepted action, before any of its streams receives the action.
  package func increment() {
    let (number, recordings, handlers) = contents.withLock { contents -> (Int, [Recording], [@Sendable () -> Void]) in
      contents.count += 1
      guard !contents.lossHandlers.isEmpty else { return (contents.count, contents.recordings, []) }
      defer { contents.lossHandlers = [:] }
      return (contents.count, contents.recordings, Array(contents.lossHandlers.values))
    }
    for recording in recordings { recording.onAction?(number) }
    for handler in handlers { handler() }
  }

  /// Whether at least one recorder records the actions.
  package var isRecorded: Bool { contents.withLock { contents in !contents.recordings.isEmpty } }

  /// Notes that a recorder records the actions from now on.
  ///
  /// - Parameters:
  ///   - recorder: The recorder.
  ///   - revision: The last revision of its log. The next action has the next one.
  ///   - onAction: Called in the dispatch of each action with its number, before any stream receives the action.
  package func beginRecording(
    by recorder: AnyObject, after revision: Int, onAction: (@Sendable (Int) -> Void)? = nil
  ) {
    let id = ObjectIdentifier(recorder)
    contents.withLock { contents in
      contents.recordings.removeAll { recording in recording.recorder == id }
      contents.recordings.append(Recording(recorder: id, offset: revision - contents.count, onAction: onAction))
      contents.lossHandlers[id] = nil
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

  /// Notes that a recorder has left.
  ///
  /// - Parameters:
  ///   - recorder: The recorder. `onLoss` must hold a reference to it.
  ///   - recordedCount: The count up to which it has recorded every action.
  ///   - onLoss: Called once at the first action past `recordedCount`, in the dispatch, unless the recorder comes back first.
  /// - Returns: Whether there is such an action already. `onLoss` is not called then.
  package func endRecording(
    by recorder: AnyObject, through recordedCount: Int, onLoss: @escaping @Sendable () -> Void
  ) -> Bool {
    contents.withLock { contents in
      contents.recordings.removeAll { recording in recording.recorder == ObjectIdentifier(recorder) }
      guard contents.count <= recordedCount else { return true }
      contents.lossHandlers[ObjectIdentifier(recorder)] = onLoss
      return false
    }
  }
}

/// An iterator that can return all buffered elements at once.
package protocol BatchIterator: AsyncIteratorProtocol {
  /// Waits for an element, then returns the buffered elements, at most `limit`.
  ///
  /// The result may be shorter than both `limit` and the buffer if it has a few hundred elements.
  ///
  /// - Returns: At least one element, or `nil` if the stream has ended.
  mutating func nextBatch(limit: Int) async -> [Element]?
}

/// The number of elements that a stream has yielded and its consumer has consumed.
package struct StreamCounts: Equatable, Sendable {
  /// The number of elements yielded.
  package var yielded: Int
  /// The number of elements consumed.
  package var consumed: Int

  /// The number of elements waiting for the consumer.
  package var buffered: Int { yielded - consumed }

  /// Creates counts.
  package init(yielded: Int = 0, consumed: Int = 0) {
    self.yielded = yielded
    self.consumed = consumed
  }
}

/// An unbounded, counted stream for a single consumer.
///
/// - Yielding never waits and never drops an element: a gap in a log is worse than a long buffer. `counts` reports the length of the
///   buffer.
/// - Elements are delivered in the order in which they were yielded.
/// - After the stream is finished, the consumer receives the buffered elements, then the end.
/// - After the consuming task is canceled, the stream accepts no further elements; buffered elements are still delivered.
/// - The stream ends for the producer when the stream and its iterator are deallocated.
/// - A second concurrent consumer is a programmer error.
public struct ActionStream<Element: Sendable>: CountedStream {
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
  public struct Iterator: BatchIterator {
    fileprivate let buffer: StreamBuffer<Element>
    fileprivate let lifetime: Lifetime

    /// Waits for the next element.
    ///
    /// - Returns: The element, or `nil` if the stream has ended.
    /// - Complexity: Amortized O(1).
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

/// The buffer between the producer and the consumer.
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
    while true {
      if Task.isCancelled { terminate() }
      let (element, hasEnded) = contents.withLock { contents -> (Element?, Bool) in
        (contents.queue.takeFirst(), contents.isFinished)
      }
      if let element { return element }
      if hasEnded { return nil }
      await waitForElement()
    }
  }

  func nextBatch(limit: Int) async -> [Element]? {
    precondition(limit > 0, "the limit of a batch must be positive")
    while true {
      if Task.isCancelled { terminate() }
      let (batch, hasEnded) = contents.withLock { contents -> ([Element], Bool) in
        contents.queue.isEmpty ? ([], contents.isFinished) : (contents.queue.take(limit: limit), false)
      }
      if !batch.isEmpty { return batch }
      if hasEnded { return nil }
      await waitForElement()
    }
  }

  /// Waits until there is an element, the stream has ended, or the task is canceled.
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
