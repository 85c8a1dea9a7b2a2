import ActionLog
import Platform

// A projection of a set that follows its logs: writers of the set in this process report each sync, and the files show what other
// processes have written. Both only name logs; a refresh reads them.

extension LogSetProjection {
  /// Opens a projection that follows the logs of a set until it is closed.
  ///
  /// Returns when the newest snapshot is loaded; the actions after it are folded in the background. What a store or recorder of `set`
  /// syncs is folded at once. What another process writes, or another `LogSet`, is found by its files: a read and two calls for each
  /// log at each polling interval, and longer intervals if that takes more than a tenth of the time.
  ///
  /// - Parameters:
  ///   - set: The logs.
  ///   - configuration: When snapshots are taken, and which are kept. A policy counts the actions of all logs together.
  ///   - pollingInterval: The time between two checks of the files of all logs.
  /// - Throws: `LogError.Code.invalidArgument` for a name that cannot be that of a folder.
  public static func open(
    on set: LogSet<P.Source>, configuration: ProjectionConfiguration<P.State> = ProjectionConfiguration(),
    pollingInterval: Duration = .seconds(1)
  ) async throws -> LogSetProjection {
    let projection = LogSetProjection(of: set, configuration: configuration)
    try await projection.follow(pollingInterval)
    return projection
  }

  private func follow(_ interval: Duration) async throws {
    try await open()
    isFollowing = true
    set.followers.add(changes)
    changes.requestCheck()
    Task { [weak self, changes] in
      while let change = await changes.next() {
        guard let self else { return }
        await take(change, interval)
      }
    }
  }

  /// Folds the logs that changed, and requests the next check of the files.
  private func take(_ change: LogSetChanges.Change, _ interval: Duration) async {
    let environment = set.configuration.recording.log.environment
    let checking = Locked(Duration.zero)
    do {
      _ = try await inTurn { projection in
        let begin = environment.uptime()
        let found = change.mustCheck ? try await projection.changedKeys() : []
        checking.withLock { checking in checking = environment.uptime() - begin }
        return try await projection.fold(change.synced, found)
      }
      followingError = nil
    } catch {
      followingError = error
    }
    guard change.mustCheck else { return }
    changes.requestCheck(
      after: max(interval, checking.withLock { checking in checking * 10 }), environment.schedule)
  }

  private func fold(_ reported: [LogSetKey: Int], _ found: Set<LogSetKey>) async throws -> Int {
    var keys = found
    for (key, revision) in reported where revision > positions[key]?.revision ?? 0 {
      synced[key] = max(revision, synced[key] ?? 0)
      keys.insert(key)
    }
    guard !keys.isEmpty else { return 0 }
    let count = try await fold(keys.map(\.text))
    for (path, mark) in marks where faults[mark.key].map(Self.mayPass) ?? false { marks[path] = nil }
    return count
  }

  /// Whether a log may be readable later without a change of its files.
  private static func mayPass(_ error: any Error) -> Bool {
    switch (error as? LogError)?.code {
    case .damaged, .pruned, .wrongModel, .unsupportedFormat: false
    default: true
    }
  }

  /// Returns the logs whose files have changed since the last check.
  private func changedKeys() async throws -> Set<LogSetKey> {
    let resources = set.configuration.recording.log.environment.resources
    let found = try await resources.run(priority: .utility) { [folder = set.folder, marks] in
      try folder.marks(after: marks)
    }
    var changed: Set<LogSetKey> = []
    for (path, mark) in found where marks[path] != mark { changed.insert(mark.key) }
    // Logs that were removed. A removed log that was read already has an error.
    let present = Set(found.values.map(\.key))
    for key in positions.keys where !present.contains(key) && faults[key] == nil { changed.insert(key) }
    marks = found
    return changed
  }
}

// MARK: - Waiting

