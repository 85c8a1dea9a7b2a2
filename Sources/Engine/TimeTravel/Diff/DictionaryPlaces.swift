import TreeCollections

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
