import JSONCoding
import TerminalUI
package import TimeTravel

extension StateDiff {
  /// Renders the differences, grouped by location.
  ///
  /// ```
  /// /animals/data
  ///   + Cat: {"name": "Cat"}
  ///   - Eel: {"name": "Eel"}
  /// /animals/data/Dog
  ///   ~ name: "Dog" → "Doggo"
  /// ```
  ///
  /// A heading is a pointer that can be copied. `+` marks values of only the new state, `-` those of only the old one, `~`
  /// changed ones. A value that is too long for a line takes several lines, each with its mark. Elements are named by their
  /// index in the new array, removed ones by that in the old array; if the two differ, both are given.
  ///
  /// - Parameters:
  ///   - characterLimit: The characters to show of each string; `nil` for all.
  ///   - style: The colors.
  /// - Returns: Lines that each end with a line feed; nothing if the states are equal.
  /// - Complexity: O(length of the result).
  package func rendered(characterLimit: Int? = nil, style: Style = Style()) -> String {
    guard let edit else { return "" }
    var renderer = StateDiffRenderer(characterLimit: characterLimit, style: style)
    renderer.append(edit, old: .root, new: .root)
    return renderer.lines.map { line in line + "\n" }.joined()
  }
}

/// Renders a tree of edits as groups of marked lines.
struct StateDiffRenderer {
  private(set) var lines: [String] = []

  private let json: JSONRenderer
  private let style: Style

  /// Longer values get lines of their own.
  private static let lineBudget = 60

  /// The name of the root, whose pointer is empty.
  private static let rootName = "(root)"

  private static let indent = "  "

  init(characterLimit: Int?, style: Style) {
    // The mark colors the complete line.
    self.json = JSONRenderer(characterLimit: characterLimit)
    self.style = style
  }

  /// Renders the group of a container, then the groups of the containers in it.
  mutating func append(_ edit: StateEdit, old: JSONPointer, new: JSONPointer) {
    switch edit {
    case .replace(let oldValue, let newValue):
      appendReplacement(Self.rootName, oldValue, newValue, indent: "")
    case .object(let members):
      append(members.map { member in (Self.label(member.name), member.edit, member.name, member.name) }, old, new)
    case .array(let elements): append(elements.map(Self.entry), old, new)
    }
  }

  /// A member or an element: its label, and its names in the old and the new container.
  private typealias Entry = (label: String, edit: StateEdit.MemberEdit, old: String, new: String)

  private static func entry(_ element: StateEdit.ElementEdit) -> Entry {
    let (old, new) = (element.old.map { index in "\(index)" } ?? "", element.new.map { index in "\(index)" } ?? "")
    let isMoved = !old.isEmpty && !new.isEmpty && old != new
    return (isMoved ? "\(new) (was \(old))" : new.isEmpty ? old : new, element.edit, old, new)
  }

  private mutating func append(_ entries: [Entry], _ old: JSONPointer, _ new: JSONPointer) {
    let start = lines.count
    for entry in entries {
      switch entry.edit {
      case .add(let value): appendValue("+", style.green, "\(entry.label): ", value, indent: Self.indent)
      case .remove(let value): appendValue("-", style.red, "\(entry.label): ", value, indent: Self.indent)
      case .edit(.replace(let oldValue, let newValue)):
        appendReplacement(entry.label, oldValue, newValue, indent: Self.indent)
      case .edit: break
      }
    }
    if lines.count > start { lines.insert(heading(old, new), at: start) }
    for case (_, .edit(let edit), let oldName, let newName) in entries where edit.isNested {
      append(edit, old: old.appending(oldName), new: new.appending(newName))
    }
  }
}

// MARK: - Lines

extension StateDiffRenderer {
  private func heading(_ old: JSONPointer, _ new: JSONPointer) -> String {
    let place = style.cyan(Self.describe(new))
    guard old != new else { return place }
    return place + style.dim(" (was \(Self.describe(old)))")
  }

  private static func describe(_ pointer: JSONPointer) -> String {
    pointer.tokens.isEmpty ? rootName : TerminalText.escaping(pointer.description)
  }

  /// Names that cannot be misread are not quoted.
  private static func label(_ name: String) -> String {
    let isPlain =
      !name.isEmpty
      && name.unicodeScalars.allSatisfy { scalar in
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil
          || "_-.@$/~".unicodeScalars.contains(scalar)
      }
    return isPlain ? name : TerminalText.quoting(name)
  }

  private mutating func appendReplacement(_ label: String, _ old: JSONValue, _ new: JSONValue, indent: String) {
    let (oldLine, newLine) = (json.line(old, upTo: Self.lineBudget), json.line(new, upTo: Self.lineBudget))
    if oldLine.isComplete, newLine.isComplete {
      lines.append(indent + style.yellow("~ \(label): \(oldLine.text) → \(newLine.text)"))
    } else {
      lines.append(indent + style.yellow("~ \(label):"))
      appendValue("-", style.red, "", old, indent: indent + Self.indent)
      appendValue("+", style.green, "", new, indent: indent + Self.indent)
    }
  }

  private mutating func appendValue(
    _ mark: String, _ paint: (String) -> String, _ before: String, _ value: JSONValue, indent: String
  ) {
    let line = json.line(value, upTo: Self.lineBudget)
    let texts = line.isComplete ? [line.text] : json.lines(value)
    for (index, text) in texts.enumerated() {
      lines.append(indent + paint(mark + " " + (index == 0 ? before : "") + text))
    }
  }
}
