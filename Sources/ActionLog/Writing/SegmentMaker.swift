/// Makes segments so that each is whole and durable before it has its name.
struct SegmentMaker {
  /// Why a segment could not be made.
  struct Failure: Error {
    var error: FileSystemError
    /// Whether the new segment may nevertheless exist after a crash, so that nothing may be appended to the old one.
    var isUncertain: Bool
  }

  let fileSystem: any LogFileSystem
  let directory: String
  let strength: SynchronizationStrength

  /// Writes the first line to `NAME.new`, synchronises it, renames it and synchronises the directory.
  ///
  /// - Returns: The file, open for appending.
  func make(first: Int, line: UnsafeRawBufferPointer) throws(Failure) -> any LogFile {
    let path = directory + "/" + SegmentName.text(first: first)
    let newPath = path + SegmentName.newSuffix
    let file = try writeNew(newPath, line)
    do throws(FileSystemError) {
      try fileSystem.rename(newPath, to: path)
    } catch {
      file.close()
      throw Failure(error: error, isUncertain: !abandon(newPath, andNot: path))
    }
    do throws(FileSystemError) {
      try fileSystem.synchronizeDirectory(directory)
    } catch {
      file.close()
      throw Failure(error: error, isUncertain: true)
    }
    return file
  }

  private func writeNew(_ newPath: String, _ line: UnsafeRawBufferPointer) throws(Failure) -> any LogFile {
    var made: (any LogFile)?
    do throws(FileSystemError) {
      // One may be left of an earlier attempt that could not be cleaned up.
      if try fileSystem.status(of: newPath) != nil { try fileSystem.remove(newPath) }
      let file = try fileSystem.open(newPath, for: .create)
      made = file
      try file.append(line)
      try file.synchronize(strength)
      return file
    } catch {
      made?.close()
      // Nothing refers to the file yet: whatever is left of it, the next attempt or the next writer removes.
      _ = abandon(newPath, andNot: nil)
      throw Failure(error: error, isUncertain: false)
    }
  }

  /// Removes what is left of an attempt.
  ///
  /// - Returns: Whether it is certain that nothing lies at `path`.
  private func abandon(_ newPath: String, andNot path: String?) -> Bool {
    do throws(FileSystemError) {
      if let path, try fileSystem.status(of: path) != nil { return false }
      if try fileSystem.status(of: newPath) != nil { try fileSystem.remove(newPath) }
      return true
    } catch {
      return false
    }
  }
}
