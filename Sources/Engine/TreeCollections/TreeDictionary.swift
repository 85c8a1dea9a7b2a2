/// A persistent hash map: a dictionary whose copies share structure.
///
/// It is a value type with the interface of `Dictionary`, except for capacities (`capacity`, `reserveCapacity(_:)`,
/// `init(minimumCapacity:)`) and for writing through an index: `values[index]` is read-only. The two types differ in the cost of
/// modifying a dictionary while a copy of it exists. A `Dictionary` then copies all elements; a `TreeDictionary` copies the path from the
/// root to the key:
///
/// ```swift
/// var animals: TreeDictionary = ["Cat": "Mammal", "Newt": "Amphibian"]
/// let before = animals                    // shares everything
/// animals["Dog"] = "Mammal"               // copies a few nodes, regardless of the dictionary's size
/// animals.changes(from: before).inserted  // inspects only those nodes; contains ("Dog", "Mammal")
/// print(before.count)                     // Prints "2"
/// ```
///
/// This suits the state of a store, where every action produces a new value while streams, snapshots and cursors keep old ones. Nodes
/// that are not shared are modified in place. If no copies are ever kept, `Dictionary` is faster (benchmarks
/// `update, 100 000 entries, Dictionary` and `update, 100 000 entries, TreeDictionary`).
///
/// As in `Dictionary`, the order of elements is unspecified: it is the order of their hashes, which differ between processes.
///
/// - SeeAlso: Phil Bagwell, *Ideal Hash Trees* (2001); Michael Steindorfer and Jurgen Vinju, *Optimizing Hash-Array Mapped
///   Tries for Fast and Lean Immutable JVM Collections* (2015); the ImmutableData programming guide, chapter 18.
@frozen
public struct TreeDictionary<Key: Hashable, Value> {
  @usableFromInline var root: TreeNode?
  @usableFromInline var elements: Int

  @inlinable
  init(root: TreeNode?, count: Int) {
    self.root = root
    elements = count
  }

  /// A key with its value.
  public typealias Element = (key: Key, value: Value)

  @usableFromInline typealias Leaf = TreeLeafAccess<Key, Value>
}

// A node is written only through a value that holds the only reference to it; shared nodes are only read. Threads can therefore share
// nodes if keys and values are sendable.
extension TreeDictionary: @unchecked Sendable where Key: Sendable, Value: Sendable {}

extension TreeDictionary {
  /// Creates an empty dictionary.
  @inlinable
  public init() {
    self.init(root: nil, count: 0)
  }

  /// The number of elements.
  @inlinable
  public var count: Int { elements }

  /// Whether the dictionary is empty.
  @inlinable
  public var isEmpty: Bool { count == 0 }

  /// Whether two dictionaries share their root: one is a copy of the other, and neither has been modified since.
  ///
  /// - Returns: `true` if they share their root, and are therefore equal. If `false`, they may still be equal.
  @inlinable
  public func isTriviallyIdentical(to other: Self) -> Bool { root === other.root }

  @inlinable
  @inline(__always)
  static func hash(_ key: Key) -> UInt { UInt(bitPattern: key.hashValue) }

  @inlinable
  @inline(__always)
  func leaf(_ key: Key) -> Leaf? {
    let candidates = TreeNode.find(root, Self.hash(key))
    for index in 0..<candidates.count {
      let leaf = Leaf(candidates.slots.unsafelyUnwrapped[index])
      if leaf.has(key) { return leaf }
    }
    return nil
  }

  /// The leaf of a key and its offset among the leaves with the key's hash.
  @inlinable
  func place(_ key: Key, _ hash: UInt) -> (leaf: Leaf, offset: Int)? {
    let candidates = TreeNode.find(root, hash)
    for index in 0..<candidates.count {
      let leaf = Leaf(candidates.slots.unsafelyUnwrapped[index])
      if leaf.has(key) { return (leaf, index) }
    }
    return nil
  }
}

extension TreeDictionary {
  /// Creates a dictionary from unique keys, faster than by inserting them one by one.
  ///
  /// - Precondition: No two keys are equal.
  @inlinable
  public init(uniqueKeysWithValues keysAndValues: some Sequence<(Key, Value)>) {
    var builder = Builder(minimumCapacity: keysAndValues.underestimatedCount)
    for (key, value) in keysAndValues { builder.append(key, value) }
    guard let dictionary = builder.finish() else {
      preconditionFailure("two of the keys are equal")
    }
    self = dictionary
  }

