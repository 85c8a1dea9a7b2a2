import JSONCoding

/// The JSON Schemas of the answers with `--json`, in one document of the draft 2020-12.
///
/// `$defs` has a schema for each verb, under its name. A change of the text is a change of `logs/readers/answers.schema.json`, which
/// a test compares and `UPDATE_GOLDEN=1` rewrites; a member that changes its meaning raises the version in `$id`.
package enum AnswerSchemas {
  package static let text = (JSONRenderer().lines(.object(document(of: CommandTable.all))) + [""]).joined(
    separator: "\n")

  static func document(of commands: [Command]) -> JSONObject {
    var definitions = JSONObject()
    AnswerSchema.message.define(in: &definitions, as: "message")
    for command in commands { command.schema?.define(in: &definitions, as: command.name) }
    return [
      "$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:actionlog:answers:2",
      "title": "The answers of action-log --json, version 2",
      "description": """
      $defs has a schema for each verb, under its name: for the object that the verb prints, or for each of its lines. 'message' is \
      a line on standard error. A later version of the tool may add members; the version in $id changes if a member changes its \
      meaning or goes away.
      """,
      "$defs": .object(definitions),
    ]
  }

  static let schema = AnswerSchema([
    "description": "This document.", "type": "object", "required": ["$schema", "$id", "$defs"],
    "properties": ["$schema": ["type": "string"], "$id": ["type": "string"], "$defs": ["type": "object"]],
    "additionalProperties": true,
  ])

  /// Returns the names and types of a schema, without references: enough to read an answer, and much shorter.
  static func outline(
    of schema: JSONValue, _ definitions: JSONObject, levels: Int, hiding hidden: Set<String> = boundNames
  ) -> JSONObject {
    guard case .object(let object) = schema else { return [:] }
    if case .string(let reference)? = object["$ref"] {
      let definition = definitions[String(reference.dropFirst(prefix.count))] ?? .null
      return Self.outline(of: definition, definitions, levels: levels, hiding: hidden)
    }
    if case .array(let forms)? = object["anyOf"], let first = forms.first {
      var outline = Self.outline(of: first, definitions, levels: levels, hiding: hidden)
      if forms.contains(["type": "null"]), let type = outline["type"] { outline["type"] = [type, "null"] }
      return outline
    }
    var outline = JSONObject()
    outline["type"] = object["const"] == nil ? object["type"] : "boolean"
    outline["enum"] = object["enum"]
    if case .object(let members)? = object["properties"], levels > 0 {
      let shown = members.filter { member in !hidden.contains(member.name) }
      outline["properties"] = .object(
        JSONObject(
          shown.map { member in
            let outline = Self.outline(of: member.value, definitions, levels: levels - 1)
            return (
              member.name, .object(unshownNames.contains(member.name) ? ["type": outline["type"] ?? .null] : outline)
            )
          }))
    }
    if let items = object["items"] {
      let items = Self.outline(of: items, definitions, levels: levels)
      if !items.isEmpty { outline["items"] = .object(items) }
    }
    return outline
  }

  private static let prefix = "#/$defs/"
  /// The members whose names say enough, so that nothing in them is named.
  private static let unshownNames: Set = ["omitted", "work", "values", "readAs", "refusals", "probes"]
  static let boundNames: Set = ["truncated", "next", "omitted", "cursor"]
}
