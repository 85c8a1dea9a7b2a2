import ActionLog

/// The slots of a ``LogSetTable``, and the tasks that wait for them. It decides what a caller has to do; the table does it.
struct LogSetSlots: Sendable {
  /// A log that has a slot.
  struct Entry: Sendable {
    enum Phase: Sendable {
      case opening, closing
      case open(LogSetMember)
      /// A caller keeps it closed. Its only lease is that caller's.
      case exclusive
    }

    var phase = Phase.opening
    var leaseCount = 0
    var lastUse = 0
  }

  /// A task that waits.
  struct Waiter: Sendable {
    var id: Int
    var awaited: Awaited
    /// The logs that stay open while the caller waits, because it runs with a lease of them or opens them.
    var held: Set<String>
    var continuation: CheckedContinuation<Step, any Error>

    /// The key whose log the caller waits for; `nil` if it waits for a slot.
    var key: String? { if case .log(let key) = awaited { key } else { nil } }
  }

  /// The next action of a caller.
  enum Step: Sendable {
    case use(LogSetMember)
    case open
    case close(key: String, LogSetMember)
    /// The log is closed, and stays so until the lease is released.
    case maintain
    case retry
  }

  /// The resource that a caller waits for.
  enum Awaited: Sendable {
    /// A change of a log.
    case log(String)
    case slot
    /// File descriptors, which closing any other log releases.
    case descriptors
  }

  let limit: Int
  let path: String

  var entries: [String: Entry] = [:]
  var waiters: [Waiter] = []
  /// The number of callers, by key, that wait to keep a log closed. Tasks without a lease of it wait for them.
  var exclusives: [String: Int] = [:]
  var canceled: Set<Int> = []
  /// Tasks that close the set and wait for a change.
  var closers: [CheckedContinuation<Bool, Never>] = []
  var isClosing = false
  private var count = 0

  init(limit: Int, path: String) {
    (self.limit, self.path) = (limit, path)
  }

  mutating func next() -> Int {
    count += 1
    return count
  }

  var closed: LogError {
    LogError(.closed, "the set of logs was closed", path: path, advice: "Open the set again.")
  }

  // MARK: Leases

  mutating func decide(
    _ key: String, isFirst: Bool, holding held: Set<String>
  ) -> (Result<Step, any Error>?, Awaited?) {
    if isClosing { return (.failure(closed), nil) }
    if exclusives[key] != nil, !held.contains(key) { return (nil, .log(key)) }
    if let entry = entries[key] {
      guard case .open(let member) = entry.phase else { return (nil, .log(key)) }
      if !member.isUnusable() {
        let now = next()
        entries[key]?.leaseCount += 1
        entries[key]?.lastUse = now
        return (.success(.use(member)), nil)
      }
      guard entry.leaseCount == 0 else { return (nil, .log(key)) }
      entries[key]?.phase = .closing
      return (.success(.close(key: key, member)), nil)
    }
    // Callers that wait for a slot come first.
    if isFirst, waiters.contains(where: { waiter in waiter.key == nil }) { return (nil, .slot) }
    if entries.count < limit {
      entries[key] = Entry()
      return (.success(.open), nil)
    }
    guard let (victim, member) = takeLeastRecentlyUsed() else { return (nil, .slot) }
    return (.success(.close(key: victim, member)), nil)
  }

  /// Decides for a caller that keeps a log closed.
  mutating func decideExclusive(_ key: String) -> (Result<Step, any Error>?, Awaited?) {
    if isClosing { return (.failure(closed), nil) }
    guard let entry = entries[key] else {
      // This may exceed the limit: the log is not open, and waiting for a slot would only close another one.
      entries[key] = Entry(phase: .exclusive, leaseCount: 1)
      return (.success(.maintain), nil)
    }
    guard case .open(let member) = entry.phase, entry.leaseCount == 0 else { return (nil, .log(key)) }
    entries[key]?.phase = .closing
    return (.success(.close(key: key, member)), nil)
  }

