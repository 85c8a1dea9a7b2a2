public import JSONCoding

extension StateTree {
  /// The value at a place, or `nil` if there is none.
  ///
  /// - Complexity: O(depth), and O(number of entries) for a key of a dictionary that is encoded as an array.
  public subscript(pointer: JSONPointer) -> JSONValue? {
    PointerLookup.find(pointer, in: root)
  }

  /// The value at a place.
  ///
  /// - Throws: ``TimeTravelError/Code/notFound``, which names the first part of the pointer that is missing, what is
  ///   there instead, and the member that may have been meant.
  /// - Complexity: O(depth).
  public func value(at pointer: JSONPointer) throws(TimeTravelError) -> JSONValue {
    try PointerLookup.value(at: pointer, in: root, followsKeys: true)
  }

  /// The part of the tree at a place, as a tree of its own.
  ///
  /// - Throws: ``TimeTravelError/Code/notFound``, as ``value(at:)`` does.
  /// - Complexity: O(size of the part).
  public func subtree(at pointer: JSONPointer) throws(TimeTravelError) -> StateTree {
    StateTree(try value(at: pointer))
  }

  /// The places of the tree from top to bottom, a container before what it holds.
  ///
  /// - Parameters:
  ///   - pointer: Where to begin; the place itself is part of the list.
  ///   - leavesOnly: Whether containers that hold something are left out.
  ///   - limit: The length of the longest list that is wanted.
  /// - Throws: ``TimeTravelError/Code/notFound`` when nothing lies at `pointer`.
  /// - Complexity: O(length of the list · depth).
  public func paths(
    below pointer: JSONPointer = .root, leavesOnly: Bool = false, limit: Int = .max
  ) throws(TimeTravelError) -> [JSONPointer] {
    var found: [JSONPointer] = []
    collect(pointer, try value(at: pointer), leavesOnly: leavesOnly, limit: limit, into: &found)
    return found
  }

  private func collect(
    _ pointer: JSONPointer, _ value: JSONValue, leavesOnly: Bool, limit: Int, into found: inout [JSONPointer]
  ) {
    guard found.count < limit else { return }
    if !leavesOnly || value.isLeaf { found.append(pointer) }
    switch value {
    case .null, .bool, .number, .string: break
    case .array(let elements):
      for (index, element) in elements.enumerated() where found.count < limit {
        collect(pointer.appending(index), element, leavesOnly: leavesOnly, limit: limit, into: &found)
      }
    case .object(let object):
      for (name, member) in object where found.count < limit {
        collect(pointer.appending(name), member, leavesOnly: leavesOnly, limit: limit, into: &found)
      }
    }
  }
}

extension JSONValue {
  /// Whether no pointer leads further than to this value.
  fileprivate var isLeaf: Bool {
    switch self {
    case .null, .bool, .number, .string: true
    case .array(let elements): elements.isEmpty
    case .object(let object): object.isEmpty
    }
  }
}
