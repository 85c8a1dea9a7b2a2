internal import JSONCoding
package import Platform

// The Merkle tree of RFC 6962, section 2.1: leaves are the hashes of entries, and a tree of n leaves consists of the complete
// subtrees of the powers of two in n. A complete subtree has a level, 0 for a leaf, and an index among those of its level.

/// Hashes of the Merkle tree.
package enum MerkleHash {
  package static let emptyRoot = SHA256().digest()

  private static let nodePrefix: UInt8 = 1

  package static func leaf(_ entry: UnsafeRawBufferPointer) -> SHA256Digest {
    SHA256.digest(LineEntry.leafPrefix, entry)
  }

  /// Returns the hash of an inner node: two blocks of SHA-256.
  package static func node(_ left: SHA256Digest, _ right: SHA256Digest) -> SHA256Digest {
    SHA256.digest(nodePrefix, left, right)
  }

  package static func root(ofDecreasing subtrees: some BidirectionalCollection<SHA256Digest>) -> SHA256Digest? {
    guard var root = subtrees.last else { return nil }
    for left in subtrees.dropLast().reversed() { root = node(left, root) }
    return root
  }

  /// Returns the root of a complete subtree over hashes of one level.
  package static func root(ofComplete hashes: ArraySlice<SHA256Digest>) -> SHA256Digest {
    var level = Array(hashes)
    while level.count > 1 {
      for index in 0..<level.count / 2 { level[index] = node(level[2 * index], level[2 * index + 1]) }
      level.removeLast(level.count / 2)
    }
    return level.first ?? emptyRoot
  }
}

/// A Merkle tree that grows, reduced to its complete subtrees (the "compact range" of tlog libraries).
package struct MerkleAccumulator: Equatable, Sendable {
  package private(set) var size = 0
  /// The hashes of the complete subtrees, the largest first: one for each bit of ``size``.
  package private(set) var subtrees: [SHA256Digest] = []

  package init() {}

  /// Creates a tree from its subtrees; `nil` unless there is one for each bit of the size.
  package init?(size: Int, subtrees: [SHA256Digest]) {
    guard size >= 0, subtrees.count == size.nonzeroBitCount else { return nil }
    self.size = size
    self.subtrees = subtrees
  }

  package mutating func append(_ leaf: SHA256Digest) {
    var hash = leaf
    for _ in 0..<size.trailingOnes { hash = MerkleHash.node(subtrees.removeLast(), hash) }
    subtrees.append(hash)
    size += 1
  }

  package var root: SHA256Digest { MerkleHash.root(ofDecreasing: subtrees) ?? MerkleHash.emptyRoot }
}

extension Int {
  /// The number of ones at the end of a nonnegative number.
  package var trailingOnes: Int { (~self).trailingZeroBitCount }
}

/// The tree of the first lines of a log: the members `lines` and `root` of a header's `parent`.
package struct LineTree: Equatable, Sendable {
  package var lines: Int
  package var root: SHA256Digest

  package init(lines: Int, root: SHA256Digest) { (self.lines, self.root) = (lines, root) }

  /// Parses the members; `nil` if both are missing.
  init?(_ parent: JSONTape.Node) throws(RecordMemberError) {
    guard parent["lines"] != nil || parent["root"] != nil else { return nil }
    lines = try parent.number("lines", from: 1)
    guard let root = Base64.digest(try parent.text("root").utf8) else { throw RecordMemberError("root") }
    self.root = root
  }
}

extension LogReader {
  /// Returns the tree of the lines up to an action; up to the first line of the log if the revision is 0, and up to the last line
  /// before the log if it is that of its base.
  ///
  /// - Returns: `nil` if the log is damaged before that line.
  package func tree(through revision: Int) throws(LogError) -> LineTree? {
    var tree = MerkleAccumulator()
    if let base, let known = MerkleAccumulator(size: base.lineCount, subtrees: base.tree) { tree = known }
    if let base, base.revision == revision { return LineTree(lines: tree.size, root: tree.root) }
    var records = try records()
    var entry = LineEntry()
    return try LogError.unlessDamaged { () throws(LogError) in
      while let record = try records.next() {
        let line = record.rawLine
        do throws(LineForm.Fault) {
          tree.append(try line.withUnsafeBytesTyped { (line) throws(LineForm.Fault) in try entry.leaf(of: line) })
        } catch {
          return nil
        }
        if record.revision == revision, revision == 0 || !record.isControl {
          return LineTree(lines: tree.size, root: tree.root)
        }
      }
      return nil
    }
  }
}
