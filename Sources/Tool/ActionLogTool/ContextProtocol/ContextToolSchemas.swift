import JSONCoding

// The entry of a tool in `tools/list`: the schemas of its inputs and of its answer.

extension ContextTool {
  /// The entry of `tools/list`.
  ///
  /// - Parameters:
  ///   - logs: The names of the logs.
  ///   - models: The names of the models that the program knows.
  ///   - definitions: The schemas of the answers of the commands.
  func json(_ logs: [String], _ models: [String], _ definitions: JSONObject) -> JSONValue {
    let schema = AnswerSchemas.selfContained(outputSchema(definitions), definitions)
    return [
      "name": .string(name), "title": .string(title), "description": .string(help),
      "inputSchema": .object(inputSchema(logs, models)), "outputSchema": .object(schema),
      "annotations": [
        "title": .string(title), "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true,
        "openWorldHint": false,
      ],
    ]
  }

  private func inputSchema(_ logs: [String], _ models: [String]) -> JSONObject {
    let inputs = allInputs(logs)
    var schema: JSONObject = ["type": "object"]
    schema["properties"] = .object(JSONObject(inputs.map { input in (name: input.name, value: input.schema(models)) }))
    let required = inputs.filter { input in
      input.isRequired && !(self.name == Self.overview.name && input.name == "log")
    }
    if !required.isEmpty { schema["required"] = .array(required.map { input in .string(input.name) }) }
    schema["additionalProperties"] = false
    return schema
  }

  private static let hints: JSONValue = [
    "description": "Warnings, and what to ask next.", "type": "array", "items": ["type": "string"],
  ]

  /// The schema of the answer: that of the command, with hints.
  private func outputSchema(_ definitions: JSONObject) -> JSONObject {
    if name == Self.overview.name { return Self.overviewSchema(definitions) }
    guard let verb = verbs.first, case .object(let definition)? = definitions[verb] else { return ["type": "object"] }
    guard answer == .object else {
      return [
        "type": "object",
        "properties": [
          "items": ["type": "array", "items": .object(definition)], "truncated": ["$ref": "#/$defs/truncated"],
          "next": ["$ref": "#/$defs/next"], "hints": Self.hints,
        ],
        "required": ["items"],
      ]
    }
    var schema = definition
    guard case .object(var properties)? = schema["properties"] else { return schema }
    // The members of the other commands are optional.
    for other in verbs.dropFirst() {
      for (name, value) in definitions[other]?.members("properties") ?? JSONObject() where properties[name] == nil {
        properties[name] = value
      }
    }
    properties["hints"] = Self.hints
    schema["properties"] = .object(properties)
    return schema
  }

  private static func overviewSchema(_ definitions: JSONObject) -> JSONObject {
    var row = JSONObject()
    var counts = JSONObject()
    if case .array(let rows)? = definitions["fleet"]?.members("")["anyOf"], case .object(let first)? = rows.first {
      row = first
    }
    if case .array(let forms)? = definitions["stats"]?.members("")["anyOf"], case .object(let first)? = forms.first {
      counts = first
    }
    var properties = JSONValue.object(row).members("properties")
    properties["name"] = ["description": "The name of the log in the inputs of the tools.", "type": "string"]
    row["properties"] = .object(properties)
    return [
      "type": "object",
      "properties": [
        "logs": ["type": "array", "items": .object(row)], "stats": .object(counts),
        "truncated": ["$ref": "#/$defs/truncated"], "next": ["$ref": "#/$defs/next"], "hints": hints,
      ],
      "required": ["logs"],
    ]
  }
}

extension JSONValue {
  /// The members of an object, or of the object that is one of its members.
  fileprivate func members(_ name: String) -> JSONObject {
    guard case .object(let object) = self else { return JSONObject() }
    guard !name.isEmpty else { return object }
    if case .object(let members)? = object[name] { return members }
    return JSONObject()
  }
}

extension ContextTool.Input {
  fileprivate func schema(_ models: [String]) -> JSONValue {
    var schema: JSONObject = ["description": .string(help)]
    switch kind {
    case .text: schema["type"] = "string"
    case .point: schema["type"] = ["string", "integer"]
    case .texts:
      schema["type"] = "array"
      schema["items"] = ["type": "string"]
    case .model:
      schema["type"] = "string"
      schema["enum"] = .array(models.map(JSONValue.string))
    case .choice(let choices):
      schema["type"] = "string"
      schema["enum"] = .array(choices.map(JSONValue.string))
    case .number(let range):
      schema["type"] = "integer"
      schema["minimum"] = .integer(range.lowerBound)
      schema["maximum"] = .integer(range.upperBound)
    }
    return .object(schema)
  }
}
