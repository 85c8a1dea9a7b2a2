import ActionLog
import Foundation
import HTTPServer
import JSONCoding

/// The parameters of a request, or the members of its body. Each one is read once, and an unknown one is an error.
struct InspectorQuery: Sendable {
  private var values: [String: JSONValue] = [:]
  private let noun: String

  /// Reads the parameters of an address, whose values are texts.
  init(_ text: String?) throws(InspectorFailure) {
    noun = "parameter"
    for part in (text ?? "").split(separator: "&") {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = pair[0].removingPercentEncoding,
        let value = pair.count == 2 ? pair[1].removingPercentEncoding : ""
      else { throw Self.wrong("'\(part.prefix(100))' is not percent-encoded UTF-8") }
      guard values.updateValue(.string(value), forKey: name) == nil else { throw Self.wrong("'\(name)' occurs twice") }
    }
  }

  init(_ bytes: [UInt8]) throws(InspectorFailure) {
    let value: JSONValue
    do { value = try JSONValue(parsing: bytes) } catch { throw Self.wrong("the body is not JSON: \(error)") }
    guard case .object(let object) = value else { throw Self.wrong("the body is not a JSON object") }
    noun = "member"
    for member in object { values[member.name] = member.value }
  }

  var isEmpty: Bool { values.isEmpty }

  func finish() throws(InspectorFailure) {
    if let name = values.keys.min() { throw Self.wrong("there is no \(noun) '\(name.prefix(100))'") }
  }

  static func wrong(_ message: MessageText) -> InspectorFailure { InspectorFailure(.badRequest, "usage", message) }

  private mutating func take(_ name: String) -> JSONValue? {
    guard let value = values.removeValue(forKey: name), value != .null else { return nil }
    return value
  }

  private func required<Value>(_ name: String, _ value: Value?) throws(InspectorFailure) -> Value {
    guard let value else { throw Self.wrong("'\(name)' is missing") }
    return value
  }
}

extension InspectorQuery {
  mutating func text(
    _ name: String, upTo limit: Int = InspectorLimits.conditionCharacters
  ) throws(InspectorFailure) -> String {
    try required(name, optionalText(name, upTo: limit))
  }

  mutating func optionalText(
    _ name: String, upTo limit: Int = InspectorLimits.conditionCharacters
  ) throws(InspectorFailure) -> String? {
    guard let value = take(name) else { return nil }
    guard case .string(let text) = value else { throw Self.wrong("'\(name)' is not a string") }
    guard text.utf8.count <= limit else { throw Self.wrong("'\(name)' has more than \(limit) characters") }
    return text
  }

  /// `standard` if it is missing.
  mutating func integer(_ name: String, or standard: Int? = nil, upTo limit: Int = .max) throws(InspectorFailure) -> Int
  {
    let number = try required(name, optionalInteger(name) ?? standard)
    guard number <= limit else { throw Self.wrong("'\(name)' is \(limit) at most") }
    return number
  }

  mutating func optionalInteger(_ name: String) throws(InspectorFailure) -> Int? {
    guard let value = take(name) else { return nil }
    let text = if case .string(let text) = value { text } else { value.description }
    guard !text.isEmpty, text.utf8.allSatisfy({ byte in (0x30...0x39).contains(byte) }), let number = Int(text) else {
      throw Self.wrong("'\(name)' is not a number from 0: '\(text.prefix(100))'")
    }
    return number
  }

  /// `false` if it is missing.
  mutating func bool(_ name: String) throws(InspectorFailure) -> Bool {
    guard let value = take(name) else { return false }
    guard case .bool(let isSet) = value else { throw Self.wrong("'\(name)' is not true or false") }
    return isSet
  }

  mutating func texts(_ name: String) throws(InspectorFailure) -> [String]? {
    guard let value = take(name) else { return nil }
    guard case .array(let values) = value, values.count <= InspectorLimits.rows else {
      throw Self.wrong("'\(name)' is not an array of up to \(InspectorLimits.rows) strings")
    }
    return try values.map { value throws(InspectorFailure) in
      guard case .string(let text) = value else { throw Self.wrong("'\(name)' has an element that is not a string") }
      return text
    }
  }

