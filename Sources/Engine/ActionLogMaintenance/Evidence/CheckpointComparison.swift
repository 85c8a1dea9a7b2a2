package import ActionLog
import Platform

/// The result of comparing a log with a checkpoint that was kept elsewhere.
package enum CheckpointVerdict: Equatable, Sendable {
  case otherLog(origin: String)
  case shorter(missing: Int)
  /// The checkpoint is older than the base of a pruned log, and the tiles before the base are missing or do not fit it.
  case pruned(lines: Int)
  case extends(more: Int)
  case differs(FirstDifference)

  package enum FirstDifference: Equatable, Sendable {
    /// The index of the line, which the tiles prove.
    case line(Int)
    /// Somewhere in a range of lines: after those of the last stored checkpoint that agrees with the log.
    case within(Range<Int>)
  }

  /// Whether nothing speaks against the log.
  package var isGood: Bool { if case .extends = self { true } else { false } }

  package var message: String {
    switch self {
    case .otherLog(let origin): "the checkpoint is of another log: '\(origin)'"
    case .shorter(let missing): "\(Self.lines(missing)) missing at the end"
    case .pruned(let lines):
      "the log was pruned, and the tiles of its first \(lines) lines are gone or do not fit base.json"
    case .extends(0): "the log has exactly the lines of the checkpoint"
    case .extends(let more): "the log begins with the lines of the checkpoint, and has \(more) more"
    case .differs(.line(let index)): "line \(index) is not the one that the checkpoint covers"
    case .differs(.within(let range)) where range.lowerBound == 0:
      "the lines differ somewhere in the first \(range.upperBound)"
    case .differs(.within(let range)):
      "the first \(range.lowerBound) lines are those of a stored checkpoint; the next \(range.count) differ somewhere"
    }
  }

  private static func lines(_ count: Int) -> String { count == 1 ? "1 line is" : "\(count) lines are" }
}

