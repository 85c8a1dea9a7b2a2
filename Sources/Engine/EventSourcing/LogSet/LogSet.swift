public import ActionLog
import Platform

/// Many logs of one model in one directory, each with a key: one for each customer, document or device.
///
/// ```swift
/// let shops = try await LogSet<Shop>.open(at: "customers")
/// try await shops.withStore(for: "alice") { store in
///   try await store.dispatch(action: .placed(order), awaiting: .synced)
/// }
/// ```
///
/// A log is opened on demand, once, however many tasks request it, and stays open until its slot is needed for
/// another one. At most ``LogSetConfiguration/openLimit`` logs are open at the same time; the one that was not in use for
/// the longest time is closed first. While all of them are in use, callers wait. A log that is damaged, or that another
/// process has open, fails alone.
///
/// A task in ``withStore(for:_:)`` that requests a log for which it would wait forever, because
/// its own lease is in the way, gets an error.
///
/// The logs share the threads of `LogResources`, so a thousand of them need at most eight threads.
public final class LogSet<M: Model>: Sendable {
  /// The directory.
  public let path: String
  /// The configuration.
  public let configuration: LogSetConfiguration<M>

  let fileSystem: any LogFileSystem
  let folder: LogSetFolder
  let table: LogSetTable
  let followers = LogSetFollowers()

  /// The number of logs that are opened, summarized or closed at the same time.
  static var width: Int { 4 }

  private init(folder: LogSetFolder, configuration: LogSetConfiguration<M>) {
    self.path = folder.path
    self.configuration = configuration
    self.fileSystem = folder.fileSystem
    self.folder = folder
    table = LogSetTable(limit: configuration.openLimit, path: folder.path)
  }

  /// Opens a set, or creates it if the path does not exist or is an empty directory. Opens no log.
  ///
  /// Several processes can use a set at the same time; each log belongs to the one that has it open.
  ///
  /// - Throws: `LogError` with code `notALog` for a directory with other contents, `unsupportedFormat` for a set that a newer
  ///   version made, `wrongModel`, `invalidArgument` for a configuration that does not suit a set, `inputOutput`.
  public static func open(
    at path: String, configuration: LogSetConfiguration<M> = LogSetConfiguration(),
    fileSystem: any LogFileSystem = POSIXFileSystem()
  ) async throws -> LogSet {
    if case .freezeBase = configuration.recording.onDivergence {
      throw LogError(
        .invalidArgument, "the logs of a set cannot be frozen into one new log", path: path,
        advice: "Use another divergence policy, and freeze a log by itself.")
    }
    guard configuration.openLimit >= 1 else {
      throw LogError(.invalidArgument, "a set has at least one open log", path: path)
    }
    var trimmed = path[...]
    while trimmed.count > 1, trimmed.hasSuffix("/") { trimmed = trimmed.dropLast() }
    let folder = LogSetFolder(path: String(trimmed), model: M.name, fileSystem: fileSystem)
    let environment = configuration.recording.log.environment
    try await environment.resources.run {
      try folder.open(suffix: environment.makeLogID())
      if let failure = folder.finishRemovals() {
        configuration.recording.notify(.removalUnfinished(failure, log: failure.path))
      }
    }
    return LogSet(folder: folder, configuration: configuration)
  }
}

/// The configuration of a ``LogSet``.
public struct LogSetConfiguration<M: Model>: Sendable {
  /// The configuration of each log's recording.
  public var recording: RecordingConfiguration<M>
  /// The maximum number of logs that are open at the same time. Each takes two descriptors and its state's memory.
  public var openLimit: Int

  /// Creates a configuration.
  ///
  /// - Parameters:
  ///   - recording: The configuration of each log's recording.
  ///   - openLimit: The maximum number of open logs, at least 1; `nil` for what the process's limit of descriptors
  ///     allows, at most 10 000.
  public init(recording: RecordingConfiguration<M> = RecordingConfiguration(), openLimit: Int? = nil) {
    self.recording = recording
    self.openLimit = openLimit ?? LogSetLimits.openLimit(descriptors: SystemCall.descriptorLimit)
  }
}

