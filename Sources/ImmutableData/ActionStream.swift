import Locking

/// A stream whose producer and consumer can be compared: how much was put in, how much was taken out.
///
/// `AsyncStream` cannot say either, so a consumer cannot know that it has caught up. A recorder that promises to drain
/// needs exactly that.
public protocol CountedStream: AsyncSequence, Sendable where AsyncIterator: BatchIterator {
  /// How many elements were put into the stream and how many of them its consumer took.
  var counts: StreamCounts { get }
}

/// An iterator that can take everything that is waiting at once.
public protocol BatchIterator: AsyncIteratorProtocol {
  /// Waits until there is an element, then takes what is buffered, at most `limit` elements.
  ///
  /// Of a few hundred and more it may leave some for the next call, below its limit.
  ///
  /// - Returns: At least one element, or `nil` when the stream has ended.
  mutating func nextBatch(limit: Int) async -> [Element]?
}

/// The length of a stream's past: what was yielded and what was consumed.
public struct StreamCounts: Equatable, Sendable {
  /// Elements that were put in.
  public var yielded: Int
  /// Elements that the consumer took out.
  public var consumed: Int

  /// Elements that are waiting for the consumer.
  public var buffered: Int { yielded - consumed }

  /// Makes counts from their two numbers.
  public init(yielded: Int = 0, consumed: Int = 0) {
    self.yielded = yielded
    self.consumed = consumed
  }
}

/// An unbounded stream for one consumer that counts its elements.
///
/// - Yielding never waits and never drops: a hole in a log is worse than a long buffer, and ``counts`` says how long
///   the buffer is.
/// - Elements are delivered in the order in which they were yielded.
/// - When the stream is finished, the consumer still receives everything that was buffered, then the end.
/// - When the consuming task is cancelled, the stream takes nothing more from the consumer's next request on; what was
///   buffered until then is still delivered. Dropping the last reference to the stream and its iterator ends it for the
///   producer too.
/// - Two consumers of one stream are a programmer error.
public struct ActionStream<Element: Sendable>: CountedStream {
  private let buffer: StreamBuffer<Element>
  private let lifetime: Lifetime

  init(onTermination: @escaping @Sendable () -> Void) {
    let buffer = StreamBuffer<Element>(onTermination: onTermination)
    self.buffer = buffer
    self.lifetime = Lifetime(buffer: buffer)
  }

  /// How many elements were yielded and consumed.
  public var counts: StreamCounts { buffer.counts }

  /// Makes the iterator of the stream's one consumer.
  public func makeAsyncIterator() -> Iterator {
    Iterator(buffer: buffer, lifetime: lifetime)
  }

  /// The end through which elements are put in. It does not keep the stream alive.
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
    /// - Returns: The element, or `nil` when the stream has ended.
    /// - Complexity: O(1) amortised.
    public mutating func next() async -> Element? {
      await buffer.next()
    }

    /// Waits for the next element, on the actor that the caller runs on.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
      await buffer.next()
    }

    /// Waits until there is an element, then takes everything that is buffered, at most `limit` elements.
    ///
    /// Of a few hundred and more it may leave some for the next call, below its limit.
    ///
    /// - Returns: At least one element, or `nil` when the stream has ended.
    /// - Complexity: O(length of the result); O(1) for a batch of 1,024 elements that follow each other in the buffer.
    public mutating func nextBatch(limit: Int = .max) async -> [Element]? {
      await buffer.nextBatch(limit: limit)
    }
  }

  /// Ends the stream when nobody can consume it any more.
  fileprivate final class Lifetime: Sendable {
    private let buffer: StreamBuffer<Element>

    init(buffer: StreamBuffer<Element>) { self.buffer = buffer }

    deinit { buffer.terminate() }
  }
}

/// The queue between one producer and one consumer.
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

  /// No more elements will come; those that are buffered are still delivered.
  func finish() {
    let waiter = contents.withLock { contents -> CheckedContinuation<Void, Never>? in
      contents.isFinished = true
      defer { contents.waiter = nil }
      return contents.waiter
    }
    waiter?.resume()
  }

  /// The consumer is gone.
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
    precondition(limit > 0, "a batch holds at least one element")
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

  /// Returns when there is an element, or the stream has ended, or the task is cancelled.
  private func waitForElement() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = contents.withLock { contents -> Bool in
          guard contents.queue.isEmpty, !contents.isFinished else { return true }
          precondition(contents.waiter == nil, "a stream serves one consumer")
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
