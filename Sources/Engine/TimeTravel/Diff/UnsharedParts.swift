import JSONCoding
import TreeCollections

/// Two values as canonical JSON, without the rows that both share. What is left out is equal, so the values are equal if the bytes are.
///
/// Both values are encoded in rounds. Each round leaves out the rows of the dictionaries that it meets for the first time and records
/// their places. Between two rounds, the dictionaries at one place in both values are compared by the nodes that they share. The next
/// round encodes what is left of them. The last round meets no new dictionary.
///
/// Only a ``TreeCollections/TreeDictionary`` can find what it shares. A value without one is encoded as a whole, in one round.
struct UnsharedBytes {
  let old: [UInt8]
  let new: [UInt8]
  /// Whether the bytes are the complete values, because nothing was left out.
  let areWhole: Bool
  /// Nodes and rows of dictionaries that were visited.
  let visited: Int

  /// Whether the values are equal.
  var areEqual: Bool { old == new }

  /// Encodes two values.
  ///
  /// - Throws: What the values' own coding throws.
  /// - Complexity: O(*d*) in what the values do not share, times the depth to which dictionaries lie in dictionaries.
  init<State: Encodable>(encoding old: State, _ new: State) throws {
    let (left, right) = (DictionaryPlaces(), DictionaryPlaces())
    var (oldBytes, newBytes): ([UInt8], [UInt8])
    var visited = 0
    repeat {
      oldBytes = try Self.encode(old, left)
      newBytes = try Self.encode(new, right)
    } while DictionaryPlaces.settle(left, right, visited: &visited)
    (self.old, self.new) = (oldBytes, newBytes)
    self.visited = visited
    areWhole = !left.leavesOut && !right.leavesOut
  }

  private static func encode(_ state: some Encodable, _ places: DictionaryPlaces) throws -> [UInt8] {
    var encoder = StrictJSONEncoder(form: .canonical)
    encoder.userInfo[.treeParts] = places
    return try encoder.encode(state)
  }
}

/// Two values as trees, without the rows that both share: comparing the trees finds the differences of the values.
struct UnsharedParts: Sendable {
  let old: StateTree
  let new: StateTree
  /// Whether the trees are the complete values, because nothing was left out.
  let areWhole: Bool
  /// Nodes and rows of dictionaries that were visited.
  let visited: Int

  /// Takes the parts as they are.
  init(old: StateTree, new: StateTree, areWhole: Bool, visited: Int) {
    self.old = old
    self.new = new
    self.areWhole = areWhole
    self.visited = visited
  }

  /// Reads the encoded parts.
  init(_ bytes: UnsharedBytes) throws {
    self.init(
      old: StateTree(try JSONValue(parsing: bytes.old)), new: StateTree(try JSONValue(parsing: bytes.new)),
      areWhole: bytes.areWhole, visited: bytes.visited)
  }

  /// Encodes two values.
  init<State: Encodable>(encoding old: State, _ new: State) throws {
    try self.init(UnsharedBytes(encoding: old, new))
  }
}
