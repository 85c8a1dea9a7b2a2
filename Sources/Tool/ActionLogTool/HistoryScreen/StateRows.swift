package import JSONCoding
import Platform
package import TimeTravel

/// The rows of a state: its expanded containers, and the changes.
///
/// A row is created when it is read. Only expanded containers are stored, each with the number of its rows, so the cost of a
/// step depends on the expanded containers and the visible rows, and not on the size of the state.
package struct StateRows {
  package struct Row: Sendable {
    package var pointer: JSONPointer
    /// The member's name or the element's index; `nil` for the complete state.
    package var name: String?
    package var value: JSONValue
    /// Whether and how the value changed.
    package var change: StateChange.Kind?
    var holdsChange: Bool
    var isOpen: Bool

    var depth: Int { pointer.tokens.count }
    /// `nil` for a scalar.
    var size: Int? { value.size }
  }

  private struct Container {
    let pointer: JSONPointer
    let value: JSONValue
    /// The offsets of the shown members, in order; `nil` for all.
    let shown: [Int]?
    /// The expanded containers directly inside, in order of their places among the shown members.
    var children: [(offset: Int, container: Container)] = []
    /// The rows inside it, without its own.
    var count: Int

    /// The place of a member among the shown ones; `nil` if it is not shown.
    func place(ofMember offset: Int) -> Int? {
      guard let shown else { return offset }
      let place = shown.partitioningIndex { other in other >= offset }
      return place < shown.count && shown[place] == offset ? place : nil
    }
  }

  /// For tests.
  package private(set) var containersMade = 0
  package var count: Int { 1 + (top?.count ?? 0) }

  private let tree: StateTree
  private let marks: ChangeMarks
  /// The complete state; `nil` if it is collapsed or a scalar.
  private var top: Container?

  /// - Parameters:
  ///   - edit: The edit that led to the state; `nil` if nothing changed.
  ///   - open: The expanded containers.
  ///   - onlyChanged: Whether to show only changed values, what is in them, and the containers around them.
  /// - Complexity: O(open containers · log of their sizes); with `onlyChanged` also O(changes in them).
  package init(_ tree: StateTree, edit: StateEdit?, open: Set<JSONPointer>, onlyChanged: Bool = false) {
    self.tree = tree
    marks = ChangeMarks(edit)
    let shown = onlyChanged ? edit.map(ShownMembers.changed) ?? .nothing : .all
    top = container(tree.root, .root, Dictionary(grouping: open, by: \.parent), shown)
  }

  private enum ShownMembers {
    case all
    /// Those that an edit of the container changes.
    case changed(StateEdit)
    case nothing

    /// The offsets of the shown members, in order; `nil` for all.
    func offsets(in value: JSONValue) -> [Int]? {
      switch self {
      case .all, .changed(.replace): nil
      case .nothing: []
      case .changed(.object(let members)): members.compactMap { member in value.offset(of: member.name) }
      case .changed(.array(let elements)): elements.compactMap(\.new)
      }
    }

    /// The members that are shown of a shown member.
    subscript(name: String) -> ShownMembers {
      guard case .changed(let edit) = self, case .edit(let inner) = edit[name] else { return .all }
      return .changed(inner)
    }
  }

  /// - Parameter open: The expanded containers by their parent.
  private mutating func container(
    _ value: JSONValue, _ pointer: JSONPointer, _ open: [JSONPointer?: [JSONPointer]], _ members: ShownMembers
  ) -> Container? {
    guard let size = value.size, size > 0, pointer != .root || open[nil] != nil else { return nil }
    containersMade += 1
    let shown = members.offsets(in: value)
    var made = Container(pointer: pointer, value: value, shown: shown, count: shown?.count ?? size)
    for child in open[pointer] ?? [] {
      guard let name = child.tokens.last, let offset = value.offset(of: name), let place = made.place(ofMember: offset),
        let container = container(value.child(at: offset).value, child, open, members[name])
      else { continue }
      made.children.append((place, container))
      made.count += container.count
    }
    made.children.sort { left, right in left.offset < right.offset }
    return made
  }
}

// MARK: - Reading

extension StateRows {
  /// - Complexity: O(depth · open containers side by side).
  package subscript(index: Int) -> Row {
    precondition(index >= 0 && index < count, "row \(index) does not exist")
    guard index > 0, let top else { return row(.root, nil, tree.root, isOpen: top != nil) }
    return row(at: index - 1, in: top)
  }

  private func row(at index: Int, in container: Container) -> Row {
    var before = 0
    for (offset, child) in container.children {
      let start = offset + before
      if index < start { break }
      if index > start, index <= start + child.count { return row(at: index - start - 1, in: child) }
      if index == start { return row(atOffset: offset, in: container, isOpen: true) }
      before += child.count
    }
    return row(atOffset: index - before, in: container, isOpen: false)
  }

  private func row(atOffset offset: Int, in container: Container, isOpen: Bool) -> Row {
    let (name, value) = container.value.child(at: container.shown?[offset] ?? offset)
    return row(container.pointer.appending(name), name, value, isOpen: isOpen)
  }

  private func row(_ pointer: JSONPointer, _ name: String?, _ value: JSONValue, isOpen: Bool) -> Row {
    Row(
      pointer: pointer, name: name, value: value, change: marks.kind(at: pointer),
      holdsChange: marks.holdsChange(at: pointer), isOpen: isOpen)
  }

