import ActionLog
import Foundation
import HTTPServer
import JSONCoding

/// The parameters of a request, or the members of its body. Each one is read once, and an unknown one is an error.
struct InspectorQuery: Sendable {
  private var values: [String: JSONValue] = [:]
  private let noun: String

  /// Reads the parameters of an address, whose values are texts.
  init(_ text: String?) throws(RequestFailure) {
    noun = "parameter"
    for part in (text ?? "").split(separator: "&") {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = pair[0].removingPercentEncoding,
        let value = pair.count == 2 ? pair[1].removingPercentEncoding : ""
      else { throw Self.wrong("'\(part.prefix(100))' is not percent-encoded UTF-8") }
      guard values.updateValue(.string(value), forKey: name) == nil else { throw Self.wrong("'\(name)' occurs twice") }
    }
  }

  init(_ bytes: [UInt8]) throws(RequestFailure) {
    let value: JSONValue
    do { value = try JSONValue(parsing: bytes) } catch { throw Self.wrong("the body is not JSON: \(error)") }
    guard case .object(let object) = value else { throw Self.wrong("the body is not a JSON object") }
    noun = "member"
    for member in object { values[member.name] = member.value }
  }

  var isEmpty: Bool { values.isEmpty }

  func finish() throws(RequestFailure) {
    if let name = values.keys.min() { throw Self.wrong("there is no \(noun) '\(name.prefix(100))'") }
  }

  static func wrong(_ message: MessageText) -> RequestFailure { RequestFailure(.badRequest, "usage", message) }

  private mutating func take(_ name: String) -> JSONValue? {
    guard let value = values.removeValue(forKey: name), value != .null else { return nil }
    return value
  }

  private func required<Value>(_ name: String, _ value: Value?) throws(RequestFailure) -> Value {
    guard let value else { throw Self.wrong("'\(name)' is missing") }
    return value
  }
}

extension InspectorQuery {
  mutating func text(
    _ name: String, upTo limit: Int = InspectorLimits.conditionCharacters
  ) throws(RequestFailure) -> String {
    try required(name, optionalText(name, upTo: limit))
  }

  mutating func optionalText(
    _ name: String, upTo limit: Int = InspectorLimits.conditionCharacters
  ) throws(RequestFailure) -> String? {
    guard let value = take(name) else { return nil }
    guard case .string(let text) = value else { throw Self.wrong("'\(name)' is not a string") }
    guard text.utf8.count <= limit else { throw Self.wrong("'\(name)' has more than \(limit) characters") }
    return text
  }

  /// `standard` if it is missing.
  mutating func integer(_ name: String, or standard: Int? = nil, upTo limit: Int = .max) throws(RequestFailure) -> Int {
    let number = try required(name, optionalInteger(name) ?? standard)
    guard number <= limit else { throw Self.wrong("'\(name)' is \(limit) at most") }
    return number
  }

  mutating func optionalInteger(_ name: String) throws(RequestFailure) -> Int? {
    guard let value = take(name) else { return nil }
    let text = if case .string(let text) = value { text } else { value.description }
    guard !text.isEmpty, text.utf8.allSatisfy({ byte in (0x30...0x39).contains(byte) }), let number = Int(text) else {
      throw Self.wrong("'\(name)' is not a number from 0: '\(text.prefix(100))'")
    }
    return number
  }

  /// `false` if it is missing.
  mutating func bool(_ name: String) throws(RequestFailure) -> Bool {
    guard let value = take(name) else { return false }
    guard case .bool(let isSet) = value else { throw Self.wrong("'\(name)' is not true or false") }
    return isSet
  }

  mutating func texts(_ name: String) throws(RequestFailure) -> [String]? {
    guard let value = take(name) else { return nil }
    guard case .array(let values) = value, values.count <= InspectorLimits.rows else {
      throw Self.wrong("'\(name)' is not an array of up to \(InspectorLimits.rows) strings")
    }
    return try values.map { value throws(RequestFailure) in
      guard case .string(let text) = value else { throw Self.wrong("'\(name)' has an element that is not a string") }
      return text
    }
  }

  mutating func path() throws(RequestFailure) -> JSONPointer { try required("path", optionalPath("path")) }

  mutating func optionalPath(_ name: String) throws(RequestFailure) -> JSONPointer? {
    try optionalText(name).map { text throws(RequestFailure) in try Self.path(text, name) }
  }

  mutating func paths(_ name: String) throws(RequestFailure) -> [JSONPointer] {
    try (texts(name) ?? []).map { text throws(RequestFailure) in try Self.path(text, name) }
  }

  private static func path(_ text: String, _ name: String) throws(RequestFailure) -> JSONPointer {
    guard let pointer = JSONPointer(text) else {
      throw wrong("'\(name)' is not a JSON Pointer: '\(text.prefix(100))'")
    }
    return pointer
  }

  mutating func count() throws(RequestFailure) -> Int {
    try integer("count", or: 200, upTo: InspectorLimits.rows)
  }

  /// Letters and digits.
  mutating func viewName() throws(RequestFailure) -> String {
    let name = try text("view")
    guard (8...32).contains(name.utf8.count),
      name.allSatisfy({ character in character.isASCII && (character.isLetter || character.isNumber) })
    else { throw Self.wrong("'view' has 8 to 32 letters and digits") }
    return name
  }
}
