import JSONCoding
import TreeCollections

/// A dictionary that finds a member by its name.
protocol ProbedByKey: Encodable {
  func enter(_ name: String, with visit: ProbeVisit, at depth: Int) throws
}

/// A collection whose own coding does not show the locations of its members: an array, or a dictionary whose keys are not
/// strings.
///
/// Keys that are encoded as strings, like `UUID`, precede their values in an array: see ``PointerLookup``.
protocol ProbedByToken: Encodable {
  /// Visits the member that a token names, if there is one.
  func enter(token: String, with visit: ProbeVisit, at depth: Int) throws -> Bool
}

/// A collection that knows its number of encoded elements or members.
protocol ProbedCount: Encodable {
  var encodedCount: Int { get }
  var isEncodedAsObject: Bool { get }
  func hasMember(named name: String) -> Bool
}

extension ProbedCount {
  var isEncodedAsObject: Bool { false }
  func hasMember(named name: String) -> Bool { false }
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

extension Array: ProbedByToken where Element: Encodable {
  func enter(token: String, with visit: ProbeVisit, at depth: Int) throws -> Bool {
    guard let index = JSONPointer.index(of: token) else { return false }
    if index < count { try visit.enter(self[index], at: depth + 1) }
    return true
  }
}

extension Dictionary: ProbedByToken where Key: Codable, Value: Encodable {
  func enter(token: String, with visit: ProbeVisit, at depth: Int) throws -> Bool {
    guard let key = try visit.key(Key.self, token, at: depth) else { return false }
    guard let index = index(forKey: key) else { return true }
    try visit.enter(values[index], at: depth + 1)
    return try visit.isSettled(Key.self, values[index], at: depth)
  }
}

extension TreeDictionary: ProbedByToken where Key: Codable, Value: Encodable {
  func enter(token: String, with visit: ProbeVisit, at depth: Int) throws -> Bool {
    guard let key = try visit.key(Key.self, token, at: depth) else { return false }
    var isSettled = true
    try withPlace(of: key) { _, value in
      try visit.enter(value, at: depth + 1)
      isSettled = try visit.isSettled(Key.self, value.pointee, at: depth)
    }
    return isSettled
  }
}

extension Dictionary: ProbedCount where Key == String, Value: Encodable {
  var encodedCount: Int { count }
  var isEncodedAsObject: Bool { true }
  func hasMember(named name: String) -> Bool {
    index(forKey: name).map { index in keys[index].utf8.elementsEqual(name.utf8) } ?? false
  }
}

extension TreeDictionary: ProbedCount where Key == String, Value: Encodable {
  var encodedCount: Int { count }
  var isEncodedAsObject: Bool { true }
  func hasMember(named name: String) -> Bool {
    var isFound = false
    withPlace(of: name) { key, _ in isFound = key.utf8.elementsEqual(name.utf8) }
    return isFound
  }
}

extension Array: ProbedCount where Element: Encodable {
  var encodedCount: Int { count }
}

extension Set: ProbedCount where Element: Encodable {
  var encodedCount: Int { count }
}
