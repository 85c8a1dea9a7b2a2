import ActionLog
import Platform

/// A consumer of all logs of a ``LogSet``: a ``Subscription`` of each log, delivered by one task that waits for news.
///
/// ```swift
/// let mailer = try LogSetSubscription(named: "mailer", of: shops) { key, delivery in
///   guard case .shipped(let order) = delivery.action else { return }
///   try await mail.send(order, to: key, idempotencyKey: delivery.id)
/// }
/// try await mailer.run()
/// ```
///
/// The actions of one log are delivered one after the other, in order, at least once. Several logs are delivered at the same time. Positions,
/// attempts and parked actions are those of a ``Subscription`` with this name, and are stored in each log's own directory.
///
/// Actions that a store of the same `LogSet` syncs are delivered at once. Those of another process, or another `LogSet`, are found by
/// `HEAD` and the length of the last segment of each log, at each polling interval; so are new logs. Only logs with news are opened.
/// Between deliveries, a log needs no thread and no descriptor.
///
/// A log that cannot be delivered, because it is damaged, its handler fails, or another consumer holds it, does not hold up the others. It
/// is tried again at the next check of the files after it changed, and after a delay that doubles up to a minute.
public final class LogSetSubscription<M: Model>: Sendable {
  /// Handles an action of the log of a key. If it throws, the action is delivered again, as the configuration says.
  public typealias Handler = @Sendable (_ key: String, _ delivery: Delivery<M.Action>) async throws -> Void
  /// Returns the position that the handler has stored for the log of a key; `nil` if there is none.
  public typealias StoredPositions = @Sendable (_ key: String) async throws -> SubscriptionPosition?

  /// The name of the subscription.
  public let name: String

  private let set: LogSet<M>
  private let start: SubscriptionStart
  private let positions: StoredPositions?
  private let width: Int
  private let configuration: SubscriptionConfiguration
  private let pollingInterval: Duration
  private let onFailure: (@Sendable (LogSetSubscriptionFailure) -> Void)?
  private let handler: Handler
  private let decoder: RecordDecoder<M>
  private let isRunning = Locked(false)

  /// The number of actions after which a log with more of them waits for the other logs with news.
  public static var turnLimit: Int { 100 }
  private static var longestDelay: Duration { .seconds(60) }

  /// Creates a subscription. Nothing is opened before it runs.
  ///
  /// - Parameters:
  ///   - name: Its name; see ``SubscriptionStore/check(_:)``.
  ///   - set: The logs.
  ///   - start: Where it begins in a log without a stored position: ``SubscriptionStart/beginning``, or ``SubscriptionStart/time(_:)``
  ///     to pass over older actions. The other points would skip the first actions of logs that are created later, or are those of one log.
  ///   - positions: Returns the position that the handler has stored for a log, in the same transaction as its own changes. After a
  ///     crash, either both the changes and ``Delivery/position`` are in the handler's database, or none of them; the positions in the
  ///     logs are only informative, and are stored at most once a second. It is called whenever a log with news is opened, and for each
  ///     log in the beginning. `nil`: the positions in the logs are used.
  ///   - width: The number of logs that are delivered at the same time, at least 1. A handler that waits, and the delays between the
  ///     attempts for an action, take one of them.
  ///   - configuration: Filters, retries, and how often positions are stored, for each log. With ``HeldPolicy/standby``, a log that
  ///     another consumer holds is not reported as a failure: several processes then share the logs.
  ///   - pollingInterval: The time between two checks of the files of all logs. It is longer if a check takes more than a tenth of it.
  ///   - onFailure: Receives failures, which do not end the subscription. It is called from any thread, and must not block. Deliveries
  ///     are events of the configuration's observer, with the key of their log.
  ///   - handler: Handles an action.
  /// - Throws: `LogError.Code.invalidArgument` for an invalid name or start; ``EventSourcingError/Code/brokenEvolution``.
  public init(
    named name: String, of set: LogSet<M>, from start: SubscriptionStart = .beginning,
    resumingAfter positions: StoredPositions? = nil, width: Int = 8,
    configuration: SubscriptionConfiguration = SubscriptionConfiguration(), pollingInterval: Duration = .seconds(1),
    onFailure: (@Sendable (LogSetSubscriptionFailure) -> Void)? = nil, handler: @escaping Handler
  ) throws {
    switch start {
    case .beginning, .time: break
    case .end, .revision, .resuming:
      throw LogError(
        .invalidArgument, "a subscription to a set cannot begin at one point of all logs", path: set.path,
        advice: "Begin at the beginning or at a time, or resume after the positions that the handler has stored.")
    }
    try SubscriptionStore.check(name)
    self.name = name
    self.set = set
    self.start = start
    self.positions = positions
    self.width = max(1, width)
    self.configuration = configuration
    // Without a pause, checks would take all of a processor's time.
    self.pollingInterval = max(.milliseconds(1), pollingInterval)
    self.onFailure = onFailure
    self.handler = handler
    decoder = try RecordDecoder<M>()
  }

