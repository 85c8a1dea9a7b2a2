/// A leaf with its hash, on the way into a tree.
@frozen
@usableFromInline
struct TreeEntry {
  @usableFromInline let hash: UInt
  @usableFromInline let leaf: TreeSlot

  @inlinable
  init(hash: UInt, leaf: TreeSlot) {
    self.hash = hash
    self.leaf = leaf
  }
}

extension TreeNode {
  /// A tree made at once, and its lists of leaves with equal hashes, where keys can be equal.
  @usableFromInline
  struct Built {
    @usableFromInline var root: TreeNode?
    @usableFromInline var lists: [TreeCandidates] = []
  }

  /// Makes a tree of many leaves, whose ownership is taken.
  ///
  /// Entries are parted by one digit of their hashes after the other, and each node is made once, in its final size.
  ///
  /// - Complexity: O(*n*), as long as hashes differ.
  @usableFromInline
  static func build(_ entries: inout ContiguousArray<TreeEntry>) -> Built {
    var built = Built()
    guard let first = entries.first else { return built }
    var scratch = ContiguousArray(repeating: first, count: entries.count)
    entries.withUnsafeMutableBufferPointer { entries in
      scratch.withUnsafeMutableBufferPointer { scratch in
        let node = build(entries, scratch, TreeShape.top, &built.lists)
        built.root = Unmanaged<TreeNode>.fromOpaque(node).takeRetainedValue()
      }
    }
    return built
  }

  /// Up to so many entries are put into order by comparing them: parting them takes a look at every bucket.
  private static let smallCount = 12

  /// Recursion ends with the digits of the hash.
  private static func build(
    _ entries: UnsafeMutableBufferPointer<TreeEntry>, _ scratch: UnsafeMutableBufferPointer<TreeEntry>, _ shift: Int,
    _ lists: inout [TreeCandidates]
  ) -> TreeSlot {
    if entries.count <= smallCount {
      sort(entries)
      return buildSorted(entries, shift, &lists)
    }
    guard shift >= 0 else { return buildSorted(entries, shift, &lists) }
    return withUnsafeTemporaryAllocation(of: Int.self, capacity: Int(TreeShape.mask) + 1) { ends in
      ends.initialize(repeating: 0)
      for entry in entries { ends[TreeShape.digit(entry.hash, shift)] += 1 }
      var (leaves, nodes, start): (UInt16, UInt16, Int) = (0, 0, 0)
      for index in ends.indices {
        let count = ends[index]
        if count == 1 { leaves |= 1 << UInt16(index) }
        if count > 1 { nodes |= 1 << UInt16(index) }
        ends[index] = start
        start += count
      }
      for entry in entries {
        let digit = TreeShape.digit(entry.hash, shift)
        scratch[ends[digit]] = entry
        ends[digit] += 1
      }
      let node = TreeHandle.make(leaves: leaves, nodes: nodes, room: (leaves | nodes).nonzeroBitCount)
      var (slot, first) = (node.slots, 0)
      for end in ends where end > first {
        let range = first..<end
        if range.count == 1 {
          slot.initialize(to: scratch[first].leaf)
        } else {
          // What was the room to part entries in holds them now, and the other way round.
          let parted = UnsafeMutableBufferPointer(rebasing: scratch[range])
          let room = UnsafeMutableBufferPointer(rebasing: entries[range])
          slot.initialize(to: build(parted, room, shift - TreeShape.bits, &lists))
        }
        slot += 1
        first = end
      }
      return node.object
    }
  }

  /// Makes a node of entries that are in the order of their hashes and share the digits above.
  private static func buildSorted(
    _ entries: UnsafeMutableBufferPointer<TreeEntry>, _ shift: Int, _ lists: inout [TreeCandidates]
  ) -> TreeSlot {
    if shift < 0 {
      let list = TreeHandle.makeList(count: entries.count)
      for (index, entry) in entries.enumerated() { (list.slots + index).initialize(to: entry.leaf) }
      lists.append(TreeCandidates(list.slots, entries.count))
      return list.object
    }
    var (leaves, nodes): (UInt16, UInt16) = (0, 0)
    for entry in entries {
      let bucket = TreeShape.bucket(entry.hash, shift)
      nodes |= leaves & bucket
      leaves |= bucket
    }
    leaves ^= nodes
    let node = TreeHandle.make(leaves: leaves, nodes: nodes, room: (leaves | nodes).nonzeroBitCount)
    var (slot, first) = (node.slots, 0)
    while first < entries.count {
      let bucket = TreeShape.bucket(entries[first].hash, shift)
      var end = first + 1
      if nodes & bucket != 0 {
        while end < entries.count, TreeShape.bucket(entries[end].hash, shift) == bucket { end += 1 }
        let part = UnsafeMutableBufferPointer(rebasing: entries[first..<end])
        slot.initialize(to: buildSorted(part, shift - TreeShape.bits, &lists))
      } else {
        slot.initialize(to: entries[first].leaf)
      }
      slot += 1
      first = end
    }
    return node.object
  }

  /// Keeps the order of entries with equal hashes.
  private static func sort(_ entries: UnsafeMutableBufferPointer<TreeEntry>) {
    for index in entries.indices.dropFirst() {
      let entry = entries[index]
      var place = index
      while place > 0, entries[place - 1].hash > entry.hash {
        entries[place] = entries[place - 1]
        place -= 1
      }
      entries[place] = entry
    }
  }
}
