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
  ///   - limits: Limits on what is shown of each value; the rest is counted.
  ///   - style: The colors.
  /// - Returns: Lines that each end with a line feed; nothing if the states are equal.
  /// - Complexity: O(length of the result).
  package func rendered(limits: RenderingLimits = .none, style: Style = Style()) -> String {
    guard let edit else { return "" }
    var renderer = StateDiffRenderer(limits: limits, style: style)
    renderer.append(edit, old: .root, new: .root)
    return renderer.lines.map { line in line + "\n" }.joined()
  }
}

/// Renders a tree of edits as groups of marked lines.
struct StateDiffRenderer {
  /// The lines so far, without line feeds.
  private(set) var lines: [String] = []

  private let json: JSONRenderer
  private let style: Style

  /// Longer values get lines of their own.
  private static let lineBudget = 60

  /// The name of the root, whose pointer is empty.
  private static let rootName = "(root)"

  private static let indent = "  "

  init(limits: RenderingLimits, style: Style) {
    // The mark colors the complete line.
    self.json = JSONRenderer(limits: limits)
    self.style = style
  }

  /// Renders the group of a container, then the groups of the containers in it.
  mutating func append(_ edit: StateEdit, old: JSONPointer, new: JSONPointer) {
    switch edit {
    case .replace(let oldValue, let newValue):
      appendReplacement(Self.rootName, oldValue, newValue, indent: "")
    case .object(let members):
      append(members.map { member in (Self.label(member.name), member.edit) }, members.map(\.name), old, new)
    case .array(let elements):
      append(elements, old, new)
    }
  }

  private mutating func append(
    _ members: [(label: String, edit: StateEdit.MemberEdit)], _ names: [String], _ old: JSONPointer, _ new: JSONPointer
  ) {
    var group = Group(heading: heading(old, new))
    for (label, edit) in members {
      switch edit {
      case .add(let value): appendMarked("+", style.green, label, value, in: &group)
      case .remove(let value): appendMarked("-", style.red, label, value, in: &group)
      case .edit(.replace(let oldValue, let newValue)):
        open(&group)
        appendReplacement(label, oldValue, newValue, indent: Self.indent)
      case .edit: break
      }
    }
    for (name, member) in zip(names, members) {
      guard case .edit(let edit) = member.edit, edit.isNested else { continue }
      append(edit, old: old.appending(name), new: new.appending(name))
    }
  }

  private mutating func append(_ elements: [StateEdit.ElementEdit], _ old: JSONPointer, _ new: JSONPointer) {
    var group = Group(heading: heading(old, new))
    for element in elements {
      switch element {
      case .add(let value, let place): appendMarked("+", style.green, "\(place)", value, in: &group)
      case .remove(let value, let place): appendMarked("-", style.red, "\(place)", value, in: &group)
      case .edit(.replace(let oldValue, let newValue), let oldPlace, let newPlace):
        open(&group)
        let label = oldPlace == newPlace ? "\(newPlace)" : "\(newPlace) (was \(oldPlace))"
        appendReplacement(label, oldValue, newValue, indent: Self.indent)
      case .edit: break
      }
    }
    for element in elements {
      guard case .edit(let edit, let oldPlace, let newPlace) = element, edit.isNested else { continue }
      append(edit, old: old.appending(oldPlace), new: new.appending(newPlace))
    }
  }
}

// MARK: - Lines

extension StateDiffRenderer {
  /// The heading is written before the first line of the group, if there is one.
  private struct Group {
    var heading: String
    var isOpen = false
  }

  private mutating func open(_ group: inout Group) {
    guard !group.isOpen else { return }
    group.isOpen = true
    lines.append(group.heading)
  }

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

  private mutating func appendMarked(
    _ mark: String, _ paint: (String) -> String, _ label: String, _ value: JSONValue, in group: inout Group
  ) {
    open(&group)
    appendValue(mark, paint, "\(label): ", value, indent: Self.indent)
  }

  private mutating func appendReplacement(_ label: String, _ old: JSONValue, _ new: JSONValue, indent: String) {
    if let old = json.line(old, budget: Self.lineBudget), let new = json.line(new, budget: Self.lineBudget) {
      lines.append(indent + style.yellow("~ \(label): \(old) → \(new)"))
    } else {
      lines.append(indent + style.yellow("~ \(label):"))
      appendValue("-", style.red, "", old, indent: indent + Self.indent)
      appendValue("+", style.green, "", new, indent: indent + Self.indent)
    }
  }

  private mutating func appendValue(
    _ mark: String, _ paint: (String) -> String, _ before: String, _ value: JSONValue, indent: String
  ) {
    let texts = json.line(value, budget: Self.lineBudget).map { line in [line] } ?? json.lines(value)
    for (index, text) in texts.enumerated() {
      lines.append(indent + paint(mark + " " + (index == 0 ? before : "") + text))
    }
  }
}
