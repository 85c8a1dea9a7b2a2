extension TreeDictionary {
  /// The value of a key.
  ///
  /// Setting `nil` removes the key. A value is changed in place when no other dictionary shares it, so that
  /// `dictionary[key]?.append(1)` copies nothing.
  ///
  /// - Returns: The value, or `nil` if there is no such key.
  /// - Complexity: O(1) to read; to change, as ``updateValue(_:forKey:)``.
  @inlinable
  public subscript(key: Key) -> Value? {
    get { leaf(key)?.value.pointee }
    set {
      if let newValue {
        set(newValue, key)
      } else {
        removeValue(forKey: key)
      }
    }
    _modify {
      let hash = Self.hash(key)
      guard place(key, hash) != nil, case .found(let slot) = uniqueSlot(key, hash) else {
        var value: Value?
        defer { if let value { set(value, key) } }
        yield &value
        return
      }
      // Nobody else sees the leaf while its value is out: it is unique, and `self` is under exclusive access.
      let leaf = Self.uniqueLeaf(slot)
      var value: Value? = leaf.take()
      defer {
        if let value {
          leaf.putBack(value)
        } else {
          removeValue(forKey: key)
        }
      }
      yield &value
    }
  }

  /// The value of a key, or a default.
  ///
  /// Changing it inserts the default first if there is no such key: `counts[word, default: 0] += 1`.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - defaultValue: The default, evaluated only if there is no such key.
  /// - Complexity: O(1) to read; to change, as ``updateValue(_:forKey:)``.
  @inlinable
  public subscript(key: Key, default defaultValue: @autoclosure () -> Value) -> Value {
    get { leaf(key)?.value.pointee ?? defaultValue() }
    _modify {
      let hash = Self.hash(key)
      let leaf: Leaf
      switch uniqueSlot(key, hash) {
      case .found(let slot): leaf = Self.uniqueLeaf(slot)
      case .missing(let other): leaf = insert(key, defaultValue(), hash, besides: other)
      }
      // The leaf is unique and in the tree, which is under exclusive access.
      yield &leaf.value.pointee
    }
  }
}
