import JSONCoding
import TimeTravel

/// The rows that a tree is shown as: what is open, and what changed.
struct StateRows {
  /// A value of the state.
  struct Row: Sendable {
    var pointer: JSONPointer
    /// The member's name or the element's number; `nil` for the whole state.
    var name: String?
    var value: JSONValue
    /// What became of it.
    var change: StateChange.Kind?
    /// Whether something in it changed.
    var holdsChange: Bool
    var isOpen: Bool

    var depth: Int { pointer.tokens.count }
    /// How many members or elements it has; `nil` for a scalar.
    var size: Int? { value.size }
  }

  private(set) var rows: [Row] = []

  /// - Parameters:
  ///   - tree: The state.
  ///   - changes: What became of its values.
  ///   - open: The containers whose members are shown.
  /// - Complexity: O(number of rows).
  init(_ tree: StateTree, changes: [StateChange], open: Set<JSONPointer>) {
    var kinds: [JSONPointer: StateChange.Kind] = [:]
    var holders: Set<JSONPointer> = []
    for change in changes {
      kinds[change.pointer] = change.kind
      var place = change.pointer.parent
      while let holder = place, holders.insert(holder).inserted { place = holder.parent }
    }
    append(tree.root, .root, nil, kinds, holders, open)
  }

  private mutating func append(
    _ value: JSONValue, _ pointer: JSONPointer, _ name: String?, _ kinds: [JSONPointer: StateChange.Kind],
    _ holders: Set<JSONPointer>, _ open: Set<JSONPointer>
  ) {
    let isOpen = value.size ?? 0 > 0 && open.contains(pointer)
    rows.append(
      Row(
        pointer: pointer, name: name, value: value, change: kinds[pointer], holdsChange: holders.contains(pointer),
        isOpen: isOpen))
    guard isOpen else { return }
    switch value {
    case .object(let object):
      for (name, member) in object { append(member, pointer.appending(name), name, kinds, holders, open) }
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        append(element, pointer.appending(index), String(index), kinds, holders, open)
      }
    case .null, .bool, .number, .string: break
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
}
