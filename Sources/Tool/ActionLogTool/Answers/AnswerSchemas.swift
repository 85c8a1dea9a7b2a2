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
}
