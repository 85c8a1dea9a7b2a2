/// How much a state costs to keep: the number of elements that a copy of it must copy as soon as it is written.
///
/// Arrays, dictionaries and sets of the standard library are copied whole by the first write after they were shared; a
/// collection whose versions share what they have in common is not, and weighs nothing here. What lies inside of elements is
/// not looked at.
enum StateWeight {
  /// States are structs of structs; deeper nesting than this is not looked into.
  private static let depthLimit = 8
  /// More members than a struct written by a person has.
  private static let memberLimit = 256

  /// The weight of a state.
  ///
  /// - Complexity: O(number of its members), not of its elements.
  static func weight(of state: some Any) -> Int {
    weight(of: state, depth: 0)
  }

  private static func weight(of value: Any, depth: Int) -> Int {
    if let collection = value as? any CopiedWhole { return collection.elementCount }
    guard depth < depthLimit else { return 0 }
    if let optional = value as? any OptionalContent {
      return optional.content.map { content in weight(of: content, depth: depth + 1) } ?? 0
    }
    // A mirror that a type makes by itself can cost as much as the value is large.
    guard !(value is any CustomReflectable) else { return 0 }
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle != .class else { return 0 }
    return mirror.children.prefix(memberLimit).reduce(0) { sum, child in sum + weight(of: child.value, depth: depth + 1)
    }
  }
}

/// A collection that is copied as a whole when it is written while it is shared.
private protocol CopiedWhole {
  var elementCount: Int { get }
}

extension Array: CopiedWhole {
  fileprivate var elementCount: Int { count }
}

extension Dictionary: CopiedWhole {
  fileprivate var elementCount: Int { count }
}

extension Set: CopiedWhole {
  fileprivate var elementCount: Int { count }
}

/// What an optional holds, whatever it is an optional of.
private protocol OptionalContent {
  var content: Any? { get }
}

extension Optional: OptionalContent {
  fileprivate var content: Any? { map { content in content } }
}
