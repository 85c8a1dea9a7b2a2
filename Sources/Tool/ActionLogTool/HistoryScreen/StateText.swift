import JSONCoding
import TextDisplay

/// Values as a screen shows them.
enum StateText {
  /// Nobody reads more of one value in a line.
  static let usualLimit = 400

  /// A value in one line, cut where nobody reads on.
  ///
  /// - Complexity: O(size of what is shown).
  static func line(_ value: JSONValue, limit: Int = usualLimit) -> String {
    var text = ""
    append(value, to: &text, limit)
    return text.count > limit ? text.prefix(limit) + "…" : text
  }

  /// The value that a record's bytes hold; `nil` for what is none, which a reader of logs has ruled out.
  static func value(_ bytes: [UInt8]) -> JSONValue? {
    do { return try JSONValue(parsing: bytes) } catch { return nil }
  }

  private static func append(_ value: JSONValue, to text: inout String, _ limit: Int) {
    guard text.utf8.count <= 4 * limit else { return }
    switch value {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .number(let number): text += number.text
    case .string(let string):
      text += TerminalText.quoting(String(TerminalText.beginning(of: string, characters: limit + 1).text))
    case .array(let elements):
      text += "["
      for (index, element) in elements.enumerated() where text.utf8.count <= 4 * limit {
        if index > 0 { text += ", " }
        append(element, to: &text, limit)
      }
      text += "]"
    case .object(let object):
      text += "{"
      for (index, member) in object.enumerated() where text.utf8.count <= 4 * limit {
        if index > 0 { text += ", " }
        text += TerminalText.quoting(member.name) + ": "
        append(member.value, to: &text, limit)
      }
      text += "}"
    }
  }
}
