internal import Platform

extension LogWriter {
  /// Syncs and seals the active segment, and begins a new one.
  func roll(_ roll: WriterQueue.Roll, _ bytes: [UInt8]) throws(WriteFailure) {
    try syncing.withLock { (head) throws(WriteFailure) in
      let (file, written, path, isSynced, failure) = state.withLock { state in
        (state.file, state.written, state.path, state.isSynced, state.failure)
      }
      // The worker's sync may have failed since the batch was queued. A second sync would succeed without proving
      // anything, because the system counts pages that it could not write as written.
      if let failure { throw .failed(failure) }
      if !isSynced, !syncFile(file, reaching: written, path, &head) {
        throw .failed(currentFailure())
      }
      try checkNotStale()
      let (made, identity) = try makeSegment(roll, bytes)
      let newPath = self.path + "/" + SegmentName.text(first: roll.after.segment)
      state.withLock { state in
        state.file = made
        state.path = newPath
        state.identity = identity
        state.written = roll.after
      }
      file.close()
      guard acknowledgeSync(roll.after, &head) else { throw .failed(currentFailure()) }
    }
  }

  /// Refuses to begin a segment if the log was replaced.
  private func checkNotStale() throws(WriteFailure) {
    let change: LogError?
    do throws(FileSystemError) { change = try findDisplacement() } catch {
      throw .rejected(LogError.rejected(error, path: path))
    }
    if let change { throw .failed(change) }
  }

  private func makeSegment(
    _ roll: WriterQueue.Roll, _ bytes: [UInt8]
  ) throws(WriteFailure) -> (any LogFile, FileIdentity?) {
    let maker = SegmentMaker(fileSystem: fileSystem, directory: path, strength: durability.strength)
    let outcome = bytes.withUnsafeBytes { bytes in
      Result { () throws(SegmentMaker.Failure) in
        try maker.make(first: roll.after.segment, line: UnsafeRawBufferPointer(rebasing: bytes[roll.line]))
      }
    }
    let name = path + "/" + SegmentName.text(first: roll.after.segment)
    do throws(SegmentMaker.Failure) {
      let made = try outcome.get()
      return (made.file, made.identity)
    } catch {
      if let occupant = error.occupant {
        throw .failed(
          LogError.pathTaken(by: occupant, path: name, lastRevision: roll.before.revision, underlying: error.error))
      }
      if error.isUncertain { throw .failed(LogError.syncFailed(error.error, path: name)) }
      throw .rejected(LogError.rejected(error.error, path: name))
    }
  }

  private func currentFailure() -> LogError {
    state.withLock { state in state.failure } ?? LogError(.failed, "a sync failed", path: path)
  }
}

/// Creates segments so that each is complete and durable before it has its name.
struct SegmentMaker {
  /// The reason why a segment could not be created.
  struct Failure: Error {
    var error: FileSystemError
    /// The status of what already exists at the segment's path; it was not changed.
    var occupant: FileStatus?
    /// Whether the new segment may exist after a crash, so that nothing may be appended to the old one.
    var isUncertain: Bool
  }

  let fileSystem: any LogFileSystem
  let directory: String
  let strength: SyncStrength

  /// Writes the first line to `NAME.new`, syncs it, renames it and syncs the directory. Replaces nothing at the
  /// segment's path.
  ///
  /// - Returns: The file, open for appending, and its identity.
  func make(
    first: Int, line: UnsafeRawBufferPointer
  ) throws(Failure) -> (file: any LogFile, identity: FileIdentity?) {
    let path = directory + "/" + SegmentName.text(first: first)
    let newPath = path + LogFormat.newSegmentSuffix
    let (file, identity) = try writeNew(newPath, line)
    do throws(FileSystemError) {
      try fileSystem.renameWithoutReplacing(newPath, to: path)
    } catch {
      file.close()
      throw failure(of: error, newPath, path)
    }
    do throws(FileSystemError) {
      try fileSystem.syncDirectory(directory)
    } catch {
      file.close()
      throw Failure(error: error, isUncertain: true)
    }
    return (file, identity)
  }

  private func writeNew(
    _ newPath: String, _ line: UnsafeRawBufferPointer
  ) throws(Failure) -> (any LogFile, FileIdentity?) {
    var made: (any LogFile)?
    do throws(FileSystemError) {
      // An earlier attempt may have left one.
      if try fileSystem.status(of: newPath) != nil { try fileSystem.remove(newPath) }
      let file = try fileSystem.open(newPath, for: .create)
      made = file
      try file.append(line)
      try file.sync(strength)
      return (file, try file.identity())
    } catch {
      made?.close()
      // Nothing refers to the file yet, and the next attempt or the next writer removes it.
      _ = abandon(newPath)
      throw Failure(error: error, isUncertain: false)
    }
  }

  /// Removes the unfinished file and determines the outcome of a failed rename.
  private func failure(of error: FileSystemError, _ newPath: String, _ path: String) -> Failure {
    do throws(FileSystemError) {
      if let occupant = try fileSystem.status(of: path) {
        guard error.code == .exists else { return Failure(error: error, isUncertain: true) }
        _ = abandon(newPath)
        return Failure(error: error, occupant: occupant, isUncertain: true)
      }
    } catch {
      return Failure(error: error, isUncertain: true)
    }
    return Failure(error: error, isUncertain: !abandon(newPath))
  }

  /// Removes the unfinished file.
  ///
  /// - Returns: Whether it is certain that the file is gone.
  private func abandon(_ newPath: String) -> Bool {
    do throws(FileSystemError) {
      if try fileSystem.status(of: newPath) != nil { try fileSystem.remove(newPath) }
      return true
    } catch {
      return false
    }
  }
}
