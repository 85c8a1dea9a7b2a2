/// How the bits of a hash lead through a tree.
///
/// A node has a bucket for each value of four bits, the highest of the hash at the root and the lowest at the bottom. Four
/// bits, since an update that keeps the version before it copies one node a level and retains all its children: with five
/// bits it copied more bytes and took longer, while reading was little faster. The benchmarks
/// `update, 100 000 entries, TreeDictionary` and `update and keep, 100 000 entries, TreeDictionary` show both ends.
@usableFromInline
enum TreeShape {
  /// How many bits of the hash a level takes.
  @usableFromInline static let bits = 4
  /// The highest bucket of a node.
  static let mask: UInt = 15
  /// By how much a hash is shifted at the root.
  static let top = UInt.bitWidth - bits

  /// The number of a hash's bucket.
  @inline(__always)
  static func digit(_ hash: UInt, _ shift: Int) -> Int {
    Int(truncatingIfNeeded: (hash >> UInt(truncatingIfNeeded: shift)) & mask)
  }

  /// The bucket of a hash, as a bit in a node's maps.
  @inline(__always)
  static func bucket(_ hash: UInt, _ shift: Int) -> UInt16 { 1 << UInt16(truncatingIfNeeded: digit(hash, shift)) }
}

/// An owned reference to a ``TreeNode`` or to a `TreeLeaf`; the maps of the node around it say to which.
@usableFromInline
typealias TreeSlot = UnsafeMutableRawPointer

/// What every reference in a tree can do.
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

  /// Has the processor fetch the objects in some slots all at once.
  ///
  /// Whoever walks over them counts references in one after the other, and counting is atomic: a processor that has not seen the
  /// next address before waits for the memory of each object in turn, which was a good part of what encoding a large tree takes
  /// (the benchmark `canonical encoding of a state`).
  ///
  /// - Returns: Whether there are any objects. That the answer is made of what is loaded keeps the loads from being left out.
  @inline(__always)
  static func fetch(_ slots: UnsafeMutablePointer<TreeSlot>, _ count: Int) -> Bool {
    var words: UInt = 0
    // The first word of an object is the address of its type, which is not 0.
    for index in 0..<count { words |= slots[index].load(as: UInt.self) }
    return words != 0
  }

  /// Whether nothing but a slot refers to the object in it.
  ///
  /// The slot must own the object, and the object must be of the type: then a count of one is that of the slot, and whoever
  /// may write to the slot may write to the object. `AnyObject` will not do as the type: Swift 6 opens it into a copy,
  /// which counts.
  @inlinable
  @inline(__always)
  static func isUnique<Object: AnyObject>(_ slot: UnsafeMutablePointer<TreeSlot>, _ type: Object.Type) -> Bool {
    // A strong reference and an opaque pointer have one representation.
    slot.withMemoryRebound(to: Object.self, capacity: 1) { isKnownUniquelyReferenced(&$0.pointee) }
  }
}
