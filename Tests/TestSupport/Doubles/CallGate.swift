import Platform

/// The calls that a double of a store was asked for, and what a test wants of them: that they fail, or that they hang.
package final class CallGate<Call: Hashable & Sendable>: Sendable {
  fileprivate struct Contents: Sendable {
    var calls: [Call] = []
    var fails: @Sendable (Call) -> Bool = { _ in false }
    var hangs: @Sendable (Call) -> Bool = { _ in false }
    var hanging: [CheckedContinuation<Void, Never>] = []
    var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  fileprivate let contents = Locked(Contents())

  package init() {}

  /// Notes a call, and lets it pass unless a test wants something else of it.
  ///
  /// - Throws: ``Refusal``.
  package func enter(_ call: Call) async throws {
    let (ready, hangs) = contents.withLock { contents in
      contents.calls.append(call)
      let count = contents.calls.count
      defer { contents.waiting.removeAll { waiter in waiter.count <= count } }
      return (contents.waiting.filter { waiter in waiter.count <= count }, contents.hangs(call))
    }
    for waiter in ready { waiter.continuation.resume() }
    if hangs {
      await withCheckedContinuation { continuation in
        contents.withLock { contents in contents.hanging.append(continuation) }
      }
    }
    if contents.withLock({ contents in contents.fails(call) }) { throw Refusal() }
  }
}

/// A failure that a test asked for.
package struct Refusal: Error, Equatable, CustomStringConvertible {
  package enum Code: String { case locked }
  package var code = Code.locked
  package var message = "the disk is locked"
  package var path = "default.store"
  package var description: String { message }

  /// As it is told.
  package static let text = "locked: the disk is locked: default.store"

  package init() {}
}

/// A double whose calls go through a gate.
package protocol GatedDouble {
  associatedtype Call: Hashable & Sendable
  var gate: CallGate<Call> { get }
}

extension GatedDouble {
  /// What it was asked for, in order.
  package var calls: [Call] { gate.contents.withLock { contents in contents.calls } }

  /// Says which calls fail.
  package func fail(_ fails: @escaping @Sendable (Call) -> Bool) {
    gate.contents.withLock { contents in contents.fails = fails }
  }

  /// Says which calls never answer, not even when they are cancelled, until ``release()``.
  package func hang(_ hangs: @escaping @Sendable (Call) -> Bool) {
    gate.contents.withLock { contents in contents.hangs = hangs }
  }

  /// Lets every call that hangs go on.
  package func release() {
    let hanging = gate.contents.withLock { contents in
      defer { contents.hanging = [] }
      contents.hangs = { _ in false }
      return contents.hanging
    }
    for continuation in hanging { continuation.resume() }
  }

  /// Returns when so many calls have come.
  package func calls(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = gate.contents.withLock { contents in
        if contents.calls.count >= count { return true }
        contents.waiting.append((count: count, continuation: continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }
}

/// A clock whose sleepers wake when a test says, so that a limit of time is reached without waiting for it.
package final class SwitchedClock: Clock, Sendable {
  private struct Contents: Sendable {
    var sleepers: [Int: CheckedContinuation<Void, any Error>] = [:]
    var next = 0
    var cancelled: Set<Int> = []
  }

  private let contents = Locked(Contents())

  /// Makes a clock that stands still.
  package init() {}

  package var now: ContinuousClock.Instant { ContinuousClock().now }
  package var minimumResolution: Duration { .zero }

  /// How many sleep now.
  package var sleeperCount: Int { contents.withLock { contents in contents.sleepers.count } }

  /// Wakes everybody who sleeps now.
  package func strike() {
    let sleepers = contents.withLock { contents in
      defer { contents.sleepers = [:] }
      return contents.sleepers.values.map(\.self)
    }
    for sleeper in sleepers { sleeper.resume() }
  }

  package func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    let number = contents.withLock { contents in
      contents.next += 1
      return contents.next
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isCancelled = contents.withLock { contents in
          let isCancelled = contents.cancelled.remove(number) != nil
          if !isCancelled { contents.sleepers[number] = continuation }
          return isCancelled
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
      }
    } onCancel: {
      let sleeper = contents.withLock { contents in
        let sleeper = contents.sleepers.removeValue(forKey: number)
        if sleeper == nil { contents.cancelled.insert(number) }
        return sleeper
      }
      sleeper?.resume(throwing: CancellationError())
    }
  }
}
