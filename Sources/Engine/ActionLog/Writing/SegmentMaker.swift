/// Creates segments so that each is complete and durable before it has its name.
struct SegmentMaker {
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
    first: Int, line: ArraySlice<UInt8>
  ) throws(Failure) -> (file: any LogFile, identity: FileIdentity?) {
    let path = directory + "/" + SegmentName.text(first: first)
    let newPath = path + LogFormat.newSuffix
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
    _ newPath: String, _ line: ArraySlice<UInt8>
  ) throws(Failure) -> (any LogFile, FileIdentity?) {
    var made: (any LogFile)?
    do throws(FileSystemError) {
      // An earlier attempt may have left one.
      if try fileSystem.status(of: newPath) != nil { try fileSystem.remove(newPath) }
      let file = try fileSystem.open(newPath, for: .create)
      made = file
      try file.append(Array(line))
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
