import ActionLog
import Platform

/// One state folded from the actions of all logs of a ``LogSet``.
///
/// ```swift
/// let sales = try await LogSetProjection<SalesPerDay>.open(on: shops)
/// for await state in sales.states { … }
/// ```
///
/// ``open(on:configuration:pollingInterval:)`` follows the logs until ``close()``; ``init(of:configuration:)`` makes a projection that
/// folds what is new with each ``refresh(_:)``.
///
/// The actions of one log are folded in their order. Across logs they are folded by time within a window: up to
/// ``windowLogs`` logs at a time, and up to ``windowActions`` actions of each. Beyond that, an action can be folded after a later one of
/// another log, and the order differs from one run to another. So a projection of a set must not depend on the order of actions of
/// different logs: sums, counts and sets do not.
///
/// Only durable actions are folded. The position is one revision for each log. The first refresh starts from the newest snapshot in
/// `SET/projections/NAME` that fits all its logs, and folds the actions after it.
public actor LogSetProjection<P: Projection> {
  /// The number of logs whose actions are merged by time.
  public static var windowLogs: Int { 64 }
  /// The number of actions of a log that are merged at a time. The memory of a window is bounded by both limits.
  public static var windowActions: Int { 1_024 }
  static var readingWidth: Int { 4 }
  /// The number of logs whose ends are kept open while they are followed. Each takes a descriptor.
  static var tailLimit: Int { 16 }

  /// The state after the last refresh.
  public private(set) var state = P.initialState
  /// The last folded revision of each log, by key. Keys that are equal to Swift, such as the two normal forms of `é`, share an entry.
  public var revisions: [String: Int] {
    Dictionary(positions.values.map { position in (position.key, position.revision) }, uniquingKeysWith: max)
  }
  /// The errors of the logs that could not be read by the last refresh, by key. Their later actions are not in the state; those of
  /// the other logs are.
  public var failures: [String: any Error] {
    Dictionary(faults.map { key, error in (key.text, error) }, uniquingKeysWith: { first, _ in first })
  }
  /// The snapshots that were not used, with the reasons. The actions were folded from an older one, or from the first ones.
  public private(set) var snapshotsRefused: [SnapshotRefusal] = []
  /// The error of the last snapshot that could not be taken; `nil` after a success. The state is not affected.
  public private(set) var snapshotError: (any Error)?
  /// Whether this projection takes snapshots, which is known after the first refresh. Only one projection with a name does,
  /// whatever the number of processes.
  public var takesSnapshots: Bool { lock != nil }

  /// The error of the last refresh of a projection that follows its logs, for instance if they cannot be listed; `nil` after a success.
  /// It is tried again after the polling interval.
  public internal(set) var followingError: (any Error)?

  let set: LogSet<P.Source>
  private let configuration: ProjectionConfiguration<P.State>
  private let snapshots: LogSetSnapshots<P>
  private(set) var positions: [LogSetKey: LogSetPosition] = [:]
  var faults: [LogSetKey: any Error] = [:]
  private var foldedRecords = 0
  /// The logs whose positions came from a snapshot and were not compared with the log yet, and the number in its name.
  var unverified: (keys: Set<LogSetKey>, snapshot: Int) = ([], 0)
  private var bookkeeping = SnapshotBookkeeping(lastSnapshotBytes: nil)
  private var isSnapshotDue = false
  /// Whether the state lacks actions of unknown types. No snapshot is taken of it.
  private var isIncomplete = false
  /// The logs with values in the state that were redacted since they were folded. No snapshot is taken of it.
  var redacted: Set<LogSetKey> = []
  private var latestTime = LogTime.earliest
  private var isOpen = false
  private(set) var isClosed = false
  /// The number of changes of the state that callers could see; 0 before the first refresh.
  private(set) var version = 0
  private var isChanged = true
  let turns = TurnCounter()
  /// The changes of the logs that are followed.
  let changes = LogSetChanges()
  var marks: [String: LogSetMark] = [:]
  var isFollowing = false
  var synced: [LogSetKey: Int] = [:]
  /// The ends of the logs that were read last, in this order.
  var tails: [(key: LogSetKey, tail: LogSetTail<P>)] = []
  /// The lock on the folder of the snapshots; `nil` if another projection has it or the folder cannot be used.
  private var lock: (any DirectoryLock)?
  /// The last call of ``refresh(_:)`` or ``rebuild()``, for which the next one waits.
  private var last: Task<Int, any Error>?

  typealias Portion = LogSetPortion<P>

  /// Makes a projection of a set, in the initial state. Reads nothing.
  ///
  /// - Parameters:
  ///   - set: The logs.
  ///   - configuration: When snapshots are taken, and which are kept. A policy counts the actions of all logs together.
  public init(of set: LogSet<P.Source>, configuration: ProjectionConfiguration<P.State> = ProjectionConfiguration()) {
    self.set = set
    self.configuration = configuration
    snapshots = LogSetSnapshots(of: set.folder)
  }

  deinit { changes.end() }

  /// Folds what was added to the logs since the last call.
  ///
  /// - Parameter keys: The logs to read; `nil` for all. Reading a log takes opening it, so name those that changed if they are known.
  ///   All are read if a snapshot turns out not to fit one of them.
  /// - Returns: The number of folded actions.
  /// - Throws: `LogError` if the logs cannot be listed, or the name of the projection cannot be that of a folder;
  ///   `CancellationError`. The error of a single log is in ``failures``.
  /// - Complexity: O(number of logs + new actions), and O(size of the state) if a snapshot is due.
  @discardableResult
  public func refresh(_ keys: [String]? = nil) async throws -> Int {
    try await inTurn { projection in try await projection.fold(keys) }
  }

  /// Removes the snapshots, and folds all logs again from their first actions.
  ///
  /// - Returns: The number of folded actions.
  /// - Throws: As ``refresh(_:)``; `LogError` with code `pruned` if a log was pruned. Nothing is removed then, because its first
  ///   actions are only in the state and in the snapshots.
  @discardableResult
  public func rebuild() async throws -> Int {
    try await inTurn { projection in
      try await projection.checkForFirstActions()
      try await projection.startOver()
      return try await projection.fold(nil)
    }
  }

  /// Stops following the logs, waits for the calls in progress, ends ``states``, and releases the folder of the snapshots. A later
  /// refresh takes no snapshots.
  public func close() async {
    changes.end()
    do {
      _ = try await inTurn { projection in
        projection.release()
        return 0
      }
    } catch {
      // Impossible: releasing does not throw.
    }
  }

  private func release() {
    isClosed = true
    tails = []
    lock?.unlock()
    lock = nil
  }

  func inTurn(
    _ body: @escaping @Sendable (isolated LogSetProjection) async throws -> Int
  ) async throws -> Int {
    let previous = last
    let task = Task {
      // One after the other: both would fold the same actions, and a fold in progress must not continue in another state.
      _ = await previous?.result
      defer { endTurn() }
      return try await body(self)
    }
    last = task
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  private func endTurn() {
    if isOpen, isChanged {
      version += 1
      isChanged = false
    }
    turns.advance()
  }
}

// MARK: - Folding

extension LogSetProjection {
  func fold(_ keys: [String]?) async throws -> Int {
    try await open()
    var keys = keys
    while true {
      do { return try await foldOnce(keys) } catch let refusal as SnapshotRefusal {
        await discardSnapshot(refusal)
        // The state is older now, or the initial one: the other logs have to be read, too.
        keys = nil
      }
    }
  }

  /// - Throws: ``SnapshotRefusal`` if a log does not continue the position of a snapshot.
  private func foldOnce(_ keys: [String]?) async throws -> Int {
    let all: Set<LogSetKey>
    if let keys {
      all = Set(keys.map(LogSetKey.init))
    } else {
      // A log that was removed since is no longer listed.
      all = Set(try await set.keys().map(LogSetKey.init)).union(positions.keys)
    }
    var count = 0
    var rest = all.sorted()[...]
    while !rest.isEmpty {
      var window = Array(rest.prefix(Self.windowLogs))
      rest = rest.dropFirst(Self.windowLogs)
      while !window.isEmpty {
        let portions = try await read(window)
        count += apply(portions)
        if isSnapshotDue { await takeSnapshot() }
        window = portions.filter { _, portion in portion.hasMore }.map(\.key)
      }
    }
    return count
  }

  private func apply(_ portions: [(key: LogSetKey, portion: Portion)]) -> Int {
    var merged: [(time: Int64, action: Portion.Action, lineBytes: Int)] = []
    var recordCount = foldedRecords
    for (key, portion) in portions {
      if portion.position.revision >= synced[key] ?? 0 { synced[key] = nil }
      foldedRecords += portion.position.revision - (positions[key]?.revision ?? 0)
      positions[key] = portion.position
      isIncomplete = isIncomplete || portion.isOpaque
      // A clock that was set back does not change the order of a log.
      var latest = Int64.min
      for (action, lineBytes) in portion.actions {
        latest = max(latest, action.time.microseconds)
        merged.append((latest, action, lineBytes))
      }
    }
    let order = merged.indices.sorted { first, second in
      // The index keeps the order of actions of a log with the same time.
      (merged[first].time, first) < (merged[second].time, second)
    }
    isChanged = isChanged || !merged.isEmpty
    for index in order {
      let (_, action, lineBytes) = merged[index]
      P.apply(action, to: &state)
      latestTime = max(latestTime, action.time)
      guard lineBytes > 0 else { continue }
      recordCount += 1
      bookkeeping.count(actions: 1, lineBytes: lineBytes)
      guard !isSnapshotDue, lock != nil else { continue }
      let occasion = bookkeeping.occasion(at: recordCount) { [state] in state }
      isSnapshotDue = configuration.snapshots.isDue(at: occasion)
    }
    return merged.count
  }
}

// MARK: - Snapshots

extension LogSetProjection {
  func open() async throws {
    guard !isOpen else { return }
    try P.identity.check(path: set.path)
    isOpen = true
    if !isClosed { (lock, snapshotError) = await BlockingWork.run { [snapshots] in snapshots.lock() } }
    await restore(below: .max)
  }

  /// Loads the newest usable snapshot with a smaller number, or the initial state.
  private func restore(below bound: Int) async {
    let found = await BlockingWork.run { [snapshots] in snapshots.newest(below: bound) }
    snapshotsRefused += found.refusals
    let fold = found.snapshot?.fold
    state = fold?.state ?? P.initialState
    latestTime = found.snapshot?.time ?? .earliest
    positions = Dictionary(
      fold?.positions.map { position in (LogSetKey(position.key), position) } ?? [], uniquingKeysWith: { $1 })
    foldedRecords = found.snapshot?.number ?? 0
    unverified = (Set(positions.keys), found.snapshot?.number ?? 0)
    (faults, tails, isChanged) = ([:], [], true)
    (isIncomplete, isSnapshotDue, redacted) = (false, false, [])
    bookkeeping = SnapshotBookkeeping(lastSnapshotBytes: found.snapshot?.sizeBytes)
  }

  /// Throws if the first actions of a log are gone. A log that cannot be read is reported by the fold.
  private func checkForFirstActions() async throws {
    for key in try await set.keys() {
      try Task.checkCancellation()
      let base: LogBase?
      do {
        let source = try await set.history(for: key)
        base = try await BlockingWork.run { () throws(LogError) in try source.reader.listing().base }
      } catch is LogError { continue }
      if let base { throw Portion.pruned(key, after: 0, base, path: set.path) }
    }
  }

  private func startOver() async throws {
    try await open()
    if lock != nil {
      do { try await BlockingWork.run { [snapshots] in try snapshots.store.removeAll() } } catch {
        snapshotError = error
      }
    }
    await restore(below: 0)
  }

  func refusal(_ code: SnapshotRefusal.Code, _ message: String) -> SnapshotRefusal {
    SnapshotRefusal(
      code, message, path: snapshots.store.path(at: unverified.snapshot),
      revision: unverified.snapshot)
  }

  /// Continues from an older snapshot or the initial state. The refused one is removed: it has actions that the logs do not have, or
  /// values that were erased from them.
  private func discardSnapshot(_ refusal: SnapshotRefusal) async {
    snapshotsRefused.append(refusal)
    if lock != nil {
      do {
        try await BlockingWork.run { [snapshots] in try snapshots.store.remove(at: refusal.revision) }
      } catch {
        snapshotError = error
      }
    }
    await restore(below: refusal.revision)
  }

  private func takeSnapshot() async {
    isSnapshotDue = false
    guard lock != nil, !isIncomplete else { return }
    // Even if it cannot be taken, so that it is not tried again after every action.
    bookkeeping.restartCount()
    if let key = redacted.min() {
      snapshotError = LogError(
        .rejected,
        "values of the log of the key '\(key.text)' were redacted since it was folded, so no snapshot is taken",
        path: snapshots.store.directory, advice: "Rebuild the projection, or make it again.")
      return
    }
    let fold = LogSetFold(
      positions: positions.sorted { one, other in one.key < other.key }.map(\.value).filter { $0.revision > 0 },
      state: state)
    let (number, time) = (foldedRecords, latestTime)
    do {
      bookkeeping.lastSnapshotBytes = try await BlockingWork.run { [snapshots, retention = configuration.retention] in
        try snapshots.publish(fold, number: number, time: time, retention)
      }
      snapshotError = nil
    } catch {
      snapshotError = error
    }
  }
}
