import ActionLog

/// Copies sealed segments between a log and its archive, and proves that the copies are the recorded ones.
struct SegmentCopying {
  let fileSystem: any LogFileSystem
  /// The message of errors, for example `the segments cannot be archived`.
  let failure: String

  /// Copies segments to an archive under their own names.
  ///
  /// A file that has the name and the recorded digest is kept: it was there before, for example from an earlier attempt. It is made
  /// durable, too, because the segment is removed next.
  ///
  /// - Parameter directory: The archive, which is created if it does not exist. Its parent must exist.
  func archive(
    _ segments: [LogFolder.Segment], _ expected: [PruneRecord.Segment], to directory: String
  ) throws(LogError) {
    try check(segments, to: directory)
    let isMissing = try !isDirectory(directory)
    try LogError.making(failure, at: directory) { () throws(FileSystemError) in
      if isMissing { try fileSystem.createDirectory(directory) }
      // An earlier attempt may have been killed before the name was durable.
      try fileSystem.syncDirectory(LogFolder.parent(of: directory))
    }
    try copy(segments, expected, to: directory, like: nil)
  }

  /// Checks that segments can be archived in a directory. Changes nothing.
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
      let digest = try fileSystem.sha256(of: target, failure: failure)
      guard try digest == fileSystem.sha256(of: segment.path, failure: failure) else { throw otherFile(target) }
    }
  }

  /// Copies segments between a log and its archive, the last segment first. Each gets its name when it is complete, durable and compared;
  /// in a log, when all are, so that an interruption until then leaves only files that the next writer removes.
  ///
  /// Files that have the name and the recorded digest are kept.
  ///
  /// - Parameter model: A file of the log, whose permissions and owner the segments get; `nil` in an archive.
  func copy(
    _ segments: [LogFolder.Segment], _ expected: [PruneRecord.Segment], to directory: String, like model: String?
  ) throws(LogError) {
    var targets: [String] = []
    for (segment, recorded) in zip(segments, expected).reversed() {
      let target = directory + "/" + SegmentName.text(first: segment.first)
      if try exists(target) {
        guard try syncedDigest(of: target) == recorded.sha256 else { throw otherFile(target) }
      } else {
        try makeCopy(of: segment.path, as: target, recorded, like: model)
        targets.append(target)
        if model == nil { try name(&targets) }
      }
    }
    try name(&targets)
    try LogError.files(failure, at: directory) { () throws(FileSystemError) in try fileSystem.syncDirectory(directory) }
  }

  private func name(_ targets: inout [String]) throws(LogError) {
    try LogError.files(failure) { () throws(FileSystemError) in
      for target in targets {
        try fileSystem.renameWithoutReplacing(target + LogFormat.newSuffix, to: target)
      }
    }
    targets = []
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

  private func otherFile(_ target: String) -> LogError {
    LogError(
      .exists, "\(failure): another file has the name of a segment", path: target,
      intact: "Nothing was changed.", advice: "Name another directory, or move that file away.")
  }

  /// Refuses a file that is the segment itself under another path, as a bind mount or a hard link shows it.
  func checkIsCopy(_ target: String, of segment: LogFolder.Segment) throws(LogError) {
    let isSame = try LogError.files(failure, at: target) { () throws(FileSystemError) in
      guard let identity = try fileSystem.status(of: target)?.identity else { return false }
      return try fileSystem.status(of: segment.path)?.identity == identity
    }
    guard isSame else { return }
    throw LogError(
      .invalidArgument, "\(failure): the file in the archive is the segment itself, and not a copy", path: target,
      intact: "Nothing was removed.", advice: "Name another directory.")
  }

  /// Makes a file durable, and returns its digest as the device has it, as far as the system drops its cache.
  func syncedDigest(of path: String) throws(LogError) -> String {
    try LogError.files(failure, at: path) { () throws(FileSystemError) in try fileSystem.syncFile(path) }
    return try fileSystem.sha256(of: path, failure: failure)
  }

  func exists(_ path: String) throws(LogError) -> Bool {
    try LogError.files(failure, at: path) { () throws(FileSystemError) in try fileSystem.status(of: path) != nil }
  }

  private func makeCopy(
    of source: String, as target: String, _ recorded: PruneRecord.Segment, like model: String?
  ) throws(LogError) {
    let unfinished = target + LogFormat.newSuffix
    _ = try LogError.making(failure, at: target) { () throws(FileSystemError) in
      try fileSystem.copy(source, to: unfinished, like: model)
    }
    guard try fileSystem.sha256(of: unfinished, failure: failure) == recorded.sha256 else {
      throw LogError(
        .damaged, "\(failure): the copy of the segment is not the same", path: unfinished,
        intact: "The segment was not changed.", advice: "Check the disk, and try again.")
    }
  }
}
