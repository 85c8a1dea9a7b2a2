/// A key with its value.
///
/// The object is managed memory for a key and one value, so that the value has an address: it is changed in place when
/// nothing else refers to the leaf.
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

/// A leaf that someone else keeps alive, without counting references.
@frozen
@usableFromInline
struct TreeLeafAccess<Key: Hashable, Value> {
  @usableFromInline let object: TreeSlot

  @inlinable
  @inline(__always)
  init(_ object: TreeSlot) { self.object = object }

  // The pointers are valid as long as the leaf lives, which the tree around it sees to. Writing through them is left to those
  // who have made the leaf unique.

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

  /// Makes a leaf that the caller owns.
  @inlinable
  @inline(__always)
  static func make(_ key: Key, _ value: Value) -> TreeSlot {
    let leaf = TreeLeaf<Key, Value>.create(minimumCapacity: 1) { _ in key }
    leaf.withUnsafeMutablePointerToElements { $0.initialize(to: value) }
    return Unmanaged.passRetained(leaf).toOpaque()
  }
}

extension TreeLeafAccess {
  /// Whether a leaf's value can be moved out for a while.
  ///
  /// An optional that is as large as its payload has no byte of its own for `nil`: it stores the payload as it is, and `nil` as bits
  /// that no payload has. So the memory of a value can be read as that of an optional, and `nil` can stand in it while
  /// the value is elsewhere. Types without such bits are numbers and the like: they are copied, which costs no more.
  @inlinable
  @inline(__always)
  static var canBeHollow: Bool { MemoryLayout<Value?>.size == MemoryLayout<Value>.size }

  /// Moves the value out where that is possible, so that nothing else refers to its storage, or copies it.
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
