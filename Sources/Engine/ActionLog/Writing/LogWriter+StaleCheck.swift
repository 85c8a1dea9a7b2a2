internal import Platform

// A writer is stale when its log was replaced or another writer continued it: a network file system can lose a lock,
// and a directory can be replaced by a copy while its files are open. Lengths alone do not reveal that, so these
// checks compare the identities of the open files with the files at their paths.

extension LogWriter {
  /// Checks whether the directory and the segment are still at their paths and no later segment exists.
  ///
  /// Runs only next to a sync, which takes a hundred times as long: before `HEAD` is written and units are
  /// acknowledged, and before a segment is begun. The caller holds `syncing`.
  ///
  /// - Returns: The error that describes the change; `nil` if there is none.
  /// - Throws: If a check fails, which proves nothing either way.
  func findDisplacement() throws(FileSystemError) -> LogError? {
    let (path, identity, position, needsDirectoryCheck) = state.withLock { state in
      (state.path, state.identity, state.written, state.needsDirectoryCheck)
    }
    if let found = try replacement(of: directoryLock.identity, at: self.path) {
      return LogError.displaced("the log's directory", found, path: self.path)
    }
    if let found = try replacement(of: identity, at: path) {
      return LogError.displaced("the segment", found, path: path)
    }
    guard needsDirectoryCheck else { return try laterSegment(than: position) }
    // Batches written during this check are not covered by it.
    state.withLock { state in state.needsDirectoryCheck = false }
    do throws(FileSystemError) {
      return try laterSegment(thanAny: position)
    } catch {
      state.withLock { state in state.needsDirectoryCheck = true }
      throw error
    }
  }

  /// Verifies that readers of the log's path read what this writer wrote.
  ///
  /// - Throws: ``LogError`` with code `failed` if the log was replaced, and nothing more is written; `inputOutput` if
  ///   the check failed.
  package func confirmNotStale() throws(LogError) {
    // A roll holds this lock, too, so that a segment that was just begun is this writer's own.
    let change = try syncing.withLock { (_) throws(LogError) -> LogError? in
      do throws(FileSystemError) { return try findDisplacement() } catch {
        throw LogError.files(error, "the check whether the log is still at its path failed", path: path)
      }
    }
    guard let change else { return }
    fail(change)
    throw change
  }

  /// Detects a later segment that was begun at any time since the last check. Its name need not follow from this
  /// writer's present position.
  private func laterSegment(thanAny position: WriterPosition) throws(FileSystemError) -> LogError? {
    for name in try fileSystem.names(in: path) {
      guard let first = SegmentName.first(of: name), first > position.segment else { continue }
      let next = path + "/" + name
      guard let occupant = try fileSystem.status(of: next) else { continue }
      return LogError.pathTaken(by: occupant, path: next, lastRevision: first - 1)
    }
    return nil
  }

  /// Detects that another writer sealed the active segment: the only change that leaves the segment's length as it
  /// was.
  func laterSegment(than position: WriterPosition) throws(FileSystemError) -> LogError? {
    // A segment without an action is never followed by another one, which would have the same name.
    guard position.holdsAction else { return nil }
    let next = path + "/" + SegmentName.text(first: position.revision + 1)
    guard let occupant = try fileSystem.status(of: next) else { return nil }
    return LogError.pathTaken(by: occupant, path: next, lastRevision: position.revision)
  }

  fileprivate enum Replacement {
    case isMissing, isAnother
  }

  private func replacement(of held: FileIdentity?, at path: String) throws(FileSystemError) -> Replacement? {
    let status: FileStatus?
    do throws(FileSystemError) { status = try fileSystem.status(of: path) } catch {
      // A path below a file does not exist.
      guard error.code == .notADirectory else { throw error }
      return .isMissing
    }
    guard let status else { return .isMissing }
    guard let held, let found = status.identity else { return nil }
    return held == found ? nil : .isAnother
  }
}

extension LogError {
  /// The error for an occupied path of the next segment.
  static func pathTaken(
    by occupant: FileStatus, path: String, lastRevision: Int, underlying: FileSystemError? = nil
  ) -> LogError {
    let kind =
      switch occupant.kind {
      case .file: "a file of \(occupant.sizeBytes) bytes"
      case .directory: "a directory"
      case .other: "a special file"
      }
    return LogError(
      .failed, "\(kind) already exists at the path of the next segment", path: path,
      revision: lastRevision + 1,
      intact: "It was not changed, and this writer writes nothing more: the log ends with action \(lastRevision).",
      advice:
        "Run \(.verify) to check whether another writer made it; if not, move it away and reopen the log.",
      underlying: underlying)
  }

  /// The error for a log that is no longer at its path.
  fileprivate static func displaced(_ subject: String, _ found: LogWriter.Replacement, path: String) -> LogError {
    let message =
      switch found {
      case .isMissing: "\(subject) is no longer at its path: it was moved or removed"
      case .isAnother: "\(subject) was replaced: its path no longer leads to what this writer has open"
      }
    return LogError(
      .failed, message, path: path,
      advice: "This writer writes nothing more. Unacknowledged actions may be in what was moved away: check both with"
        + " \(.verify) before a log is opened there again.")
  }
}
