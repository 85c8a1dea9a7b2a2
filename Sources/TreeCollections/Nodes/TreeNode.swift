/// A node of a tree: the references to its children, in the order of their buckets.
///
/// Keys and values are in leaves of their own, so that copying a node for a new version copies references and nothing else,
/// and so that one compiled node serves all types. Below the last bits of a hash there are nodes of another kind: lists of
/// leaves whose hashes are equal.
///
/// Shapes are canonical: below the root no node has a single leaf as its only child, and no node is empty. Two trees with equal keys
/// therefore have equal shapes, whatever happened to them before, apart from the order in such lists.
@usableFromInline
final class TreeNode: ManagedBuffer<TreeNodeHeader, TreeSlot> {
  deinit {
    withUnsafeMutablePointers { header, slots in
      for index in 0..<header.pointee.count { TreeReference.release(slots[index]) }
    }
  }
}

/// What a node says of its children.
@usableFromInline
struct TreeNodeHeader {
  /// The buckets that hold a leaf.
  var leaves: UInt16
  /// The buckets that hold a node.
  var nodes: UInt16
  /// In a list of leaves with equal hashes their number, otherwise how many children there is room for.
  var extent: UInt32

  /// The buckets that hold anything; none in a list.
  @inline(__always)
  var occupied: UInt16 { leaves | nodes }

  @inline(__always)
  var isList: Bool { occupied == 0 }

  @inline(__always)
  var count: Int { isList ? Int(extent) : occupied.nonzeroBitCount }

  /// Where the child of a bucket is, or would be.
  @inline(__always)
  func index(_ bucket: UInt16) -> Int { (occupied & (bucket &- 1)).nonzeroBitCount }

  /// Where the child of a bucket is, or would be, on the way of a hash.
  ///
  /// The upper nodes of a large tree are full. There the digit is the index, so that the processor can go on before it has read
  /// the header, and without counting bits.
  @inline(__always)
  func index(_ bucket: UInt16, _ digit: Int) -> Int { occupied == .max ? digit : index(bucket) }

  /// Whether the only child is a leaf, so that it should take the node's place.
  var isSingleLeaf: Bool { nodes == 0 && count == 1 }
}

/// A node that someone else keeps alive, without counting references.
@usableFromInline
struct TreeHandle {
  let object: TreeSlot

  @inline(__always)
  init(_ object: TreeSlot) { self.object = object }

  // Both pointers are valid as long as the object lives: ManagedBuffer keeps header and elements in its own memory, at places that
  // never move. Whoever makes a handle holds a reference to the object, directly or through the nodes above it.

  @inline(__always)
  var header: UnsafeMutablePointer<TreeNodeHeader> {
    Unmanaged<TreeNode>.fromOpaque(object)._withUnsafeGuaranteedRef { $0.withUnsafeMutablePointerToHeader { $0 } }
  }

  @inline(__always)
  var slots: UnsafeMutablePointer<TreeSlot> {
    Unmanaged<TreeNode>.fromOpaque(object)._withUnsafeGuaranteedRef { $0.withUnsafeMutablePointerToElements { $0 } }
  }

  /// Makes a node that owns what the caller puts in its slots.
  ///
  /// Every slot that the header counts must be filled before the node is released.
  @inline(__always)
  static func make(leaves: UInt16, nodes: UInt16, room: Int) -> TreeHandle {
    // A block of the allocator holds an even number of slots, as it has 16 bytes more or less than the next.
    let room = (room + 1) & ~1
    let header = TreeNodeHeader(leaves: leaves, nodes: nodes, extent: UInt32(truncatingIfNeeded: room))
    let node = TreeNode.create(minimumCapacity: room) { _ in header }
    return TreeHandle(Unmanaged.passRetained(node).toOpaque())
  }

  /// Makes a list of leaves with equal hashes, to be filled by the caller.
  static func makeList(count: Int) -> TreeHandle {
    let header = TreeNodeHeader(leaves: 0, nodes: 0, extent: UInt32(count))
    let node = TreeNode.create(minimumCapacity: count) { _ in header }
    return TreeHandle(Unmanaged.passRetained(node).toOpaque())
  }

  /// Makes a node with the same children.
  @inline(__always)
  func copy() -> TreeHandle {
    let old = header.pointee
    let count = old.count
    let copy =
      old.isList
      ? TreeHandle.makeList(count: count) : TreeHandle.make(leaves: old.leaves, nodes: old.nodes, room: count)
    copy.slots.initialize(from: slots, count: count)
    retainChildren(count)
    return copy
  }

  @inline(__always)
  func retainChildren(_ count: Int) {
    for index in 0..<count { TreeReference.retain(slots[index]) }
  }

  /// Makes the node own nothing, after its children were moved elsewhere, and gives it up.
  func discard() {
    header.pointee = TreeNodeHeader(leaves: 0, nodes: 0, extent: 0)
    TreeReference.release(object)
  }

  /// The node in a slot, replaced by a copy unless nothing else refers to it.
  @inline(__always)
  static func unique(_ holder: UnsafeMutablePointer<TreeSlot>) -> TreeHandle {
    if TreeReference.isUnique(holder, TreeNode.self) { return TreeHandle(holder.pointee) }
    let copy = TreeHandle(holder.pointee).copy()
    TreeReference.release(holder.pointee)
    holder.pointee = copy.object
    return copy
  }
}
