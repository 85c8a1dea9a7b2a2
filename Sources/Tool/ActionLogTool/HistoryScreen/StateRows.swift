package import JSONCoding
package import TimeTravel

/// The rows that a state is shown as: its open containers, and what changed.
///
/// A row is made when it is read. Only open containers are kept, each with the number of its rows, so that a step costs the
/// containers that are open and the rows on the screen, not the values of the state.
package struct StateRows {
  /// A value of the state.
  package struct Row: Sendable {
    package var pointer: JSONPointer
    /// The member's name or the element's number; `nil` for the whole state.
    package var name: String?
    package var value: JSONValue
    /// Whether and how the value changed.
    package var change: StateChange.Kind?
    /// Whether a value inside it changed.
    var holdsChange: Bool
    var isOpen: Bool

    var depth: Int { pointer.tokens.count }
    /// How many members or elements it has; `nil` for a scalar.
    var size: Int? { value.size }
  }

  /// A container that is open.
  private struct Container {
    let pointer: JSONPointer
    let value: JSONValue
    /// The open containers directly inside, in order of their offsets.
    var children: [(offset: Int, container: Container)] = []
    /// The rows inside it, without its own.
    var count: Int
  }

  /// How many open containers the rows were made from. Tests count it.
  package private(set) var containersMade = 0
  /// How many rows there are.
  package var count: Int { 1 + (top?.count ?? 0) }

  private let tree: StateTree
  private let marks: ChangeMarks
  /// The whole state; `nil` if it is closed or a scalar.
  private var top: Container?

  /// - Parameters:
  ///   - tree: The state.
  ///   - changes: How its values changed.
  ///   - open: The containers whose members are shown.
  /// - Complexity: O(changes + open containers · log of their sizes).
  package init(_ tree: StateTree, changes: [StateChange], open: Set<JSONPointer>) {
    self.init(tree, marks: ChangeMarks(changes), open: open)
  }

  /// As ``init(_:changes:open:)``, for changes whose marks are known.
  init(_ tree: StateTree, marks: ChangeMarks, open: Set<JSONPointer>) {
    self.tree = tree
    self.marks = marks
    top = container(tree.root, .root, Dictionary(grouping: open, by: \.parent))
  }

  /// - Parameter open: The open containers by the container that they are in.
  private mutating func container(
    _ value: JSONValue, _ pointer: JSONPointer, _ open: [JSONPointer?: [JSONPointer]]
  ) -> Container? {
    guard let size = value.size, size > 0, pointer != .root || open[nil] != nil else { return nil }
    containersMade += 1
    var made = Container(pointer: pointer, value: value, count: size)
    for child in open[pointer] ?? [] {
      guard let name = child.tokens.last, let offset = value.offset(of: name),
        let container = container(value.child(at: offset).value, child, open)
      else { continue }
      made.children.append((offset, container))
      made.count += container.count
    }
    made.children.sort { left, right in left.offset < right.offset }
    return made
  }
}

// MARK: - Reading

extension StateRows {
  /// The row at an index.
  ///
  /// - Complexity: O(depth · open containers side by side).
  package subscript(index: Int) -> Row {
    precondition(index >= 0 && index < count, "there is no such row")
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
    let (name, value) = container.value.child(at: offset)
    return row(container.pointer.appending(name), name, value, isOpen: isOpen)
  }

  private func row(_ pointer: JSONPointer, _ name: String?, _ value: JSONValue, isOpen: Bool) -> Row {
    Row(
      pointer: pointer, name: name, value: value, change: marks.kinds[pointer],
      holdsChange: marks.holders.contains(pointer), isOpen: isOpen)
  }

  /// The index of the row of a value; `nil` if the value is gone or a container around it is closed.
  ///
  /// - Complexity: O(depth · open containers side by side).
  package func index(of pointer: JSONPointer) -> Int? {
    guard !pointer.tokens.isEmpty else { return 0 }
    guard var container = top else { return nil }
    var index = 1
    for (depth, name) in pointer.tokens.enumerated() {
      guard let offset = container.value.offset(of: name) else { return nil }
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

/// The changes of a state by the places of its values.
struct ChangeMarks {
  private(set) var kinds: [JSONPointer: StateChange.Kind] = [:]
  /// The containers that a changed value is in.
  private(set) var holders: Set<JSONPointer> = []

  /// - Complexity: O(changes · depth).
  init(_ changes: [StateChange]) {
    for change in changes {
      kinds[change.pointer] = change.kind
      var place = change.pointer.parent
      while let holder = place, holders.insert(holder).inserted { place = holder.parent }
    }
  }
}

extension JSONValue {
  /// How many members or elements the value has; `nil` if it is neither an object nor an array.
  var size: Int? {
    switch self {
    case .object(let object): object.count
    case .array(let elements): elements.count
    case .null, .bool, .number, .string: nil
    }
  }

  /// The member or element at an offset, with its name.
  func child(at offset: Int) -> (name: String, value: JSONValue) {
    switch self {
    case .object(let object): (object[offset].name, object[offset].value)
    case .array(let elements): (String(offset), elements[offset])
    case .null, .bool, .number, .string: preconditionFailure("only a container has members")
    }
  }

  /// The offset of the member or element with a name, in a value whose members are in order of the bytes of their names.
  ///
  /// - Complexity: O(log *n*).
  func offset(of name: String) -> Int? {
    switch self {
    case .object(let object):
      var (low, high) = (0, object.count)
      while low < high {
        let middle = (low + high) / 2
        if object[middle].name.utf8.lexicographicallyPrecedes(name.utf8) { low = middle + 1 } else { high = middle }
      }
      return low < object.count && object[low].name.utf8.elementsEqual(name.utf8) ? low : nil
    case .array(let elements):
      return JSONPointer.index(of: name).flatMap { index in index < elements.count ? index : nil }
    case .null, .bool, .number, .string: return nil
    }
  }
}
