internal import Platform

/// The end of a pruning: steps (5) and (6). It can be repeated until `@close` follows `@prune`.
struct PruningEnd {
  private let record: PruneRecord
  private let path: String
  private let fileSystem: any LogFileSystem

  init(_ record: PruneRecord, at path: String, _ fileSystem: any LogFileSystem) {
    self.record = record
    self.path = path
    self.fileSystem = fileSystem
  }

  /// The path of a base that does not have its name yet.
  static func unfinishedPath(in log: String) -> String { log + "/" + unfinishedName }
  static let unfinishedName = LogFormat.baseName + LogFormat.newSuffix

  /// Gives the base its name, and removes what is before it. Does nothing if there is no base with the recorded digest: the pruning
  /// is void then.
  ///
  /// - Throws: ``LogError`` if a file cannot be renamed or removed. The log can be read, and the next writer tries again.
  func run() throws(LogError) {
    do throws(FileSystemError) {
      let unfinished = Self.unfinishedPath(in: path)
      let final = path + "/" + LogFormat.baseName
      if try isRecorded(unfinished) {
        try fileSystem.rename(unfinished, to: final)
      } else {
        if try fileSystem.status(of: unfinished) != nil { try fileSystem.remove(unfinished) }
        guard try isRecorded(final) else { return }
      }
      // The name may be there and not durable.
      try fileSystem.syncDirectory(path)
      try removeBeginning()
    } catch {
      var failure = LogError.files(error, "the pruning cannot be finished", path: error.path)
      failure.intact = "The log can be read."
      failure.advice = "The next writer that opens the log finishes it, and so does the same command."
      throw failure
    }
  }

  /// Whether the base that the record names is there, with its name or without it yet. Otherwise the pruning is void.
  func isPossible() throws(LogError) -> Bool {
    try LogError.files("the base of the log cannot be read") { () throws(FileSystemError) in
      for name in [Self.unfinishedName, LogFormat.baseName] where try isRecorded(path + "/" + name) { return true }
      return false
    }
  }

  /// Whether a file is the base that the record names.
  private func isRecorded(_ path: String) throws(FileSystemError) -> Bool {
    guard let base = record.base, let status = try fileSystem.status(of: path), status.kind == .file,
      status.sizeBytes <= LogBase.limitBytes
    else { return false }
    return SHA256.hexadecimal(try fileSystem.contents(of: path, limitBytes: LogBase.limitBytes)) == base.sha256
  }

  private func removeBeginning() throws(FileSystemError) {
    for name in try fileSystem.names(in: path) {
      guard let first = SegmentName.first(of: name), first < record.first else { continue }
      try fileSystem.remove(path + "/" + name)
    }
    try fileSystem.syncDirectory(path)
    // No fold can begin with a snapshot before the base.
    try SnapshotFolders.remove(of: path, fileSystem) { revision in revision < record.first - 1 }
  }
}

// MARK: - Tiles

extension LogPruning {
  /// Removes the tiles of leaves that are completely before the base, unless a stored checkpoint ends in them, and the bundles of
  /// entries that are completely before it. Checkpoints of all ages still lead on; lines before the base can no longer be proved, and
  /// those of a plain log can no longer be read in the bundles.
  ///
  /// - Parameter lineCount: The index of the log's first line.
  /// - Returns: The number of removed tiles and bundles.
  /// - Throws: ``LogError`` with code `locked` while another program updates the tiles, and if a file cannot be removed. It can be
  ///   repeated.
  /// - Complexity: O(`lineCount` / 256).
  package static func removeLeafTiles(
    at path: String, before lineCount: Int, fileSystem: any LogFileSystem = POSIXFileSystem()
  ) throws(LogError) -> Int {
    let store = EvidenceStore(log: LogFolder.trimmed(path), fileSystem: fileSystem)
    let hasTiles = try LogError.files("the tiles cannot be removed", at: store.path) { () throws(FileSystemError) in
      try fileSystem.status(of: store.path) != nil
    }
    guard hasTiles else { return 0 }
    // A checkpoint that another process stores now would need a tile.
    let lock = try store.lock()
    defer { lock.unlock() }
    let ends = Set(try store.checkpointSizes().map { size in size / MerkleTile.fullWidth })
    var count = 0
    try LogError.files("a tile cannot be removed") { () throws(FileSystemError) in
      for index in 0..<lineCount / MerkleTile.fullWidth {
        var files = try partialBundles(index, in: store.path, fileSystem)
        files.append(MerkleTile(level: nil, index: index).path)
        if !ends.contains(index) { files.append(MerkleTile(level: 0, index: index).path) }
        for file in files where try fileSystem.status(of: store.path + "/" + file) != nil {
          try fileSystem.remove(store.path + "/" + file)
          count += 1
        }
      }
    }
    return count
  }

  /// The paths of the bundles with an index that are not full: those of the sizes of stored checkpoints.
  private static func partialBundles(
    _ index: Int, in proofs: String, _ fileSystem: any LogFileSystem
  ) throws(FileSystemError) -> [String] {
    let directory = MerkleTile(level: nil, index: index, width: 1).directory
    guard try fileSystem.status(of: proofs + "/" + directory)?.kind == .directory else { return [] }
    return try fileSystem.names(in: proofs + "/" + directory).map { name in directory + "/" + name }
  }
}
