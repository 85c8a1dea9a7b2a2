package import ActionLog
import Platform

/// The preparation, order and handling of a consumer's actions, without the model's type.
package struct DeliveryPlan<Payload: Sendable>: Sendable {
  /// Creates the payload for a record; `nil` if there is nothing to deliver.
  package var prepare: @Sendable (LogRecord) throws -> Payload?
  /// Actions with the same key are delivered one after the other; `nil` for no keys.
  package var key: (@Sendable (Payload) -> DeliveryKey)?
  package var width = 1
  package var batchLimit = 1
  /// Handles actions. May throw ``PartialDelivery``.
  package var handle: @Sendable ([DeliveryAttempt<Payload>]) async throws -> Void

  package init(
    prepare: @escaping @Sendable (LogRecord) throws -> Payload?,
    handle: @escaping @Sendable ([DeliveryAttempt<Payload>]) async throws -> Void
  ) {
    self.prepare = prepare
    self.handle = handle
  }
}

/// An attempt to deliver an action.
package struct DeliveryAttempt<Payload: Sendable>: Sendable {
  package var record: LogRecord
  package var payload: Payload
  /// The number of the attempt, from 1.
  package var number: Int
  package var position: SubscriptionPosition
}

/// A failure of a batch whose first actions were handled.
package struct PartialDelivery: Error {
  package var count: Int
  /// The error of the next one.
  package var error: any Error

  package init(count: Int, error: any Error) {
    self.count = count
    self.error = error
  }
}

/// The key of an action, of any type.
package struct DeliveryKey: Hashable, Sendable {
  private let value: any Hashable & Sendable

  package init(_ value: some Hashable & Sendable) { self.value = value }

  package static func == (one: DeliveryKey, other: DeliveryKey) -> Bool {
    AnyHashable(one.value) == AnyHashable(other.value)
  }

  package func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}

