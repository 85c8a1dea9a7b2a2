/// Makes segments so that each is whole and durable before it has its name.
struct SegmentMaker {
  /// Why a segment could not be made.
  struct Failure: Error {
    var error: FileSystemError
    /// What lay at the segment's path before: it was left as it is.
    var occupant: FileStatus?
    /// Whether the new segment may nevertheless exist after a crash, so that nothing may be appended to the old one.
    var isUncertain: Bool
  }

  let fileSystem: any LogFileSystem
  let directory: String
  let strength: SynchronizationStrength

  /// Writes the first line to `NAME.new`, synchronises it, renames it and synchronises the directory. Whatever lies at the
  /// segment's path already is not replaced.
  ///
  /// - Returns: The file, open for appending, and which one it is.
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
      try fileSystem.synchronizeDirectory(directory)
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
      // One may be left of an earlier attempt that could not be cleaned up.
      if try fileSystem.status(of: newPath) != nil { try fileSystem.remove(newPath) }
      let file = try fileSystem.open(newPath, for: .create)
      made = file
      try file.append(line)
      try file.synchronize(strength)
      return (file, try file.identity())
    } catch {
      made?.close()
      // Nothing refers to the file yet: whatever is left of it, the next attempt or the next writer removes.
      _ = abandon(newPath)
      throw Failure(error: error, isUncertain: false)
    }
  }

  /// Removes what is left of an attempt, and tells what it has come to.
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

  /// Removes the file that was to become the segment.
  ///
  /// - Returns: Whether it is certain that it is gone.
  private func abandon(_ newPath: String) -> Bool {
    do throws(FileSystemError) {
      if try fileSystem.status(of: newPath) != nil { try fileSystem.remove(newPath) }
      return true
    } catch {
      return false
    }
  }
}
