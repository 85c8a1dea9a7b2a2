package import Platform

// The Merkle tree of RFC 6962, section 2.1: leaves are the hashes of entries, and a tree of n leaves consists of the complete
// subtrees of the powers of two in n. A complete subtree has a level, 0 for a leaf, and an index among those of its level.

/// Hashes of the Merkle tree.
package enum MerkleHash {
  /// The root of the tree without leaves: the hash of no bytes.
  package static let emptyRoot = SHA256().digest()

  /// The prefix of the hash of an inner node.
  private static let nodePrefix: UInt8 = 1

  /// Returns the hash of a leaf.
  ///
  /// - Complexity: O(length of the entry).
  package static func leaf(_ entry: UnsafeRawBufferPointer) -> SHA256Digest {
    SHA256.digest(LineEntry.leafPrefix, entry)
  }

  /// Returns the hash of an inner node: two blocks of SHA-256.
  package static func node(_ left: SHA256Digest, _ right: SHA256Digest) -> SHA256Digest {
    SHA256.digest(nodePrefix, left, right)
  }

  /// Returns the root of consecutive subtrees whose sizes decrease; `nil` if there are none.
  static func root(ofDecreasing subtrees: some BidirectionalCollection<SHA256Digest>) -> SHA256Digest? {
    guard var root = subtrees.last else { return nil }
    for left in subtrees.dropLast().reversed() { root = node(left, root) }
    return root
  }

  /// Returns the root of a complete subtree over hashes of one level.
  ///
  /// - Parameter hashes: A power of two hashes.
  static func root(ofComplete hashes: ArraySlice<SHA256Digest>) -> SHA256Digest {
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
  /// The number of leaves.
  package private(set) var size = 0
  /// The hashes of the complete subtrees, the largest first: one for each bit of ``size``.
  package private(set) var subtrees: [SHA256Digest] = []

  /// Creates a tree without leaves.
  package init() {}

  /// Creates a tree from its subtrees; `nil` unless there is one for each bit of the size.
  package init?(size: Int, subtrees: [SHA256Digest]) {
    guard size >= 0, subtrees.count == size.nonzeroBitCount else { return nil }
    self.size = size
    self.subtrees = subtrees
  }

  /// Adds a leaf.
  ///
  /// - Complexity: O(1) amortized: one inner node.
  package mutating func append(_ leaf: SHA256Digest) {
    var hash = leaf
    for _ in 0..<size.trailingOnes { hash = MerkleHash.node(subtrees.removeLast(), hash) }
    subtrees.append(hash)
    size += 1
  }

  /// The root.
  ///
  /// - Complexity: O(log ``size``).
  package var root: SHA256Digest { MerkleHash.root(ofDecreasing: subtrees) ?? MerkleHash.emptyRoot }
}

extension Int {
  /// The number of ones at the end of a nonnegative number.
  fileprivate var trailingOnes: Int { (~self).trailingZeroBitCount }

  /// The largest power of two that is smaller than a number above 1.
  fileprivate var halfPower: Int { 1 << (Int.bitWidth - 1 - (self - 1).leadingZeroBitCount) }
}

/// A source of the hashes of complete subtrees: tiles, or leaves in memory.
package protocol MerkleHashes {
  /// Returns the hash of a complete subtree.
  ///
  /// - Parameters:
  ///   - level: The binary logarithm of its number of leaves.
  ///   - index: Its index among the subtrees of that size.
  mutating func hash(level: Int, index: Int) throws(LogError) -> SHA256Digest
}

extension MerkleHashes {
  /// Returns the hash of the leaves in a range that is a node of some tree: its start is a multiple of the smallest power of
  /// two that is not below its length.
  private mutating func hash(of range: Range<Int>) throws(LogError) -> SHA256Digest {
    var subtrees: [SHA256Digest] = []
    var start = range.lowerBound
    while start < range.upperBound {
      let level = Int.bitWidth - 1 - (range.upperBound - start).leadingZeroBitCount
      subtrees.append(try hash(level: level, index: start >> level))
      start += 1 << level
    }
    return MerkleHash.root(ofDecreasing: subtrees) ?? MerkleHash.emptyRoot
  }

  /// Returns the complete subtrees of the tree of a size.
  ///
  /// - Complexity: O(log `size`) hashes.
  package mutating func accumulator(size: Int) throws(LogError) -> MerkleAccumulator {
    var subtrees: [SHA256Digest] = []
    var start = 0
    while start < size {
      let level = Int.bitWidth - 1 - (size - start).leadingZeroBitCount
      subtrees.append(try hash(level: level, index: start >> level))
      start += 1 << level
    }
    // There is one subtree for each bit.
    return MerkleAccumulator(size: max(size, 0), subtrees: subtrees) ?? MerkleAccumulator()
  }

  /// Returns the root of the tree of a size.
  ///
  /// - Complexity: O(log `size`) hashes.
  package mutating func root(size: Int) throws(LogError) -> SHA256Digest { try accumulator(size: size).root }

  /// Returns the path that proves a leaf: `PATH(index, D[size])` of RFC 6962, section 2.1.1, the sibling of the leaf first.
  ///
  /// - Parameters:
  ///   - index: The index of the leaf, below `size`.
  ///   - size: The size of the tree.
  /// - Complexity: O(log² `size`) hashes.
  package mutating func inclusionProof(index: Int, size: Int) throws(LogError) -> [SHA256Digest] {
    precondition((0..<size).contains(index), "the leaf is in the tree")
    var path: [SHA256Digest] = []
    var range = 0..<size
    while range.count > 1 {
      let middle = range.lowerBound + range.count.halfPower
      if index < middle {
        path.append(try hash(of: middle..<range.upperBound))
        range = range.lowerBound..<middle
      } else {
        path.append(try hash(of: range.lowerBound..<middle))
        range = middle..<range.upperBound
      }
    }
    return path.reversed()
  }

  /// Returns the hashes that prove that the tree of one size leads to that of another: `PROOF(old, D[size])` of RFC 6962,
  /// section 2.1.2; none if `old` is 0 or `size`.
  ///
  /// - Complexity: O(log² `size`) hashes.
  package mutating func consistencyProof(old: Int, size: Int) throws(LogError) -> [SHA256Digest] {
    precondition((0...max(size, 0)).contains(old), "the older tree is not larger")
    guard old > 0, old < size else { return [] }
    var proof: [SHA256Digest] = []
    var range = 0..<size
    while range.upperBound > old {
      let middle = range.lowerBound + range.count.halfPower
      if old <= middle {
        proof.append(try hash(of: middle..<range.upperBound))
        range = range.lowerBound..<middle
      } else {
        proof.append(try hash(of: range.lowerBound..<middle))
        range = middle..<range.upperBound
      }
    }
    // The verifier knows the root of the older tree.
    if range.lowerBound > 0 { proof.append(try hash(of: range)) }
    return proof.reversed()
  }
}

/// Leaves in memory, with the levels above them.
package struct MerkleLeaves: MerkleHashes, Sendable {
  private var levels: [[SHA256Digest]] = [[]]

  /// Creates a tree of some leaves.
  ///
  /// - Complexity: O(*n*).
  package init(_ leaves: [SHA256Digest] = []) {
    for leaf in leaves { append(leaf) }
  }

  /// The number of leaves.
  package var count: Int { levels[0].count }

  /// Adds a leaf.
  package mutating func append(_ leaf: SHA256Digest) {
    levels[0].append(leaf)
    var level = 0
    while levels[level].count.isMultiple(of: 2) {
      let pair = levels[level].suffix(2)
      if levels.count == level + 1 { levels.append([]) }
      levels[level + 1].append(MerkleHash.root(ofComplete: pair))
      level += 1
    }
  }

  package func hash(level: Int, index: Int) throws(LogError) -> SHA256Digest {
    guard level < levels.count, index < levels[level].count else {
      throw LogError(.invalidArgument, "the tree has only \(count) leaves")
    }
    return levels[level][index]
  }
}

// MARK: - Verification

/// The verification of proofs, by the algorithms of RFC 9162. Everything in a proof is untrusted.
package enum MerkleProof {
  /// The longest path: one hash for each level of the largest tree.
  package static let hashLimit = 63

  /// Whether a leaf is in a tree (RFC 9162, section 2.1.3.2).
  ///
  /// - Parameters:
  ///   - leaf: The hash of the leaf.
  ///   - index: Its index.
  ///   - path: The hashes, the sibling of the leaf first.
  ///   - size: The size of the tree.
  ///   - root: The root of the tree.
  /// - Complexity: O(length of the path).
  package static func isIncluded(
    _ leaf: SHA256Digest, at index: Int, path: [SHA256Digest], size: Int, root: SHA256Digest
  ) -> Bool {
    guard index >= 0, index < size else { return false }
    var position = index
    var last = size - 1
    var hash = leaf
    for sibling in path {
      guard last > 0 else { return false }
      if position & 1 == 1 || position == last {
        hash = MerkleHash.node(sibling, hash)
        while position & 1 == 0, position != 0 {
          position >>= 1
          last >>= 1
        }
      } else {
        hash = MerkleHash.node(hash, sibling)
      }
      position >>= 1
      last >>= 1
    }
    return last == 0 && hash == root
  }

  /// Whether a tree leads to a larger one, or is the same (RFC 9162, section 2.1.4.2).
  ///
  /// Every tree extends the empty one, so a proof for that size proves nothing and is refused.
  ///
  /// - Complexity: O(number of hashes).
  package static func isConsistent(
    oldSize: Int, oldRoot: SHA256Digest, size: Int, root: SHA256Digest, proof: [SHA256Digest]
  ) -> Bool {
    guard oldSize > 0, oldSize <= size else { return false }
    if oldSize == size { return proof.isEmpty && oldRoot == root }
    // A complete subtree is the first hash itself, and is left out of the proof.
    var rest = proof[...]
    guard let first = oldSize & (oldSize - 1) == 0 ? oldRoot : rest.popFirst() else { return false }
    var position = oldSize - 1
    var last = size - 1
    while position & 1 == 1 {
      position >>= 1
      last >>= 1
    }
    var (old, new) = (first, first)
    for hash in rest {
      guard last > 0 else { return false }
      if position & 1 == 1 || position == last {
        old = MerkleHash.node(hash, old)
        new = MerkleHash.node(hash, new)
        while position & 1 == 0, position != 0 {
          position >>= 1
          last >>= 1
        }
      } else {
        new = MerkleHash.node(new, hash)
      }
      position >>= 1
      last >>= 1
    }
    return last == 0 && old == oldRoot && new == root
  }
}