/// Delivers the durable actions of a log to a handler, at least once, in order, across crashes.
///
/// An action is handled when the handler returned, or when it was parked. The position is the highest revision up to which everything was
/// handled, and it is stored only after that, so that it is never ahead of the handler.
package struct DeliveryLoop<Payload: Sendable>: Sendable {
  package let name: String
  package let log: String
  package let fileSystem: any LogFileSystem
  package let plan: DeliveryPlan<Payload>
  package let configuration: SubscriptionConfiguration
  package let start: SubscriptionStart
  package let checkHeader: @Sendable (LogHeader) throws -> Void
  package let wake = WakeSignal()

  let store: SubscriptionStore
  var environment: SubscriptionEnvironment { configuration.environment }

  static var chunkCount: Int { 1_000 }

  package init(
    named name: String, at log: String, fileSystem: any LogFileSystem, start: SubscriptionStart,
    configuration: SubscriptionConfiguration, plan: DeliveryPlan<Payload>,
    checkHeader: @escaping @Sendable (LogHeader) throws -> Void = { _ in }
  ) throws(LogError) {
    try SubscriptionStore.check(name)
    self.name = name
    self.log = log
    self.fileSystem = fileSystem
    self.start = start
    self.configuration = configuration
    self.plan = plan
    self.checkHeader = checkHeader
    store = SubscriptionStore(at: log, fileSystem: fileSystem)
  }

  /// Delivers until the task is canceled, or until everything that is durable was handled.
  ///
  /// - Parameters:
  ///   - endsWhenCaughtUp: Whether it ends when everything that is durable was handled.
  ///   - limit: The number of actions after which it ends, if they are delivered one after the other.
  /// - Returns: Whether everything that is durable was handled.
  @discardableResult
  package func run(endsWhenCaughtUp: Bool, limit: Int = .max) async throws -> Bool {
    // Before the lock, which creates files: a directory that is not a log, or not one yet, stays unchanged. One with a position is a log.
    let report = try await BlockingWork.run { () throws -> SubscriptionReport? in
      guard try configuration.observer != nil || !store.hasPosition(name) else { return nil }
      return makeReport(of: try openLog())
    }
    guard let lock = try await acquireLock(report) else { return false }
    defer { lock.unlock() }
    let session = try await BlockingWork.run { try openSession(store.held(by: lock, of: name), report) }
    report?(.didStart(after: session.keeper.position.revision))
    let width = plan.key == nil ? 1 : plan.width
    let isCaughtUp: Bool
    do {
      if width > 1 {
        try await runConcurrently(session, width: width, endsWhenCaughtUp: endsWhenCaughtUp)
        isCaughtUp = !Task.isCancelled
      } else {
        isCaughtUp = try await runInOrder(session, endsWhenCaughtUp: endsWhenCaughtUp, limit: limit)
      }
    } catch {
      // The first error is the one to report; without this position, some actions are delivered again.
      do { try await session.keeper.save() } catch {}
      throw error
    }
    try await session.keeper.save()
    return isCaughtUp
  }

  private func makeReport(of reader: LogReader) -> SubscriptionReport? {
    guard
      let events = LogEvents(
        configuration.observer, log: reader.path, key: reader.header.key, uptime: environment.uptime)
    else { return nil }
    return { [name] event in events.send(.subscription(name: name, event)) }
  }

  /// Returns the lock; `nil` if the task was canceled.
  private func acquireLock(_ report: SubscriptionReport?) async throws -> (any DirectoryLock)? {
    var attempt = 1
    var isReported = false
    while !Task.isCancelled {
      do { return try await BlockingWork.run { [store, name] in try store.lock(name) } } catch let error as LogError
        where error.code == .locked
      {
        let isStandby = configuration.whenHeld == .standby
        guard isStandby || attempt < SubscriptionStore.heldAttemptLimit else { throw error }
        if isStandby, !isReported {
          report?(.isWaiting(holder: (error.underlying as? FileSystemError)?.holder))
          isReported = true
        }
        attempt += 1
        await pause(for: isStandby ? configuration.polling.longest : SubscriptionStore.heldPause)
      }
    }
    return nil
  }

  private func openLog() throws -> LogReader {
    let reader = try LogReader.open(at: log, fileSystem: fileSystem)
    guard !reader.isSingleSegment else {
      throw LogError(.notALog, "a subscription needs the log's directory, not a single segment", path: log)
    }
    try checkHeader(reader.header)
    return reader
  }

  private func openSession(_ store: SubscriptionStore, _ report: SubscriptionReport?) throws -> DeliverySession {
    let reader = try openLog()
    // A redaction leaves the parked actions of a consumer that holds the lock.
    try store.redactParked(name, of: reader)
    var isResuming = false
    if case .resuming = start { isResuming = true }
    let stored = isResuming ? nil : try store.read(name)
    let position = try stored?.position ?? start.position(in: reader)
    try position.check(against: reader, of: name)
    let thread = DeliveryThread()
    let keeper = PositionKeeper(
      name: name, position: position, store: store,
      storing: configuration.storing ?? (isResuming ? .every(orAfter: .seconds(1)) : .everyAction),
      environment: environment, thread: thread)
    if let stored {
      keeper.continueAttempts(of: stored)
    } else if !isResuming || !isStored(position) {
      // From now on, a restart begins here, also if the log has grown.
      try keeper.saveNow()
    }
    let types = configuration.types.map(ActionTypePattern.init)
    return DeliverySession(
      reader: reader, store: store, keeper: keeper, report: report, thread: thread,
      feed: Locked(try DurableFeed(reader, after: position.revision, types: types)))
  }

  /// Whether the file has a position that the handler has stored, too.
  private func isStored(_ position: SubscriptionPosition) -> Bool {
    // A damaged file is replaced.
    do { return try store.read(name)?.position == position } catch { return false }
  }

  /// Waits for a time, until the task is canceled, or until ``wake`` is signaled.
  func pause(for duration: Duration) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await wake.wait() }
      group.addTask {
        // Only a cancellation ends it early.
        do { try await environment.sleep(duration) } catch {}
      }
      await group.next()
      group.cancelAll()
    }
  }
}

/// The thread that reads the log and writes the position.
actor DeliveryThread {
  private let executor = BlockingExecutor()

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func run<Success: Sendable>(_ body: @Sendable () throws -> Success) throws -> Success { try body() }
}

/// Sends an event of a subscription to its observer.
typealias SubscriptionReport = @Sendable (SubscriptionEvent) -> Void

