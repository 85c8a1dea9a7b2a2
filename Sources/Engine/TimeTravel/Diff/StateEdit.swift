package import JSONCoding
import Platform

/// The edit from one value to another, as a tree of only the differences.
package indirect enum StateEdit: Sendable {
  /// The value is replaced.
  case replace(old: JSONValue, new: JSONValue)
  /// The members of an object that differ, in order of their names.
  case object([(name: String, edit: MemberEdit)])
  /// The elements of an array that differ, in order of their indices.
  case array([ElementEdit])

  /// The edit of one member of an object.
  package enum MemberEdit: Sendable {
    case add(JSONValue)
    case remove(JSONValue)
    case edit(StateEdit)
  }

  /// The edit of one element of an array.
  package struct ElementEdit: Sendable {
    package var edit: MemberEdit
    /// The index in the old array; `nil` for an added element.
    package var old: Int?
    /// The index in the new array; `nil` for a removed element.
    package var new: Int?
  }
}

// MARK: - The changes

extension StateEdit {
  /// Whether the edit is inside the value, and does not replace it.
  package var isNested: Bool {
    if case .replace = self { false } else { true }
  }

  /// Whether an array inside the new value that differs has more elements than a number.
  package func holdsArray(longerThan count: Int, in value: JSONValue) -> Bool {
    switch (self, value) {
    case (.array, .array(let elements)): elements.count > count
    case (.object(let members), .object(let object)):
      members.contains { name, edit in
        guard case .edit(let edit) = edit, edit.isNested, let value = object[name] else { return false }
        return edit.holdsArray(longerThan: count, in: value)
      }
    case (.replace, _), (.object, _), (.array, _): false
    }
  }

  package var changeCount: Int {
    switch self {
    case .replace: 1
    case .object(let members): members.reduce(0) { sum, member in sum + member.edit.changeCount }
    case .array(let elements): elements.reduce(0) { sum, element in sum + element.edit.changeCount }
    }
  }

  /// The changes from top to bottom: members in order of their names, elements in order of their indices.
  ///
  /// - Parameter limit: The most changes to return.
  /// - Complexity: O(changes · depth).
  package func changes(limit: Int = .max) -> [StateChange] {
    var list = ChangeList(limit: limit)
    list.append(self, .root, .root)
    return list.changes
  }

  /// Collects some of the changes.
  private struct ChangeList {
    let limit: Int
    var changes: [StateChange] = []

    mutating func append(_ edit: StateEdit, _ old: JSONPointer, _ new: JSONPointer) {
      switch edit {
      case .replace(let oldValue, let newValue):
        append(StateChange(changed: oldValue, at: old, to: newValue, at: new))
      case .object(let members):
        for (name, edit) in members where changes.count < limit {
          append(edit, old.appending(name), new.appending(name), in: new)
        }
      case .array(let elements):
        for element in elements where changes.count < limit {
          append(element.edit, old.appending(element.old ?? 0), new.appending(element.new ?? 0), in: new)
        }
      }
    }

    private mutating func append(
      _ edit: MemberEdit, _ old: @autoclosure () -> JSONPointer, _ new: @autoclosure () -> JSONPointer,
      in container: JSONPointer
    ) {
      switch edit {
      case .add(let value): append(StateChange(added: value, at: new()))
      case .remove(let value): append(StateChange(removed: value, at: old(), from: container))
      case .edit(let edit): append(edit, old(), new())
      }
    }

    private mutating func append(_ change: @autoclosure () -> StateChange) {
      if changes.count < limit { changes.append(change()) }
    }
  }

  /// The edit of a member, or of an element by its index in the new value; `nil` if it is not changed.
  package subscript(name: String) -> MemberEdit? {
    switch self {
    case .replace: return nil
    case .object(let members):
      let place = members.partitioningIndex { member in !MemberOrder.precedes(member.name, name) }
      return place < members.count && members[place].name.utf8.elementsEqual(name.utf8) ? members[place].edit : nil
    case .array(let elements):
      guard let wanted = JSONPointer.index(of: name) else { return nil }
      var (low, high) = (0, elements.count)
      while low < high {
        let middle = (low + high) / 2
        // Removed elements have no index in the new value.
        guard let place = (middle..<high).first(where: { place in elements[place].new != nil }),
          let index = elements[place].new
        else {
          high = middle
          continue
        }
        if index == wanted { return elements[place].edit }
        if index < wanted { low = place + 1 } else { high = middle }
      }
      return nil
    }
  }
}

// MARK: - Applying

extension StateEdit {
  /// Returns the new value, made from the old one. Unchanged parts share their storage with the old value.
  ///
  /// - Parameters:
  ///   - value: The old value, with sorted members. If the edit was found without the rows that both values share, it has them.
  func applied(to value: JSONValue, rebuilt: inout Int) -> JSONValue {
    switch (self, value) {
    case (.replace(_, let new), _): return new
    case (.object(let edits), .object(let object)):
      rebuilt += 1
      var changes: [(name: String, value: JSONValue?)] = []
      for (name, edit) in edits {
        switch edit {
        case .add(let value): changes.append((name, value))
        case .remove: changes.append((name, nil))
        case .edit(let edit):
          changes.append((name, object[name].map { old in edit.applied(to: old, rebuilt: &rebuilt) }))
        }
      }
      return .object(object.applying(sorted: changes))
    case (.array(let edits), .array(let elements)):
      rebuilt += 1
      var result: [JSONValue] = []
      result.reserveCapacity(elements.count)
      var next = 0
      for element in edits {
        // An added element follows as many unchanged ones as its index in the new array requires.
        let place = element.old ?? next + (element.new ?? 0) - result.count
        result += elements[next..<place]
        next = place + (element.old == nil ? 0 : 1)
        switch element.edit {
        case .add(let value): result.append(value)
        case .remove: break
        case .edit(let edit): result.append(edit.applied(to: elements[place], rebuilt: &rebuilt))
        }
      }
      return .array(result + elements[next...])
    case (.object, _), (.array, _): preconditionFailure("an edit is applied to the value that it was found for")
    }
  }
}

extension StateEdit.MemberEdit {
  fileprivate var changeCount: Int { if case .edit(let edit) = self { edit.changeCount } else { 1 } }
}

extension StateTree {
  func applying(_ edit: StateEdit?) -> StateTree {
    var rebuilt = 0
    return applying(edit, rebuilt: &rebuilt)
  }

  func applying(_ edit: StateEdit?, rebuilt: inout Int) -> StateTree {
    edit.map { edit in StateTree(inOrder: edit.applied(to: root, rebuilt: &rebuilt)) } ?? self
  }
}
