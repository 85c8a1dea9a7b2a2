/// A sequence whose elements a test hands out one by one. For test targets only.
///
/// The consumer's `next()` waits until the test resumes it, and the test's ``Iterator/resume(returning:)`` returns only
/// when the consumer has come back for more. So a test can look at what the consumer did right after the call, and
/// nothing depends on time.
///
/// ```swift
/// let sequence = AsyncSequenceTestDouble<Int>()
/// let task = Task { for await number in sequence { model.add(number) } }
/// await sequence.iterator.resume(returning: 1)
/// #expect(model.sum == 1)
/// await sequence.iterator.resume(returning: nil)
/// await task.value
/// ```
///
/// A sequence serves one consumer at a time; a second one that waits is a programmer error. Cancelling the consumer's task
/// ends the sequence. A consumer that leaves its loop without an end lets go of the test, and the sequence goes on for
/// the next consumer.
///
/// - SeeAlso: The README of the ImmutableData package, which asks for predictable tests of asynchronous operations.
public struct AsyncSequenceTestDouble<Element: Sendable>: AsyncSequence, Sendable {
  /// The test's end of the sequence.
  public let iterator: Iterator

  private let exchange: Exchange<Element>

  /// Makes a sequence without a consumer.
  public init() {
    exchange = Exchange()
    iterator = Iterator(exchange, isConsumer: false)
  }

  /// Makes the iterator of a consumer.
  public func makeAsyncIterator() -> Iterator {
    Iterator(exchange, isConsumer: true)
  }
}

extension AsyncSequenceTestDouble {
  /// One end of a sequence: a consumer asks with ``next()``, the test answers with ``resume(returning:)``.
  public struct Iterator: AsyncIteratorProtocol, Sendable {
    private let exchange: Exchange<Element>
    private let lifetime: Lifetime<Element>?

    fileprivate init(_ exchange: Exchange<Element>, isConsumer: Bool) {
      self.exchange = exchange
      self.lifetime = isConsumer ? Lifetime(exchange) : nil
    }

    /// Waits until the test hands over an element.
    ///
    /// - Returns: The element, or `nil` when the sequence has ended or the task is cancelled.
    public func next() async -> Element? {
      await exchange.next(for: lifetime.map { lifetime in ObjectIdentifier(lifetime) })
    }

    /// Waits until the test hands over an element, for a consumer on any actor.
    public func next(isolation actor: isolated (any Actor)?) async -> Element? {
      await next()
    }

    /// Hands an element to the consumer, and waits until it has come back for the next one or has ended.
    ///
    /// Waits for a consumer first, if there is none. When several tasks resume at once, their elements go out in the
    /// order of the calls. A call whose own task is cancelled returns at once; its element goes out only if it already
    /// had.
    ///
    /// - Parameter element: The element; `nil` ends the sequence, and every later call returns at once and does nothing.
    public func resume(returning element: Element?) async {
      await exchange.resume(returning: element)
    }
  }
}

/// Tells that a consumer has let go of its iterator, as at the end of a loop that was left by `break`.
private final class Lifetime<Element: Sendable>: Sendable {
  private let exchange: Exchange<Element>

  init(_ exchange: Exchange<Element>) {
    self.exchange = exchange
  }

  deinit {
    exchange.leave(ObjectIdentifier(self), isCancelled: Task.isCancelled)
  }
}
