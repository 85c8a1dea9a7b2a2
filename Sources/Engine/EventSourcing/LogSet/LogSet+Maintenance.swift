import ActionLog

// Single logs of a set: their paths, and what needs a log that is not open.

extension LogSet {
  /// Returns the path of a key's log, whether it exists or not. Notices and the status of a log have the same path.
  ///
  /// - Throws: `LogError.Code.invalidArgument` for a key that does not have 1 to 1 024 bytes.
  public func path(for key: String) throws -> String { try folder.location(of: key).path }

  /// Closes the log of a key when its last lease ends, if it is open. The next request opens it again.
  ///
  /// - Throws: The error of the log, if it cannot be closed; as ``withClosedLog(for:isolation:_:)``.
  public func close(_ key: String) async throws {
    let path = try path(for: key)
    guard table.contains(path) else { return }
    try await keepClosed(path).release()
  }

  /// Calls `body` while the log of a key is closed, for instance to redact, prune or verify it.
  ///
  /// Waits until the last lease ends, and closes the log if it is open. Requests for it wait until `body` returns; the next one opens
  /// it again. Other processes are not kept out: what changes a log acquires its lock.
  ///
  /// - Parameters:
  ///   - key: The key. The log need not exist.
  ///   - isolation: The actor that `body` runs on: that of the caller.
  ///   - body: Receives the path of the log.
  /// - Throws: `LogError`: `invalidArgument` for the key, or if the task would wait forever, because it runs with a lease of the log, or
  ///   keeps it closed already; `closed` if the set was closed; the error of the log if it cannot be closed. `CancellationError`; the
  ///   error of `body`.
  public func withClosedLog<Result: Sendable>(
    for key: String, isolation: isolated (any Actor)? = #isolation, _ body: (_ path: String) async throws -> Result
  ) async throws -> Result {
    let path = try path(for: key)
    let hold = try await keepClosed(path)
    defer { hold.release() }
    return try await LogSetHold.$current.withValue(hold.nested) { try await body(path) }
  }

  /// Removes the log of a key with its snapshots, positions and proofs, when its last lease ends.
  ///
  /// After a crash, the log is complete or gone: what is left of it then is removed when the set is opened the next time. A later
  /// request for the key creates a new log. Copies elsewhere, such as backups, mirrors and the read models of subscriptions, are not
  /// removed. A consumer whose handler runs meanwhile stores nothing afterward, neither here nor in a log that has the key by then.
  ///
  /// - Throws: `LogError`: `notFound` if there is no log, `locked` if another process has it open, `damaged` for the log of another key
  ///   in its place, `inputOutput` if it was not removed completely: the next removal or opening continues. As
  ///   ``withClosedLog(for:isolation:_:)``.
  public func remove(_ key: String) async throws {
    let location = try folder.location(of: key)
    let hold = try await keepClosed(location.path)
    defer { hold.release() }
    let environment = configuration.recording.log.environment
    try await environment.resources.run { [folder, fileSystem] in
      if let found = try Self.key(ofLogAt: location.path, fileSystem), !found.utf8.elementsEqual(key.utf8) {
        throw Self.misplaced(found, key, location.path)
      }
      try folder.remove(location, suffix: environment.makeLogID())
    }
  }

  /// Returns the key in a log's header; `nil` if it has none, or cannot be read: a damaged log can be removed, too.
  private static func key(ofLogAt path: String, _ fileSystem: any LogFileSystem) throws(LogError) -> String? {
    do throws(LogError) { return try LogReader.open(at: path, fileSystem: fileSystem).header.key } catch {
      guard error.code != .inputOutput else { throw error }
      return nil
    }
  }

  /// The number of tasks that wait for a log or a slot.
  package var waiterCount: Int { table.waiterCount }

  private func keepClosed(_ path: String) async throws -> LogSetHold {
    try await table.keepClosed(path)
    return LogSetHold(of: path, in: table)
  }
}

extension LogSetHold {
  /// The holds of a closure that runs with this one.
  var nested: [(hold: LogSetHold, task: Int?)] { LogSetHold.current + [(self, LogSetHold.task)] }
}
