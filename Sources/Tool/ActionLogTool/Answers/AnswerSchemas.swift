import JSONCoding

/// The JSON Schemas of the answers with `--json`, in one document of the draft 2020-12.
///
/// `$defs` has a schema for each verb, under its name. A change of the text is a change of `logs/readers/answers.schema.json`, which
/// a test compares and `UPDATE_GOLDEN=1` rewrites; a member that changes its meaning raises the version in `$id`.
package enum AnswerSchemas {
  /// The text of the document.
  package static let text = String(decoding: PackageResources.answers_schema_json, as: UTF8.self)

  /// Parses the document.
  ///
  /// - Complexity: O(size), about 60 KB.
  static func document() throws(JSONError) -> JSONObject {
    guard case .object(let document) = try JSONValue(parsing: Array(text.utf8)) else { return JSONObject() }
    return document
  }

  /// Returns a schema with the definitions that it refers to, so that it needs no other document.
  ///
  /// - Parameters:
  ///   - schema: A schema, whose references begin with `#/$defs/`.
  ///   - definitions: The definitions of the document.
  static func selfContained(_ schema: JSONObject, _ definitions: JSONObject) -> JSONObject {
    var needed: Set<String> = []
    var pending: [JSONValue] = [.object(schema)]
    // Each definition is visited once, so a recursive one ends, too.
    while let value = pending.popLast() {
      switch value {
      case .array(let elements): pending += elements
      case .object(let object):
        for member in object {
          if member.name == "$ref", case .string(let reference) = member.value {
            let name = String(reference.dropFirst(prefix.count))
            if needed.insert(name).inserted, let definition = definitions[name] { pending.append(definition) }
          } else {
            pending.append(member.value)
          }
        }
      default: break
      }
    }
    guard !needed.isEmpty else { return schema }
    var schema = schema
    schema["$defs"] = .object(
      JSONObject(
        definitions.filter { member in needed.contains(member.name) }.map { member in (member.name, member.value) }))
    return schema
  }

  private static let prefix = "#/$defs/"
}
