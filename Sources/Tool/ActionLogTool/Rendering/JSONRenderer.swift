import JSONCoding
import TerminalUI
package import TimeTravel

/// Writes JSON values for people, on one line or on many.
struct JSONRenderer {
  var limits = RenderingLimits.none
  var style = TextStyle.plain

  /// Writes a value over as many lines as it takes, without line feeds.
  func lines(_ value: JSONValue) -> [String] {
    var lines: [String] = []
    append(value, before: "", after: "", level: 0, to: &lines)
    return lines
  }

  /// Writes a value on one line, or returns `nil` when that takes more than `budget` characters.
  ///
  /// - Complexity: O(`budget`).
  func line(_ value: JSONValue, budget: Int) -> String? {
    var text = ""
    return append(value, to: &text, budget: budget) ? text : nil
  }

  /// Writes the name of a member or an element's index as it stands before a value.
  func name(_ name: String) -> String {
    style.applying(\.name, to: TerminalText.quoting(name))
  }
}

// MARK: - Many lines

extension JSONRenderer {
  /// `before` is what stands on the value's first line, `after` what follows its last character.
  private func append(
    _ value: JSONValue, before: String, after: String, level: Int, to lines: inout [String]
  ) {
    let indent = String(repeating: "  ", count: level)
    switch value {
    case .array(let elements) where !elements.isEmpty:
      guard level < limits.depth ?? .max else {
        lines.append(indent + before + omission("[", elements.count, "element", "]") + after)
        return
      }
      lines.append(indent + before + "[")
      appendEntries(elements, level: level, noun: "element", to: &lines) { element in (before: "", value: element) }
      lines.append(indent + "]" + after)
    case .object(let object) where !object.isEmpty:
      guard level < limits.depth ?? .max else {
        lines.append(indent + before + omission("{", object.count, "member", "}") + after)
        return
      }
      lines.append(indent + before + "{")
      appendEntries(object, level: level, noun: "member", to: &lines) { member in
        (before: name(member.name) + ": ", value: member.value)
      }
      lines.append(indent + "}" + after)
    default:
      lines.append(indent + before + scalar(value) + after)
    }
  }

  private func appendEntries<Entries: RandomAccessCollection>(
    _ entries: Entries, level: Int, noun: String, to lines: inout [String],
    _ entry: (Entries.Element) -> (before: String, value: JSONValue)
  ) {
    let shown = entries.prefix(limits.entries ?? .max)
    for (index, element) in shown.enumerated() {
      let (before, value) = entry(element)
      append(value, before: before, after: index < entries.count - 1 ? "," : "", level: level + 1, to: &lines)
    }
    if shown.count < entries.count {
      let indent = String(repeating: "  ", count: level + 1)
      lines.append(indent + remark("… \(count(entries.count - shown.count, "more " + noun))"))
    }
  }

  private func omission(_ open: String, _ number: Int, _ noun: String, _ close: String) -> String {
    open + remark("… \(count(number, noun))") + close
  }

  private func remark(_ text: String) -> String { style.applying(\.remark, to: text) }

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
      // A string that cannot fit is not escaped first.
      guard TerminalText.beginning(of: string, characters: budget).isComplete else { return false }
      text += quoted(string)
    case .null, .bool, .number:
      text += scalar(value)
    }
    // Every character takes a byte at least: the cheap count decides nearly always.
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
    guard let limit = limits.characters else { return TerminalText.quoting(string) }
    let beginning = TerminalText.beginning(of: string, characters: limit)
    guard !beginning.isComplete else { return TerminalText.quoting(string) }
    let rest = string[beginning.text.endIndex...]
    let omitted =
      rest.utf8.count <= Self.countedBytes
      ? count(rest.count, "more character") : count(rest.utf8.count, "more byte")
    return TerminalText.quoting(String(beginning.text)) + remark("… \(omitted)")
  }

  /// The characters of a rest of up to this many bytes are counted. Counting those of a rest of megabytes takes seconds.
  private static let countedBytes = 1 << 16
}

extension StateTree {
  /// Writes the state for people: indented by two spaces, one member or element a line, members sorted.
  ///
  /// Characters that a terminal would obey are escaped. Without limits and colours the text is JSON that reads back as
  /// the state.
  ///
  /// - Parameters:
  ///   - limits: How much is shown; what is left out is counted.
  ///   - style: The colours.
  /// - Returns: Lines that each end with a line feed.
  /// - Complexity: O(length of the result), whatever the size of the state.
  package func rendered(limits: RenderingLimits = .none, style: TextStyle = .plain) -> String {
    var text = ""
    for line in JSONRenderer(limits: limits, style: style).lines(root) {
      text += line
      text += "\n"
    }
    return text
  }
}

/// How much of a state is shown. What is left out is counted, never hidden.
package struct RenderingLimits: Hashable, Sendable {
  /// Members or elements that are shown of each container; `nil` for all.
  package var entries: Int?
  /// Levels of containers that are shown, the outermost being 1; `nil` for all.
  package var depth: Int?
  /// Characters that are shown of each string; `nil` for all. Of the rest the characters are counted, or the bytes if it is long.
  package var characters: Int?

  /// Makes limits from their parts.
  ///
  /// - Precondition: No limit is negative.
  package init(entries: Int? = nil, depth: Int? = nil, characters: Int? = nil) {
    precondition([entries, depth, characters].allSatisfy { limit in limit ?? 0 >= 0 }, "a limit is not negative")
    self.entries = entries
    self.depth = depth
    self.characters = characters
  }

  /// Everything is shown, and the result is JSON that reads back as the state.
  package static let none = RenderingLimits()

  /// All entries, and 10 000 characters of each string: more of one value is for a program.
  package static let page = RenderingLimits(characters: 10_000)

  /// What a person can take in at once: 100 entries of each container, 400 characters of each string.
  package static let brief = RenderingLimits(entries: 100, characters: 400)
}
