import JSONCoding
import TreeCollections

/// Two values as canonical JSON, without the rows that both share. The omitted rows are equal, so the values are equal if the
/// bytes are.
///
/// Both values are encoded in rounds. Each round omits the rows of the dictionaries that it meets for the first time and
/// records their locations. Between two rounds, the dictionaries at the same location of both values are compared by the nodes
/// that they share. The next round encodes the rest of them. The last round meets no new dictionary.
///
/// Only a ``TreeCollections/TreeDictionary`` can find what it shares. A value without one is encoded completely, in one round.
struct UnsharedBytes {
  let old: [UInt8]
  let new: [UInt8]
  /// Whether nothing was omitted, so that the bytes are the complete values.
  let areWhole: Bool
  let visited: Int

  var areEqual: Bool { old == new }

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

/// Two values as trees, without the rows that both share. Comparing the trees finds the differences of the values.
struct UnsharedParts: Sendable {
  let old: StateTree
  let new: StateTree
  /// Whether nothing was omitted, so that the trees are the complete values.
  let areWhole: Bool
  let visited: Int
}

extension UnsharedParts {
  init(_ bytes: UnsharedBytes) throws {
    self.init(
      old: StateTree(try JSONValue(parsing: bytes.old)), new: StateTree(try JSONValue(parsing: bytes.new)),
      areWhole: bytes.areWhole, visited: bytes.visited)
  }

  init<State: Encodable>(encoding old: State, _ new: State) throws {
    try self.init(UnsharedBytes(encoding: old, new))
  }
}

/// The locations of the dictionaries of a state, and the part of each that is encoded.
///
/// A location is a path of names. A dictionary in an array or a set is encoded completely, because its content decides how the
/// elements are aligned or sorted. So is a dictionary whose keys are not strings, which is encoded as an array.
final class DictionaryPlaces: @unchecked Sendable {
  // Never shared: an encoder calls it on the thread of the caller, who waits for the result.

  /// A path of names as bytes: two names in one object can be equal as strings.
  private typealias Place = [[UInt8]]

  /// The decision of an earlier round on a dictionary.
  private enum Settled {
    /// Encode the complete dictionary.
    case whole
    /// Encode this dictionary of the same type instead.
    case part(Any)
  }

  /// A dictionary that this round met for the first time.
  private struct Found {
    var dictionary: Any
    /// The rows that this dictionary and another one do not share; `nil` if the other one has a different type.
    var unshared: (Any) -> (mine: Any, theirs: Any, visited: Int)?
  }

  private var settled: [Place: Settled] = [:]
  /// `nil` for two dictionaries with the same path.
  private var found: [Place: Found?] = [:]
  private(set) var leavesOut = false
  /// Whether the last round met a dictionary whose rows two states may share.
  var hasFound: Bool { !found.isEmpty }
}

extension DictionaryPlaces: TreeParts {
  func part<Key, Value>(
    of dictionary: TreeDictionary<Key, Value>, at path: [any CodingKey]
  ) -> TreeDictionary<Key, Value> {
    // Keys of these types are encoded as names.
    guard Key.self is any CodingKeyRepresentable.Type, path.allSatisfy({ key in key.intValue == nil }) else {
      return dictionary
    }
    let place = path.map { key in Array(key.stringValue.utf8) }
    switch settled[place] {
    case .whole: return dictionary
    case .part(let part): return part as? TreeDictionary<Key, Value> ?? dictionary
    case nil: break
    }
    // A path that was met before in this round is ambiguous.
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
