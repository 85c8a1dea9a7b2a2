import ActionLog
import ActionLogTesting
import EventSourcing
import Platform
import TestSupport
import Testing

/// The deliveries of a test, in order, and the failures that it wants.
final class DeliveryJournal: Sendable {
  private struct Contents: Sendable {
    var revisions: [Int] = []
    var attempts: [Int] = []
    var positions: [SubscriptionPosition] = []
    var ids: [String] = []
    var failures: [Int: Int] = [:]
    var delays: [Duration] = []
  }

  private let contents = Locked(Contents())
  private let journal = EventJournal()

  /// - Parameter failures: How often the delivery of a revision fails.
  init(failing failures: [Int: Int] = [:]) {
    contents.withLock { contents in contents.failures = failures }
  }

  var revisions: [Int] { contents.withLock { contents in contents.revisions } }
  var attempts: [Int] { contents.withLock { contents in contents.attempts } }
  var positions: [SubscriptionPosition] { contents.withLock { contents in contents.positions } }
  var ids: [String] { contents.withLock { contents in contents.ids } }
  var events: [SubscriptionEvent] { journal.subscriptionEvents }
  /// The delays that the subscription waited for, none of them in reality.
  var delays: [Duration] { contents.withLock { contents in contents.delays } }

  /// The error of a wanted failure.
  struct Failure: Error, CustomStringConvertible {
    var description: String { "out of paper" }
  }

  /// Notes a delivery, or throws.
  func handle(_ delivery: Delivery<TallyAction>) throws {
    try contents.withLock { contents in
      if let count = contents.failures[delivery.revision], count > 0 {
        contents.failures[delivery.revision] = count - 1
        throw Failure()
      }
      contents.revisions.append(delivery.revision)
      contents.attempts.append(delivery.attempt)
      contents.positions.append(delivery.position)
      contents.ids.append(delivery.id)
    }
  }

  /// A configuration that notes events and delays, and waits for nothing.
  func configuration(
    _ change: (inout SubscriptionConfiguration) -> Void = { _ in }
  ) -> SubscriptionConfiguration {
    var configuration = SubscriptionConfiguration()
    configuration.environment = SubscriptionEnvironment(
      now: { LogTime(microseconds: 1_795_251_600_000_000) }, uptime: { .zero },
      sleep: { [self] delay in
        try Task.checkCancellation()
        contents.withLock { contents in contents.delays.append(delay) }
      }, random: { 0 })
    configuration.observer = journal
    change(&configuration)
    return configuration
  }
}

/// A clock that a test advances.
final class HandClock: Sendable {
  private struct Contents: Sendable {
    var now = Duration.zero
    var count = 0
    var sleepers: [Int: (end: Duration, continuation: CheckedContinuation<Void, Never>)] = [:]
    var canceled: Set<Int> = []
  }

  private let contents = Locked(Contents())

  /// The times at which the calls that wait continue, in order.
  var ends: [Duration] { contents.withLock { contents in contents.sleepers.values.map(\.end).sorted() } }

  var environment: SubscriptionEnvironment {
    SubscriptionEnvironment(
      now: { [self] in Self.start.advanced(by: now) }, uptime: { [self] in now },
      sleep: { [self] duration in
        await sleep(duration)
        try Task.checkCancellation()
      }, random: { 0 })
  }

  static let start = LogTime(microseconds: 1_795_251_600_000_000)

  private var now: Duration { contents.withLock { contents in contents.now } }

  func advance(by duration: Duration) {
    let due = contents.withLock { contents in
      contents.now += duration
      let due = contents.sleepers.filter { [now = contents.now] _, sleeper in sleeper.end <= now }
      for id in due.keys { contents.sleepers[id] = nil }
      return due.values.map(\.continuation)
    }
    for continuation in due { continuation.resume() }
  }

  private func sleep(_ duration: Duration) async {
    let id = contents.withLock { contents in
      contents.count += 1
      return contents.count
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDone = contents.withLock { contents in
          guard duration > .zero, !contents.canceled.contains(id) else { return true }
          contents.sleepers[id] = (contents.now + duration, continuation)
          return false
        }
        if isDone { continuation.resume() }
      }
    } onCancel: {
      let sleeper = contents.withLock { contents in
        contents.canceled.insert(id)
        return contents.sleepers.removeValue(forKey: id)
      }
      sleeper?.continuation.resume()
    }
  }
}

/// A disk with a log of tallies.
struct SubscriptionBench {
  let disk: MemoryFileSystem

  /// Records additions of 1, 2, 3 and so on.
  init(count: Int) async throws {
    disk = MemoryFileSystem()
    try await append((1...count).map { number in .add(number) })
  }

  init(_ disk: MemoryFileSystem) { self.disk = disk }

  func append(_ actions: [TallyAction]) async throws {
    try await record(actions, as: Tally.self, at: "log", in: disk, configuration: reproducible(Tally.self))
  }

  var store: SubscriptionStore { SubscriptionStore(at: "log", fileSystem: disk) }

  /// The stored revision; `nil` without a position.
  func stored(_ name: String = "sub") throws -> Int? { try store.read(name)?.position.revision }

  func reader() throws -> LogReader { try LogReader.open(at: "log", fileSystem: disk) }

  /// Creates a subscription that notes its deliveries.
  func subscription(
    _ journal: DeliveryJournal, named name: String = "sub", from start: SubscriptionStart = .beginning,
    on fileSystem: (any LogFileSystem)? = nil, _ change: (inout SubscriptionConfiguration) -> Void = { _ in }
  ) throws -> Subscription<Tally> {
    try Subscription(
      named: name, at: "log", from: start, configuration: journal.configuration(change), fileSystem: fileSystem ?? disk
    ) { delivery in try journal.handle(delivery) }
  }
}

/// Runs a body that must throw, and returns its error.
func thrownError<Failure: Error>(
  as type: Failure.Type, _ body: () async throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
) async throws -> Failure {
  do {
    try await body()
  } catch {
    return try #require(error as? Failure, "\(error)", sourceLocation: sourceLocation)
  }
  throw MissingError()
}

struct MissingError: Error {}
