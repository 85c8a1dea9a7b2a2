/// A dictionary whose copies share all they have in common: a persistent hash map.
///
/// It has the interface of `Dictionary` and is a value as `Dictionary` is. Left out are capacities, since a tree reserves nothing
/// (`capacity`, `reserveCapacity(_:)`, `init(minimumCapacity:)`), and writing by way of an index: `values[index]` only reads, and
/// `dictionary[key]` writes. The difference is what a change costs while there is another copy of the value. A `Dictionary` copies everything then; this one copies the way from its root to the key:
///
/// ```swift
/// var animals: TreeDictionary = ["Cat": "Mammal", "Newt": "Amphibian"]
/// let before = animals                    // shares everything
/// animals["Dog"] = "Mammal"               // copies a few nodes, however large the dictionary is
/// animals.changes(from: before).inserted  // looks at those nodes only; holds ("Dog", "Mammal")
/// print(before.count)                     // Prints "2"
/// ```
///
/// So it fits the states of a store, where every action makes a new value and streams, snapshots and cursors hold old ones. What
/// is held by nobody else is changed in place. Where nothing is ever shared a `Dictionary` is faster:
/// the benchmark `update, 100 000 entries, Dictionary` beside `update, 100 000 entries, TreeDictionary`. Where every version is
/// kept a `Dictionary` copies itself for each; the benchmark `update and keep, 100 000 entries, TreeDictionary` shows what it costs
/// here.
///
/// Elements have no order that a program may rely on, as in `Dictionary`: keys stand in the order of their hashes, which differ from
/// process to process. Within one process, dictionaries with equal keys have them in the same order, unless keys with
/// equal hashes were inserted in different orders.
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

// The nodes are written by a value that alone refers to them, and otherwise only read, so that they may be shared between
// threads as far as keys and values may.
extension TreeDictionary: @unchecked Sendable where Key: Sendable, Value: Sendable {}

extension TreeDictionary {
  /// Makes an empty dictionary.
  ///
  /// - Complexity: O(1).
  @inlinable
  public init() {
    self.init(root: nil, count: 0)
  }

  /// The number of elements.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var count: Int { elements }

  /// Whether there are no elements.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var isEmpty: Bool { count == 0 }

  /// Whether two dictionaries are known to be equal, because one is a copy of the other and neither was changed since.
  ///
  /// - Returns: `true` if they share everything. `false` says nothing about equality.
  /// - Complexity: O(1).
  @inlinable
  public func isTriviallyIdentical(to other: Self) -> Bool { root === other.root }

  @inlinable
  @inline(__always)
  static func hash(_ key: Key) -> UInt { UInt(bitPattern: key.hashValue) }

  /// The leaf of a key.
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

  /// The leaf of a key and its place among the leaves with the key's hash.
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
