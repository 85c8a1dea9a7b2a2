public import JSONCoding

extension JSONPatch {
  /// Makes the patch that turns one document into another.
  ///
  /// Only `add`, `remove` and `replace` are used, and `test` if asked for. Applied to `old` the patch gives `new`
  /// exactly.
  ///
  /// - Parameters:
  ///   - old: The document before.
  ///   - new: The document after.
  ///   - includingTests: Whether each `remove` and `replace` is preceded by a `test` for the value that it does away
  ///     with, so that the patch refuses any other document.
  /// - Complexity: That of comparing the documents; see ``StateDiff``.
  public init(from old: JSONValue, to new: JSONValue, includingTests: Bool = false) {
    self = StateDiff(from: StateTree(old), to: StateTree(new)).jsonPatch(includingTests: includingTests)
  }
}

extension StateDiff {
  /// The differences as a patch that turns the old state into the new one.
  ///
  /// - Parameter includingTests: Whether each `remove` and `replace` is preceded by a `test` for the old value.
  /// - Complexity: O(number of differences · depth).
  public func jsonPatch(includingTests: Bool = false) -> JSONPatch {
    var writer = PatchWriter(includesTests: includingTests)
    if let edit { writer.append(edit, at: .root) }
    return JSONPatch(writer.operations)
  }
}

/// Writes edits as operations.
///
/// Edits are written from front to back, so whatever lies before a place has its new form already: places are those of
/// the new document, and an element that is removed stands where the next one will stand.
private struct PatchWriter {
  private(set) var operations: [JSONPatch.Operation] = []
  private let includesTests: Bool

  init(includesTests: Bool) {
    self.includesTests = includesTests
  }

  mutating func append(_ edit: StateEdit, at place: JSONPointer) {
    switch edit {
    case .replace(let old, let new):
      appendTest(old, at: place)
      operations.append(.replace(path: place, value: new))
    case .object(let members):
      for (name, edit) in members { append(edit, at: place.appending(name)) }
    case .array(let elements):
      append(elements, in: place)
    }
  }

  private mutating func append(_ edit: StateEdit.MemberEdit, at place: JSONPointer) {
    switch edit {
    case .add(let value): operations.append(.add(path: place, value: value))
    case .remove(let value): appendRemoval(of: value, at: place)
    case .edit(let edit): append(edit, at: place)
    }
  }

  private mutating func append(_ elements: [StateEdit.ElementEdit], in place: JSONPointer) {
    // How much further back than in the old array an element stands in the array as it is now.
    var shift = 0
    for element in elements {
      switch element {
      case .add(let value, let new):
        operations.append(.add(path: place.appending(new), value: value))
        shift += 1
      case .remove(let value, let old):
        appendRemoval(of: value, at: place.appending(old + shift))
        shift -= 1
      case .edit(let edit, _, let new):
        append(edit, at: place.appending(new))
      }
    }
  }

  private mutating func appendRemoval(of value: JSONValue, at place: JSONPointer) {
    appendTest(value, at: place)
    operations.append(.remove(path: place))
  }

  private mutating func appendTest(_ value: JSONValue, at place: JSONPointer) {
    if includesTests { operations.append(.test(path: place, value: value)) }
  }
}
