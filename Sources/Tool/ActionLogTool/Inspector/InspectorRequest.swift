import ActionLog
import Foundation
import HTTPServer
import JSONCoding

/// The parameters of a request. Each one is read once, and an unknown one is an error.
struct InspectorQuery: Sendable {
  private var values: [String: String] = [:]

  init(_ text: String?) throws(InspectorFailure) {
    for part in (text ?? "").split(separator: "&") {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = pair[0].removingPercentEncoding,
        let value = pair.count == 2 ? pair[1].removingPercentEncoding : ""
      else { throw Self.wrong("'\(part.prefix(100))' is not percent-encoded UTF-8") }
      guard values.updateValue(value, forKey: name) == nil else { throw Self.wrong("'\(name)' occurs twice") }
    }
  }

  mutating func text(_ name: String) -> String? { values.removeValue(forKey: name) }

  /// A number from 0; `standard` if it is missing.
  mutating func integer(_ name: String, or standard: Int? = nil, upTo limit: Int = .max) throws(InspectorFailure) -> Int
  {
    guard let number = try optionalInteger(name) ?? standard else { throw Self.wrong("'\(name)' is missing") }
    guard number <= limit else { throw Self.wrong("'\(name)' is \(limit) at most") }
    return number
  }

  /// A number from 0, if there is one.
  mutating func optionalInteger(_ name: String) throws(InspectorFailure) -> Int? {
    guard let text = text(name) else { return nil }
    guard !text.isEmpty, text.utf8.allSatisfy({ byte in (0x30...0x39).contains(byte) }), let number = Int(text) else {
      throw Self.wrong("'\(name)' is not a number from 0: '\(text.prefix(100))'")
    }
    return number
  }

  /// The number of rows.
  mutating func count() throws(InspectorFailure) -> Int {
    try integer("count", or: 200, upTo: InspectorLimits.rows)
  }

  /// A path; the root if it is missing.
  mutating func path() throws(InspectorFailure) -> JSONPointer {
    let text = text("path") ?? ""
    guard let pointer = JSONPointer(text) else {
      throw Self.wrong("'path' is not a JSON Pointer: '\(text.prefix(100))'")
    }
    return pointer
  }

  /// The name that a page gave to its view: letters and digits.
  mutating func viewName() throws(InspectorFailure) -> String {
    guard let name = text("view") else { throw Self.wrong("'view' is missing") }
    return try Self.checked(view: name)
  }

  /// Returns the name of a view.
  static func checked(view name: String) throws(InspectorFailure) -> String {
    guard (8...32).contains(name.utf8.count),
      name.allSatisfy({ character in character.isASCII && (character.isLetter || character.isNumber) })
    else { throw wrong("'view' has 8 to 32 letters and digits") }
    return name
  }

  /// Refuses the remaining parameters.
  func finish() throws(InspectorFailure) {
    if let name = values.keys.min() { throw Self.wrong("there is no parameter '\(name.prefix(100))'") }
  }

  static func wrong(_ message: MessageText) -> InspectorFailure { InspectorFailure(.badRequest, "usage", message) }
}

/// The members of a request's body. Each one is read once, and an unknown one is an error.
struct InspectorBody: Sendable {
  private var members: [String: JSONValue] = [:]

  init(_ bytes: [UInt8]) throws(InspectorFailure) {
    let value: JSONValue
    do { value = try JSONValue(parsing: bytes) } catch { throw InspectorQuery.wrong("the body is not JSON: \(error)") }
    guard case .object(let object) = value else { throw InspectorQuery.wrong("the body is not a JSON object") }
    self.init(object)
  }

  private init(_ object: JSONObject) {
    for member in object { members[member.name] = member.value }
  }

  mutating func text(
    _ name: String, upTo limit: Int = InspectorLimits.conditionCharacters
  ) throws(InspectorFailure) -> String {
    guard let text = try optionalText(name, upTo: limit) else { throw InspectorQuery.wrong("'\(name)' is missing") }
    return text
  }

  mutating func optionalText(
    _ name: String, upTo limit: Int = InspectorLimits.conditionCharacters
  ) throws(InspectorFailure) -> String? {
    guard let value = members.removeValue(forKey: name), value != .null else { return nil }
    guard case .string(let text) = value else { throw InspectorQuery.wrong("'\(name)' is not a string") }
    guard text.utf8.count <= limit else {
      throw InspectorQuery.wrong("'\(name)' has more than \(limit) characters")
    }
    return text
  }