extension LogSetProjection {
  /// Waits until a revision of a log is folded, for instance that of a receipt: then the projection includes the caller's own action.
  ///
  /// ```swift
  /// let receipt = try await shops.withStore(for: "alice") { store in
  ///   try await store.dispatch(action: .placed(order), awaiting: .synced)
  /// }
  /// try await sales.caughtUp(to: receipt.revision, of: "alice")
  /// ```
  ///
  /// It reads the log at once. If the revision is not durable yet, a projection that does not follow its logs needs further calls of
  /// ``refresh(_:)``.
  ///
  /// - Parameters:
  ///   - revision: The revision, which may not exist yet.
  ///   - key: The log.
  /// - Throws: The error of the log (``failures``); `LogError.Code.closed` if the projection is closed; `CancellationError`; as
  ///   ``refresh(_:)``.
  public func caughtUp(to revision: Int, of key: String) async throws {
    let bytes = LogSetKey(key)
    func isFolded() -> Bool { positions[bytes]?.revision ?? 0 >= revision }
    // Before the first refresh, the positions of a snapshot are not compared with the logs.
    if version == 0 || !isFolded() { try await refresh([key]) }
    while true {
      let turn = turns.current
      if let fault = faults[bytes] { throw fault }
      if isFolded() { return }
      if isClosed { throw closed }
      try Task.checkCancellation()
      await turns.wait(after: turn)
    }
  }

  /// Waits until everything is folded that was durable in the logs at the time of the call.
  ///
  /// It reads all logs at once, whether the projection follows them or not.
  ///
  /// - Throws: The error of the first log that could not be read, in the order of the keys (``failures``). The actions of the others
  ///   are folded. `LogError.Code.closed` if the projection is closed; as ``refresh(_:)``.
  public func caughtUp() async throws {
    if isClosed { throw closed }
    try await refresh()
    if let fault = faults.min(by: { one, other in one.key < other.key }) { throw fault.value }
  }

  private var closed: LogError {
    LogError(.closed, "\(P.identity) of the set was closed", path: set.path, advice: "Open it again.")
  }

  /// The latest states, from the current one on. A consumer that is slower than the projection misses states, and never gets an
  /// older one. There are none before the first refresh and while one is in progress.
  ///
  /// The sequence ends when the projection is closed. Each iteration is independent.
  public nonisolated var states: ProjectionStates<P> { ProjectionStates { version in await self.next(after: version) } }

  private func next(after version: Int) async -> (state: P.State, revision: Int)? {
    while !isClosed, !Task.isCancelled {
      let turn = turns.current
      if self.version > max(version, 0) { return (state, self.version) }
      await turns.wait(after: turn)
    }
    return nil
  }
}

/// A counter with callers that wait for the next count.
final class TurnCounter: Sendable {
  private struct Contents: Sendable {
    var count = 0
    var lastID = 0
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    var canceled: Set<Int> = []
  }

  private let contents = Locked(Contents())

  var current: Int { contents.withLock { contents in contents.count } }

  func advance() {
    let waiters = contents.withLock { contents in
      contents.count += 1
      defer { contents.waiters = [:] }
      return contents.waiters.values
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Waits for a higher count, or until the task is canceled.
  func wait(after count: Int) async {
    let id = contents.withLock { contents in
      contents.lastID += 1
      return contents.lastID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDone = contents.withLock { contents in
          if contents.canceled.remove(id) != nil || contents.count > count { return true }
          contents.waiters[id] = continuation
          return false
        }
        if isDone { continuation.resume() }
      }
    } onCancel: {
      let waiter = contents.withLock { contents in
        let waiter = contents.waiters.removeValue(forKey: id)
        if waiter == nil { contents.canceled.insert(id) }
        return waiter
      }
      waiter?.resume()
    }
    // A cancellation after the end of the wait leaves its mark.
    contents.withLock { contents in _ = contents.canceled.remove(id) }
  }
}

// MARK: - Changes

/// The projections that follow the logs of a set. They are not kept alive.
final class LogSetFollowers: Sendable {
  private struct Follower: Sendable {
    weak var changes: LogSetChanges?
  }

  private let followers = Locked<[Follower]>([])

