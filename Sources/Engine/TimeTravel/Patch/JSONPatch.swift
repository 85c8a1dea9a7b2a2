public import JSONCoding
import Platform

/// A list of operations that transform a JSON document (RFC 6902).
///
/// Apply a patch with ``apply(to:)``; make one from a difference with ``init(from:to:includingTests:)`` or
/// ``StateDiff/jsonPatch(includingTests:)``.
public struct JSONPatch: Hashable, Sendable {
  /// An operation of a patch.
  public enum Operation: Hashable, Sendable {
    /// Sets a member, or inserts an element before the one at the index; `-` appends.
    case add(path: JSONPointer, value: JSONValue)
    /// Removes a member or an element.
    case remove(path: JSONPointer)
    /// Replaces an existing value.
    case replace(path: JSONPointer, value: JSONValue)
    /// Removes a value and adds it at another location.
    case move(from: JSONPointer, path: JSONPointer)
    /// Copies a value to another location.
    case copy(from: JSONPointer, path: JSONPointer)
    /// Fails unless the value is equal to this one; numbers are equal if their values are.
    case test(path: JSONPointer, value: JSONValue)
  }

  /// The operations, in order.
  public var operations: [Operation]

  /// Creates a patch from its operations.
  public init(_ operations: [Operation] = []) {
    self.operations = operations
  }
}

extension JSONPatch.Operation {
  /// The name of the operation in a patch document.
  public var name: String {
    switch self {
    case .add: "add"
    case .remove: "remove"
    case .replace: "replace"
    case .move: "move"
    case .copy: "copy"
    case .test: "test"
    }
  }

  /// The path of the operation.
  public var path: JSONPointer {
    switch self {
    case .add(let path, _), .remove(let path), .replace(let path, _), .move(_, let path), .copy(_, let path),
      .test(let path, _):
      path
    }
  }
}

extension JSONPatch {
  /// Parses a patch document.
  ///
  /// - Throws: ``TimeTravelError/Code/invalidPatch``, which names the operation.
  /// - Complexity: O(size).
  public init(parsing bytes: some Collection<UInt8>) throws(TimeTravelError) {
    let document: JSONValue
    do throws(JSONError) {
      document = try JSONValue(parsing: bytes)
    } catch {
      throw TimeTravelError(.invalidPatch, "a patch is a JSON text: \(error)", underlying: error)
    }
    try self.init(document: document)
  }

  /// Reads a parsed patch document.
  ///
  /// Members that RFC 6902 does not define are ignored, as it requires.
  ///
  /// - Throws: ``TimeTravelError/Code/invalidPatch``, which names the operation.
  /// - Complexity: O(number of operations).
  public init(document: JSONValue) throws(TimeTravelError) {
    guard case .array(let elements) = document else {
      throw TimeTravelError(.invalidPatch, "a patch is an array of operations")
    }
    var operations: [Operation] = []
    for (index, element) in elements.enumerated() {
      operations.append(try OperationReader(index: index, element: element).operation())
    }
    self.init(operations)
  }

  /// The patch as a document.
  ///
  /// - Complexity: O(number of operations · depth).
  public var document: JSONValue {
    .array(operations.map { operation in .object(operation.object) })
  }

  /// The patch document as JSON text without white space.
  ///
  /// - Complexity: O(size).
  public func bytes() -> [UInt8] {
    document.bytes()
  }
}

extension JSONPatch.Operation {
  fileprivate var object: JSONObject {
    var object: JSONObject = ["op": .string(name)]
    switch self {
    case .move(let from, _), .copy(let from, _): object["from"] = .string(from.description)
    case .add, .remove, .replace, .test: break
    }
    object["path"] = .string(path.description)
    switch self {
    case .add(_, let value), .replace(_, let value), .test(_, let value): object["value"] = value
    case .remove, .move, .copy: break
    }
    return object
  }
}

/// Reads an element of a patch document.
private struct OperationReader {
  private let index: Int
  private let object: JSONObject

  private static let names = ["add", "remove", "replace", "move", "copy", "test"]

  init(index: Int, element: JSONValue) throws(TimeTravelError) {
    guard case .object(let object) = element else {
      throw TimeTravelError(.invalidPatch, "an operation is an object", operation: index)
    }
    self.index = index
    self.object = object
  }

  func operation() throws(TimeTravelError) -> JSONPatch.Operation {
    let name = try string("op")
    switch name {
    case "add": return .add(path: try pointer("path"), value: try value())
    case "remove": return .remove(path: try pointer("path"))
    case "replace": return .replace(path: try pointer("path"), value: try value())
    case "move": return .move(from: try pointer("from"), path: try pointer("path"))
    case "copy": return .copy(from: try pointer("from"), path: try pointer("path"))
    case "test": return .test(path: try pointer("path"), value: try value())
    default:
      throw TimeTravelError(
        .invalidPatch,
        "there is no operation \(EscapedText.quoting(name))",
        operation: index,
        suggestions: NameSuggestion.suggestions(for: name, among: Self.names)
      )
    }
  }

  private func string(_ name: String) throws(TimeTravelError) -> String {
    guard let value = object[name] else { throw error("the member \"\(name)\" is missing") }
    guard case .string(let string) = value else { throw error("the member \"\(name)\" is a string") }
    return string
  }

  private func pointer(_ name: String) throws(TimeTravelError) -> JSONPointer {
    let text = try string(name)
    guard let pointer = JSONPointer(text) else {
      throw error("\(EscapedText.quoting(text)) in \"\(name)\" is not a JSON Pointer")
    }
    return pointer
  }

  private func value() throws(TimeTravelError) -> JSONValue {
    guard let value = object["value"] else { throw error("the member \"value\" is missing") }
    return value
  }

  private func error(_ message: String) -> TimeTravelError {
    TimeTravelError(.invalidPatch, message, operation: index)
  }
}

extension JSONPatch {
  /// Makes the patch that turns one document into another.
  ///
  /// The patch has only `add`, `remove` and `replace` operations, and `test` operations on request. Applied to `old` it gives
  /// exactly `new`.
  ///
  /// - Parameters:
  ///   - old: The old document.
  ///   - new: The new document.
  ///   - includingTests: Whether a `test` for the old value precedes each `remove` and `replace`, so that the patch fails on
  ///     any other document.
  /// - Complexity: That of comparing the documents; see ``StateDiff``.
  public init(from old: JSONValue, to new: JSONValue, includingTests: Bool = false) {
    self = StateDiff(from: StateTree(old), to: StateTree(new)).jsonPatch(includingTests: includingTests)
  }
}

extension StateDiff {
  /// Returns the differences as a patch from the old state to the new one.
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
      switch element {
      case .add(let value, let new):
        operations.append(.add(path: place.appending(new), value: value))
        shift += 1
      case .remove(let value, let old):
        appendRemoval(of: value, at: place.appending(old + shift))
        shift -= 1
      case .edit(let edit, _, let new):
        append(edit, at: place.appending(new))
      }
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
