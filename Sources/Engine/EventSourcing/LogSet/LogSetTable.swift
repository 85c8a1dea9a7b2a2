import ActionLog
import Platform

/// The form in which a log of a set is open.
enum LogSetForm: Sendable, Equatable {
  case recorder, store
}

/// A log that a set has opened, without its model.
struct LogSetMember: Sendable {
  var form: LogSetForm
  /// The recorder or the store.
  var log: any Sendable
  /// Whether a store is attached, so that the log must stay open without a lease.
  var isInUse: @Sendable () -> Bool
  /// Whether the log has failed or was closed, so that it must be opened again.
  var isUnusable: @Sendable () -> Bool
  /// Whether the lock was released.
  var isReleased: @Sendable () -> Bool
  var close: @Sendable () async throws -> Void
  var abandon: @Sendable () async -> Void
}

/// The open logs of a set by their paths: each log is opened once, however many tasks request it, and the log that was not in use for
/// the longest time is closed when another one needs its slot.
///
/// Each method decides under the lock what the caller has to do and does it without the lock. A caller that must wait is
/// resumed when the log that it waits for changes, or when a slot may be free, and decides again.
final class LogSetTable: Sendable {
  private struct Entry: Sendable {
    enum Phase: Sendable {
      case opening, closing
      case open(LogSetMember)
    }

    var phase = Phase.opening
    /// The number of leases.
    var leaseCount = 0
    /// The time of the last lease, as a count.
    var lastUse = 0
  }

  private struct Waiter: Sendable {
    var id: Int
    /// The key whose log the caller waits for; `nil` if it waits for a slot.
    var key: String?
    var continuation: CheckedContinuation<Step, any Error>
  }

  private struct Contents: Sendable {
    var entries: [String: Entry] = [:]
    var waiters: [Waiter] = []
    /// The waiters that were canceled before they were added.
    var canceled: Set<Int> = []
    /// Tasks that close the set and wait for a change.
    var closers: [CheckedContinuation<Bool, Never>] = []
    var isClosing = false
    var count = 0

    /// Returns a number that increases with every call.
    mutating func next() -> Int {
      count += 1
      return count
    }
  }

  /// The next action of a caller.
  private enum Step: Sendable {
    case use(LogSetMember)
    case open
    case close(key: String, LogSetMember)
    case retry
  }

  private let limit: Int
  private let path: String
  private let contents = Locked(Contents())

  /// - Parameter limit: The maximum number of open logs.
  init(limit: Int, path: String) {
    self.limit = limit
    self.path = path
  }

  /// The number of logs that are open, being opened, or being closed.
  var count: Int { contents.withLock { contents in contents.entries.count } }

  /// Whether the set is being closed or was closed.
  var isClosing: Bool { contents.withLock { contents in contents.isClosing } }
}

// MARK: - Leases

extension LogSetTable {
  /// Returns the open log of a key, which stays open until ``release(_:)``. Opens it if necessary, and waits while all
  /// slots are in use.
  ///
  /// - Throws: The error of `open`, for all callers that wait for it; `CancellationError`; `LogError` if the set was
  ///   closed, or if no slot can be freed because a log cannot be closed.
  func lease(
    _ key: String, as form: LogSetForm, open: @Sendable () async throws -> LogSetMember
  ) async throws -> LogSetMember {
    if let member = try await attempt(key, form, isFirst: true, open) { return member }
    // If this caller does not use the slot for which it was resumed, another one can.
    defer { noteChange(of: key) }
    while true {
      if let member = try await attempt(key, form, isFirst: false, open) { return member }
    }
  }

  /// - Returns: `nil` if the caller must decide again.
  private func attempt(
    _ key: String, _ form: LogSetForm, isFirst: Bool, _ open: @Sendable () async throws -> LogSetMember
  ) async throws -> LogSetMember? {
    switch try await nextStep(key, form, isFirst: isFirst) {
    case .use(let member): return member
    case .open: return try await self.open(key, by: open)
    case .close(let key, let member): try await close(key, member)
    case .retry: break
    }
    return nil
  }

  /// Ends a lease.
  func release(_ key: String) {
    let isIdle = contents.withLock { contents in
      contents.entries[key]?.leaseCount -= 1
      return contents.entries[key]?.leaseCount == 0
    }
    if isIdle { noteChange(of: key) }
  }