  /// Delivers everything from the positions on, and then new actions and those of new logs as they come, until the task is canceled.
  ///
  /// Cancellation ends it after the running handlers. Failures, also of listing the logs, are reported, and do not end it.
  ///
  /// - Throws: `LogError.Code.locked` if this subscription is running already.
  public func run() async throws { _ = try await deliver(endsWhenCaughtUp: false) }

  /// Delivers everything that is durable now in all logs, and returns when there is no more.
  ///
  /// - Throws: The error of the first log that could not be delivered, in the order of the keys, after the others were delivered; as
  ///   ``Subscription/run()``. `LogError` if the logs cannot be listed, or with code `locked` if this subscription is running already.
  public func catchUp() async throws {
    if let failure = try await deliver(endsWhenCaughtUp: true) { throw failure }
  }
}

/// A failure that does not end a ``LogSetSubscription``.
public enum LogSetSubscriptionFailure: Sendable {
  /// The log of a key could not be delivered to its end. It is tried again after the delay, or after it changed.
  case didFail(key: String, error: any Error, retryAfter: Duration)
  /// The logs, or those of a directory of the set, could not be listed. It is tried again at the next check.
  case cannotList(any Error)
}

// MARK: - Running

extension LogSetSubscription {
  private enum Occurrence: Sendable {
    case changed(LogSetChanges.Change?)
    case checked(Result<LogSetCheck, any Error>, duration: Duration)
    case delivered(LogSetKey, Result<Bool, any Error>)
  }

  private var environment: LogEnvironment { self.set.configuration.recording.log.environment }

  /// - Returns: The first failure, in the order of the keys.
  private func deliver(endsWhenCaughtUp: Bool) async throws -> (any Error)? {
    let wasRunning = isRunning.withLock { isRunning in
      defer { isRunning = true }
      return isRunning
    }
    guard !wasRunning else {
      throw LogError(
        .locked, "the subscription '\(name)' of the set is running already", path: set.path,
        advice: "Wait until it ends, or use another name.")
    }
    defer { isRunning.withLock { isRunning in isRunning = false } }

    let changes = LogSetChanges()
    defer { changes.end() }
    return await withTaskGroup(of: Occurrence.self) { group in
      var queue = LogSetQueue()
      if endsWhenCaughtUp {
        group.addTask { [marks = queue.marks] in await self.check(after: marks) }
      } else {
        // Before the first check, so that nothing that is synced after it is missed.
        set.followers.add(changes)
        changes.requestCheck()
        group.addTask { .changed(await changes.next()) }
      }
      while let occurrence = await group.next() {
        switch occurrence {
        case .changed(nil): break
        case .changed(let change?):
          for key in change.synced.keys where queue.failures[key] == nil { queue.add(key) }
          if change.mustCheck {
            group.addTask { [marks = queue.marks] in await self.check(after: marks) }
          }
          group.addTask { .changed(await changes.next()) }
        case .checked(let result, let duration):
          take(result, into: &queue)
          if !endsWhenCaughtUp {
            changes.requestCheck(after: max(pollingInterval, duration * 10), environment.schedule)
          }
        case .delivered(let key, let result):
          if let delay = queue.finish(key, result, at: environment.uptime(), pollingInterval, Self.longestDelay),
            case .failure(let error) = result, !Task.isCancelled, endsWhenCaughtUp || !isStandby(error)
          {
            onFailure?(.didFail(key: key.text, error: error, retryAfter: delay))
          }
        }
        while !Task.isCancelled, queue.running.count < width, let key = queue.start() {
          group.addTask { .delivered(key, await self.deliver(key.text)) }
        }
      }
      return queue.firstFailure
    }
  }

  /// Whether the error is that of a log that another consumer delivers, which is intended.
  private func isStandby(_ error: any Error) -> Bool {
    configuration.whenHeld == .standby && (error as? LogError)?.code == .locked
  }

  private func check(after known: LogSetMarks) async -> Occurrence {
    let begin = environment.uptime()
    let result: Result<LogSetCheck, any Error>
    do {
      let check = try await environment.resources.run(priority: .utility) {
        [folder = set.folder, name, storesPositions = positions == nil] in
        let found = try folder.marks(after: known)
        let news = found.marks.filter { path, mark in
          let old = known.marks[path]
          return folder.hasNews(
            mark, at: path, of: name, isNew: old != mark, trustsPosition: storesPositions || old != nil)
        }
        return LogSetCheck(marks: found, news: news.values.map(\.key).sorted())
      }
      result = .success(check)
    } catch {
      result = .failure(error)
    }
    return .checked(result, duration: environment.uptime() - begin)
  }

