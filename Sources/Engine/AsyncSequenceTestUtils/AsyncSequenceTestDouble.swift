/// An asynchronous sequence whose elements a test provides one by one. For test targets only.
///
/// The consumer's `next()` waits until the test resumes it. The test's ``Iterator/resume(returning:)`` returns when the consumer has
/// asked for the next element. A test can therefore check the consumer's effects right after the call, without depending on
/// timing.
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
/// A sequence has one consumer at a time; a second concurrent one is a programmer error. Canceling the consumer's task ends the
/// sequence. If a consumer leaves its loop early, the waiting test is resumed, and the sequence continues with the next
/// consumer.
///
/// - SeeAlso: The README of the ImmutableData package, which asks for predictable tests of asynchronous operations.
public struct AsyncSequenceTestDouble<Element: Sendable>: AsyncSequence, Sendable {
  /// The test's end of the sequence.
  public let iterator: Iterator

  private let exchange: Exchange<Element>

  /// Creates a sequence without a consumer.
  public init() {
    exchange = Exchange()
    iterator = Iterator(exchange, isConsumer: false)
  }

  /// Returns an iterator for a consumer.
  public func makeAsyncIterator() -> Iterator {
    Iterator(exchange, isConsumer: true)
  }
}

extension AsyncSequenceTestDouble {
  /// One end of a sequence: a consumer calls ``next()``, the test calls ``resume(returning:)``.
  public struct Iterator: AsyncIteratorProtocol, Sendable {
    private let exchange: Exchange<Element>
    private let lifetime: Lifetime<Element>?

    fileprivate init(_ exchange: Exchange<Element>, isConsumer: Bool) {
      self.exchange = exchange
      self.lifetime = isConsumer ? Lifetime(exchange) : nil
    }

    /// Waits until the test provides an element.
    ///
    /// - Returns: The element, or `nil` if the sequence has ended or the task is canceled.
    public func next() async -> Element? {
      await exchange.next(for: lifetime.map { lifetime in ObjectIdentifier(lifetime) })
    }

    /// Waits until the test provides an element, for a consumer on any actor.
    public func next(isolation actor: isolated (any Actor)?) async -> Element? {
      await next()
    }

    /// Passes an element to the consumer, and waits until the consumer asks for the next one or has ended.
    ///
    /// If there is no consumer, the call waits for one. Elements of concurrent calls are delivered in the order of the calls. If the
    /// calling task is canceled, the call returns immediately, and an element that was not delivered yet is dropped.
    ///
    /// - Parameter element: The element; `nil` ends the sequence. Later calls return immediately and have no effect.
    public func resume(returning element: Element?) async {
      await exchange.resume(returning: element)
    }
  }
}

/// A token that detects when a consumer's iterator is deallocated, as after leaving a loop with `break`.
private final class Lifetime<Element: Sendable>: Sendable {
  private let exchange: Exchange<Element>

  init(_ exchange: Exchange<Element>) {
    self.exchange = exchange
  }

  deinit {
    exchange.leave(ObjectIdentifier(self), isCancelled: Task.isCancelled)
  }
}
