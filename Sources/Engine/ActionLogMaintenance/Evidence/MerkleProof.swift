package import ActionLog
package import Platform

extension Int {
  /// The largest power of two that is smaller than a number above 1.
  fileprivate var halfPower: Int { 1 << (Int.bitWidth - 1 - (self - 1).leadingZeroBitCount) }
}

/// A source of the hashes of complete subtrees.
package protocol MerkleHashes {
  /// Returns the hash of a complete subtree.
  mutating func hash(level: Int, index: Int) throws(LogError) -> SHA256Digest
}

extension MerkleHashes {
  /// Returns the complete subtrees of the leaves in a range, the largest first: a node of some tree, so that its start is a multiple of the
  /// smallest power of two that is not below its length.
  private mutating func subtrees(of range: Range<Int>) throws(LogError) -> [SHA256Digest] {
    var subtrees: [SHA256Digest] = []
    var start = range.lowerBound
    while start < range.upperBound {
      let level = Int.bitWidth - 1 - (range.upperBound - start).leadingZeroBitCount
      subtrees.append(try hash(level: level, index: start >> level))
      start += 1 << level
    }
    return subtrees
  }

  private mutating func hash(of range: Range<Int>) throws(LogError) -> SHA256Digest {
    MerkleHash.root(ofDecreasing: try subtrees(of: range)) ?? MerkleHash.emptyRoot
  }

  /// Descends from the root of a tree, and collects the siblings of the nodes on the way.
  ///
  /// - Parameter next: Returns whether to continue in the left half of a range, which ends at an index; `nil` at the end of the way.
  /// - Returns: The siblings, the lowest first, and the leaves of the last node.
  private mutating func siblings(
    size: Int, _ next: (_ range: Range<Int>, _ middle: Int) -> Bool?
  ) throws(LogError) -> (hashes: [SHA256Digest], end: Range<Int>) {
    var hashes: [SHA256Digest] = []
    var range = 0..<size
    while range.count > 1 {
      let middle = range.lowerBound + range.count.halfPower
      guard let isLeft = next(range, middle) else { break }
      let (left, right) = (range.lowerBound..<middle, middle..<range.upperBound)
      hashes.append(try hash(of: isLeft ? right : left))
      range = isLeft ? left : right
    }
    return (hashes.reversed(), range)
  }

  package mutating func accumulator(size: Int) throws(LogError) -> MerkleAccumulator {
    // There is one subtree for each bit.
    MerkleAccumulator(size: max(size, 0), subtrees: try subtrees(of: 0..<max(size, 0))) ?? MerkleAccumulator()
  }

  package mutating func root(size: Int) throws(LogError) -> SHA256Digest { try accumulator(size: size).root }

  /// Returns the path that proves a leaf: `PATH(index, D[size])` of RFC 6962, section 2.1.1, the sibling of the leaf first.
  package mutating func inclusionProof(index: Int, size: Int) throws(LogError) -> [SHA256Digest] {
    precondition((0..<size).contains(index), "the leaf is in the tree")
    return try siblings(size: size) { _, middle in index < middle }.hashes
  }

  /// Returns the hashes that prove that the tree of one size leads to that of another: `PROOF(old, D[size])` of RFC 6962,
  /// section 2.1.2; none if `old` is 0 or `size`.
  package mutating func consistencyProof(old: Int, size: Int) throws(LogError) -> [SHA256Digest] {
    precondition((0...max(size, 0)).contains(old), "the older tree is not larger")
    guard old > 0, old < size else { return [] }
    let (proof, end) = try siblings(size: size) { range, middle in range.upperBound > old ? old <= middle : nil }
    // The verifier knows the root of the older tree.
    return end.lowerBound > 0 ? [try hash(of: end)] + proof : proof
  }
}

// MARK: - Verification

/// The verification of proofs, by the algorithms of RFC 9162. Everything in a proof is untrusted.
package enum MerkleProof {
  /// The longest path: one hash for each level of the largest tree.
  package static let hashLimit = 63

  /// Whether a leaf is in a tree (RFC 9162, section 2.1.3.2).
  package static func isIncluded(
    _ leaf: SHA256Digest, at index: Int, path: [SHA256Digest], size: Int, root: SHA256Digest
  ) -> Bool {
    guard index >= 0, index < size else { return false }
    var hash = leaf
    let isPath = climb(path, from: index, last: size - 1) { sibling, isLeft in
      hash = isLeft ? MerkleHash.node(sibling, hash) : MerkleHash.node(hash, sibling)
    }
    return isPath && hash == root
  }

  /// Climbs from a node of a tree to its root.
  ///
  /// - Parameter join: Receives each sibling, and whether it is the left one.
  /// - Returns: Whether the path ends at the root.
  private static func climb(
    _ path: some Sequence<SHA256Digest>, from index: Int, last: Int,
    _ join: (_ sibling: SHA256Digest, _ isLeft: Bool) -> Void
  ) -> Bool {
    var (position, last) = (index, last)
    for sibling in path {
      guard last > 0 else { return false }
      let isLeft = position & 1 == 1 || position == last
      join(sibling, isLeft)
      while isLeft, position & 1 == 0, position != 0 {
        position >>= 1
        last >>= 1
      }
      position >>= 1
      last >>= 1
    }
    return last == 0
  }

  /// Whether a tree leads to a larger one, or is the same (RFC 9162, section 2.1.4.2).
  ///
  /// Every tree extends the empty one, so a proof for that size proves nothing and is refused.
  package static func isConsistent(
    oldSize: Int, oldRoot: SHA256Digest, size: Int, root: SHA256Digest, proof: [SHA256Digest]
  ) -> Bool {
    guard oldSize > 0, oldSize <= size else { return false }
    if oldSize == size { return proof.isEmpty && oldRoot == root }
    // A complete subtree is the first hash itself, and is left out of the proof.
    var rest = proof[...]
    guard let first = oldSize & (oldSize - 1) == 0 ? oldRoot : rest.popFirst() else { return false }
    // The last subtree of the older tree has a level for each one at the end of the index of its last leaf.
    let level = (oldSize - 1).trailingOnes
    var (old, new) = (first, first)
    let isPath = climb(rest, from: (oldSize - 1) >> level, last: (size - 1) >> level) { hash, isLeft in
      if isLeft { old = MerkleHash.node(hash, old) }
      new = isLeft ? MerkleHash.node(hash, new) : MerkleHash.node(new, hash)
    }
    return isPath && old == oldRoot && new == root
  }
}