  /// Resumes the tasks for which a log may have become available: those that wait for this one, and one that waits for a
  /// slot.
  func noteChange(of key: String) {
    let (waiters, closers) = contents.withLock { contents in
      var taken = contents.waiters.filter { waiter in waiter.key == key }
      contents.waiters.removeAll { waiter in waiter.key == key }
      if let index = contents.waiters.firstIndex(where: { waiter in waiter.key == nil }) {
        taken.append(contents.waiters.remove(at: index))
      }
      defer { contents.closers = [] }
      return (taken, contents.closers)
    }
    for waiter in waiters { waiter.continuation.resume(returning: .retry) }
    for closer in closers { closer.resume(returning: true) }
  }

  private func nextStep(_ key: String, _ form: LogSetForm, isFirst: Bool) async throws -> Step {
    try await suspend(keepingTurn: !isFirst) { contents in decide(key, form, isFirst: isFirst, &contents) }
  }

  /// Returns the step that a closure decides, or waits for what it names; the step is `retry` then.
  ///
  /// - Parameter keepsTurn: Whether the caller was resumed and waits before all others.
  private func suspend(
    keepingTurn keepsTurn: Bool,
    _ decide: @Sendable (inout Contents) -> (Result<Step, any Error>?, Awaited?)
  ) async throws -> Step {
    let id = contents.withLock { contents in contents.next() }
    defer { contents.withLock { contents in _ = contents.canceled.remove(id) } }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let outcome = contents.withLock { contents -> Result<Step, any Error>? in
          if contents.canceled.contains(id) { return .failure(CancellationError()) }
          let (step, awaited) = decide(&contents)
          guard let awaited else { return step }
          let waiter = Waiter(id: id, key: awaited.key, continuation: continuation)
          // A caller that was resumed and found no free slot keeps its turn.
          if keepsTurn { contents.waiters.insert(waiter, at: 0) } else { contents.waiters.append(waiter) }
          return nil
        }
        if let outcome { continuation.resume(with: outcome) }
      }
    } onCancel: {
      let waiter = contents.withLock { contents -> Waiter? in
        if let index = contents.waiters.firstIndex(where: { waiter in waiter.id == id }) {
          return contents.waiters.remove(at: index)
        }
        contents.canceled.insert(id)
        return nil
      }
      waiter?.continuation.resume(throwing: CancellationError())
    }
  }

  /// The resource that a caller waits for.
  private struct Awaited {
    /// The key of a log; `nil` is a slot.
    var key: String?
  }

  /// Decides the next step of a caller.
  ///
  /// - Returns: The step, or what the caller must wait for.
  private func decide(
    _ key: String, _ form: LogSetForm, isFirst: Bool, _ contents: inout Contents
  ) -> (Result<Step, any Error>?, Awaited?) {
    if contents.isClosing { return (.failure(closed), nil) }
    if let entry = contents.entries[key] {
      guard case .open(let member) = entry.phase else { return (nil, Awaited(key: key)) }
      let mustReopen = member.form != form || member.isUnusable()
      if !mustReopen {
        let now = contents.next()
        contents.entries[key]?.leaseCount += 1
        contents.entries[key]?.lastUse = now
        return (.success(.use(member)), nil)
      }
      guard entry.leaseCount == 0, member.isUnusable() || !member.isInUse() else { return (nil, Awaited(key: key)) }
      contents.entries[key]?.phase = .closing
      return (.success(.close(key: key, member)), nil)
    }
    // Callers that wait for a slot come first.
    if isFirst, contents.waiters.contains(where: { waiter in waiter.key == nil }) { return (nil, Awaited()) }
    if contents.entries.count < limit {
      contents.entries[key] = Entry()
      return (.success(.open), nil)
    }
    guard let (victim, member) = leastRecentlyUsed(contents) else { return (nil, Awaited()) }
    contents.entries[victim]?.phase = .closing
    return (.success(.close(key: victim, member)), nil)
  }

  private var closed: LogError {
    LogError(.closed, "the set of logs was closed", path: path, advice: "Open the set again.")
  }

  /// Returns the log that was not in use for the longest time.
  ///
  /// - Complexity: O(number of open logs), which is small next to closing one.
  private func leastRecentlyUsed(_ contents: Contents) -> (key: String, member: LogSetMember)? {
    var best: (key: String, member: LogSetMember, lastUse: Int)?
    for (key, entry) in contents.entries where entry.leaseCount == 0 && entry.lastUse < best?.lastUse ?? .max {
      if case .open(let member) = entry.phase, !member.isInUse() { best = (key, member, entry.lastUse) }
    }
    return best.map { best in (best.key, best.member) }
  }
}

// MARK: - Opening and closing

