public import JSONCoding

/// A list of operations that turn one JSON document into another, as RFC 6902 defines them.
///
/// A patch is a value; it is applied with ``apply(to:)`` and made from a difference with ``init(from:to:includingTests:)``
/// or ``StateDiff/jsonPatch(includingTests:)``.
public struct JSONPatch: Hashable, Sendable {
  /// One step of a patch.
  public enum Operation: Hashable, Sendable {
    /// Puts a member in place, or inserts an element before the one at the index; `-` appends.
    case add(path: JSONPointer, value: JSONValue)
    /// Takes a member or an element away.
    case remove(path: JSONPointer)
    /// Puts another value in the place of one that is there.
    case replace(path: JSONPointer, value: JSONValue)
    /// Takes a value away and adds it somewhere else.
    case move(from: JSONPointer, path: JSONPointer)
    /// Adds a value somewhere else, too.
    case copy(from: JSONPointer, path: JSONPointer)
    /// Goes on only if the value there is equal to this one; numbers are equal if their values are.
    case test(path: JSONPointer, value: JSONValue)
  }

  /// The steps, in the order in which they are applied.
  public var operations: [Operation]

  /// Makes a patch from its steps.
  public init(_ operations: [Operation] = []) {
    self.operations = operations
  }
}

extension JSONPatch.Operation {
  /// What the operation is called in a document.
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

  /// The place that the operation is about.
  public var path: JSONPointer {
    switch self {
    case .add(let path, _), .remove(let path), .replace(let path, _), .move(_, let path), .copy(_, let path),
      .test(let path, _):
      path
    }
  }
}

extension JSONPatch {
  /// Reads a patch document.
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

  /// Reads a patch document that is parsed already.
  ///
  /// Members that RFC 6902 does not define are ignored, as it asks for.
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

/// Reads one element of a patch document.
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
        "there is no operation \(MessageText.quoting(name))",
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
      throw error("\(MessageText.quoting(text)) in \"\(name)\" is not a JSON Pointer")
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
  /// Only `add`, `remove` and `replace` are used, and `test` if asked for. Applied to `old` the patch gives `new`
  /// exactly.
  ///
  /// - Parameters:
  ///   - old: The document before.
  ///   - new: The document after.
  ///   - includingTests: Whether each `remove` and `replace` is preceded by a `test` for the value that it does away
  ///     with, so that the patch refuses any other document.
  /// - Complexity: That of comparing the documents; see ``StateDiff``.
  public init(from old: JSONValue, to new: JSONValue, includingTests: Bool = false) {
    self = StateDiff(from: StateTree(old), to: StateTree(new)).jsonPatch(includingTests: includingTests)
  }
}

extension StateDiff {
  /// The differences as a patch that turns the old state into the new one.
  ///
  /// - Parameter includingTests: Whether each `remove` and `replace` is preceded by a `test` for the old value.
  /// - Complexity: O(number of differences · depth).
  public func jsonPatch(includingTests: Bool = false) -> JSONPatch {
    var writer = PatchWriter(includesTests: includingTests)
    if let edit { writer.append(edit, at: .root) }
    return JSONPatch(writer.operations)
  }
}

/// Writes edits as operations.
///
/// Edits are written from front to back, so whatever lies before a place has its new form already: places are those of
/// the new document, and an element that is removed stands where the next one will stand.
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
    // How much further back than in the old array an element stands in the array as it is now.
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
