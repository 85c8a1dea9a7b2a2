internal import Platform

/// Copies sealed segments between a log and its archive, and proves that the copies are the recorded ones.
struct SegmentCopying {
  let fileSystem: any LogFileSystem
  /// The message of errors, for example `the segments cannot be archived`.
  let failure: String

  /// Copies segments to an archive under their own names. Each gets its name when it is complete, durable and compared.
  ///
  /// A file that has the name and the recorded digest is kept: it was there before, for example from an earlier attempt. It is made
  /// durable, too, because the segment is removed next.
  ///
  /// - Parameters:
  ///   - segments: The files to copy.
  ///   - expected: The digests of the files, in the same order.
  ///   - directory: The archive, which is created if it does not exist. Its parent must exist.
  /// - Throws: ``LogError`` with code `exists` if another file has the name of a segment, `invalidArgument` if the segment itself has it,
  ///   `damaged` if a file does not have its digest, `noSpace`, `inputOutput`.
  /// - Complexity: O(length of the segments); memory O(1).
  func archive(
    _ segments: [LogFolder.Segment], _ expected: [PruneRecord.Segment], to directory: String
  ) throws(LogError) {
    let isMissing = try !isDirectory(directory)
    try LogError.making(failure, at: directory) { () throws(FileSystemError) in
      if isMissing { try fileSystem.createDirectory(directory) }
      // An earlier attempt may have been killed before the name was durable.
      try fileSystem.syncDirectory(LogFolder.parent(of: directory))
    }
    for (segment, recorded) in zip(segments, expected) {
      let target = directory + "/" + SegmentName.text(first: segment.first)
      if try isKept(target, recorded) {
        try checkIsCopy(target, of: segment)
        continue
      }
      try makeCopy(of: segment.path, as: target, recorded, like: nil)
      try name([target])
    }
    try LogError.files(failure, at: directory) { () throws(FileSystemError) in try fileSystem.syncDirectory(directory) }
  }

  /// Checks that segments can be archived in a directory. Changes nothing.
  ///
  /// - Throws: As ``archive(_:_:to:)``.
  /// - Complexity: O(length of the segments whose names the directory has).
  func check(_ segments: [LogFolder.Segment], to directory: String) throws(LogError) {
    guard try isDirectory(directory) else {
      try LogError.making(failure, at: directory) { () throws(FileSystemError) in
        _ = try fileSystem.names(in: LogFolder.parent(of: directory))
      }
      return
    }
    for segment in segments {
      let target = directory + "/" + SegmentName.text(first: segment.first)
      guard try exists(target) else { continue }
      try checkIsCopy(target, of: segment)
      guard try digest(of: target) == digest(of: segment.path) else { throw otherFile(target) }
    }
  }

  /// Copies archived segments into a log. They get their names when all are complete, durable and compared, the last segment first.
  ///
  /// Until then an interruption leaves only files that the next writer removes. Files that have the name and the recorded digest
  /// are kept.
  ///
  /// - Parameter model: A file of the log, whose permissions and owner the segments get.
  /// - Throws: As ``archive(_:_:to:)``.
  /// - Complexity: O(length of the segments); memory O(1).
  func putBack(
    _ segments: [LogFolder.Segment], _ expected: [PruneRecord.Segment], in log: String, like model: String
  ) throws(LogError) {
    var targets: [String] = []
    for (segment, recorded) in zip(segments, expected).reversed() {
      let target = log + "/" + SegmentName.text(first: segment.first)
      if try isKept(target, recorded) { continue }
      try makeCopy(of: segment.path, as: target, recorded, like: model)
      targets.append(target)
    }
    try name(targets)
    try LogError.files(failure, at: log) { () throws(FileSystemError) in try fileSystem.syncDirectory(log) }
  }

