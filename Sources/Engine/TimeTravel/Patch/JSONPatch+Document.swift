public import JSONCoding
import TextDisplay

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
        "there is no operation \(TerminalText.quoting(name))",
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
      throw error("\(TerminalText.quoting(text)) in \"\(name)\" is not a JSON Pointer")
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
