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

/// Where the dictionaries of a state stand, and what of each is encoded.
///
/// A place is a path of names. A dictionary in an array or a set is not left alone: what stands around it is aligned or sorted by
/// its content. Nor is one whose keys are no names, which is an array itself. Both are encoded as a whole.
final class DictionaryPlaces: @unchecked Sendable {
  // The class is sent nowhere: an encoder calls it on the thread of whoever waits for the encoding.

  /// A path, name by name, as bytes: two names can be equal as strings and stand beside each other in one object.
  private typealias Place = [[UInt8]]

  /// What is known of a dictionary from an earlier round.
  private enum Settled {
    /// All of it is encoded.
    case whole
    /// This is encoded, a dictionary of the same type.
    case part(Any)
  }

  /// A dictionary that this round has met for the first time.
  private struct Found {
    var dictionary: Any
    /// What this dictionary and another one do not share; `nil` if that is of another type.
    var unshared: (Any) -> (mine: Any, theirs: Any, visited: Int)?
  }

  private var settled: [Place: Settled] = [:]
  /// `nil` where two dictionaries stood at one place, so that a path does not tell them apart.
  private var found: [Place: Found?] = [:]
  /// Whether some dictionary is not encoded as a whole.
  private(set) var leavesOut = false
  /// Whether the last round has met a dictionary whose rows two states may share.
  var hasFound: Bool { !found.isEmpty }
}

extension DictionaryPlaces: TreeParts {
  func part<Key, Value>(
    of dictionary: TreeDictionary<Key, Value>, at path: [any CodingKey]
  ) -> TreeDictionary<Key, Value> {
    // Keys of these types encode themselves as names.
    guard Key.self is any CodingKeyRepresentable.Type, path.allSatisfy({ key in key.intValue == nil }) else {
      return dictionary
    }
    let place = path.map { key in Array(key.stringValue.utf8) }
    switch settled[place] {
    case .whole: return dictionary
    case .part(let part): return part as? TreeDictionary<Key, Value> ?? dictionary
    case nil: break
    }
    // A place that was met before in this round belongs to no one dictionary.
    found[place] =
      found[place] == nil
      ? Found(dictionary: dictionary) { other in
        guard let other = other as? TreeDictionary<Key, Value> else { return nil }
        let parts = dictionary.unshared(with: other)
        return (mine: parts.mine, theirs: parts.theirs, visited: parts.visited)
      } : .some(nil)
    return TreeDictionary()
  }
}

extension DictionaryPlaces {
  /// Decides about the dictionaries that a round has met in two states.
  ///
  /// - Parameter visited: Counts the nodes and rows that were looked at.
  /// - Returns: Whether there were any, so that another round has to encode what was decided.
  static func settle(_ left: DictionaryPlaces, _ right: DictionaryPlaces, visited: inout Int) -> Bool {
    let isDone = left.found.isEmpty && right.found.isEmpty
    for (place, found) in left.found {
      if let mine = found, let theirs = right.found[place] ?? nil, let parts = mine.unshared(theirs.dictionary) {
        visited += parts.visited
        left.take(.part(parts.mine), at: place)
        right.take(.part(parts.theirs), at: place)
      } else {
        left.take(.whole, at: place)
      }
    }
    for place in right.found.keys where right.settled[place] == nil { right.take(.whole, at: place) }
    (left.found, right.found) = ([:], [:])
    return !isDone
  }

  private func take(_ decision: Settled, at place: Place) {
    settled[place] = decision
    if case .part = decision { leavesOut = true }
  }
}
