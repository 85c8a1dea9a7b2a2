public import JSONCoding

/// A list of operations that transform a JSON document (RFC 6902), made by ``StateDiff/jsonPatch(includingTests:)``.
public struct JSONPatch: Hashable, Sendable {
  /// An operation of a patch. The differences of two states need no `move` and no `copy`.
  public enum Operation: Hashable, Sendable {
    /// Sets a member, or inserts an element before the one at the index.
    case add(path: JSONPointer, value: JSONValue)
    /// Removes a member or an element.
    case remove(path: JSONPointer)
    /// Replaces an existing value.
    case replace(path: JSONPointer, value: JSONValue)
    /// Fails unless the value is equal to this one.
    case test(path: JSONPointer, value: JSONValue)
  }

  /// The operations, in order.
  public let operations: [Operation]

  init(_ operations: [Operation] = []) {
    self.operations = operations
  }

  /// The patch as a document.
  public var document: JSONValue { .array(operations.map(\.document)) }

  /// The patch document as JSON text without white space.
  public func bytes() -> [UInt8] { document.bytes() }
}

extension JSONPatch.Operation {
  fileprivate var document: JSONValue {
    switch self {
    case .add(let path, let value): ["op": "add", "path": .string(path.description), "value": value]
    case .remove(let path): ["op": "remove", "path": .string(path.description)]
    case .replace(let path, let value): ["op": "replace", "path": .string(path.description), "value": value]
    case .test(let path, let value): ["op": "test", "path": .string(path.description), "value": value]
    }
  }
}

extension StateDiff {
  /// Returns the differences as a patch, which applied to the old state gives exactly the new one.
  ///
  /// - Parameter includingTests: Whether a `test` for the old value precedes each `remove` and `replace`.
  /// - Complexity: O(number of differences · depth).
  public func jsonPatch(includingTests: Bool = false) -> JSONPatch {
    var writer = PatchWriter(includesTests: includingTests)
    if let edit { writer.append(edit, at: .root) }
    return JSONPatch(writer.operations)
  }
}

/// Writes edits as operations.
///
/// Edits are written from front to back, so everything before a location is already in its new form. Locations are those of
/// the new document, and a removed element is at the index of the next one.
private struct PatchWriter {
  private(set) var operations: [JSONPatch.Operation] = []
  private let includesTests: Bool

  init(includesTests: Bool) {
    self.includesTests = includesTests
  }

  mutating func append(_ edit: StateEdit, at place: JSONPointer) {
    switch edit {
    case .replace(let old, let new):
      appendTest(old, at: place)
      operations.append(.replace(path: place, value: new))
    case .object(let members):
      for (name, edit) in members { append(edit, at: place.appending(name)) }
    case .array(let elements):
      append(elements, in: place)
    }
  }

  private mutating func append(_ edit: StateEdit.MemberEdit, at place: JSONPointer) {
    switch edit {
    case .add(let value): operations.append(.add(path: place, value: value))
    case .remove(let value): appendRemoval(of: value, at: place)
    case .edit(let edit): append(edit, at: place)
    }
  }

  private mutating func append(_ elements: [StateEdit.ElementEdit], in place: JSONPointer) {
    // How far the elements have moved from their indices in the old array.
    var shift = 0
    for element in elements {
      append(element.edit, at: place.appending(element.new ?? (element.old ?? 0) + shift))
      if element.old == nil { shift += 1 }
      if element.new == nil { shift -= 1 }
    }
  }

  private mutating func appendRemoval(of value: JSONValue, at place: JSONPointer) {
    appendTest(value, at: place)
    operations.append(.remove(path: place))
  }

  private mutating func appendTest(_ value: JSONValue, at place: JSONPointer) {
    if includesTests { operations.append(.test(path: place, value: value)) }
  }
}
