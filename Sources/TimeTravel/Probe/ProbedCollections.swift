import TreeCollections

/// A dictionary that can be asked for a member by its name.
protocol ProbedByKey: Encodable {
  /// Looks into the member that has a name, if there is one.
  func enter(_ name: String, with visit: ProbeVisit, at depth: Int) throws
}

/// A collection that knows how many elements or members it encodes.
protocol ProbedCount: Encodable {
  /// The number of elements or members in the canonical form.
  var encodedCount: Int { get }
}

extension Dictionary: ProbedByKey where Key == String, Value: Encodable {
  func enter(_ name: String, with visit: ProbeVisit, at depth: Int) throws {
    guard let index = index(forKey: name), visit.isNext(keys[index], at: depth) else { return }
    try visit.enter(values[index], at: depth + 1)
  }
}

extension TreeDictionary: ProbedByKey where Key == String, Value: Encodable {
  func enter(_ name: String, with visit: ProbeVisit, at depth: Int) throws {
    try withPlace(of: name) { key, value in
      if visit.isNext(key, at: depth) { try visit.enter(value, at: depth + 1) }
    }
  }
}

extension Dictionary: ProbedCount where Key == String, Value: Encodable {
  var encodedCount: Int { count }
}

extension TreeDictionary: ProbedCount where Key == String, Value: Encodable {
  var encodedCount: Int { count }
}

extension Array: ProbedCount where Element: Encodable {
  var encodedCount: Int { count }
}

extension Set: ProbedCount where Element: Encodable {
  var encodedCount: Int { count }
}
