import JSONCoding
import TerminalUI
package import TimeTravel

/// Renders JSON values for the terminal, on one line or on many.
package struct JSONRenderer {
  /// The characters to show of each string; `nil` for all. The other characters are counted, or the bytes if there are many.
  var characterLimit: Int?
  var style = Style()

  /// As much of a string as a page of text shows. Longer values are for programs.
  package static let pageCharacters = 10_000

  /// Renders a value on as many lines as needed, without line feeds.
  func lines(_ value: JSONValue) -> [String] {
    var lines: [String] = []
    append(value, before: "", after: "", level: 0, to: &lines)
    return lines
  }

  /// Renders a value on one line, or more than `budget` characters of a longer line.
  func line(_ value: JSONValue, upTo budget: Int) -> (text: String, isComplete: Bool) {
    var text = ""
    let isComplete = append(value, to: &text, budget: budget)
    return (text, isComplete)
  }

  func name(_ name: String) -> String {
    style.cyan(TerminalText.quoting(name))
  }
}

// MARK: - Many lines

extension JSONRenderer {
  /// `before` precedes the value on its first line, `after` follows its last character.
  private func append(
    _ value: JSONValue, before: String, after: String, level: Int, to lines: inout [String]
  ) {
    let indent = String(repeating: "  ", count: level)
    switch value {
    case .array(let elements) where !elements.isEmpty:
      lines.append(indent + before + "[")
      appendEntries(elements, level: level, to: &lines) { element in (before: "", value: element) }
      lines.append(indent + "]" + after)
    case .object(let object) where !object.isEmpty:
      lines.append(indent + before + "{")
      appendEntries(object, level: level, to: &lines) { member in
        (before: name(member.name) + ": ", value: member.value)
      }
      lines.append(indent + "}" + after)
    default:
      lines.append(indent + before + scalar(value) + after)
    }
  }

  private func appendEntries<Entries: RandomAccessCollection>(
    _ entries: Entries, level: Int, to lines: inout [String],
    _ entry: (Entries.Element) -> (before: String, value: JSONValue)
  ) {
    for (index, element) in entries.enumerated() {
      let (before, value) = entry(element)
      append(value, before: before, after: index < entries.count - 1 ? "," : "", level: level + 1, to: &lines)
    }
  }

  private func count(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }
}

// MARK: - One line

extension JSONRenderer {
  private func append(_ value: JSONValue, to text: inout String, budget: Int) -> Bool {
    switch value {
    case .array(let elements):
      text += "["
      for (index, element) in elements.enumerated() {
        if index > 0 { text += ", " }
        guard append(element, to: &text, budget: budget) else { return false }
      }
      text += "]"
    case .object(let object):
      text += "{"
      for (index, member) in object.enumerated() {
        if index > 0 { text += ", " }
        text += TerminalText.quoting(member.name) + ": "
        guard append(member.value, to: &text, budget: budget) else { return false }
      }
      text += "}"
    case .string(let string):
      let beginning = TerminalText.beginning(of: string, characters: budget)
      text += TerminalText.quoting(String(beginning.text))
      guard beginning.isComplete else { return false }
    case .null, .bool, .number:
      text += scalar(value)
    }
    // Every character takes at least one byte, so the cheap count is nearly always enough.
    return text.utf8.count <= budget || text.count <= budget
  }

  private func scalar(_ value: JSONValue) -> String {
    switch value {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let number): number.text
    case .string(let string): quoted(string)
    case .array: "[]"
    case .object: "{}"
    }
  }

  private func quoted(_ string: String) -> String {
    guard let limit = characterLimit else { return TerminalText.quoting(string) }
    let beginning = TerminalText.beginning(of: string, characters: limit)
    guard !beginning.isComplete else { return TerminalText.quoting(string) }
    let rest = string[beginning.text.endIndex...]
    let omitted =
      rest.utf8.count <= Self.countedBytes
      ? count(rest.count, "more character") : count(rest.utf8.count, "more byte")
    return TerminalText.quoting(String(beginning.text)) + style.dim("… \(omitted)")
  }

  /// The characters of a rest of up to this many bytes are counted. Counting those of megabytes takes seconds.
  private static let countedBytes = 1 << 16
}

extension StateTree {
  /// Renders the state: sorted members, indented by two spaces, one member or element a line.
  ///
  /// - Parameter characterLimit: The characters to show of each string; `nil` for all, so that the result is JSON.
  package func rendered(characterLimit: Int? = nil, style: Style = Style()) -> String {
    JSONRenderer(characterLimit: characterLimit, style: style).lines(root).map { line in line + "\n" }.joined()
  }
}
