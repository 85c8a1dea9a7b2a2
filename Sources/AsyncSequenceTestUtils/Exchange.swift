import Locking

/// Where one test and one consumer meet: each waits for the other.
///
/// All decisions are made under one lock and come out as a list of continuations to resume afterwards, so that nothing
/// foreign runs under the lock.
final class Exchange<Element: Sendable>: Sendable {
  private let contents = Locked(Contents())

  /// Waits for an element.
  ///
  /// - Parameter consumer: Who asks, if it can be told that it went away.
  func next(for consumer: ObjectIdentifier?) async -> Element? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        change { contents in contents.come(Consumer(id: consumer, continuation: continuation)) }
      }
    } onCancel: {
      change { contents in contents.end() }
    }
  }

  /// Hands over an element, or the end, and waits until the consumer is back.
  func resume(returning element: Element?) async {
    let id = contents.withLock { contents in contents.makeID() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        change { contents in
          contents.add(Handover(id: id, element: element, continuation: continuation))
          // The handler may have run before there was something to take back.
          if Task.isCancelled { contents.withdraw(id) }
        }
      }
    } onCancel: {
      change { contents in contents.withdraw(id) }
    }
  }

  /// A consumer will not come back.
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

  /// An element that a test hands over.
  struct Handover: Sendable {
    var id: Int
    var element: Element?
    var continuation: CheckedContinuation<Void, Never>
  }

  /// Who waits for whom. A consumer and a handover that both wait have always met already.
  struct Contents: Sendable {
    private var handoverCount = 0
    private var isEnded = false
    /// The consumer, while it waits.
    private var waiting: Consumer?
    /// Handovers that found no consumer, the oldest first.
    private var queue: [Handover] = []
    /// The handover whose element the consumer is busy with, and the consumer.
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

    /// A consumer waits: it is done with what it was busy with.
    mutating func come(_ consumer: Consumer) {
      precondition(waiting == nil, "a sequence serves one consumer")
      waiting = consumer
      releaseCurrent()
      meet()
    }

    mutating func add(_ handover: Handover) {
      queue.append(handover)
      meet()
    }

    /// The test does not wait any more.
    mutating func withdraw(_ id: Int) {
      if let index = queue.firstIndex(where: { handover in handover.id == id }) {
        wake(queue.remove(at: index))
      } else if let current, current.handover.id == id {
        releaseCurrent()
      }
      meet()
    }

    /// A consumer will not come back.
    mutating func leave(_ consumer: ObjectIdentifier) {
      if let current, current.consumer == consumer { releaseCurrent() }
      meet()
    }

    mutating func end() {
      isEnded = true
      releaseCurrent()
      meet()
    }

    /// Brings about what the two sides make possible.
    private mutating func meet() {
      // An end needs nobody to take it, but the elements before it go first.
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
