import ActionLog
import Platform

/// A log that a set has opened, without its model.
struct LogSetMember: Sendable {
  var log: any Sendable
  /// Whether the log has failed or was closed, so that it must be opened again.
  var isUnusable: @Sendable () -> Bool
  var isReleased: @Sendable () -> Bool
  /// Tells the log's observer that it is closed to make room.
  var noteEviction: @Sendable () -> Void
  var close: @Sendable () async throws -> Void
  var abandon: @Sendable () async -> Void
}

/// The right to use an open log of a set, until it is released.
final class LogSetHold: Sendable {
  /// The holds of the closures in which a task runs, and the tasks that called them: its own, or those that have started it.
  @TaskLocal static var current: [(hold: LogSetHold, task: Int?)] = []

  static var task: Int? { withUnsafeCurrentTask { task in task?.hashValue } }

  private let key: String
  /// The table; `nil` after the release, so that no task that runs on retains its logs.
  private let table: Locked<LogSetTable?>

  init(of key: String, in table: LogSetTable) { (self.key, self.table) = (key, Locked(table)) }

  func release() {
    let table = table.withLock { table in
      defer { table = nil }
      return table
    }
    table?.release(key)
  }

  /// Returns the logs of a table that stay open while the current task waits.
  static func held(of table: LogSetTable, own: Bool = false) -> Set<String> {
    Set(
      current.compactMap { hold, task in
        guard !own || task == self.task else { return nil }
        return hold.table.withLock { holder in holder === table ? hold.key : nil }
      })
  }
}

/// The open logs of a set by their paths: each log is opened once, however many tasks request it, and the log that was not in use for
/// the longest time is closed when another one needs its slot.
///
/// Each method decides under the lock what the caller has to do and does it without the lock. A caller that must wait is
/// resumed when the log that it waits for changes, or when a slot may be free, and decides again.
final class LogSetTable: Sendable {
  private typealias Step = LogSetSlots.Step
  private typealias Awaited = LogSetSlots.Awaited

  private let path: String
  private let slots: Locked<LogSetSlots>

  init(limit: Int, path: String) {
    self.path = path
    slots = Locked(LogSetSlots(limit: limit, path: path))
  }

  var count: Int { slots.withLock { slots in slots.entries.count } }

  var waiterCount: Int { slots.withLock { slots in slots.waiters.count } }

  func contains(_ key: String) -> Bool { slots.withLock { slots in slots.entries[key] != nil } }

  var isClosing: Bool { slots.withLock { slots in slots.isClosing } }
}

// MARK: - Leases

extension LogSetTable {
  /// Returns the open log of a key, which stays open until ``release(_:)``. Opens it if necessary, and waits while all
  /// slots are in use.
  func lease(
    _ key: String, open: @Sendable () async throws -> LogSetMember
  ) async throws -> LogSetMember {
    if let member = try await attempt(key, isFirst: true, open) { return member }
    // If this caller does not use the slot for which it was resumed, another one can.
    defer { noteChange(of: key) }
    while true {
      if let member = try await attempt(key, isFirst: false, open) { return member }
    }
  }

  /// - Returns: `nil` if the caller must decide again.
  private func attempt(
    _ key: String, isFirst: Bool, _ open: @Sendable () async throws -> LogSetMember
  ) async throws -> LogSetMember? {
    let step = try await nextStep(isFirst: isFirst) { slots, held in slots.decide(key, isFirst: isFirst, holding: held)
    }
    switch step {
    case .use(let member): return member
    case .open: return try await self.open(key, by: open)
    case .close(let other, let member): try await close(other, member, isEviction: other != key)
    case .maintain, .retry: break
    }
    return nil
  }

  /// Closes a log when its leases end, and keeps it closed until ``release(_:)``. Later requests wait.
  func keepClosed(_ key: String) async throws {
    slots.withLock { slots in slots.exclusives[key, default: 0] += 1 }
    defer {
      slots.withLock { slots in
        let count = slots.exclusives[key] ?? 1
        slots.exclusives[key] = count > 1 ? count - 1 : nil
      }
      noteChange(of: key)
    }
    var isFirst = true
    while true {
      let step = try await nextStep(isFirst: isFirst) { slots, _ in slots.decideExclusive(key) }
      isFirst = false
      if case .maintain = step { return }
      if case .close(let key, let member) = step { try await close(key, member) }
    }
  }