  /// Whether a path is a directory, also through a symbolic link; `false` if it does not exist.
  private func isDirectory(_ path: String) throws(LogError) -> Bool {
    do throws(FileSystemError) {
      guard let status = try fileSystem.status(of: path) else { return false }
      if status.kind == .directory { return true }
      _ = try fileSystem.names(in: path)
      return true
    } catch {
      throw LogError(
        .invalidArgument, "\(failure): the archive is not a directory (\(error))", path: path,
        intact: "Nothing was changed.", advice: "Name a directory.", underlying: error)
    }
  }

  /// Whether a file has the name and the digest of a segment. It is made durable then.
  private func isKept(_ target: String, _ recorded: PruneRecord.Segment) throws(LogError) -> Bool {
    guard try exists(target) else { return false }
    guard try syncedDigest(of: target) == recorded.sha256 else { throw otherFile(target) }
    return true
  }

  private func otherFile(_ target: String) -> LogError {
    LogError(
      .exists, "\(failure): another file has the name of a segment", path: target,
      intact: "Nothing was changed.", advice: "Name another directory, or move that file away.")
  }

  /// Refuses a file that is the segment itself under another path, as a bind mount or a hard link shows it.
  func checkIsCopy(_ target: String, of segment: LogFolder.Segment) throws(LogError) {
    do throws(FileSystemError) {
      guard let identity = try fileSystem.status(of: target)?.identity,
        try fileSystem.status(of: segment.path)?.identity == identity
      else { return }
    } catch {
      throw LogError.files(error, failure, path: target)
    }
    throw LogError(
      .invalidArgument, "\(failure): the file in the archive is the segment itself, and not a copy", path: target,
      intact: "Nothing was removed.", advice: "Name another directory.")
  }

  /// Makes a file durable, and returns its digest as the device has it, as far as the system drops its cache.
  func syncedDigest(of path: String) throws(LogError) -> String {
    try LogError.files(failure, at: path) { () throws(FileSystemError) in
      let file = try fileSystem.open(path, for: .read)
      defer { file.close() }
      try file.sync(.full)
      file.discardCache()
    }
    return try digest(of: path)
  }

  func exists(_ path: String) throws(LogError) -> Bool {
    return try LogError.files(failure, at: path) { () throws(FileSystemError) in try fileSystem.status(of: path) != nil
    }
  }

  /// Copies a segment under an unfinished name, and compares the copy.
  private func makeCopy(
    of source: String, as target: String, _ recorded: PruneRecord.Segment, like model: String?
  ) throws(LogError) {
    let unfinished = target + LogFormat.newSegmentSuffix
    try LogError.making(failure, at: target) { () throws(FileSystemError) in
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
      if let model { try fileSystem.copyPermissions(from: model, to: unfinished) }
      try output.sync(.full)
      // The comparison then reads from the device, as far as the system drops its cache.
      output.discardCache()
    }
    guard try digest(of: unfinished) == recorded.sha256 else {
      throw LogError(
        .damaged, "\(failure): the copy of the segment is not the same", path: unfinished,
        intact: "The segment was not changed.", advice: "Check the disk, and try again.")
    }
  }

  /// Gives complete copies their names.
  private func name(_ targets: [String]) throws(LogError) {
    try LogError.files(failure) { () throws(FileSystemError) in
      for target in targets {
        try fileSystem.renameWithoutReplacing(target + LogFormat.newSegmentSuffix, to: target)
      }
    }
  }

  /// Returns the SHA-256 digest of a file, as 64 hexadecimal digits.
  ///
  /// - Parameter counting: Called for each chunk, with the number of its bytes.
  func digest(of path: String, counting: (Int) -> Void = { _ in }) throws(LogError) -> String {
    var hash = SHA256()
    try LogError.files(failure, at: path) { () throws(FileSystemError) in
      let file = try fileSystem.open(path, for: .read)
      defer { file.close() }
      var offset = 0
      while true {
        let bytes = try file.bytes(at: offset, count: LineScanner.defaultChunkBytes)
        if bytes.isEmpty { break }
        bytes.withUnsafeBytes { bytes in hash.update(bytes) }
        offset += bytes.count
        counting(bytes.count)
      }
    }
    return hash.digest().hexadecimal
  }
}