  func add(_ changes: LogSetChanges) {
    followers.withLock { followers in
      followers.removeAll { follower in follower.changes == nil }
      followers.append(Follower(changes: changes))
    }
  }

  /// Notes that a writer has synced a log. Does not block.
  func note(_ key: String, _ revision: Int) {
    let followers = followers.withLock { followers in followers }
    guard !followers.isEmpty else { return }
    let key = LogSetKey(key)
    for follower in followers { follower.changes?.note(key, revision) }
  }
}

/// The changes of the logs of a set that a projection has not taken yet.
final class LogSetChanges: Sendable {
  struct Change: Sendable {
    var synced: [LogSetKey: Int] = [:]
    var mustCheck = false

    var isEmpty: Bool { synced.isEmpty && !mustCheck }
  }

  private struct Contents: Sendable {
    var change = Change()
    var isEnded = false
    var cancelTimer: (@Sendable () -> Void)?
  }

  private let contents = Locked(Contents())
  private let signal = WakeSignal()

  func note(_ key: LogSetKey, _ revision: Int) {
    contents.withLock { contents in contents.change.synced[key] = max(revision, contents.change.synced[key] ?? 0) }
    signal.notify()
  }

  func requestCheck() {
    contents.withLock { contents in contents.change.mustCheck = true }
    signal.notify()
  }

  func requestCheck(after delay: Duration, _ schedule: LogEnvironment.Schedule) {
    guard !contents.withLock({ contents in contents.isEnded }) else { return }
    let cancel = schedule(delay) { [weak self] in self?.requestCheck() }
    let isEnded = contents.withLock { contents in
      if !contents.isEnded { contents.cancelTimer = cancel }
      return contents.isEnded
    }
    if isEnded { cancel() }
  }

  /// Waits for changes, and takes them; `nil` at the end.
  func next() async -> Change? {
    while true {
      let (change, isEnded) = contents.withLock { contents in
        defer { contents.change = Change() }
        return (contents.change, contents.isEnded)
      }
      if isEnded { return nil }
      if !change.isEmpty { return change }
      await signal.wait()
    }
  }

  func end() {
    let cancel = contents.withLock { contents in
      contents.isEnded = true
      return contents.cancelTimer
    }
    cancel?()
    signal.notify()
  }
}

/// The end of a log as its files show it, without reading its actions.
struct LogSetMark: Equatable, Sendable {
  var key: LogSetKey
  /// The contents of `HEAD`; `nil` if there are none.
  var head: LogHead?
  /// The length of the last segment; `nil` if it is unknown. It grows with actions that are not synced.
  var segmentBytes: Int?
}

extension LogSetFolder {
  /// Returns the ends of all logs by their paths. Blocks.
  func marks(after known: [String: LogSetMark]) throws(LogError) -> [String: LogSetMark] {
    var marks: [String: LogSetMark] = [:]
    for location in try locations() {
      let path = location.path
      let key: LogSetKey
      if let mark = known[path] {
        key = mark.key
      } else {
        guard let found = try self.key(at: location) else { continue }
        key = LogSetKey(found)
      }
      do throws(FileSystemError) { marks[path] = try mark(of: key, at: path) } catch {
        // A log that cannot be examined differs from every other mark, so that it is read, and reports the reason.
        marks[path] = LogSetMark(key: key)
      }
    }
    return marks
  }

  private func mark(of key: LogSetKey, at path: String) throws(FileSystemError) -> LogSetMark {
    var mark = LogSetMark(key: key)
    let headPath = path + "/" + LogFormat.headName
    if try fileSystem.status(of: headPath) != nil {
      mark.head = LogHead(parsing: try fileSystem.contents(of: headPath, limitBytes: LogFormat.headSizeBytes))
    }
    // It is only a hint, so a log may have none.
    let named = mark.head == nil ? try fileSystem.names(in: path).compactMap(SegmentName.first).max() : nil
    guard let segment = mark.head?.segment ?? named else { return mark }
    mark.segmentBytes = try fileSystem.status(of: path + "/" + SegmentName.text(first: segment))?.sizeBytes
    return mark
  }
}
