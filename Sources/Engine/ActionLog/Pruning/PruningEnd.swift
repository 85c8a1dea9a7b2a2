internal import Platform

/// The end of a pruning: steps (5) and (6). It can be repeated until `@close` follows `@prune`.
package struct PruningEnd {
  private let record: PruneRecord
  private let path: String
  private let fileSystem: any LogFileSystem

  package init(_ record: PruneRecord, at path: String, _ fileSystem: any LogFileSystem) {
    self.record = record
    self.path = path
    self.fileSystem = fileSystem
  }

  /// The path of a base that does not have its name yet.
  package static func unfinishedPath(in log: String) -> String { log + "/" + unfinishedName }
  package static let unfinishedName = LogFormat.baseName + LogFormat.newSuffix

  /// Gives the base its name, and removes what is before it. Does nothing if there is no base with the recorded digest: the pruning
  /// is void then.
  ///
  /// - Throws: ``LogError`` if a file cannot be renamed or removed. The log can be read, and the next writer tries again.
  package func run() throws(LogError) {
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
  package func isPossible() throws(LogError) -> Bool {
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
