import EventSourcing
import JSONCoding

// The entry of a tool in `tools/list`, with the schema of its inputs.

extension ContextTool {
  func json(_ logs: [String], _ models: [RegisteredModel]) -> JSONValue {
    [
      "name": .string(name), "title": .string(declaration.title), "description": .string(declaration.help),
      "inputSchema": .object(inputSchema(logs, models)),
      "annotations": ["readOnlyHint": true, "openWorldHint": false],
    ]
  }

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
