import Foundation
import JSONCoding
import Testing

/// A file of `Fixtures`.
enum Fixture {
  static func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: Bundle.module.bundleURL.appendingPathComponent("Fixtures/\(name)")))
  }

  static func lines(_ name: String) throws -> [ArraySlice<UInt8>] {
    try bytes(name).split(separator: 10, omittingEmptySubsequences: false).dropLast().map { line in line }
  }

  static func names(in directory: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(
      atPath: Bundle.module.bundleURL.appendingPathComponent("Fixtures/\(directory)").path
    ).sorted()
  }
}

extension JSONValue {
  init(text: String) throws { try self.init(parsing: Array(text.utf8)) }

  /// The member with a name, or the element at an index; each further argument is one level deeper.
  subscript(path: String...) -> JSONValue? { self[JSONPointer(path)] }

  /// The object without its null members, which CloudEvents treats as equal.
  var withoutNulls: JSONValue {
    guard case .object(let object) = self else { return self }
    return .object(JSONObject(object.filter { name, value in value != .null || name == "data" }))
  }
}