  /// Creates a dictionary from keys that may repeat. The earlier of two values is combined with the later one.
  @inlinable
  public init(
    _ keysAndValues: some Sequence<(Key, Value)>, uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows {
    self.init()
    try merge(keysAndValues, uniquingKeysWith: combine)
  }

  /// Creates a dictionary that groups values by key.
  @inlinable
  public init<Values: Sequence>(
    grouping values: Values, by keyForValue: (Values.Element) throws -> Key
  ) rethrows where Value == [Values.Element] {
    self.init()
    for value in values { try self[keyForValue(value), default: []].append(value) }
  }
}

extension TreeDictionary: ExpressibleByDictionaryLiteral {
  /// Creates a dictionary from a dictionary literal.
  ///
  /// - Precondition: No two keys are equal.
  @inlinable
  public init(dictionaryLiteral elements: (Key, Value)...) {
    self.init(uniqueKeysWithValues: elements)
  }
}

extension Dictionary {
  /// Creates a dictionary with the elements of a ``TreeDictionary``.
  @inlinable
  public init(_ elements: TreeDictionary<Key, Value>) {
    self.init(minimumCapacity: elements.count)
    for (key, value) in elements { self[key] = value }
  }
}

extension TreeDictionary: Equatable where Value: Equatable {
  /// Whether two dictionaries contain equal keys with equal values.
  ///
  /// - Complexity: O(1) for copies of one dictionary, otherwise O(*d*) in the nodes that they do not share.
  @inlinable
  public static func == (left: Self, right: Self) -> Bool {
    if left.isTriviallyIdentical(to: right) { return true }
    guard left.count == right.count else { return false }
    return TreeNode.areEqual(
      left.root, right.root, keys: { Leaf($0).has(Leaf($1).key) },
      values: { Leaf($0).value.pointee == Leaf($1).value.pointee })
  }
}

extension TreeDictionary: Hashable where Value: Hashable {
  /// Hashes the elements, independently of their order.
  @inlinable
  public func hash(into hasher: inout Hasher) {
    var total = 0
    for (key, value) in self {
      var element = hasher
      element.combine(key)
      element.combine(value)
      total ^= element.finalize()
    }
    hasher.combine(total)
  }
}

extension TreeDictionary: CustomStringConvertible {
  /// A textual representation in the format of `Dictionary`: `["Cat": 1, "Dog": 2]`.
  public var description: String {
    if isEmpty { return "[:]" }
    let elements = map { "\(String(reflecting: $0.key)): \(String(reflecting: $0.value))" }
    return "[" + elements.joined(separator: ", ") + "]"
  }
}

extension TreeDictionary: CustomDebugStringConvertible {
  /// A textual representation in the format of `Dictionary`.
  public var debugDescription: String { description }
}

extension TreeDictionary: CustomReflectable {
  /// A mirror in the style of `Dictionary`.
  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: Array(self), displayStyle: .dictionary)
  }
}

extension TreeDictionary.Keys: CustomStringConvertible {
  /// A textual representation in the format of `Array`.
  public var description: String { Array(self).description }
}

extension TreeDictionary.Values: CustomStringConvertible {
  /// A textual representation in the format of `Array`.
  public var description: String { Array(self).description }
}

// Coding delegates to `Dictionary`, which has different coded forms for string, integer and other keys, and which coders treat
// specially (sorted keys, key conversion, duplicate keys). Both types therefore produce the same bytes with every coder, at the cost of
// a temporary `Dictionary`.

extension TreeDictionary: Encodable where Key: Encodable, Value: Encodable {
  /// Encodes the elements exactly as a `Dictionary` with the same elements.
  @inlinable
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Dictionary(part(for: encoder)))
  }
}

extension TreeDictionary: Decodable where Key: Decodable, Value: Decodable {
  /// Decodes the coded form of a `Dictionary`.
  @inlinable
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode([Key: Value].self))
  }
}

extension TreeDictionary {
  /// Creates a dictionary with the elements of a `Dictionary`.
  @inlinable
  public init(_ elements: [Key: Value]) {
    self.init(uniqueKeysWithValues: elements.lazy.map { ($0.key, $0.value) })
  }
}