  /// Decides that a caller that lacks file descriptors waits if another log is in use or is being closed.
  func waitsForLease(_ key: String) -> (Result<Step, any Error>?, Awaited?) {
    if isClosing { return (.failure(closed), nil) }
    var isInUse = false
    for (other, entry) in entries where other != key {
      // Its lease ended after the caller had looked for idle logs.
      if case .open = entry.phase, entry.leaseCount == 0 { return (.success(.retry), nil) }
      if case .closing = entry.phase { isInUse = true }
      isInUse = isInUse || entry.leaseCount > 0
    }
    return isInUse ? (nil, .descriptors) : (.success(.open), nil)
  }

  /// Whether a caller would wait forever, because what it waits for is held by itself and by other callers that wait.
  func isDeadlock(_ awaited: Awaited, holding held: Set<String>) -> Bool {
    guard !held.isEmpty else { return false }
    var others = waiters.filter { waiter in !waiter.held.isEmpty }
    while true {
      let blocked = others.reduce(into: held) { blocked, waiter in blocked.formUnion(waiter.held) }
      guard isBlocked(awaited, by: blocked) else { return false }
      let rest = others.filter { waiter in isBlocked(waiter.awaited, by: blocked) }
      if rest.count == others.count { return true }
      others = rest
    }
  }

  private func isBlocked(_ awaited: Awaited, by held: Set<String>) -> Bool {
    switch awaited {
    case .log(let key): held.contains(key)
    // With fewer logs, a caller that was resumed is about to take the slot.
    case .slot: entries.count >= limit && entries.keys.allSatisfy(held.contains)
    case .descriptors: entries.keys.allSatisfy(held.contains)
    }
  }

  func deadlock(_ awaited: Awaited) -> LogError {
    let (cause, advice) =
      switch awaited {
      case .log(let key):
        ("it, or a task that waits for it, has a lease of '\(key)' or keeps it closed", "")
      case .slot, .descriptors:
        ("it and other tasks that wait have leased all \(entries.count) logs that can be open", ", or raise openLimit")
      }
    return LogError(
      .invalidArgument, "the task would wait forever for a log: \(cause)", path: path, intact: "Nothing was changed.",
      advice: "End the task's leases first\(advice).")
  }

  // MARK: Closing

  /// Takes the log that was not in use for the longest time; its phase is `closing` then.
  mutating func takeLeastRecentlyUsed() -> (key: String, member: LogSetMember)? {
    var best: (key: String, member: LogSetMember, lastUse: Int)?
    for (key, entry) in entries where entry.leaseCount == 0 && entry.lastUse < best?.lastUse ?? .max {
      if case .open(let member) = entry.phase { best = (key, member, entry.lastUse) }
    }
    guard let best else { return nil }
    entries[best.key]?.phase = .closing
    return (best.key, best.member)
  }

  /// Takes logs without a lease; their phase is `closing` then.
  mutating func takeIdle(_ count: Int, except tried: Set<String>) -> [(key: String, member: LogSetMember)] {
    var idle: [(key: String, member: LogSetMember)] = []
    for (key, entry) in entries where entry.leaseCount == 0 && !tried.contains(key) && idle.count < count {
      if case .open(let member) = entry.phase { idle.append((key, member)) }
    }
    for (key, _) in idle { entries[key]?.phase = .closing }
    return idle
  }

  /// Whether a task that closes the set has a log to close; `nil` if it must wait for a lease to end, or for a log to be opened or
  /// closed.
  func hasLogToClose(except tried: Set<String>) -> Bool? {
    var isPending = false
    for (key, entry) in entries {
      guard case .open = entry.phase, entry.leaseCount == 0 else {
        isPending = true
        continue
      }
      if !tried.contains(key) { return true }
    }
    return isPending ? nil : false
  }
}
