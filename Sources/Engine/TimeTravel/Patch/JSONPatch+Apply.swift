public import JSONCoding
import Platform

extension JSONPatch {
  /// Applies the operations in order.
  ///
  /// - Returns: The document after the last operation. `document` is a value and does not change.
  /// - Throws: ``TimeTravelError/Code/patchFailed`` or, from a `test`, ``TimeTravelError/Code/testFailed``, with the
  ///   operation, the pointer, and the value there.
  /// - Complexity: O(depth + members or elements of the container) for each operation.
  public func apply(to document: JSONValue) throws(TimeTravelError) -> JSONValue {
    var editor = DocumentEditor(document)
    for (index, operation) in operations.enumerated() {
      do throws(TimeTravelError) {
        try editor.apply(operation)
      } catch {
        throw TimeTravelError(
          error.code == .testFailed ? .testFailed : .patchFailed,
          "cannot \(operation.name): \(error.message)",
          pointer: error.pointer,
          operation: index,
          suggestions: error.suggestions
        )
      }
    }
    return editor.document
  }
}

/// A document that a patch is being applied to.
private struct DocumentEditor {
  private var root: JSONValue?

  init(_ document: JSONValue) {
    root = document
  }

  var document: JSONValue { root ?? .null }

  mutating func apply(_ operation: JSONPatch.Operation) throws(TimeTravelError) {
    switch operation {
    case .add(let path, let value):
      try add(value, at: path)
    case .remove(let path):
      _ = try remove(at: path)
    case .replace(let path, let value):
      _ = try PointerLookup.value(at: path, in: document)
      edit(at: path) { place in place = value }
    case .move(let from, let path):
      try move(from: from, to: path)
    case .copy(let from, let path):
      try add(try PointerLookup.value(at: from, in: document), at: path)
    case .test(let path, let value):
      try test(path, value)
    }
  }

  private func test(_ path: JSONPointer, _ value: JSONValue) throws(TimeTravelError) {
    let found = try PointerLookup.value(at: path, in: document)
    guard !NumericEquality.areEqual(found, value) else { return }
    throw TimeTravelError(
      .testFailed,
      "the value at \(PointerLookup.describe(path)) is \(Self.brief(found)), not \(Self.brief(value))",
      pointer: path
    )
  }

  private mutating func move(from: JSONPointer, to path: JSONPointer) throws(TimeTravelError) {
    if from == path {
      _ = try PointerLookup.value(at: from, in: document)
      return
    }
    // Only a longer path can be inside the moved value.
    if path.tokens.count > from.tokens.count, JSONPointer(Array(path.tokens.prefix(from.tokens.count))) == from {
      throw TimeTravelError(
        .patchFailed,
        "\(PointerLookup.describe(path)) is inside \(PointerLookup.describe(from)) itself",
        pointer: path
      )
    }
    try add(try remove(at: from), at: path)
  }

  private mutating func add(_ value: JSONValue, at path: JSONPointer) throws(TimeTravelError) {
    guard let parent = path.parent, let token = path.tokens.last else {
      root = value
      return
    }
    let container = try PointerLookup.value(at: parent, in: document)
    switch container {
    case .object:
      edit(at: path) { place in place = value }
    case .array(let elements):
      let index = token == "-" ? elements.count : JSONPointer.index(of: token)
      guard let index, index <= elements.count else {
        throw PointerLookup.missing(token, at: parent, holding: container, asked: path)
      }
      edit(at: parent) { place in
        guard case .array(var elements) = place else { return }
        place = nil
        elements.insert(value, at: index)
        place = .array(elements)
      }
    case .null, .bool, .number, .string:
      throw PointerLookup.missing(token, at: parent, holding: container, asked: path)
    }
  }

  private mutating func remove(at path: JSONPointer) throws(TimeTravelError) -> JSONValue {
    let removed = try PointerLookup.value(at: path, in: document)
    guard !path.tokens.isEmpty else {
      throw TimeTravelError(.patchFailed, "the whole document cannot be removed, only replaced", pointer: path)
    }
    edit(at: path) { place in place = nil }
    return removed
  }

  /// Changes the value at a location that exists, or a member that is added.
  private mutating func edit(at path: JSONPointer, _ change: (inout JSONValue?) -> Void) {
    _ = JSONValue.edit(&root, at: path.tokens[...], change)
  }

  /// A value for a message, on one line.
  private static func brief(_ value: JSONValue) -> String {
    if case .string(let text) = value { return EscapedText.quoting(text.count > 80 ? text.prefix(80) + "…" : text) }
    let text = value.description
    if text.utf8.count <= 100 { return EscapedText.escaping(text) }
    if case .array = value { return "another array" }
    return "another object"
  }
}
