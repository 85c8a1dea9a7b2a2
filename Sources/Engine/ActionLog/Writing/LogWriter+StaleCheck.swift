internal import Platform

// A lock can be forgotten (by a network file system, say), and a directory can be exchanged for a copy while a writer has its
// files open: their lengths alone do not show it. So what lies at the paths is compared with what is open.

extension LogWriter {
  /// Notices that the log is no longer the one that is open here.
  ///
  /// It is asked where a sync has been made anyway, which takes a hundred times as long: before `HEAD` is written and
  /// anything is acknowledged, and before a segment is begun. Who asks holds `syncing`.
  ///
  /// - Returns: What is wrong; `nil` when the directory and the segment lie at their paths, and no later segment does.
  /// - Throws: When a look fails, which says nothing either way.
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
    // What is written meanwhile is not covered by this look.
    state.withLock { state in state.needsDirectoryCheck = false }
    do throws(FileSystemError) {
      return try laterSegment(thanAny: position)
    } catch {
      state.withLock { state in state.needsDirectoryCheck = true }
      throw error
    }
  }

  /// Makes sure that what is read at the log's path is what this writer has written.
  ///
  /// - Throws: ``LogError`` with code `failed` when the log is another one by now, and nothing more is written then; `inputOutput`
  ///   when that could not be seen.
  package func confirmNotStale() throws(LogError) {
    // Whoever rolls holds this, too: a segment that is just begun is our own.
    let change = try syncing.withLock { (_) throws(LogError) -> LogError? in
      do throws(FileSystemError) { return try findDisplacement() } catch {
        throw LogError.files(error, "whether the log is still at its path could not be seen", path: path)
      }
    }
    guard let change else { return }
    fail(change)
    throw change
  }

  /// Notices a later segment that was begun at any time since the last look: this writer has gone on from where that was, so that
  /// its name does not follow from where this one stands.
  private func laterSegment(thanAny position: WriterPosition) throws(FileSystemError) -> LogError? {
    for name in try fileSystem.names(in: path) {
      guard let first = SegmentName.first(of: name), first > position.segment else { continue }
      let next = path + "/" + name
      guard let occupant = try fileSystem.status(of: next) else { continue }
      return LogError.taken(by: occupant, path: next, lastSeq: first - 1)
    }
    return nil
  }

  /// Notices that another writer has sealed the segment that this one would append to: it is the one change that leaves the
  /// segment's length as it was.
  func laterSegment(than position: WriterPosition) throws(FileSystemError) -> LogError? {
    // Before the first action of a segment nobody begins another one, which would have the same name.
    guard position.holdsAction else { return nil }
    let next = path + "/" + SegmentName.text(first: position.seq + 1)
    guard let occupant = try fileSystem.status(of: next) else { return nil }
    return LogError.taken(by: occupant, path: next, lastSeq: position.seq)
  }

  fileprivate enum Replacement {
    case isMissing, isAnother
  }

  private func replacement(of held: FileIdentity?, at path: String) throws(FileSystemError) -> Replacement? {
    let status: FileStatus?
    do throws(FileSystemError) { status = try fileSystem.status(of: path) } catch {
      // Nothing can lie below what is no directory.
      guard error.code == .notADirectory else { throw error }
      return .isMissing
    }
    guard let status else { return .isMissing }
    guard let held, let found = status.identity else { return nil }
    return held == found ? nil : .isAnother
  }
}

extension LogError {
  /// The error for something that lies where the next segment is to be.
  static func taken(
    by occupant: FileStatus, path: String, lastSeq: Int, underlying: FileSystemError? = nil
  ) -> LogError {
    let what =
      switch occupant.kind {
      case .file: "a file of \(occupant.sizeBytes) bytes"
      case .directory: "a directory"
      case .other: "something that is neither a file nor a directory"
      }
    return LogError(
      .failed, "\(what) lies where the next segment is to be, and not of this writer's making", path: path,
      seq: lastSeq + 1,
      advice:
        "It was left as it is, and nothing more is written: what comes after action \(lastSeq) is not in the log. Run"
        + " 'action-log verify' to see whether it is another writer's; if it is not, move it away and open the log anew.",
      underlying: underlying)
  }

  /// The error for a log that is not at its path any more.
  fileprivate static func displaced(_ what: String, _ found: LogWriter.Replacement, path: String) -> LogError {
    let message =
      switch found {
      case .isMissing: "\(what) is no longer at its path: it was moved or removed"
      case .isAnother: "\(what) was replaced: what lies at its path is not what this writer has open"
      }
    return LogError(
      .failed, message, path: path,
      advice: "Nothing more is written. What was not acknowledged may be in what was moved away: look at both with"
        + " 'action-log verify' before a log is opened there again.")
  }
}
