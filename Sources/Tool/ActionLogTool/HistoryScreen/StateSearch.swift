import JSONCoding
import TimeTravel

/// Looks for a text in the names and values of a state, from a place onward and round.
struct StateSearch {
  private let wanted: String
  private let isCancelled: () -> Bool

  /// - Parameter isCancelled: Asked now and then; `true` ends the search.
  init(_ text: String, isCancelled: @escaping () -> Bool = { false }) {
    wanted = text.lowercased()
    self.isCancelled = isCancelled
  }

  /// The next place behind another one whose name or value holds the text; the place itself comes last.
  ///
  /// - Throws: `CancellationError`.
  /// - Complexity: O(size of the state).
  func next(in tree: StateTree, after pointer: JSONPointer) throws(CancellationError) -> JSONPointer? {
    var walk = Walk(wanted: wanted, start: pointer, isCancelled: isCancelled)
    try walk.visit(tree.root, .root, name: nil)
    return walk.behind ?? walk.before
  }

  private struct Walk {
    let wanted: String
    let start: JSONPointer
    let isCancelled: () -> Bool
    var visited = 0
    var isBehind = false
    /// The first one that was found before the start, the start included, and the first one behind it.
    var before: JSONPointer?
    var behind: JSONPointer?

    mutating func visit(_ value: JSONValue, _ pointer: JSONPointer, name: String?) throws(CancellationError) {
      guard behind == nil else { return }
      visited += 1
      if visited & 1_023 == 0, isCancelled() { throw CancellationError() }
      if matches(value, name) {
        if isBehind {
          behind = pointer
          return
        }
        before = before ?? pointer
      }
      if pointer == start { isBehind = true }
      switch value {
      case .object(let object):
        for (name, member) in object where behind == nil { try visit(member, pointer.appending(name), name: name) }
      case .array(let elements):
        for (index, element) in elements.enumerated() where behind == nil {
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