/// The limit on open logs that follows from the limit on descriptors.
package enum LogSetLimits {
  /// A state of a few kilobytes times this number is what a process can be expected to have room for.
  private static let most = 10_000
  /// Descriptors for everything else: 64 writers that keep `HEAD` open, the files that eight threads open for a moment, and the
  /// program's own.
  private static let reserve = 192

  /// Returns the limit on open logs for a limit on descriptors; `nil` is an unknown one.
  package static func openLimit(descriptors: Int?) -> Int {
    // 256: the smallest limit that a system sets by default.
    min(most, max(1, ((descriptors ?? 256) - reserve) / 2))
  }
}

// MARK: - Logs

extension LogSet {
  /// Calls `body` on the store of a key, which stays open during the call.
  ///
  /// Up to its first `await`, `body` reads the state and dispatches without another action in between.
  ///
  /// - Parameters:
  ///   - key: The key: 1 to 1 024 bytes of any text. A log is created if there is none.
  ///   - body: Uses the store. It must not keep it.
  /// - Throws: As ``store(for:)``; the error of `body`.
  @discardableResult
  public func withStore<Result: Sendable>(
    for key: String, _ body: @Sendable (isolated LogStore<M>) async throws -> Result
  ) async throws -> Result {
    let lease = try await store(for: key)
    defer { lease.release() }
    return try await LogSetHold.$current.withValue(lease.nested) { try await body(lease.log) }
  }

  /// Opens the log of a key as a store, or returns the open one.
  ///
  /// - Parameter key: The key: 1 to 1 024 bytes of any text. A log is created if there is none.
  /// - Returns: A lease. The log stays open until it is released or deinitialized.
  /// - Throws: `LogError`: `invalidArgument` for the key; `closed` if the set was closed; the reason why this log cannot be opened,
  ///   or why another one cannot be closed to make room; `invalidArgument` if the task would wait forever, in a closure of
  ///   ``withStore(for:_:)``. ``EventSourcingError`` if the log does not fit the model. `CancellationError`.
  public func store(for key: String) async throws -> LogLease<M> {
    let location = try folder.location(of: key)
    // The path identifies the log: to Swift, the two normal forms of `é` are equal, and their logs are not.
    let member = try await table.lease(location.path) { [self] in
      makeMember(try await openSession(key, location))
    }
    guard let log = member.log as? LogStore<M> else { preconditionFailure("a set has stores of its model") }
    return LogLease(log, LogSetHold(of: location.path, in: table))
  }

  /// The number of logs that are open, being opened, or being closed.
  public var openCount: Int { table.count }

  package var isClosing: Bool { table.isClosing }

  /// Closes all logs, each when its last lease ends, and refuses later requests.
  ///
  /// Do not call it while the same task has a ``LogLease``: it waits for its end.
  ///
  /// - Throws: The error of the first log that could not be closed. The others are closed; call the method again to try again.
  ///   `LogError.Code.invalidArgument` in a closure of ``withStore(for:_:)``, for whose end it would wait.
  public func close() async throws { try await table.closeAll(width: Self.width) }

  private func makeMember(_ session: RecordingSession<M>) -> LogSetMember {
    let store = LogStore(session: session)
    return LogSetMember(
      log: store,
      isUnusable: {
        let status = session.writer.status
        return status.isClosed || status.failure != nil
      },
      isReleased: { session.writer.status.isClosed }, noteEviction: { session.writer.events?.send(.evicted) },
      close: { try await store.close() },
      abandon: { await session.abandon() })
  }

