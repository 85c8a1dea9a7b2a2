package import ActionLog

extension LogPruning {
  /// Removes the tiles of leaves that are completely before the base, unless a stored checkpoint ends in them, and the bundles of
  /// entries that are completely before it. Checkpoints of all ages still lead on; lines before the base can no longer be proved, and
  /// those of a plain log can no longer be read in the bundles.
  ///
  /// - Returns: The number of removed tiles and bundles.
  /// - Throws: `LogError` with code `locked` while another program updates the tiles, and if a file cannot be removed. It can be
  ///   repeated.
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
