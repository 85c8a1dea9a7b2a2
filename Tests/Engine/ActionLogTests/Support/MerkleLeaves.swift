import ActionLog
import ActionLogMaintenance
import Platform

/// Leaves in memory, with the levels above them.
struct MerkleLeaves: MerkleHashes {
  private var levels: [[SHA256Digest]] = [[]]

  init(_ leaves: [SHA256Digest]) {
    levels[0] = leaves
    while let last = levels.last, last.count > 1 {
      levels.append((0..<last.count / 2).map { index in MerkleHash.node(last[2 * index], last[2 * index + 1]) })
    }
  }

  var count: Int { levels[0].count }

  func hash(level: Int, index: Int) throws(LogError) -> SHA256Digest {
    guard level < levels.count, index < levels[level].count else {
      throw LogError(.invalidArgument, "the tree has only \(count) leaves")
    }
    return levels[level][index]
  }
}
