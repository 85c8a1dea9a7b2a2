public import JSONCoding

/// A list of operations that transform a JSON document (RFC 6902), made by ``StateDiff/jsonPatch(includingTests:)`` or read from an
/// action of ``PatchedModel``.
public struct JSONPatch: Hashable, Sendable {
  /// An operation of a patch. The differences of two states need no `move` and no `copy`.
  public enum Operation: Hashable, Sendable {
    /// Sets a member, or inserts an element before the one at the index.
    case add(path: JSONPointer, value: JSONValue)
    /// Removes a member or an element.
    case remove(path: JSONPointer)
    /// Replaces an existing value.
    case replace(path: JSONPointer, value: JSONValue)
    /// Removes a value and adds it at another location.
    case move(from: JSONPointer, path: JSONPointer)
    /// Adds a value at another location, too.
    case copy(from: JSONPointer, path: JSONPointer)
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
    case .move(let from, let path):
      ["op": "move", "from": .string(from.description), "path": .string(path.description)]
    case .copy(let from, let path):
      ["op": "copy", "from": .string(from.description), "path": .string(path.description)]
    case .add(let path, let value): ["op": "add", "path": .string(path.description), "value": value]
    case .remove(let path): ["op": "remove", "path": .string(path.description)]
    case .replace(let path, let value): ["op": "replace", "path": .string(path.description), "value": value]
    case .test(let path, let value): ["op": "test", "path": .string(path.description), "value": value]
    }
  }
}

// MARK: - Reading

/// The reason why a patch is not one, or does not apply to a state.
struct PatchFault: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}

extension JSONPatch {
  /// The most operations of a patch. Each one can shift the elements of a large array; a longer patch says the same as a new state.
  static let operationLimit = 1 << 16

  init(parsing document: JSONValue) throws {
    guard case .array(let elements) = document, elements.count <= Self.operationLimit else {
      throw PatchFault("a patch is an array of at most \(Self.operationLimit) operations (RFC 6902)")
    }
    operations = try elements.enumerated().map { index, element in
      do { return try Operation(parsing: element) } catch { throw PatchFault("operation \(index): \(error)") }
    }
  }
}

extension JSONPatch.Operation {
  /// Reads an operation. Members that it does not need are ignored, as the RFC requires.
  fileprivate init(parsing document: JSONValue) throws(PatchFault) {
    guard case .object(let members) = document, case .string(let name)? = members["op"] else {
      throw PatchFault("an operation is an object with an \"op\" that is a string")
    }
    func pointer(_ member: String) throws(PatchFault) -> JSONPointer {
      guard case .string(let text)? = members[member], let pointer = JSONPointer(text) else {
        throw PatchFault(
          "\"\(member)\" is not a JSON Pointer: '/' before each name, whose '~' is written '~0', and '/' '~1'")
      }
      return pointer
    }
    func value() throws(PatchFault) -> JSONValue {
      guard let value = members["value"] else { throw PatchFault("'\(name)' has no \"value\"") }
      return value
    }
    switch name {
    case "add": self = .add(path: try pointer("path"), value: try value())
    case "remove": self = .remove(path: try pointer("path"))
    case "replace": self = .replace(path: try pointer("path"), value: try value())
    case "move": self = .move(from: try pointer("from"), path: try pointer("path"))
    case "copy": self = .copy(from: try pointer("from"), path: try pointer("path"))
    case "test": self = .test(path: try pointer("path"), value: try value())
    default: throw PatchFault("there is no operation '\(JSONPointer.excerpt(of: name))'")
    }
  }

  /// The operation and its locations, for a message: `move "/a" to "/b"`.
  var summary: String {
    guard case .object(let members) = document, case .string(let name)? = members["op"] else { return "" }
    let places = [members["from"], members["path"]].compactMap { place in place?.description }
    return JSONPointer.excerpt(of: "\(name) \(places.joined(separator: " to "))")
  }
}

// MARK: - Writing

extension StateDiff {
  /// Returns the differences as a patch, which applied to the old state gives exactly the new one.
  ///
  /// - Parameter includingTests: Whether a `test` for the old value precedes each `remove` and `replace`.
  /// - Complexity: O(number of differences · depth).
  public func jsonPatch(includingTests: Bool = false) -> JSONPatch {
    jsonPatch(of: .root, includingTests: includingTests)
  }

  /// - Parameter place: The location of the two states in the document that is patched.
  func jsonPatch(of place: JSONPointer, includingTests: Bool = false) -> JSONPatch {
    var writer = PatchWriter(includesTests: includingTests)
    if let edit { writer.append(edit, at: place) }
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
