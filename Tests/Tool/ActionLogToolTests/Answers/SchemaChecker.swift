import ActionLogTool
import JSONCoding

/// Checks values against the JSON Schema of the answers: the keywords that it uses, and no others.
///
/// In addition to the rules of JSON Schema, an object with `properties` has no other members: a member that is not documented fails.
struct SchemaChecker {
  struct UnknownKeyword: Error {
    var keyword: String
  }

  private let definitions: JSONObject

  /// Parsed once.
  private static let ofTool = Result { SchemaChecker(try JSONValue(parsing: Array(AnswerSchemas.text.utf8))) }

  /// Uses the schema of the tool.
  init() throws { self = try Self.ofTool.get() }

  /// Uses the definitions of a schema.
  init(_ document: JSONValue) {
    guard case .object(let definitions)? = document["$defs"] else {
      self.definitions = JSONObject()
      return
    }
    self.definitions = definitions
  }

  /// The names of the definitions.
  var names: Set<String> { Set(definitions.map(\.name)) }

  /// Returns the errors of a value that a command printed.
  func errors(of value: JSONValue, as name: String) throws -> [String] {
    guard let schema = definitions[name] else { return ["there is no schema of '\(name)'"] }
    return try errors(of: value, schema, at: "")
  }

  func errors(of value: JSONValue, _ schema: JSONValue, at place: String = "") throws -> [String] {
    guard case .object(let keywords) = schema else { return ["\(place): the schema is no object"] }
    var errors: [String] = []
    for (keyword, argument) in keywords {
      switch (keyword, argument) {
      case ("$schema", _), ("$id", _), ("$defs", _), ("title", _), ("description", _), ("default", _): break
      case ("$ref", .string(let reference)):
        errors += try self.errors(of: value, definitions[String(reference.dropFirst(8))] ?? .null, at: place)
      case ("type", _):
        let types = if case .array(let types) = argument { types } else { [argument] }
        if !types.contains(where: { type in Self.isOf(type, value) }) { errors.append("\(place) is no \(argument)") }
      case ("enum", .array(let choices)): if !choices.contains(value) { errors.append("\(place) is \(value)") }
      case ("const", _): if value != argument { errors.append("\(place) is \(value), not \(argument)") }
      case ("minimum", .number(let least)):
        if case .number(let number) = value, number.double < least.double { errors.append("\(place) is \(value)") }
      case ("maximum", .number(let most)):
        if case .number(let number) = value, number.double > most.double { errors.append("\(place) is \(value)") }
      case ("minLength", .number(let least)):
        if case .string(let text) = value, Double(text.unicodeScalars.count) < least.double {
          errors.append("\(place) is short")
        }
      case ("pattern", .string(let pattern)):
        if case .string(let text) = value, try text.firstMatch(of: Regex(pattern)) == nil {
          errors.append("\(place) is \(text)")
        }
      case ("items", _):
        guard case .array(let elements) = value else { break }
        for (index, element) in elements.enumerated() {
          errors += try self.errors(of: element, argument, at: "\(place)/\(index)")
        }
      case ("required", .array(let names)):
        guard case .object(let object) = value else { break }
        for case .string(let name) in names where object[name] == nil { errors.append("\(place) lacks \(name)") }
      case ("properties", .object(let properties)):
        guard case .object(let object) = value else { break }
        for (name, member) in object {
          if let schema = properties[name] {
            errors += try self.errors(of: member, schema, at: "\(place)/\(name)")
          } else if keywords["additionalProperties"] == nil {
            errors.append("\(place)/\(name) is not documented")
          }
        }
      case ("additionalProperties", .bool(true)): break
      case ("additionalProperties", .bool(false)):
        guard case .object(let object) = value, case .object(let known)? = keywords["properties"] else { break }
        for (name, _) in object where known[name] == nil { errors.append("\(place)/\(name) is not allowed") }
      case ("additionalProperties", .object):
        guard case .object(let object) = value else { break }
        for (name, member) in object { errors += try self.errors(of: member, argument, at: "\(place)/\(name)") }
      case ("anyOf", .array(let schemas)):
        let all = try schemas.map { schema in try self.errors(of: value, schema, at: place) }
        if all.allSatisfy({ errors in !errors.isEmpty }) {
          errors += all.min { left, right in left.count < right.count } ?? ["\(place) has no schema"]
        }
      case ("if", _):
        let branch = try keywords[self.errors(of: value, argument, at: place).isEmpty ? "then" : "else"]
        if let branch { errors += try self.errors(of: value, branch, at: place) }
      case ("then", _), ("else", _): break
      default: throw UnknownKeyword(keyword: keyword)
      }
    }
    return errors
  }

  private static func isOf(_ type: JSONValue, _ value: JSONValue) -> Bool {
    switch (type, value) {
    case ("null", .null), ("boolean", .bool), ("string", .string), ("array", .array), ("object", .object),
      ("number", .number):
      true
    case ("integer", .number(let number)): number.isInteger
    default: false
    }
  }
}
