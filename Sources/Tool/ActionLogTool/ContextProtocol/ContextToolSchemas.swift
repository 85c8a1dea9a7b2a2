import EventSourcing
import JSONCoding

// The entry of a tool in `tools/list`: the schemas of its inputs and of its answer.

extension ContextTool {
  func json(_ logs: [String], _ models: [RegisteredModel], _ definitions: JSONObject) -> JSONValue {
    // A model reads all of it before its first question, so the answers are outlined: the document has the complete schemas.
    var schema = AnswerSchemas.outline(
      of: .object(outputSchema(definitions)), definitions, levels: Self.shownLevels,
      hiding: Set(declaration.absentMembers + (hasItems ? ["cursor", "next"] : [])))
    if hasItems {
      schema = ["type": "object", "properties": ["items": ["type": "array", "items": .object(schema)]]]
    }
    if case .object(var properties)? = schema["properties"] {
      if hasItems { (properties["truncated"], properties["next"]) = (["type": "boolean"], ["type": "string"]) }
      properties["hints"] = ["type": "array"]
      schema["properties"] = .object(properties)
    }
    return [
      "name": .string(name), "title": .string(declaration.title), "description": .string(declaration.help),
      "inputSchema": .object(inputSchema(logs, models)), "outputSchema": .object(schema),
      "annotations": ["readOnlyHint": true, "openWorldHint": false],
    ]
  }

  /// The members of an answer, and of the objects in it.
  private static let shownLevels = 2

  private func inputSchema(_ logs: [String], _ models: [RegisteredModel]) -> JSONObject {
    let hasProjections = models.contains { model in !model.projections.isEmpty }
    let inputs = allInputs(logs).filter { input in
      if case .projection = input.kind { hasProjections } else { true }
    }
    var schema: JSONObject = ["type": "object"]
    schema["properties"] = .object(JSONObject(inputs.map { input in (name: input.name, value: input.schema(models)) }))
    let required = inputs.filter { input in
      input.isRequired && !(isOverview && input.name == "log")
    }
    if !required.isEmpty { schema["required"] = .array(required.map { input in .string(input.name) }) }
    schema["additionalProperties"] = false
    return schema
  }

  /// The schema of the answer, or of a line of it.
  private func outputSchema(_ definitions: JSONObject) -> JSONObject {
    if isOverview { return Self.overviewSchema(definitions) }
    guard case .object(let schema)? = declaration.variant?().schema?.reference ?? definitions[command.name] else {
      return ["type": "object"]
    }
    return schema
  }

  private static func overviewSchema(_ definitions: JSONObject) -> JSONObject {
    var row = JSONValue.object(AnswerSchemas.outline(of: definitions["fleet"] ?? .null, definitions, levels: 1))
      .members("properties")
    row["name"] = ["type": "string"]
    return [
      "type": "object",
      "properties": [
        "logs": ["type": "array", "items": ["type": "object", "properties": .object(row)]],
        "stats": ["type": "object"], "truncated": ["type": "boolean"], "next": ["type": "string"],
      ],
    ]
  }
}

extension JSONValue {
  fileprivate func members(_ name: String) -> JSONObject {
    guard case .object(let object) = self, case .object(let members)? = object[name] else { return JSONObject() }
    return members
  }
}

extension ContextTool.Input {
  fileprivate func schema(_ models: [RegisteredModel]) -> JSONValue {
    var schema: JSONObject = ["description": .string(help)]
    switch kind {
    case .text: schema["type"] = "string"
    case .point: schema["type"] = ["string", "integer"]
    case .texts:
      schema["type"] = ["array", "string"]
      schema["items"] = ["type": "string"]
    case .model:
      schema["type"] = "string"
      // The tool reads a log of another program with its own model, and with no other.
      schema["enum"] = .array(models.filter { model in !model.isPatched }.map { model in .string(model.name) })
    case .projection:
      let names = models.flatMap { model in model.projections.map { projection in projection.name } }
      schema["enum"] = .array(Set(names).sorted().map(JSONValue.string))
    case .choice(let choices):
      schema["type"] = "string"
      schema["enum"] = .array(choices.map(JSONValue.string))
    case .number: schema["type"] = "integer"
    case .flag: schema["type"] = "boolean"
    }
    return .object(schema)
  }
}
