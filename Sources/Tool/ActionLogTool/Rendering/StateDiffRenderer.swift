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
  package func rendered(limits: RenderingLimits = .none, style: TextStyle = .plain) -> String {
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
  private let style: TextStyle

  /// Longer values get lines of their own.
  private static let lineBudget = 60

  /// The name of the root, whose pointer is empty.
  private static let rootName = "(root)"

  private static let indent = "  "

  init(limits: RenderingLimits, style: TextStyle) {
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
      case .add(let value): appendMarked("+", \.added, label, value, in: &group)
      case .remove(let value): appendMarked("-", \.removed, label, value, in: &group)
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
      case .add(let value, let place): appendMarked("+", \.added, "\(place)", value, in: &group)
      case .remove(let value, let place): appendMarked("-", \.removed, "\(place)", value, in: &group)
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
    let place = style.applying(\.name, to: Self.describe(new))
    guard old != new else { return place }
    return place + style.applying(\.note, to: " (was \(Self.describe(old)))")
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
    _ mark: String, _ color: KeyPath<TextStyle, String>, _ label: String, _ value: JSONValue, in group: inout Group
  ) {
    open(&group)
    appendValue(mark, color, "\(label): ", value, indent: Self.indent)
  }

  private mutating func appendReplacement(_ label: String, _ old: JSONValue, _ new: JSONValue, indent: String) {
    if let old = json.line(old, budget: Self.lineBudget), let new = json.line(new, budget: Self.lineBudget) {
      lines.append(indent + style.applying(\.changed, to: "~ \(label): \(old) → \(new)"))
    } else {
      lines.append(indent + style.applying(\.changed, to: "~ \(label):"))
      appendValue("-", \.removed, "", old, indent: indent + Self.indent)
      appendValue("+", \.added, "", new, indent: indent + Self.indent)
    }
  }

  private mutating func appendValue(
    _ mark: String, _ color: KeyPath<TextStyle, String>, _ before: String, _ value: JSONValue, indent: String
  ) {
    let texts = json.line(value, budget: Self.lineBudget).map { line in [line] } ?? json.lines(value)
    for (index, text) in texts.enumerated() {
      lines.append(indent + style.applying(color, to: mark + " " + (index == 0 ? before : "") + text))
    }
  }
}

extension StateEdit {
  /// Whether the differences are inside the value, which then has a group of its own.
  fileprivate var isNested: Bool {
    if case .replace = self { return false }
    return true
  }
}

extension StateDiff {
  /// Renders the differences in the format of `diff -u`, over the lines of ``StateTree/rendered(limits:style:)``. `patch` and
  /// `git apply` accept it.
  ///
  /// - Parameters:
  ///   - oldName: The name of the old state in the header.
  ///   - newName: The name of the new state in the header.
  ///   - context: The number of equal lines before and after each difference.
  /// - Returns: Lines that each end with a line feed; nothing if the states are equal.
  /// - Precondition: `context` is not negative.
  /// - Complexity: O(size), and that of aligning the lines.
  package func unified(oldName: String = "old", newName: String = "new", context: Int = 3) -> String {
    precondition(context >= 0, "a context is not negative")
    guard !isEmpty else { return "" }
    let renderer = JSONRenderer()
    let text = UnifiedText(old: renderer.lines(old.root), new: renderer.lines(new.root), context: context)
    return text.rendered(oldName: TerminalText.escaping(oldName), newName: TerminalText.escaping(newName))
  }
}

/// The differences of two texts in the unified format of GNU diffutils ("Detailed Description of Unified Format").
struct UnifiedText {
  private let old: [String]
  private let new: [String]
  private let gaps: [SequenceAlignment.Gap]
  private let context: Int

  init(old: [String], new: [String], context: Int) {
    self.old = old
    self.new = new
    self.context = context
    // Lines are compared by their bytes, as `patch` does; more lines are equal as Swift strings.
    var numbering = Numbering<[UInt8]>()
    self.gaps =
      SequenceAlignment(
        old: old.map { line in numbering.number(of: Array(line.utf8)) },
        new: new.map { line in numbering.number(of: Array(line.utf8)) }
      ).gaps
  }

  func rendered(oldName: String, newName: String) -> String {
    guard !gaps.isEmpty else { return "" }
    var text = "--- \(oldName)\n+++ \(newName)\n"
    for hunk in hunks { append(hunk, to: &text) }
    return text
  }

  /// The hunks: differences with contexts that touch or overlap are one hunk.
  private var hunks: [ArraySlice<SequenceAlignment.Gap>] {
    var hunks: [ArraySlice<SequenceAlignment.Gap>] = []
    var start = 0
    for index in gaps.indices.dropFirst()
    where gaps[index].old.lowerBound - gaps[index - 1].old.upperBound > 2 * context {
      hunks.append(gaps[start..<index])
      start = index
    }
    hunks.append(gaps[start...])
    return hunks
  }

  private func append(_ hunk: ArraySlice<SequenceAlignment.Gap>, to text: inout String) {
    guard let first = hunk.first, let last = hunk.last else { return }
    let before = min(context, first.old.lowerBound)
    let after = min(context, old.count - last.old.upperBound)
    let oldRange = (first.old.lowerBound - before)..<(last.old.upperBound + after)
    let newRange = (first.new.lowerBound - before)..<(last.new.upperBound + after)
    text += "@@ -\(range(oldRange)) +\(range(newRange)) @@\n"

    var next = oldRange.lowerBound
    for gap in hunk {
      append(" ", old[next..<gap.old.lowerBound], to: &text)
      append("-", old[gap.old], to: &text)
      append("+", new[gap.new], to: &text)
      next = gap.old.upperBound
    }
    append(" ", old[next..<oldRange.upperBound], to: &text)
  }

  private func append(_ mark: String, _ lines: ArraySlice<String>, to text: inout String) {
    for line in lines { text += mark + line + "\n" }
  }

  /// Lines count from 1, a length of 1 is omitted, and an empty range has the number of the line before it.
  private func range(_ lines: Range<Int>) -> String {
    switch lines.count {
    case 0: "\(lines.lowerBound),0"
    case 1: "\(lines.lowerBound + 1)"
    default: "\(lines.lowerBound + 1),\(lines.count)"
    }
  }
}
