import JSONCoding
import TreeCollections

/// Two states as trees that lack the rows which the states share: what is left out is equal, so comparing the trees finds
/// the differences of the states, at the cost of what changed.
///
/// Both states are encoded in rounds, each of which leaves out the rows of the dictionaries that it meets for the first time and
/// notes where they stand. Between the rounds those that stand at one place in both states are compared by the parts that they
/// share; in the next round they are encoded with what is left of them, and only the dictionaries in there are new. The last round
/// has met nothing new.
///
/// Only a ``TreeCollections/TreeDictionary`` knows what it shares. A state without one is encoded as a whole, in one round.
struct UnsharedParts {
  let old: StateTree
  let new: StateTree
  /// Whether the trees are the states, because nothing was left out.
  let areWhole: Bool
  /// How many nodes and rows of dictionaries were looked at.
  let visited: Int

  /// Encodes two states.
  ///
  /// - Throws: What the states' own coding throws.
  /// - Complexity: O(*d*) in what the states do not share, times the depth to which dictionaries lie in dictionaries.
  init<State: Encodable>(encoding old: State, _ new: State) throws {
    let (left, right) = (DictionaryPlaces(), DictionaryPlaces())
    var (oldBytes, newBytes): ([UInt8], [UInt8])
    var visited = 0
    repeat {
      oldBytes = try Self.encode(old, left)
      newBytes = try Self.encode(new, right)
    } while DictionaryPlaces.settle(left, right, visited: &visited)
    self.old = StateTree(try JSONValue(parsing: oldBytes))
    self.new = StateTree(try JSONValue(parsing: newBytes))
    self.visited = visited
    areWhole = !left.leavesOut && !right.leavesOut
  }

  private static func encode(_ state: some Encodable, _ places: DictionaryPlaces) throws -> [UInt8] {
    var encoder = StrictJSONEncoder(form: .canonical)
    encoder.userInfo[.treeParts] = places
    return try encoder.encode(state)
  }
}
