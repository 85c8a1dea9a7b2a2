import Platform

/// The rendezvous of a test and a consumer.
///
/// All decisions are made under one lock. They result in a list of continuations to resume after the lock is released, so that no foreign
/// code runs under the lock.
final class Exchange<Element: Sendable>: Sendable {
  private let contents = Locked(Contents())

  /// Waits for an element.
  ///
  /// - Parameter consumer: The consumer; `nil` if its end cannot be detected.
  func next(for consumer: ObjectIdentifier?) async -> Element? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        change { contents in contents.come(Consumer(id: consumer, continuation: continuation)) }
      }
    } onCancel: {
      change { contents in contents.end() }
    }
  }

  /// Passes an element, or the end, to the consumer, and waits until the consumer asks for the next one.
  func resume(returning element: Element?) async {
    let id = contents.withLock { contents in contents.makeID() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        change { contents in
          contents.add(Handover(id: id, element: element, continuation: continuation))
          // The cancellation handler may have run before the handover was added.
          if Task.isCancelled { contents.withdraw(id) }
        }
      }
    } onCancel: {
      change { contents in contents.withdraw(id) }
    }
  }

  /// Handles a consumer whose iterator was deallocated.
  func leave(_ consumer: ObjectIdentifier, isCancelled: Bool) {
    change { contents in
      contents.leave(consumer)
      if isCancelled { contents.end() }
    }
  }

  private func change(_ body: @Sendable (inout Contents) -> Void) {
    let wakings = contents.withLock { contents in
      body(&contents)
      return contents.takeWakings()
    }
    for waking in wakings { waking() }
  }
}

extension Exchange {
  /// A consumer that waits for an element.
  struct Consumer: Sendable {
    var id: ObjectIdentifier?
    var continuation: CheckedContinuation<Element?, Never>
  }

  /// An element provided by a test.
  struct Handover: Sendable {
    var id: Int
    var element: Element?
    var continuation: CheckedContinuation<Void, Never>
  }

  /// The waiting consumer and handovers. At most one of the two sides is waiting.
  struct Contents: Sendable {
    private var handoverCount = 0
    private var isEnded = false
    /// The waiting consumer.
    private var waiting: Consumer?
    /// The handovers waiting for a consumer, oldest first.
    private var queue: [Handover] = []
    /// The handover whose element is being processed, with its consumer.
    private var current: (handover: Handover, consumer: ObjectIdentifier?)?
    private var wakings: [@Sendable () -> Void] = []

    mutating func makeID() -> Int {
      handoverCount += 1
      return handoverCount
    }

    mutating func takeWakings() -> [@Sendable () -> Void] {
      defer { wakings = [] }
      return wakings
    }

    /// Registers a waiting consumer, which has finished processing its previous element.
    mutating func come(_ consumer: Consumer) {
      precondition(waiting == nil, "a sequence must have only one consumer at a time")
      waiting = consumer
      releaseCurrent()
      meet()
    }

    mutating func add(_ handover: Handover) {
      queue.append(handover)
      meet()
    }

    /// Removes the handover of a canceled test.
    mutating func withdraw(_ id: Int) {
      if let index = queue.firstIndex(where: { handover in handover.id == id }) {
        wake(queue.remove(at: index))
      } else if let current, current.handover.id == id {
        releaseCurrent()
      }
      meet()
    }

    /// Handles a consumer whose iterator was deallocated.
    mutating func leave(_ consumer: ObjectIdentifier) {
      if let current, current.consumer == consumer { releaseCurrent() }
      meet()
    }

    mutating func end() {
      isEnded = true
      releaseCurrent()
      meet()
    }

    /// Pairs the waiting consumer with the first handover.
    private mutating func meet() {
      // An end takes effect without a consumer, but only after the elements before it.
      if let first = queue.first, first.element == nil, current == nil { isEnded = true }
      if isEnded {
        if let consumer = waiting { wakings.append { consumer.continuation.resume(returning: nil) } }
        waiting = nil
        for handover in queue { wake(handover) }
        queue = []
      } else if let consumer = waiting, !queue.isEmpty {
        let handover = queue.removeFirst()
        waiting = nil
        current = (handover, consumer.id)
        wakings.append { consumer.continuation.resume(returning: handover.element) }
      }
    }

    private mutating func releaseCurrent() {
      if let current { wake(current.handover) }
      current = nil
    }

    private mutating func wake(_ handover: Handover) {
      wakings.append { handover.continuation.resume() }
    }
  }
}