  func release(_ key: String) {
    let isIdle = slots.withLock { slots in
      slots.entries[key]?.leaseCount -= 1
      guard let entry = slots.entries[key], entry.leaseCount == 0 else { return false }
      if case .exclusive = entry.phase { slots.entries[key] = nil }
      return true
    }
    if isIdle { noteChange(of: key) }
  }

  /// Resumes the tasks for which a log may have become available: those that wait for this one, and one that waits for a
  /// slot.
  func noteChange(of key: String) {
    let (waiters, closers) = slots.withLock { slots in
      var taken = slots.waiters.filter { waiter in waiter.key == key }
      slots.waiters.removeAll { waiter in waiter.key == key }
      if let index = slots.waiters.firstIndex(where: { waiter in waiter.key == nil }) {
        taken.append(slots.waiters.remove(at: index))
      }
      defer { slots.closers = [] }
      return (taken, slots.closers)
    }
    for waiter in waiters { waiter.continuation.resume(returning: .retry) }
    for closer in closers { closer.resume(returning: true) }
  }

  private func nextStep(
    isFirst: Bool, _ decide: @Sendable (inout LogSetSlots, Set<String>) -> (Result<Step, any Error>?, Awaited?)
  ) async throws -> Step {
    try await suspend(keepingTurn: !isFirst) { slots, held in
      let (step, awaited) = decide(&slots, held)
      guard let awaited, slots.isDeadlock(awaited, holding: held) else { return (step, awaited, held) }
      return (.failure(slots.deadlock(awaited)), nil, held)
    }
  }

  /// Returns the step that a closure decides, or waits for what it names; the step is `retry` then.
  private func suspend(
    keepingTurn keepsTurn: Bool,
    _ decide: @Sendable (inout LogSetSlots, Set<String>) -> (Result<Step, any Error>?, Awaited?, held: Set<String>)
  ) async throws -> Step {
    let held = LogSetHold.held(of: self)
    let id = slots.withLock { slots in slots.next() }
    defer { slots.withLock { slots in _ = slots.canceled.remove(id) } }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let outcome = slots.withLock { slots -> Result<Step, any Error>? in
          if slots.canceled.contains(id) { return .failure(CancellationError()) }
          let (step, awaited, held) = decide(&slots, held)
          guard let awaited else { return step }
          let waiter = LogSetSlots.Waiter(id: id, awaited: awaited, held: held, continuation: continuation)
          // A caller that was resumed and found no free slot keeps its turn.
          if keepsTurn { slots.waiters.insert(waiter, at: 0) } else { slots.waiters.append(waiter) }
          return nil
        }
        if let outcome { continuation.resume(with: outcome) }
      }
    } onCancel: {
      let waiter = slots.withLock { slots -> LogSetSlots.Waiter? in
        if let index = slots.waiters.firstIndex(where: { waiter in waiter.id == id }) {
          return slots.waiters.remove(at: index)
        }
        slots.canceled.insert(id)
        return nil
      }
      waiter?.continuation.resume(throwing: CancellationError())
    }
  }
}

// MARK: - Opening and closing

extension LogSetTable {
  /// The number of logs that are closed at a time when no file descriptor is left.
  private static let shortageCount = 8

  private func open(_ key: String, by open: @Sendable () async throws -> LogSetMember) async throws -> LogSetMember {
    do {
      let member = try await openDespiteShortage(key, open)
      slots.withLock { slots in
        slots.entries[key] = LogSetSlots.Entry(phase: .open(member), leaseCount: 1, lastUse: slots.next())
      }
      noteChange(of: key)
      return member
    } catch {
      let waiters: [LogSetSlots.Waiter] = slots.withLock { slots in
        slots.entries[key] = nil
        // The others were not canceled; and one that keeps the log closed may mend it before the others open it.
        if error is CancellationError || slots.exclusives[key] != nil { return [] }
        defer { slots.waiters.removeAll { waiter in waiter.key == key } }
        return slots.waiters.filter { waiter in waiter.key == key }
      }
      // All callers of one attempt have the same outcome.
      for waiter in waiters { waiter.continuation.resume(throwing: error) }
      noteChange(of: key)
      throw error
    }
  }

