import Foundation
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
  /// Whether both tables hold the same elements.
  func isEqual(to other: Self) -> Bool
  /// The first field of the element in the middle of the sorted elements.
  ///
  /// - Parameter usesDescriptor: Whether to sort by a `SortDescriptor` instead of a closure.
  func median(usesDescriptor: Bool) -> Int64
}

extension GuideCollection where Self: Equatable {
  func isEqual(to other: Self) -> Bool { self == other }
}

extension GuideCollection {
  func median(usesDescriptor: Bool) -> Int64 {
    let sorted =
      usesDescriptor
      ? elements.sorted(using: SortDescriptor(\GuideElement.a))
      : elements.sorted { first, second in first.a < second.a }
    return sorted[sorted.count / 2].a
  }
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

/// A dictionary or a tree dictionary whose elements are in boxes, as the guide's `@CowBox` puts them there.
struct BoxedTable<Boxes: BoxTable>: GuideCollection {
  static var name: String { "\(Boxes.name), CowBox" }
  static var isReference: Bool { false }

  private var boxes: Boxes

  init(_ elements: [GuideElement]) {
    boxes = Boxes(elements.map { element in CowBox(element) })
  }

  var count: Int { boxes.count }
  var elements: [GuideElement] { boxes.all.map(\.wrappedValue) }

  func element(_ key: Int64) -> GuideElement? { boxes[key]?.wrappedValue }

  func setting(_ element: GuideElement?, for key: Int64) -> Self {
    var copy = self
    copy.boxes[key] = element.map { element in CowBox(element) }
    return copy
  }

  func isEqual(to other: Self) -> Bool { boxes == other.boxes }

  func median(usesDescriptor: Bool) -> Int64 {
    let sorted =
      usesDescriptor
      ? boxes.all.sorted(using: SortDescriptor(\CowBox<GuideElement>.wrappedValue.a))
      : boxes.all.sorted { first, second in first.a < second.a }
    return sorted[sorted.count / 2].a
  }
}

/// A table of boxes by number.
protocol BoxTable: Equatable, SendableMetatype {
  static var name: String { get }
  init(_ boxes: [CowBox<GuideElement>])
  var count: Int { get }
  var all: [CowBox<GuideElement>] { get }
  subscript(key: Int64) -> CowBox<GuideElement>? { get set }
}

extension Dictionary: BoxTable where Key == Int64, Value == CowBox<GuideElement> {
  static var name: String { "Dictionary" }

  init(_ boxes: [CowBox<GuideElement>]) {
    self.init(uniqueKeysWithValues: boxes.enumerated().map { key, box in (Int64(key), box) })
  }

  var all: [CowBox<GuideElement>] { Array(values) }
}

extension TreeDictionary: BoxTable where Key == Int64, Value == CowBox<GuideElement> {
  static var name: String { "TreeDictionary" }

  init(_ boxes: [CowBox<GuideElement>]) {
    self.init(uniqueKeysWithValues: boxes.enumerated().map { key, box in (Int64(key), box) })
  }

  var all: [CowBox<GuideElement>] { Array(values) }
}

/// A reference to a dictionary that is modified in place: there are no copies, and old values are lost.
///
/// In place of the `ModelContext` of the guide, which it is not.
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

  func isEqual(to other: ReferenceTable) -> Bool { table == other.table }
}