/// A comparison of a log with a checkpoint. The tree is computed from the lines.
package struct CheckpointComparison: Sendable {
  private let store: EvidenceStore
  private let directory: String
  private let fileSystem: any LogFileSystem

  /// Creates a comparison.
  ///
  /// - Parameter proofs: A directory with tiles; `nil` for the log's own.
  package init(log: String, proofs: String? = nil, fileSystem: any LogFileSystem = POSIXFileSystem()) {
    store = EvidenceStore(log: log, fileSystem: fileSystem)
    directory = proofs ?? store.path
    self.fileSystem = fileSystem
  }

  /// Compares the log with a checkpoint. Takes no lock and changes nothing.
  ///
  /// - Parameter origin: The origin that the owner of the log has chosen; `nil` for the one with its UUID.
  package func verdict(on checkpoint: Checkpoint, origin: String? = nil) throws(LogError) -> CheckpointVerdict {
    let header = try LogReader.open(at: store.log, fileSystem: fileSystem).header
    guard
      [origin, Checkpoint.origin(ofLog: header.log)].contains(where: { known in
        known.map { known in known.utf8.elementsEqual(checkpoint.origin.utf8) } ?? false
      })
    else { return .otherLog(origin: checkpoint.origin) }
    let found = try EvidenceExtent.listingAgain(
      store.log, fileSystem, { () throws(LogError) in try EvidenceExtent.present(store.log, fileSystem) },
      isFinal: \.isGood
    ) { (extent) throws(LogError) in
      try verdict(on: checkpoint, extent)
    }
    return found ?? .shorter(missing: checkpoint.size)
  }

  private func verdict(on checkpoint: Checkpoint, _ extent: EvidenceExtent) throws(LogError) -> CheckpointVerdict {
    var tree = MerkleAccumulator()
    if let base = extent.base, let known = MerkleAccumulator(size: base.lineCount, subtrees: base.tree) { tree = known }
    if checkpoint.size < tree.size { return try verdict(on: checkpoint, before: tree, extent) }
    let stored = try storedRoots(upTo: checkpoint.size)
    // Nothing vouches for the lines before a base.
    var agreed = 0
    var found = tree.size == checkpoint.size ? tree.root : nil
    var walk = try EvidenceWalk(extent, of: store.log, fileSystem)
    try walk.forEachLeaf { (leaf, _) throws(LogError) in
      tree.append(leaf)
      if tree.size == checkpoint.size { found = tree.root }
      if let root = stored[tree.size], root == tree.root { agreed = tree.size }
    }
    guard let found = checkpoint.size == 0 ? MerkleHash.emptyRoot : found else {
      return .shorter(missing: checkpoint.size - tree.size)
    }
    if found == checkpoint.root { return .extends(more: tree.size - checkpoint.size) }
    if let line = try firstDifference(checkpoint, extent) { return .differs(.line(line)) }
    return .differs(.within((agreed < checkpoint.size ? agreed : 0)..<checkpoint.size))
  }

  /// Returns a line of the log by its index, without its line feed; `nil` if the log has no such line.
  package func line(at index: Int) throws(LogError) -> [UInt8]? {
    let extent = try EvidenceExtent.present(store.log, fileSystem)
    if let base = extent.base, index < base.lineCount {
      let reader = try LogReader.open(at: store.log, fileSystem: fileSystem)
      throw LogError(
        .pruned, "line \(index) is gone: the log begins with line \(base.lineCount)", path: store.log,
        advice: reader.pruningAdvice())
    }
    var walk = try EvidenceWalk(extent, of: store.log, fileSystem)
    var found: [UInt8]?
    try walk.forEachLine { (line, _, position) throws(LogError) in
      if position.lines - 1 == index { found = Array(line) }
    }
    return found
  }

  /// The roots of the stored checkpoints, by size.
  private func storedRoots(upTo size: Int) throws(LogError) -> [Int: SHA256Digest] {
    var roots: [Int: SHA256Digest] = [:]
    for known in try store.checkpointSizes() where known <= size {
      // A file that is no checkpoint narrows nothing; 'verify' reports it.
      let note = try LogError.unlessDamaged { () throws(LogError) in try store.checkpoint(size: known) }
      roots[known] = note?.checkpoint.root
    }
    return roots
  }

  /// The verdict on a checkpoint that is older than the base of a pruned log: only tiles lead from it to the base.
  private func verdict(
    on checkpoint: Checkpoint, before base: MerkleAccumulator, _ extent: EvidenceExtent
  ) throws(LogError) -> CheckpointVerdict {
    guard let root = try Self.root(size: checkpoint.size, before: base, tiles: directory, fileSystem) else {
      return .pruned(lines: base.size)
    }
    guard root == checkpoint.root else { return .differs(.within(0..<checkpoint.size)) }
    var walk = try EvidenceWalk(extent, of: store.log, fileSystem)
    try walk.forEachLeaf { (_, _) throws(LogError) in }
    return .extends(more: walk.position.lines - checkpoint.size)
  }

  /// Returns the root of a tree that is older than the base of a pruned log, from the tiles.
  ///
  /// - Returns: `nil` if the tiles are missing, or do not lead to the base.
  static func root(
    size: Int, before base: MerkleAccumulator, tiles directory: String, _ fileSystem: any LogFileSystem
  ) throws(LogError) -> SHA256Digest? {
    try LogError.unlessDamaged { () throws(LogError) in
      var tiles = MerkleTileReader(directory: directory, size: base.size, fileSystem: fileSystem)
      let (older, newer) = (try tiles.root(size: size), try tiles.accumulator(size: base.size))
      let proof = try tiles.consistencyProof(old: size, size: base.size)
      guard newer == base,
        size == 0
          || MerkleProof.isConsistent(
            oldSize: size, oldRoot: older, size: base.size, root: base.root, proof: proof)
      else { return nil }
      return older
    }
  }

  /// Finds the first line that differs from the tiles, if they have the root of the checkpoint.
  ///
  /// - Returns: The index; `nil` if the tiles are those of another tree, or do not prove their line.
  private func firstDifference(_ checkpoint: Checkpoint, _ extent: EvidenceExtent) throws(LogError) -> Int? {
    var tiles = MerkleTileReader(directory: directory, size: checkpoint.size, fileSystem: fileSystem)
    var difference: (index: Int, leaf: SHA256Digest)?
    return try LogError.unlessDamaged { () throws(LogError) in
      guard try tiles.root(size: checkpoint.size) == checkpoint.root else { return nil }
      var walk = try EvidenceWalk(extent, of: store.log, fileSystem)
      try walk.forEachLeaf { (leaf, position) throws(LogError) in
        let index = position.lines - 1
        guard difference == nil, index < checkpoint.size else { return }
        let expected = try tiles.hash(level: 0, index: index)
        if expected != leaf { difference = (index, expected) }
      }
      guard let difference else { return nil }
      // A damaged tile must not accuse a line.
      let path = try tiles.inclusionProof(index: difference.index, size: checkpoint.size)
      return MerkleProof.isIncluded(
        difference.leaf, at: difference.index, path: path, size: checkpoint.size, root: checkpoint.root)
        ? difference.index : nil
    }
  }
}
