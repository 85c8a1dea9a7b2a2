package import ActionLog
package import Platform

/// The tree of a log after an update of its tiles.
package struct EvidenceTree: Equatable, Sendable {
  package var size: Int
  package var root: SHA256Digest
  package var tilesWritten: Int
  package var linesRead: Int
}

extension EvidenceStore {
  /// Brings the tiles up to date with the log.
  ///
  /// The tree must lead to the newest stored checkpoint. If the tiles do, only new lines are read; otherwise all lines are, and
  /// tiles that are missing or wrong are made again.
  ///
  /// - Parameters:
  ///   - rebuilds: Whether all tiles are compared with the lines, and tiles that no checkpoint vouches for are replaced if they
  ///     differ.
  ///   - takesLock: Whether the lock of the log is taken for a moment if it is free, to cover all lines. Otherwise the lines
  ///     that `HEAD` names are covered.
  ///   - holdsLock: Whether the caller holds the lock of the log, and no writer has opened it. All lines are covered then.
  /// - Returns: The tree of the lines that no writer rolls back or truncates.
  package func update(
    rebuilds: Bool = false, takesLock: Bool = true, holdsLock: Bool = false
  ) throws(LogError) -> EvidenceTree {
    let isNew = try LogError.files("the proofs of the log cannot be written") { () throws(FileSystemError) in
      try fileSystem.status(of: path) == nil
    }
    let lock = try lock()
    defer { lock.unlock() }
    func find() throws(LogError) -> EvidenceExtent? {
      if holdsLock { return try EvidenceExtent.complete(log, fileSystem, nil) }
      return takesLock ? try EvidenceExtent.find(log, fileSystem) : try EvidenceExtent.known(log, fileSystem)
    }
    do throws(LogError) {
      // Read before the log, which must then have the lines.
      let edge = try edge()
      let newest = try newestCheckpoint()?.checkpoint
      let tree = try EvidenceExtent.listingAgain(log, fileSystem, find) { (extent) throws(LogError) in
        try self.update(extent, edge, newest, rebuilds: rebuilds)
      }
      if let tree { return tree }
      return try unchanged(edge)
    } catch {
      // Only the empty folder that this call has created: another one can be a link to the evidence against the log.
      if isNew { do throws(FileSystemError) { try fileSystem.remove(path) } catch {} }
      throw error
    }
  }

  private func update(
    _ extent: EvidenceExtent, _ edge: EvidenceEdge?, _ newest: Checkpoint?, rebuilds: Bool
  ) throws(LogError) -> EvidenceTree {
    // The tree continues that of the base, so a base without its record must not get a checkpoint.
    if extent.base != nil { try LogReader.open(at: log, fileSystem: fileSystem).checkBaseIsRecorded() }
    var update = EvidenceUpdate(store: self, fileSystem: fileSystem, edge: edge)
    if !rebuilds, let edge, let newest, newest.size == edge.lines, let builder = try builder(edge),
      builder.accumulator.root == newest.root
    {
      var walk = try EvidenceWalk(extent, of: log, after: edge, fileSystem)
      return try update.run(&walk, builder)
    }
    let builder = try examine(extent, edge, newest, replacesTiles: rebuilds)
    var walk = try EvidenceWalk(extent, of: log, fileSystem)
    return try update.run(&walk, builder)
  }

  /// The tree as it is in the tiles, if no line can be covered.
  private func unchanged(_ edge: EvidenceEdge?) throws(LogError) -> EvidenceTree {
    guard let edge else { return EvidenceTree(size: 0, root: MerkleHash.emptyRoot, tilesWritten: 0, linesRead: 0) }
    var tiles = tiles(size: edge.lines)
    return EvidenceTree(size: edge.lines, root: try tiles.root(size: edge.lines), tilesWritten: 0, linesRead: 0)
  }

  /// Returns the builder that continues the tiles; `nil` if they are damaged.
  private func builder(_ edge: EvidenceEdge) throws(LogError) -> MerkleTileBuilder? {
    try LogError.unlessDamaged { () throws(LogError) in try MerkleTileBuilder(tiles(size: edge.lines)) }
  }

  /// Checks all lines against the newest checkpoint, and against the tiles above it, before any tile is written.
  ///
  /// - Returns: The builder at the first line of the log.
  private func examine(
    _ extent: EvidenceExtent, _ edge: EvidenceEdge?, _ newest: Checkpoint?, replacesTiles: Bool
  ) throws(LogError) -> MerkleTileBuilder {
    // Reports a log that lacks the line of the edge.
    if let edge { _ = try EvidenceWalk(extent, of: log, after: edge, fileSystem) }
    // Of a pruned log it continues the tiles.
    let builder = try extent.base.map(builder(after:)) ?? MerkleTileBuilder()
    // Nothing is known of the log that its lines could contradict.
    guard edge != nil || newest != nil else { return builder }
    var tree = builder.accumulator
    var tileRoot: SHA256Digest?
    if let edge, !replacesTiles { tileRoot = try self.builder(edge)?.accumulator.root }
    func compare() throws(LogError) {
      if let newest, newest.size == tree.size, newest.root != tree.root { throw differs(newest.size) }
      guard let edge, let tileRoot, edge.lines == tree.size, tileRoot != tree.root,
        newest.map({ newest in newest.size < edge.lines }) ?? true
      else { return }
      throw LogError(
        .damaged, "the tiles do not fit the first \(edge.lines) lines, and no checkpoint says which of both is wrong",
        path: path, intact: "No tile was changed.",
        advice: "\(.verify) checks the log. If it is intact, \(.rebuildingCheckpoints) makes the "
          + "tiles again.")
    }
    try compare()
    var walk = try EvidenceWalk(extent, of: log, fileSystem)
    try walk.forEachLeaf { (leaf, _) throws(LogError) in
      tree.append(leaf)
      try compare()
    }
    if let newest, newest.size > tree.size { throw shorter(newest.size, tree.size) }
    return builder
  }

  /// Returns the builder that continues the tiles of the lines before a pruned log. They cannot be made again from its lines.
  func builder(after base: LogBase) throws(LogError) -> MerkleTileBuilder {
    let missing = LogError(
      .damaged, "the tiles of the first \(base.lineCount) lines are missing or do not fit base.json", path: path,
      intact: "The log itself can be read.",
      advice:
        "The lines before the base are not in the log. Restore the directory 'proofs' from a copy, or put the archived "
        + "segments back: \(.restoringArchive).")
    do throws(LogError) {
      let builder = try MerkleTileBuilder(tiles(size: base.lineCount))
      guard builder.accumulator.subtrees == base.tree else { throw missing }
      return builder
    } catch {
      throw error.code == .damaged ? missing : error
    }
  }

  private func shorter(_ size: Int, _ found: Int) -> LogError {
    LogError(
      .damaged, "the log has \(found) lines that are certain to last, fewer than the checkpoint of \(size) lines",
      path: log, intact: "No tile and no checkpoint was changed.",
      advice: "If a writer has opened the log, wait until it has synced; otherwise the end of the log is missing.")
  }
}