  /// An array of objects, each to be read like a body.
  mutating func bodies(_ name: String) throws(InspectorFailure) -> [InspectorBody] {
    guard case .array(let elements)? = members.removeValue(forKey: name), elements.count <= InspectorLimits.rows else {
      throw InspectorQuery.wrong("'\(name)' is not an array of up to \(InspectorLimits.rows) objects")
    }
    return try elements.map { element throws(InspectorFailure) in
      guard case .object(let object) = element else {
        throw InspectorQuery.wrong("'\(name)' has an element that is not an object")
      }
      return InspectorBody(object)
    }
  }

  /// Two numbers from 0, the first and the last of a range; `nil` if the member is missing.
  mutating func bounds(_ name: String) throws(InspectorFailure) -> ClosedRange<Int>? {
    guard let value = members.removeValue(forKey: name) else { return nil }
    let numbers: [Int]
    if case .array(let elements) = value {
      numbers = elements.compactMap { element in
        if case .number(let number) = element { Int(number.text) } else { nil }
      }
    } else {
      numbers = []
    }
    guard numbers.count == 2, numbers[0] >= 0, numbers[0] <= numbers[1] else {
      throw InspectorQuery.wrong("'\(name)' is not a range of two numbers from 0")
    }
    return numbers[0]...numbers[1]
  }

  mutating func texts(_ name: String) throws(InspectorFailure) -> [String]? {
    guard let value = members.removeValue(forKey: name) else { return nil }
    guard case .array(let elements) = value, elements.count <= InspectorLimits.rows else {
      throw InspectorQuery.wrong("'\(name)' is not an array of up to \(InspectorLimits.rows) strings")
    }
    return try elements.map { element throws(InspectorFailure) in
      guard case .string(let text) = element else {
        throw InspectorQuery.wrong("'\(name)' has an element that is not a string")
      }
      return text
    }
  }

  mutating func integer(_ name: String) throws(InspectorFailure) -> Int? {
    guard let value = members.removeValue(forKey: name), value != .null else { return nil }
    guard case .number(let number) = value, let integer = Int(number.text), integer >= 0 else {
      throw InspectorQuery.wrong("'\(name)' is not a number from 0")
    }
    return integer
  }

  mutating func path() throws(InspectorFailure) -> JSONPointer {
    guard let path = try optionalPath("path") else { throw InspectorQuery.wrong("'path' is missing") }
    return path
  }

  mutating func optionalPath(_ name: String) throws(InspectorFailure) -> JSONPointer? {
    try optionalText(name).map { text throws(InspectorFailure) in try Self.path(text, name) }
  }

  mutating func paths(_ name: String) throws(InspectorFailure) -> [JSONPointer] {
    try (texts(name) ?? []).map { text throws(InspectorFailure) in try Self.path(text, name) }
  }

  private static func path(_ text: String, _ name: String) throws(InspectorFailure) -> JSONPointer {
    guard let pointer = JSONPointer(text) else {
      throw InspectorQuery.wrong("'\(name)' is not a JSON Pointer: '\(text.prefix(100))'")
    }
    return pointer
  }

  /// Whether a member is `true`; `false` if it is missing.
  mutating func bool(_ name: String) throws(InspectorFailure) -> Bool {
    guard let value = members.removeValue(forKey: name) else { return false }
    guard case .bool(let isSet) = value else { throw InspectorQuery.wrong("'\(name)' is not true or false") }
    return isSet
  }

  var isEmpty: Bool { members.isEmpty }

  /// Refuses the remaining members.
  func finish() throws(InspectorFailure) {
    if let name = members.keys.min() { throw InspectorQuery.wrong("there is no member '\(name.prefix(100))'") }
  }
}

/// A refused request.
struct InspectorFailure: Error {
  var status: HTTPStatus
  var failure: ToolFailure
  /// The methods of the path.
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
      case LogError.Code.revisionOutOfRange.rawValue, LogError.Code.pruned.rawValue, LogError.Code.notFound.rawValue:
        .notFound
      default: failure.status == .usage ? .badRequest : .internalServerError
      }
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