/// The open files and the position of a run.
struct DeliverySession: Sendable {
  let reader: LogReader
  /// The store that the lock is held of.
  let store: SubscriptionStore
  let keeper: PositionKeeper
  let report: SubscriptionReport?
  let thread: DeliveryThread
  /// Used by one thread at a time; the lock moves it between them.
  let feed: Locked<DurableFeed>

  func take(limit: Int) async throws -> (items: [DurableFeed.Item], isAtEnd: Bool) {
    try await thread.run {
      try feed.withLock { feed throws(LogError) in
        let items = try feed.take(limit: limit)
        return (items, feed.isAtEnd)
      }
    }
  }

  func position(after item: DurableFeed.Item) -> SubscriptionPosition {
    SubscriptionPosition(log: reader.header.log, revision: item.revision, crc: item.crc)
  }
}

// MARK: - One after the other

extension DeliveryLoop {
  private func runInOrder(_ session: DeliverySession, endsWhenCaughtUp: Bool, limit: Int) async throws -> Bool {
    var delay = configuration.polling.shortest
    var isCaughtUp = false
    var rest = limit
    try await deliverParked(session)
    while !Task.isCancelled, rest > 0 {
      let (items, isAtEnd) = try await session.take(limit: min(Self.chunkCount, rest))
      rest -= items.count
      if items.isEmpty {
        try await session.keeper.save()
        try await deliverParked(session)
        if isAtEnd, !isCaughtUp {
          isCaughtUp = true
          session.report?(.didCatchUp(revision: session.keeper.position.revision))
        }
        if endsWhenCaughtUp { return true }
        await pause(for: delay)
        delay = min(delay * 2, configuration.polling.longest)
      } else {
        (delay, isCaughtUp) = (configuration.polling.shortest, false)
        guard try await deliver(items, session) else { return false }
      }
    }
    return false
  }

  private func deliver(_ items: [DurableFeed.Item], _ session: DeliverySession) async throws -> Bool {
    var batch: [PreparedAction<Payload>] = []
    for item in items {
      if Task.isCancelled { break }
      guard let prepared = prepare(item, session) else {
        // Nothing is delivered for this action, so it is handled when those before it are.
        if batch.isEmpty { session.keeper.advance(to: session.position(after: item), count: 0) }
        continue
      }
      batch.append(prepared)
      if batch.count >= plan.batchLimit {
        guard try await deliver(&batch, session) else { return false }
      }
    }
    if !batch.isEmpty, !Task.isCancelled { guard try await deliver(&batch, session) else { return false } }
    if let last = items.last, !Task.isCancelled {
      session.keeper.advance(to: session.position(after: last), count: 0)
      try await session.keeper.saveIfDue()
    }
    return !Task.isCancelled
  }

  /// Delivers a batch, and after a failure its actions one by one.
  private func deliver(_ batch: inout [PreparedAction<Payload>], _ session: DeliverySession) async throws -> Bool {
    defer { batch = [] }
    var rest = batch[...]
    var firstError: (any Error)?
    if rest.count > 1, rest.allSatisfy({ action in action.fault == nil }) {
      do {
        try await call(
          rest.map { action in action.attempt(session.keeper.attempts(before: action.position.revision)) }, session)
        session.keeper.advance(to: batch[batch.count - 1].position, count: batch.count)
        try await session.keeper.saveIfDue()
        return true
      } catch {
        let handled = (error as? PartialDelivery)?.count ?? 0
        if handled > 0 { session.keeper.advance(to: batch[handled - 1].position, count: handled) }
        rest = rest.dropFirst(handled)
        guard !Task.isCancelled || handled == batch.count else { return false }
        // Without this error, it is unknown which action failed, so each is attempted alone.
        firstError = (error as? PartialDelivery)?.error
      }
    }
    for action in rest {
      switch await settle(action, session, firstError: firstError) {
      case .handled: session.keeper.advance(to: action.position, count: 1)
      case .canceled: return false
      case .stop(let failure): throw stopped(failure)
      case .skip(let failure):
        try await park(failure, session)
        session.keeper.advance(to: action.position, count: 1)
      }
      firstError = nil
      try await session.keeper.saveIfDue()
      if Task.isCancelled { return false }
    }
    return true
  }
}