  /// Closes idle logs and tries again while no file descriptor is left. If there are none, waits for a lease to end.
  private func openDespiteShortage(
    _ key: String, _ open: @Sendable () async throws -> LogSetMember
  ) async throws -> LogSetMember {
    while true {
      let failure: any Error
      do { return try await open() } catch { failure = error }
      guard Self.isDescriptorShortage(failure) else { throw failure }
      if try await closeSomeIdle() > 0 { continue }
      let step = try await suspend(keepingTurn: false) { slots, held in
        let held = held.union([key])
        let (step, awaited) = slots.waitsForLease(key)
        guard let awaited, slots.isDeadlock(awaited, holding: held) else { return (step, awaited, held) }
        return (.success(.open), nil, held)
      }
      guard case .retry = step else { throw failure }
    }
  }

  private func closeSomeIdle() async throws -> Int {
    for count in 0..<Self.shortageCount {
      guard let (key, member) = slots.withLock({ slots in slots.takeLeastRecentlyUsed() }) else { return count }
      try await close(key, member, isEviction: true)
    }
    return Self.shortageCount
  }

  private static func isDescriptorShortage(_ error: any Error) -> Bool {
    switch error {
    case let error as FileSystemError: error.isDescriptorShortage
    case let error as LogError: error.underlying.map(isDescriptorShortage) ?? false
    case let error as EventSourcingError: error.underlying.map(isDescriptorShortage) ?? false
    default: false
    }
  }

  /// Closes a log whose phase is `closing`. A log that cannot be closed stays open, unless it has failed.
  private func close(_ key: String, _ member: LogSetMember, isEviction: Bool = false) async throws {
    defer { noteChange(of: key) }
    if isEviction { member.noteEviction() }
    do {
      if member.isUnusable() { await member.abandon() } else { try await member.close() }
      slots.withLock { slots in slots.entries[key] = nil }
    } catch {
      slots.withLock { slots in
        slots.entries[key] =
          member.isReleased() ? nil : LogSetSlots.Entry(phase: .open(member), leaseCount: 0, lastUse: slots.next())
      }
      throw LogError(
        .rejected, "a log of the set could not be closed (\(error))", path: path,
        advice: "It is '\(key)'. Everything that it has acknowledged is intact.", underlying: error)
    }
  }

  /// Closes all logs, each when its last lease ends. Later leases throw.
  func closeAll(width: Int) async throws {
    guard LogSetHold.held(of: self, own: true).isEmpty else {
      throw LogError(
        .invalidArgument, "closing the set would wait forever: the task that closes it has a lease of one of its logs",
        path: path, intact: "The set is open.", advice: "Close it after the calls of withStore.")
    }
    let (waiters, closed) = slots.withLock { slots in
      slots.isClosing = true
      defer { slots.waiters = [] }
      return (slots.waiters, slots.closed)
    }
    for waiter in waiters { waiter.continuation.resume(throwing: closed) }
    var tried: Set<String> = []
    var failure: (any Error)?
    while true {
      let idle = slots.withLock { slots in slots.takeIdle(width, except: tried) }
      if idle.isEmpty {
        guard await waitForChange(except: tried) else { break }
        continue
      }
      for (key, _) in idle { tried.insert(key) }
      let error = await close(idle)
      failure = failure ?? error
    }
    if let failure { throw failure }
  }

  private func close(_ logs: [(key: String, member: LogSetMember)]) async -> (any Error)? {
    await withTaskGroup(of: (any Error)?.self) { group in
      for (key, member) in logs {
        group.addTask {
          do { try await self.close(key, member) } catch { return error }
          return nil
        }
      }
      return await group.reduce(nil) { first, error in first ?? error }
    }
  }

  /// Waits until a lease ends or a log was opened or closed.
  private func waitForChange(except tried: Set<String>) async -> Bool {
    await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
      let outcome = slots.withLock { slots -> Bool? in
        let hasLog = slots.hasLogToClose(except: tried)
        if hasLog == nil { slots.closers.append(continuation) }
        return hasLog
      }
      if let outcome { continuation.resume(returning: outcome) }
    }
  }
}
