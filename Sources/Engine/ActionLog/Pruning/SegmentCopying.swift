internal import Platform

/// Copies sealed segments between a log and its archive, and proves that the copies are the recorded ones.
struct SegmentCopying {
  let fileSystem: any LogFileSystem
  /// The message of errors, for example `the segments cannot be archived`.
  let failure: String

  /// Copies segments to a directory under their own names. Each gets its name when it is complete, durable and compared.
  ///
  /// A file that has the name and the recorded digest is kept: an earlier attempt made it, or a person. It is made durable, too: nobody
  /// else may have synced it, and the other copy is removed next.
  ///
  /// - Parameters:
  ///   - segments: The files to copy.
  ///   - expected: The digests of the files, in the same order.
  ///   - directory: The target.
  ///   - makesDirectory: Whether to create the target if it does not exist. Its parent must exist.
  /// - Throws: ``LogError`` with code `exists` if another file has the name of a segment, `damaged` if a file does not have its digest,
  ///   `noSpace`, `inputOutput`.
  /// - Complexity: O(length of the segments); memory O(1).
  func copy(
    _ segments: [LogFolder.Segment], _ expected: [PruneRecord.Segment], to directory: String, makesDirectory: Bool
  ) throws(LogError) {
    do throws(FileSystemError) {
      if makesDirectory, try fileSystem.status(of: directory) == nil { try fileSystem.createDirectory(directory) }
      // An earlier attempt may have been killed before the name was durable.
      if makesDirectory { try fileSystem.syncDirectory(LogFolder.parent(of: directory)) }
    } catch {
      throw LogError.making(error, failure, path: directory)
    }
    for (segment, recorded) in zip(segments, expected) {
      let target = directory + "/" + SegmentName.text(first: segment.first)
      if try exists(target) {
        guard try syncedDigest(of: target) == recorded.sha256 else {
          throw LogError(
            .exists, "\(failure): another file has the name of a segment", path: target,
            intact: "Nothing was changed.", advice: "Name another directory, or move that file away.")
        }
        continue
      }
      try copy(segment.path, to: target, recorded)
    }
    do throws(FileSystemError) { try fileSystem.syncDirectory(directory) } catch {
      throw LogError.files(error, failure, path: directory)
    }
  }

  /// Makes a file durable, and returns its digest as the device has it, as far as the system drops its cache.
  private func syncedDigest(of path: String) throws(LogError) -> String {
    do throws(FileSystemError) {
      let file = try fileSystem.open(path, for: .read)
      defer { file.close() }
      try file.sync(.full)
      file.discardCache()
    } catch {
      throw LogError.files(error, failure, path: path)
    }
    return try digest(of: path)
  }

  private func exists(_ path: String) throws(LogError) -> Bool {
    do throws(FileSystemError) { return try fileSystem.status(of: path) != nil } catch {
      throw LogError.files(error, failure, path: path)
    }
  }

  private func copy(_ source: String, to target: String, _ recorded: PruneRecord.Segment) throws(LogError) {
    let unfinished = target + LogFormat.newSegmentSuffix
    do throws(FileSystemError) {
      if try fileSystem.status(of: unfinished) != nil { try fileSystem.remove(unfinished) }
      let input = try fileSystem.open(source, for: .read)
      defer { input.close() }
      let output = try fileSystem.open(unfinished, for: .create)
      defer { output.close() }
      var offset = 0
      while true {
        let bytes = try input.bytes(at: offset, count: LineScanner.defaultChunkBytes)
        if bytes.isEmpty { break }
        try output.append(bytes)
        offset += bytes.count
      }
      try output.sync(.full)
      // The comparison then reads from the device, as far as the system drops its cache.
      output.discardCache()
    } catch {
      throw LogError.making(error, failure, path: target)
    }
    guard try digest(of: unfinished) == recorded.sha256 else {
      throw LogError(
        .damaged, "\(failure): the copy of the segment is not the same", path: unfinished,
        intact: "The segment was not changed.", advice: "Check the disk, and try again.")
    }
    do throws(FileSystemError) { try fileSystem.renameWithoutReplacing(unfinished, to: target) } catch {
      throw LogError.files(error, failure, path: target)
    }
  }

  /// Returns the SHA-256 digest of a file, as 64 hexadecimal digits.
  func digest(of path: String) throws(LogError) -> String {
    var hash = SHA256()
    do throws(FileSystemError) {
      let file = try fileSystem.open(path, for: .read)
      defer { file.close() }
      var offset = 0
      while true {
        let bytes = try file.bytes(at: offset, count: LineScanner.defaultChunkBytes)
        if bytes.isEmpty { break }
        bytes.withUnsafeBytes { bytes in hash.update(bytes) }
        offset += bytes.count
      }
    } catch {
      throw LogError.files(error, failure, path: path)
    }
    return hash.digest().hexadecimal
  }
}