  private func take(_ result: Result<LogSetCheck, any Error>, into queue: inout LogSetQueue) {
    switch result {
    case .success(let check):
      queue.take(check, at: environment.uptime())
      if let failure = check.marks.failure { onFailure?(.cannotList(failure)) }
    case .failure(let error):
      queue.listingFailure = error
      onFailure?(.cannotList(error))
    }
  }

  /// Delivers the actions of a log, up to the limit of a turn.
  ///
  /// - Returns: Whether everything that is durable was handled.
  private func deliver(_ key: String) async -> Result<Bool, any Error> {
    do {
      let path = try set.path(for: key)
      do { return .success(try await deliver(key, at: path)) } catch {
        // Another log may be at its path, and is delivered from its beginning.
        if (error as? LogError)?.underlying is RemovedLog { return .success(false) }
        // A log that was removed has nothing to deliver.
        let isRemoved = try await BlockingWork.run { () throws(FileSystemError) in
          try set.fileSystem.status(of: path) == nil
        }
        return isRemoved ? .success(true) : .failure(error)
      }
    } catch {
      return .failure(error)
    }
  }

  private func deliver(_ key: String, at path: String) async throws -> Bool {
    var start = start
    if let positions { start = .resuming(after: try await positions(key), or: start) }
    var configuration = configuration
    // A log that is held must not take a place from the others.
    configuration.whenHeld = .fail
    let plan = DeliveryPlan(of: M.self, by: decoder) { [handler] deliveries in
      for delivery in deliveries { try await handler(key, delivery) }
    }
    let loop = try DeliveryLoop(
      named: name, at: path, fileSystem: set.fileSystem, start: start, configuration: configuration, plan: plan
    ) { header in
      try header.check(model: M.name, path: path)
      guard let found = header.key, found.utf8.elementsEqual(key.utf8) else {
        throw LogSet<M>.misplaced(header.key, key, path)
      }
    }
    return try await loop.run(endsWhenCaughtUp: true, limit: Self.turnLimit)
  }
}

/// A check of the files of a set: the ends of its logs, and the logs that may have something to deliver.
private struct LogSetCheck: Sendable {
  var marks: LogSetMarks
  var news: [LogSetKey]
}

/// The logs of a set with news, in the order in which they are delivered.
private struct LogSetQueue: Sendable {
  private(set) var marks = LogSetMarks()
  private var waiting: ArraySlice<LogSetKey> = []
  private var waitingKeys: Set<LogSetKey> = []
  /// The logs that are being delivered, and whether they changed since they were started.
  private(set) var running: [LogSetKey: Bool] = [:]
  private(set) var failures: [LogSetKey: (error: any Error, count: Int, retryAt: Duration)] = [:]
  var listingFailure: (any Error)?

  var firstFailure: (any Error)? {
    failures.min { one, other in one.key < other.key }?.value.error ?? listingFailure ?? marks.failure
  }

  mutating func add(_ key: LogSetKey) {
    if running[key] != nil {
      running[key] = true
    } else if waitingKeys.insert(key).inserted {
      waiting.append(key)
    }
  }

  mutating func start() -> LogSetKey? {
    guard let key = waiting.popFirst() else { return nil }
    waitingKeys.remove(key)
    running[key] = false
    return key
  }

  mutating func take(_ check: LogSetCheck, at time: Duration) {
    (marks, listingFailure) = (check.marks, nil)
    if !failures.isEmpty {
      let present = Set(marks.marks.values.map(\.key))
      failures = failures.filter { key, _ in present.contains(key) }
    }
    for key in check.news { add(key) }
    for (key, failure) in failures where failure.retryAt <= time { add(key) }
  }

  /// Notes the end of a delivery.
  ///
  /// - Returns: The delay until the next attempt; `nil` if the delivery did not fail.
  mutating func finish(
    _ key: LogSetKey, _ result: Result<Bool, any Error>, at time: Duration, _ interval: Duration, _ longest: Duration
  ) -> Duration? {
    let hasChanged = running.removeValue(forKey: key) ?? false
    switch result {
    case .success(let isCaughtUp):
      failures[key] = nil
      // At the end: the others have their turns first.
      if !isCaughtUp || hasChanged { add(key) }
      return nil
    case .failure(let error):
      let count = (failures[key]?.count ?? 0) + 1
      // More doublings than any limit allows, and far from an overflow.
      let delay = min(interval * (1 << min(count - 1, 16)), max(interval, longest))
      failures[key] = (error, count, time + delay)
      return delay
    }
  }
}
