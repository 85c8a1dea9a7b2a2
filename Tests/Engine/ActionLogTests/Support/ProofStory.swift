import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import Platform
import Testing

/// A log in memory with its proofs.
struct ProofStory {
  var story = LogStory()

  var store: EvidenceStore { EvidenceStore(log: LogStory.path, fileSystem: story.door) }

  /// Updates the tiles and stores a checkpoint of them.
  @discardableResult func checkpoint() throws -> EvidenceTree {
    let tree = try store.update()
    _ = try store.store(
      SignedCheckpoint(try Checkpoint(origin: "example.com/log", size: tree.size, root: tree.root)))
    return tree
  }

  /// The files below `proofs`, except checkpoints.
  func tiles() throws -> [String: [UInt8]] {
    var tiles: [String: [UInt8]] = [:]
    for path in story.files.filePaths where path.hasPrefix("/log/proofs/") && !path.contains("checkpoint") {
      tiles[String(path.dropFirst("/log/proofs/".count))] = try story.files.contents(of: path)
    }
    return tiles
  }

  /// The leaves of all lines, computed without the store.
  func leaves() throws -> [SHA256Digest] {
    var entry = LineEntry()
    let paths = story.files.filePaths.filter { path in path.hasSuffix(".jsonl") }
    return try paths.flatMap { path in try story.files.contents(of: path).split(separator: 0x0A) }.map { line in
      try Array(line).withUnsafeBytes { line in try entry.leaf(of: line) }
    }
  }

  /// The tiles of a tree, and nothing else.
  static func expectedTiles(_ leaves: ArraySlice<SHA256Digest>, keeping sizes: [Int] = []) throws -> [String: [UInt8]] {
    var tiles: [String: [UInt8]] = [:]
    var builder = MerkleTileBuilder()
    for (index, leaf) in leaves.enumerated() {
      try builder.append(leaf) { tile, hashes in tiles[tile.path] = hashes.flatMap(\.bytes) }
      guard sizes.contains(index + 1) || index == leaves.count - 1 else { continue }
      for (tile, hashes) in builder.partialTiles { tiles[tile.path] = hashes.flatMap(\.bytes) }
    }
    return tiles
  }
}