  /// The index of the row of a value; `nil` if the value does not exist or is inside a collapsed container.
  ///
  /// - Complexity: O(depth · open containers side by side).
  package func index(of pointer: JSONPointer) -> Int? {
    guard !pointer.tokens.isEmpty else { return 0 }
    guard var container = top else { return nil }
    var index = 1
    for (depth, name) in pointer.tokens.enumerated() {
      guard let offset = container.value.offset(of: name).flatMap(container.place) else { return nil }
      index += offset
      for (other, child) in container.children where other < offset { index += child.count }
      if depth == pointer.tokens.count - 1 { return index }
      guard let next = container.children.first(where: { child in child.offset == offset }) else { return nil }
      container = next.container
      index += 1
    }
    return nil
  }
}

/// The changes of a state, found by the paths of its values.
struct ChangeMarks {
  private let edit: StateEdit?

  init(_ edit: StateEdit?) { self.edit = edit }

  /// The kind of the change of a value; `nil` if it is unchanged, or if only values inside it changed.
  func kind(at pointer: JSONPointer) -> StateChange.Kind? {
    switch change(at: pointer) {
    case .add: .added
    case .remove: .removed
    case .edit(.replace): .changed
    case .edit, nil: nil
    }
  }

  func holdsChange(at pointer: JSONPointer) -> Bool {
    edit(at: pointer)?.isNested ?? false
  }

  /// The edit of a container; `nil` if it did not change, or was added or removed.
  func edit(at pointer: JSONPointer) -> StateEdit? {
    if case .edit(let edit) = change(at: pointer) { edit } else { nil }
  }

  private func change(at pointer: JSONPointer) -> StateEdit.MemberEdit? {
    var change = edit.map(StateEdit.MemberEdit.edit)
    for name in pointer.tokens {
      guard case .edit(let edit) = change else { return nil }
      change = edit[name]
    }
    return change
  }
}

extension JSONValue {
  /// The name of the kind of value in answers.
  var kindName: String {
    switch self {
    case .object: "object"
    case .array: "array"
    case .string: "string"
    case .number: "number"
    case .bool: "bool"
    case .null: "null"
    }
  }

  /// `nil` for a scalar.
  var size: Int? {
    switch self {
    case .object(let object): object.count
    case .array(let elements): elements.count
    case .null, .bool, .number, .string: nil
    }
  }

  func child(at offset: Int) -> (name: String, value: JSONValue) {
    switch self {
    case .object(let object): (object[offset].name, object[offset].value)
    case .array(let elements): (String(offset), elements[offset])
    case .null, .bool, .number, .string: preconditionFailure("only a container has members")
    }
  }

  func offset(of name: String) -> Int? {
    switch self {
    case .object(let object): object.place(of: name)
    case .array(let elements):
      JSONPointer.index(of: name).flatMap { index in index < elements.count ? index : nil }
    case .null, .bool, .number, .string: nil
    }
  }
}

enum StateText {
  static let lineLimit = 400

  /// A value in one line, truncated.
  static func line(_ value: JSONValue, limit: Int = lineLimit) -> String {
    let line = JSONRenderer().line(value, upTo: limit)
    return line.isComplete ? line.text : line.text.prefix(limit) + "…"
  }
}

/// A search for a text in the names and values of a state. It wraps around at the end.
struct StateSearch {
  private let wanted: String
  private let isCancelled: () -> Bool

  /// Case is ignored.
  init(_ text: String, isCancelled: @escaping () -> Bool = { false }) {
    wanted = text.lowercased()
    self.isCancelled = isCancelled
  }

  /// The next value after a path whose name or value contains the text. The value at the path itself comes last.
  func next(in tree: StateTree, after pointer: JSONPointer) throws(CancellationError) -> JSONPointer? {
    var walk = Walk(wanted: wanted, start: pointer, isCancelled: isCancelled)
    try walk.visit(tree.root, .root, name: nil)
    return walk.after ?? walk.before
  }

  private struct Walk {
    let wanted: String
    let start: JSONPointer
    let isCancelled: () -> Bool
    var visited = 0
    var isAfter = false
    /// The first match up to the start, and the first one after it.
    var before: JSONPointer?
    var after: JSONPointer?

    mutating func visit(_ value: JSONValue, _ pointer: JSONPointer, name: String?) throws(CancellationError) {
      guard after == nil else { return }
      visited += 1
      if visited & 1_023 == 0, isCancelled() { throw CancellationError() }
      if matches(value, name) {
        if isAfter {
          after = pointer
          return
        }
        before = before ?? pointer
      }
      if pointer == start { isAfter = true }
      switch value {
      case .object(let object):
        for (name, member) in object where after == nil { try visit(member, pointer.appending(name), name: name) }
      case .array(let elements):
        for (index, element) in elements.enumerated() where after == nil {
          try visit(element, pointer.appending(index), name: nil)
        }
      case .null, .bool, .number, .string: break
      }
    }

    private func matches(_ value: JSONValue, _ name: String?) -> Bool {
      if let name, name.lowercased().contains(wanted) { return true }
      switch value {
      case .string(let text): return text.lowercased().contains(wanted)
      case .number(let number): return number.text.contains(wanted)
      case .bool(let value): return String(value) == wanted
      case .null, .array, .object: return false
      }
    }
  }
}
