import TreeCollections

/// A table of elements by number, as the guide's benchmarks use it.
protocol GuideCollection: SendableMetatype {
  /// The name in the tables.
  static var name: String { get }
  /// Whether changes are made in place and are visible to all holders of the table.
  static var isReference: Bool { get }

  /// The elements under the keys 0, 1, 2 …
  init(_ elements: [GuideElement])

  var count: Int { get }
  var elements: [GuideElement] { get }

  func element(_ key: Int64) -> GuideElement?
  /// The table with an element under a key, or without any: a changed copy, or the same reference changed.
  func setting(_ element: GuideElement?, for key: Int64) -> Self
}

extension Dictionary: GuideCollection where Key == Int64, Value == GuideElement {
  static var name: String { "Dictionary" }
  static var isReference: Bool { false }

  init(_ elements: [GuideElement]) {
    self.init(uniqueKeysWithValues: elements.enumerated().map { key, element in (Int64(key), element) })
  }

  var elements: [GuideElement] { Array(values) }

  func element(_ key: Int64) -> GuideElement? { self[key] }

  func setting(_ element: GuideElement?, for key: Int64) -> Self {
    var copy = self
    copy[key] = element
    return copy
  }
}

extension TreeDictionary: GuideCollection where Key == Int64, Value == GuideElement {
  static var name: String { "TreeDictionary" }
  static var isReference: Bool { false }

  init(_ elements: [GuideElement]) {
    self.init(uniqueKeysWithValues: elements.enumerated().map { key, element in (Int64(key), element) })
  }

  var elements: [GuideElement] { Array(values) }

  func element(_ key: Int64) -> GuideElement? { self[key] }

  func setting(_ element: GuideElement?, for key: Int64) -> Self {
    var copy = self
    copy[key] = element
    return copy
  }
}

/// A reference to a dictionary that is modified in place: there are no copies, and old values are lost.
///
/// It stands where the guide has a `ModelContext` and is not one.
final class ReferenceTable: GuideCollection {
  static let name = "class (in place)"
  static let isReference = true

  private var table: [Int64: GuideElement]

  init(_ elements: [GuideElement]) {
    table = [Int64: GuideElement](elements)
  }

  var count: Int { table.count }
  var elements: [GuideElement] { Array(table.values) }

  func element(_ key: Int64) -> GuideElement? { table[key] }

  func setting(_ element: GuideElement?, for key: Int64) -> Self {
    table[key] = element
    return self
  }
}