extension LogSetTable {
  /// The number of logs that are closed at a time when no file descriptor is left.
  private static let shortageCount = 8

  /// Opens a log for which the caller has a slot.
  private func open(_ key: String, by open: @Sendable () async throws -> LogSetMember) async throws -> LogSetMember {
    do {
      let member = try await openDespiteShortage(key, open)
      contents.withLock { contents in
        contents.entries[key] = Entry(phase: .open(member), leaseCount: 1, lastUse: contents.next())
      }
      noteChange(of: key)
      return member
    } catch {
      let waiters = contents.withLock { contents in
        contents.entries[key] = nil
        defer { contents.waiters.removeAll { waiter in waiter.key == key } }
        return contents.waiters.filter { waiter in waiter.key == key }
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
      guard case .retry = try await suspend(keepingTurn: false, { contents in waitsForLease(key, contents) }) else {
        throw failure
      }
    }
  }

  /// Decides that the caller waits if another log is in use or is being closed.
  private func waitsForLease(_ key: String, _ contents: Contents) -> (Result<Step, any Error>?, Awaited?) {
    if contents.isClosing { return (.failure(closed), nil) }
    let isInUse = contents.entries.contains { other, entry in
      if case .closing = entry.phase { return true }
      return other != key && entry.leaseCount > 0
    }
    return isInUse ? (nil, Awaited()) : (.success(.open), nil)
  }

  /// - Returns: The number of closed logs.
  private func closeSomeIdle() async throws -> Int {
    for count in 0..<Self.shortageCount {
      guard let (key, member) = takeLeastRecentlyUsed() else { return count }
      try await close(key, member)
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

  private func takeLeastRecentlyUsed() -> (key: String, member: LogSetMember)? {
    contents.withLock { contents in
      guard let (key, member) = leastRecentlyUsed(contents) else { return nil }
      contents.entries[key]?.phase = .closing
      return (key, member)
    }
  }

  /// Closes a log whose phase is `closing`. A log that cannot be closed stays open, unless it has failed.
  private func close(_ key: String, _ member: LogSetMember) async throws {
    defer { noteChange(of: key) }
    do {
      if member.isUnusable() { await member.abandon() } else { try await member.close() }
      contents.withLock { contents in contents.entries[key] = nil }
    } catch {
      contents.withLock { contents in
        contents.entries[key] =
          member.isReleased() ? nil : Entry(phase: .open(member), leaseCount: 0, lastUse: contents.next())
      }
      throw LogError(
        .rejected, "a log of the set could not be closed (\(error))", path: path,
        advice: "It is '\(key)'. Everything that it has acknowledged is intact.", underlying: error)
    }
  }

  /// Closes all logs, each when its last lease ends. Later leases throw.
  ///
  /// - Parameter width: The number of logs to close at the same time.
  /// - Throws: The first error. The logs that could not be closed stay open, and the method can be called again.
  func closeAll(width: Int) async throws {
    let waiters = contents.withLock { contents in
      contents.isClosing = true
      defer { contents.waiters = [] }
      return contents.waiters
    }
    for waiter in waiters { waiter.continuation.resume(throwing: closed) }
    var tried: Set<String> = []
    var failure: (any Error)?
    while true {
      let idle = takeIdle(width, except: tried)
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

  /// Closes logs at the same time.
  ///
  /// - Returns: One of the errors.
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

  private func takeIdle(_ count: Int, except tried: Set<String>) -> [(key: String, member: LogSetMember)] {
    contents.withLock { contents in
      var idle: [(key: String, member: LogSetMember)] = []
      for (key, entry) in contents.entries where entry.leaseCount == 0 && !tried.contains(key) && idle.count < count {
        if case .open(let member) = entry.phase { idle.append((key, member)) }
      }
      for (key, _) in idle { contents.entries[key]?.phase = .closing }
      return idle
    }
  }

  /// Waits until a lease ends or a log was opened or closed.
  ///
  /// - Returns: `false` if only logs are left that could not be closed.
  private func waitForChange(except tried: Set<String>) async -> Bool {
    await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
      let outcome = contents.withLock { contents -> Bool? in
        var isPending = false
        for (key, entry) in contents.entries {
          guard case .open = entry.phase, entry.leaseCount == 0 else {
            isPending = true
            continue
          }
          if !tried.contains(key) { return true }
        }
        guard isPending else { return false }
        contents.closers.append(continuation)
        return nil
      }
      if let outcome { continuation.resume(returning: outcome) }
    }
  }
}
