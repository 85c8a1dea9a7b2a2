package import JSONCoding

/// The form of a value in an answer: its encoding and its JSON Schema, declared together, so that neither can be without the other.
package struct AnswerShape<Value>: Sendable {
  package let schema: AnswerSchema
  package let json: @Sendable (Value) throws -> JSONValue

  package init(_ schema: AnswerSchema, _ json: @escaping @Sendable (Value) throws -> JSONValue) {
    (self.schema, self.json) = (schema, json)
  }

  /// An object. One in several answers has the name of a definition. The members that `--max-bytes` can leave out of a bounded one are
  /// required of a complete object only.
  package static func object(
    _ description: String? = nil, name: String? = nil, isBounded: Bool = false, _ members: [AnswerMember<Value>]
  ) -> AnswerShape {
    let required = members.filter { member in member.isRequired }
    let always = isBounded ? required.filter { member in member.schema.isFixed } : required
    let ofComplete = isBounded ? required.filter { member in !member.schema.isFixed } : []
    var schema = JSONObject()
    schema["description"] = description.map(JSONValue.string)
    schema["type"] = "object"
    if !always.isEmpty { schema["required"] = .array(always.map { member in .string(member.name) }) }
    var properties = JSONObject(members.map { member in (member.name, member.described) })
    var parts = members.map(\.schema)
    if isBounded {
      for bound in AnswerSchema.bounds {
        properties[bound.name ?? ""] = bound.reference
        parts.append(bound)
      }
    }
    schema["properties"] = .object(properties)
    if !ofComplete.isEmpty {
      schema["if"] = ["anyOf": [["required": ["truncated"]], ["required": ["cursor"]]]]
      schema["else"] = ["required": .array(ofComplete.map { member in .string(member.name) })]
    }
    return AnswerShape(AnswerSchema(schema, name: name, parts: parts)) { value in
      var object = JSONObject()
      for member in members { object[member.name] = try member.json(value) }
      return .object(object)
    }
  }

  func members(of value: Value) throws -> JSONObject {
    guard case .object(let object) = try json(value) else { return JSONObject() }
    return object
  }
  /// An object whose members say enough.
  static func object(_ members: [AnswerMember<Value>]) -> AnswerShape { object(nil, members) }

  package static func array<Element>(of element: AnswerShape<Element>) -> AnswerShape where Value == [Element] {
    AnswerShape(AnswerSchema(["type": "array", "items": element.schema.reference], parts: [element.schema])) { values in
      .array(try values.map(element.json))
    }
  }

  /// An object whose members have names from the log.
  static func dictionary<Element>(of element: AnswerShape<Element>) -> AnswerShape
  where Value == [(name: String, value: Element)] {
    AnswerShape(
      AnswerSchema(["type": "object", "additionalProperties": element.schema.reference], parts: [element.schema])
    ) { values in .object(JSONObject(try values.map { value in (value.name, try element.json(value.value)) })) }
  }

  /// The shape of a value that is a part of another.
  func of<Whole>(_ part: @escaping @Sendable (Whole) throws -> Value) -> AnswerShape<Whole> {
    AnswerShape<Whole>(schema) { whole in try json(part(whole)) }
  }

  func described(_ description: String) -> AnswerShape { AnswerShape(schema.described(description), json) }
}

package struct AnswerMember<Object>: Sendable {
  let name: String
  let schema: AnswerSchema
  /// Whether every complete answer has it.
  let isRequired: Bool
  /// The meaning of the member; `nil` if that of its value says enough.
  private let help: String?
  /// Returns `nil` for a member that is left out.
  let json: @Sendable (Object) throws -> JSONValue?

  var described: JSONValue {
    guard let help, case .object(let schema) = schema.reference else { return schema.reference }
    var described: JSONObject = ["description": .string(help)]
    for (name, value) in schema where name != "description" { described[name] = value }
    return .object(described)
  }

  private init(
    _ name: String, _ schema: AnswerSchema, isRequired: Bool, _ help: String?,
    json: @escaping @Sendable (Object) throws -> JSONValue?
  ) {
    (self.name, self.schema, self.isRequired, self.help, self.json) = (name, schema, isRequired, help, json)
  }

  /// A member that every answer has.
  package static func member<Value>(
    _ name: String, _ shape: AnswerShape<Value>, _ value: @escaping @Sendable (Object) throws -> Value,
    _ help: String? = nil
  ) -> AnswerMember {
    AnswerMember(name, shape.schema, isRequired: true, help) { object in try shape.json(value(object)) }
  }

  /// A member that is left out for `nil`.
  package static func optional<Value>(
    _ name: String, _ shape: AnswerShape<Value>, _ value: @escaping @Sendable (Object) throws -> Value?,
    _ help: String? = nil
  ) -> AnswerMember {
    AnswerMember(name, shape.schema, isRequired: false, help) { object in try value(object).map(shape.json) }
  }

  /// A member that is `null` for `nil`.
  package static func nullable<Value>(
    _ name: String, _ shape: AnswerShape<Value>, _ value: @escaping @Sendable (Object) throws -> Value?,
    _ help: String? = nil
  ) -> AnswerMember {
    AnswerMember(name, shape.schema.orNull, isRequired: true, help) { object in
      try value(object).map(shape.json) ?? .null
    }
  }
}

/// A JSON Schema with the definitions that it names.
package struct AnswerSchema: Sendable {
  let name: String?
  private let json: JSONObject
  /// Whether a bounded answer always has a value of this form: a number or a short text.
  let isFixed: Bool
  private let parts: [AnswerSchema]

  package init(_ json: JSONObject, name: String? = nil, isFixed: Bool = false, parts: [AnswerSchema] = []) {
    (self.json, self.name, self.isFixed, self.parts) = (json, name, isFixed, parts)
  }

  /// The schema where a value of this form is a part of another.
  var reference: JSONValue {
    if let name { return ["$ref": .string("#/$defs/\(name)")] }
    return .object(json)
  }

  var orNull: AnswerSchema {
    AnswerSchema(["anyOf": [reference, ["type": "null"]]], isFixed: isFixed, parts: [self])
  }

  static func anyOf(_ description: String? = nil, _ forms: [AnswerSchema]) -> AnswerSchema {
    var schema: JSONObject = ["anyOf": .array(forms.map(\.reference))]
    schema["description"] = description.map(JSONValue.string)
    return AnswerSchema(schema, parts: forms)
  }

  func described(_ description: String) -> AnswerSchema {
    guard name == nil else { return .anyOf(description, [self]) }
    var json = json
    json["description"] = .string(description)
    return AnswerSchema(json, isFixed: isFixed, parts: parts)
  }

  /// The schema of a line of a list, whose last line says where a truncated list continues.
  func orEnd(_ description: String) -> AnswerSchema {
    .anyOf(description, [self, .end])
  }

  /// Adds the definitions that the schema names, and its own.
  func define(in definitions: inout JSONObject, as name: String? = nil) {
    for part in parts { part.define(in: &definitions) }
    if let name = name ?? self.name { definitions[name] = .object(json) }
  }
}