  mutating func path() throws(InspectorFailure) -> JSONPointer { try required("path", optionalPath("path")) }

  mutating func optionalPath(_ name: String) throws(InspectorFailure) -> JSONPointer? {
    try optionalText(name).map { text throws(InspectorFailure) in try Self.path(text, name) }
  }

  mutating func paths(_ name: String) throws(InspectorFailure) -> [JSONPointer] {
    try (texts(name) ?? []).map { text throws(InspectorFailure) in try Self.path(text, name) }
  }

  private static func path(_ text: String, _ name: String) throws(InspectorFailure) -> JSONPointer {
    guard let pointer = JSONPointer(text) else {
      throw wrong("'\(name)' is not a JSON Pointer: '\(text.prefix(100))'")
    }
    return pointer
  }

  mutating func count() throws(InspectorFailure) -> Int {
    try integer("count", or: 200, upTo: InspectorLimits.rows)
  }

  /// Letters and digits.
  mutating func viewName() throws(InspectorFailure) -> String {
    let name = try text("view")
    guard (8...32).contains(name.utf8.count),
      name.allSatisfy({ character in character.isASCII && (character.isLetter || character.isNumber) })
    else { throw Self.wrong("'view' has 8 to 32 letters and digits") }
    return name
  }
}

struct InspectorFailure: Error {
  var status: HTTPStatus
  var failure: ToolFailure
  var allowed: String?

  init(_ status: HTTPStatus, _ code: ToolFailure.Code, _ message: MessageText, advice: MessageText? = nil) {
    self.status = status
    failure = ToolFailure(code, .usage, message, advice: advice)
  }

  init(any error: any Error) {
    if let error = error as? InspectorFailure {
      self = error
      return
    }
    failure = ToolFailure(any: error)
    status =
      switch failure.codeName {
      case LogError.Code.locked.rawValue: .conflict
      case LogError.Code.revisionOutOfRange.rawValue, LogError.Code.pruned.rawValue, LogError.Code.notFound.rawValue:
        .notFound
      default: failure.status == .usage ? .badRequest : .internalServerError
      }
  }

  static func nothing(at path: JSONPointer, _ revision: Int) -> InspectorFailure {
    InspectorFailure(.notFound, "notFound", "there is nothing at '\(path)' at revision \(revision)")
  }

  static func missing(_ path: String) -> InspectorFailure {
    InspectorFailure(.notFound, "noRoute", "there is nothing at \(path.prefix(100))")
  }

  /// Checks the method of a request.
  static func require(_ request: HTTPRequest, _ methods: [String]) throws(InspectorFailure) {
    guard !methods.contains(request.method) else { return }
    let allowed = methods.joined(separator: ", ")
    var failure = InspectorFailure(
      .methodNotAllowed, "wrongMethod", "\(request.path) accepts \(allowed), not \(request.method)")
    failure.allowed = allowed
    throw failure
  }

  static func tooLarge(_ subject: String, _ bytes: Int) -> InspectorFailure {
    tooLarge(subject, "\(bytes)", advice: "Read it with \(command: .state, .option("path")).")
  }

  static func tooLarge(_ subject: String, _ bytes: String, advice: MessageText) -> InspectorFailure {
    InspectorFailure(.contentTooLarge, "beyondLimit", "\(subject) has \(bytes) bytes", advice: advice)
  }

  func json(_ wording: MessageWording) -> JSONValue {
    var object: JSONObject = ["code": .string(failure.codeName), "message": .string(wording.message(failure.content))]
    object["advice"] = failure.guidance.flatMap(wording.advice).map(JSONValue.string)
    if !failure.excerpt.isEmpty { object["excerpt"] = .array(failure.excerpt.map(JSONValue.string)) }
    return ["error": .object(object)]
  }

  func response(_ wording: MessageWording) -> HTTPResponse {
    var response = HTTPResponse(status, json: json(wording).bytes())
    if let allowed { response.headers.append("Allow", allowed) }
    if status == .unauthorized { response.headers.append("WWW-Authenticate", "Bearer") }
    return response
  }
}