  private func openSession(_ key: String, _ location: LogSetFolder.Location) async throws -> RecordingSession<M> {
    var recording = configuration.recording
    recording.log.key = key
    // Opening reads and may fold many actions, so it uses only some of the threads.
    return try await recording.log.environment.resources.run(priority: .utility) {
      [folder, fileSystem, followers, recording] in
      try folder.prepare(location)
      let session = try RecordingSession<M>.open(
        location.path, base: nil, configuration: recording, fileSystem: fileSystem)
      let found = session.writer.opening.header.key
      guard let found, found.utf8.elementsEqual(key.utf8) else {
        session.writer.abandon()
        throw Self.misplaced(found, key, location.path)
      }
      session.progress.observe(.synced) { revision in followers.note(key, revision) }
      return session
    }
  }

  static func misplaced(_ found: String?, _ key: String, _ path: String) -> LogError {
    LogError(
      .damaged,
      found.map { found in "the log is that of the key '\(found)', not of '\(key)'" }
        ?? "the log has no key: it was not created in a set of logs", path: path,
      advice: "It is intact. Move it to where it belongs; the actions of a log without a key can be recorded again.")
  }
}

/// The right to use an open log of a ``LogSet``. The log stays open until the lease is released or deinitialized.
public final class LogLease<M: Model>: Sendable {
  /// The store. After the end of the lease it may be closed, and then refuses to record.
  public let log: LogStore<M>

  private let hold: LogSetHold

  init(_ log: LogStore<M>, _ hold: LogSetHold) { (self.log, self.hold) = (log, hold) }

  deinit { hold.release() }

  /// Ends the lease. Further calls do nothing.
  public func release() { hold.release() }

  var nested: [(hold: LogSetHold, task: Int?)] { hold.nested }
}

// MARK: - Questions

extension LogSet {
  /// Opens the history of a key's log, whether the log is open or not.
  ///
  /// - Throws: `LogError` with code `notFound` if the key has no log; as `History(at:)`.
  public func history(for key: String) async throws -> History<M> {
    let location = try folder.location(of: key)
    return try await configuration.recording.log.environment.resources.run(priority: .utility) { [fileSystem] in
      let history = try History<M>(at: location.path, fileSystem: fileSystem)
      guard let found = history.reader.header.key, found.utf8.elementsEqual(key.utf8) else {
        throw Self.misplaced(history.reader.header.key, key, location.path)
      }
      return history
    }
  }

  /// Returns the keys of all logs, in ascending order of their bytes.
  ///
  /// A long key is read from its log; a log whose key cannot be read is not in the result but in that of ``summaries()``, and so is
  /// a file in the place of a directory.
  ///
  /// - Throws: `LogError` if the directories cannot be listed: without their logs, the result would be incomplete.
  /// - Complexity: O(*n* log *n*) for *n* logs.
  public func keys() async throws -> [String] {
    try await configuration.recording.log.environment.resources.run(priority: .utility) { [folder] in
      try folder.locations().compactMap { location throws(LogError) in try folder.key(at: location) }
        .sorted { one, other in one.utf8.lexicographicallyPrecedes(other.utf8) }
    }
  }

  /// Summarizes all logs, several at a time, on threads that may block. The summaries are in no useful order; that of a log that cannot
  /// be read has the error.
  ///
  /// - Throws: `LogError` if the directories cannot be listed; `CancellationError`.
  /// - Complexity: O(length of the last segment) for each log.
  public func summaries() async throws -> [LogSummary] {
    let resources = configuration.recording.log.environment.resources
    let locations = try await resources.run(priority: .utility) { [folder] in try folder.locations() }
    return try await withThrowingTaskGroup(of: LogSummary.self) { group in
      var summaries: [LogSummary] = []
      for (index, location) in locations.enumerated() {
        if index >= Self.width, let summary = try await group.next() { summaries.append(summary) }
        try Task.checkCancellation()
        group.addTask { [folder] in await resources.run(priority: .utility) { folder.summary(of: location) } }
      }
      for try await summary in group { summaries.append(summary) }
      return summaries
    }
  }
}
