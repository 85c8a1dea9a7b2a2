package import ActionLog
import Platform

/// Records the calls of a double, and lets a test make them fail or hang.
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

  /// Records a call, and lets it pass unless a test makes it fail or hang.
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

/// A failure requested by a test.
package struct Refusal: DescribedError, Equatable {
  package enum Code: String, Sendable { case locked }
  package var code: Code { .locked }
  package var message: String { "the disk is locked" }
  package var location: ErrorLocation { ErrorLocation(path: "default.store") }

  /// The text of the failure in a state.
  package static let text = "locked: the disk is locked: default.store"

  package init() {}
}

/// A double whose calls pass through a gate.
package protocol GatedDouble {
  associatedtype Call: Hashable & Sendable
  var gate: CallGate<Call> { get }
}

extension GatedDouble {
  /// The calls in order.
  package var calls: [Call] { gate.contents.withLock { contents in contents.calls } }

  /// Selects the calls that fail.
  package func fail(_ fails: @escaping @Sendable (Call) -> Bool) {
    gate.contents.withLock { contents in contents.fails = fails }
  }

  /// Selects the calls that never answer, not even when they are canceled, until ``release()``.
  package func hang(_ hangs: @escaping @Sendable (Call) -> Bool) {
    gate.contents.withLock { contents in contents.hangs = hangs }
  }

  /// Resumes all hanging calls.
  package func release() {
    let hanging = gate.contents.withLock { contents in
      defer { contents.hanging = [] }
      contents.hangs = { _ in false }
      return contents.hanging
    }
    for continuation in hanging { continuation.resume() }
  }

  /// Waits for a number of calls.
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

/// A clock whose sleeps are ended by a test, so that a time limit is reached without waiting for it.
package final class SwitchedClock: Clock, Sendable {
  private struct Contents: Sendable {
    var sleepers: [Int: CheckedContinuation<Void, any Error>] = [:]
    var next = 0
    var cancelled: Set<Int> = []
  }

  private let contents = Locked(Contents())

  /// Creates a stopped clock.
  package init() {}

  package var now: ContinuousClock.Instant { ContinuousClock().now }
  package var minimumResolution: Duration { .zero }

  /// The number of pending sleeps.
  package var sleeperCount: Int { contents.withLock { contents in contents.sleepers.count } }

  /// Ends all pending sleeps.
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
