/// A node of a hash-array mapped trie: references to its children, in bucket order.
///
/// Keys and values are stored in separate leaf objects. Copying a node therefore copies references only, and the node type is not
/// generic. Below the last digit of a hash, a node is a collision list: the leaves whose hashes are equal.
///
/// Shapes are canonical: no node is empty, and below the root no node has a leaf as its only child. Two trees with equal keys
/// therefore have equal shapes, regardless of their history, except for the order of leaves in collision lists.
@usableFromInline
final class TreeNode: ManagedBuffer<TreeNodeHeader, TreeSlot> {
  deinit {
    withUnsafeMutablePointers { header, slots in
      for index in 0..<header.pointee.count { TreeReference.release(slots[index]) }
    }
  }
}

@usableFromInline
struct TreeNodeHeader {
  var leaves: UInt16
  var nodes: UInt16
  /// The number of leaves in a collision list; the capacity of any other node.
  var extent: UInt32

  /// The buckets that are not empty. A collision list has none.
  @inline(__always)
  var occupied: UInt16 { leaves | nodes }

  @inline(__always)
  var isList: Bool { occupied == 0 }

  @inline(__always)
  var count: Int { isList ? Int(extent) : occupied.nonzeroBitCount }

  /// The index of a bucket's child, or the index to insert it at.
  @inline(__always)
  func index(_ bucket: UInt16) -> Int { (occupied & (bucket &- 1)).nonzeroBitCount }

  /// The index of a bucket's child, or the index to insert it at, given the hash digit of the bucket.
  ///
  /// The upper nodes of a large tree are full. In a full node the digit is the index, so the processor can continue without counting
  /// bits and before the header is loaded.
  @inline(__always)
  func index(_ bucket: UInt16, _ digit: Int) -> Int { occupied == .max ? digit : index(bucket) }

  /// Whether the only child is a leaf, which must then replace the node.
  var isSingleLeaf: Bool { nodes == 0 && count == 1 }
}

/// An unowned reference to a node, without reference counting.
@usableFromInline
struct TreeHandle {
  let object: TreeSlot

  @inline(__always)
  init(_ object: TreeSlot) { self.object = object }

  // Both pointers are valid while the object is alive: ManagedBuffer stores the header and the elements inline, at fixed addresses.
  // The creator of a handle holds a reference to the object, directly or through its ancestors.

  @inline(__always)
  var header: UnsafeMutablePointer<TreeNodeHeader> {
    Unmanaged<TreeNode>.fromOpaque(object)._withUnsafeGuaranteedRef { $0.withUnsafeMutablePointerToHeader { $0 } }
  }

  @inline(__always)
  var slots: UnsafeMutablePointer<TreeSlot> {
    Unmanaged<TreeNode>.fromOpaque(object)._withUnsafeGuaranteedRef { $0.withUnsafeMutablePointerToElements { $0 } }
  }

  /// Creates a node that owns the references that the caller stores in its slots.
  ///
  /// Every slot that the header counts must be initialized before the node is released.
  @inline(__always)
  static func make(leaves: UInt16, nodes: UInt16, room: Int) -> TreeHandle {
    // The allocator's size classes are 16 bytes apart, so an odd slot would be wasted.
    let room = (room + 1) & ~1
    let header = TreeNodeHeader(leaves: leaves, nodes: nodes, extent: UInt32(truncatingIfNeeded: room))
    let node = TreeNode.create(minimumCapacity: room) { _ in header }
    return TreeHandle(Unmanaged.passRetained(node).toOpaque())
  }

  /// Creates a collision list. The caller must initialize its slots.
  static func makeList(count: Int) -> TreeHandle {
    let header = TreeNodeHeader(leaves: 0, nodes: 0, extent: UInt32(count))
    let node = TreeNode.create(minimumCapacity: count) { _ in header }
    return TreeHandle(Unmanaged.passRetained(node).toOpaque())
  }

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

  /// Releases the node without releasing its children, which the caller has moved elsewhere.
  func discard() {
    header.pointee = TreeNodeHeader(leaves: 0, nodes: 0, extent: 0)
    TreeReference.release(object)
  }

  /// Returns the node in a slot, after replacing it with a copy if it is shared.
  @inline(__always)
  static func unique(_ holder: UnsafeMutablePointer<TreeSlot>) -> TreeHandle {
    if TreeReference.isUnique(holder, TreeNode.self) { return TreeHandle(holder.pointee) }
    let copy = TreeHandle(holder.pointee).copy()
    TreeReference.release(holder.pointee)
    holder.pointee = copy.object
    return copy
  }
}

/// The mapping from hash bits to buckets.
///
/// Each level consumes four bits, starting with the highest bits at the root. An update that keeps the previous version copies one
/// node per level and retains all of its children. With five bits per level, updates copied more bytes and took longer, while
/// lookups were hardly faster; see the benchmarks `update, 100 000 entries, TreeDictionary` and
/// `update and keep, 100 000 entries, TreeDictionary`.
@usableFromInline
enum TreeShape {
  /// The number of hash bits that each level consumes.
  @usableFromInline static let bits = 4
  static let mask: UInt = 15
  static let top = UInt.bitWidth - bits

  /// The index of a hash's bucket: its digit at this level.
  @inline(__always)
  static func digit(_ hash: UInt, _ shift: Int) -> Int {
    Int(truncatingIfNeeded: (hash >> UInt(truncatingIfNeeded: shift)) & mask)
  }

  /// The bucket of a hash, as a bit in a node's bitmaps.
  @inline(__always)
  static func bucket(_ hash: UInt, _ shift: Int) -> UInt16 { 1 << UInt16(truncatingIfNeeded: digit(hash, shift)) }
}

/// An owned reference to a ``TreeNode`` or a `TreeLeaf`. The bitmaps of the enclosing node determine which.
@usableFromInline
typealias TreeSlot = UnsafeMutableRawPointer

/// Operations on the references in a tree.
@usableFromInline
enum TreeReference {
  @inlinable
  @inline(__always)
  static func retain(_ slot: TreeSlot) {
    _ = Unmanaged<AnyObject>.fromOpaque(slot).retain()
  }

  @inlinable
  @inline(__always)
  static func release(_ slot: TreeSlot) {
    Unmanaged<AnyObject>.fromOpaque(slot).release()
  }

  /// Prefetches the objects that a range of slots refers to.
  ///
  /// An iteration retains one object after the other, and retaining is atomic: without a prefetch the processor waits for the memory
  /// of each object in turn. This was a large part of the time to encode a large tree (benchmark `canonical encoding of a
  /// state`).
  ///
  /// - Returns: Whether there are any objects. The result depends on the loaded words, so the compiler cannot remove the loads.
  @inline(__always)
  static func fetch(_ slots: UnsafeMutablePointer<TreeSlot>, _ count: Int) -> Bool {
    var words: UInt = 0
    // The first word of an object is its type's address, which is never 0.
    for index in 0..<count { words |= slots[index].load(as: UInt.self) }
    return words != 0
  }

  /// Whether a slot holds the only reference to its object.
  ///
  /// The slot must own the object, and the object must have the given type. If the result is `true`, a caller that may write to the
  /// slot may also write to the object. The type must not be `AnyObject`: Swift 6 opens the existential into a copy, which adds
  /// a reference.
  @inlinable
  @inline(__always)
  static func isUnique<Object: AnyObject>(_ slot: UnsafeMutablePointer<TreeSlot>, _ type: Object.Type) -> Bool {
    // A strong reference and an opaque pointer have the same representation.
    slot.withMemoryRebound(to: Object.self, capacity: 1) { isKnownUniquelyReferenced(&$0.pointee) }
  }
}

/// A key-value pair of a tree.
///
/// The pair is stored in a managed buffer, so the value has a stable address and can be modified in place if the leaf is
/// uniquely referenced.
@usableFromInline
final class TreeLeaf<Key: Hashable, Value>: ManagedBuffer<Key, Value> {
  @inlinable
  deinit {
    _ = withUnsafeMutablePointerToElements { value in
      if TreeLeafAccess<Key, Value>.canBeHollow {
        UnsafeMutableRawPointer(value).assumingMemoryBound(to: Value?.self).deinitialize(count: 1)
      } else {
        value.deinitialize(count: 1)
      }
    }
  }
}

/// An unowned reference to a leaf, without reference counting.
@frozen
@usableFromInline
struct TreeLeafAccess<Key: Hashable, Value> {
  @usableFromInline let object: TreeSlot

  @inlinable
  @inline(__always)
  init(_ object: TreeSlot) { self.object = object }

  // The pointers are valid while the leaf is alive; the enclosing tree keeps it alive. Only a caller that has made the leaf
  // unique may write through them.

  @inlinable
  @inline(__always)
  var key: Key {
    Unmanaged<TreeLeaf<Key, Value>>.fromOpaque(object)._withUnsafeGuaranteedRef {
      $0.withUnsafeMutablePointerToHeader { $0.pointee }
    }
  }

  @inlinable
  @inline(__always)
  var value: UnsafeMutablePointer<Value> {
    Unmanaged<TreeLeaf<Key, Value>>.fromOpaque(object)._withUnsafeGuaranteedRef {
      $0.withUnsafeMutablePointerToElements { $0 }
    }
  }

  @inlinable
  @inline(__always)
  func has(_ key: Key) -> Bool {
    Unmanaged<TreeLeaf<Key, Value>>.fromOpaque(object)._withUnsafeGuaranteedRef {
      $0.withUnsafeMutablePointerToHeader { $0.pointee == key }
    }
  }

  /// Creates a leaf with a reference that the caller owns.
  @inlinable
  @inline(__always)
  static func make(_ key: Key, _ value: Value) -> TreeSlot {
    let leaf = TreeLeaf<Key, Value>.create(minimumCapacity: 1) { _ in key }
    leaf.withUnsafeMutablePointerToElements { $0.initialize(to: value) }
    return Unmanaged.passRetained(leaf).toOpaque()
  }
}

extension TreeLeafAccess {
  /// Whether a leaf's value can be moved out temporarily.
  ///
  /// If `Value?` has the same size as `Value`, the optional has no tag byte: a payload is stored unchanged, and `nil` is a bit pattern
  /// that no payload uses. The memory of the value can then hold `nil` while the value is moved out. Types without spare bit
  /// patterns, such as integers, are copied instead, which costs no more.
  @inlinable
  @inline(__always)
  static var canBeHollow: Bool { MemoryLayout<Value?>.size == MemoryLayout<Value>.size }

  /// Moves the value out, so that its storage is uniquely referenced, or copies it if ``canBeHollow`` is `false`.
  @inlinable
  @inline(__always)
  func take() -> Value {
    guard Self.canBeHollow else { return value.pointee }
    let result = value.move()
    UnsafeMutableRawPointer(value).initializeMemory(as: Value?.self, to: nil)
    return result
  }

  /// Puts a value back after ``take()``.
  @inlinable
  @inline(__always)
  func putBack(_ newValue: Value) {
    if Self.canBeHollow {
      UnsafeMutableRawPointer(value).assumingMemoryBound(to: Value?.self).pointee = newValue
    } else {
      value.pointee = newValue
    }
  }
}
