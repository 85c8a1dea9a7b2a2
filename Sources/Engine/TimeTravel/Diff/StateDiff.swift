public import JSONCoding

/// What changed between two states.
///
/// Objects are compared member by member. Arrays are aligned first, so that an element that was inserted in the middle
/// is one difference, and elements behind it are compared with their own former selves; see ``StateTree`` for how a
/// `Set` and a dictionary appear. The differences are exact: applied to the old state they give the new one.
public struct StateDiff: Sendable {
  /// Pairs of values that were looked at, and nodes and rows of dictionaries. Parts that share their storage are skipped and
  /// not counted.
  public let nodesCompared: Int

  /// How the old state becomes the new one; `nil` if they are equal.
  package let edit: StateEdit?

  private let makeOld: @Sendable () -> StateTree
  private let makeNew: @Sendable () -> StateTree

  /// The state before.
  ///
  /// Should it hold something that did not change and cannot be encoded, only what changed is here.
  ///
  /// - Complexity: O(1); O(size) at each call for states that were compared without the rows that they share.
  public var old: StateTree { makeOld() }

  /// The state after, as ``old``.
  ///
  /// - Complexity: That of ``old``.
  public var new: StateTree { makeNew() }

  /// Compares two states.
  ///
  /// The smallest difference of two arrays is searched for up to 1 000 insertions and removals, fewer in arrays of more
  /// than 8 000 elements. Beyond that the arrays are divided at elements that occur once in each, and a stretch that is
  /// still too different is compared element by element in order of their places: correct, but perhaps longer.
  ///
  /// - Complexity: O(size · depth) without what the states share, and O(*d* · *n*) for *d* insertions into and removals
  ///   from an array of *n* elements, within the limits above.
  public init(from old: StateTree, to new: StateTree) {
    self.init(comparing: old, new, visited: 0, old: { old }, new: { new })
  }

  /// Compares two states by parts of them, of which the rest is equal.
  ///
  /// - Parameter visited: What was looked at to find the parts.
  init(
    comparing old: StateTree, _ new: StateTree, visited: Int,
    old makeOld: @escaping @Sendable () -> StateTree, new makeNew: @escaping @Sendable () -> StateTree
  ) {
    var comparison = StateComparison()
    self.edit = comparison.compare(old.root, new.root)
    self.nodesCompared = comparison.nodesCompared + visited
    self.makeOld = makeOld
    self.makeNew = makeNew
  }

  /// Whether the two states are equal.
  public var isEmpty: Bool { edit == nil }

  /// The differences from top to bottom: members in order of their names, elements in order of their places.
  ///
  /// - Complexity: O(number of differences · depth).
  public var changes: [StateChange] {
    var changes: [StateChange] = []
    if let edit { Self.append(edit, .root, .root, to: &changes) }
    return changes
  }

  private static func append(
    _ edit: StateEdit, _ old: JSONPointer, _ new: JSONPointer, to changes: inout [StateChange]
  ) {
    switch edit {
    case .replace(let oldValue, let newValue):
      changes.append(StateChange(changed: oldValue, at: old, to: newValue, at: new))
    case .object(let members):
      for (name, edit) in members {
        switch edit {
        case .add(let value): changes.append(StateChange(added: value, at: new.appending(name)))
        case .remove(let value): changes.append(StateChange(removed: value, at: old.appending(name)))
        case .edit(let edit): append(edit, old.appending(name), new.appending(name), to: &changes)
        }
      }
    case .array(let elements):
      for element in elements {
        switch element {
        case .add(let value, let place): changes.append(StateChange(added: value, at: new.appending(place)))
        case .remove(let value, let place): changes.append(StateChange(removed: value, at: old.appending(place)))
        case .edit(let edit, let oldPlace, let newPlace):
          append(edit, old.appending(oldPlace), new.appending(newPlace), to: &changes)
        }
      }
    }
  }
}

extension StateDiff {
  /// Compares two states through their canonical forms.
  ///
  /// - Parameters:
  ///   - old: The state before.
  ///   - new: The state after.
  /// - Throws: The errors of the states' own coding.
  /// - Complexity: That of ``init(from:to:)``, and O(size) for encoding.
  public init<State: Encodable>(encoding old: State, to new: State) throws {
    self.init(from: try StateTree(encoding: old), to: try StateTree(encoding: new))
  }

  /// Compares two states through their canonical forms, without looking at the rows that they share.
  ///
  /// The differences are those that comparing the whole states finds. Two states of one history share the rows of a
  /// `TreeDictionary` that no action between them has changed. ``old`` and ``new`` are encoded when they are asked for; of one
  /// that cannot be encoded then, they are the parts that are not shared.
  ///
  /// - Parameters:
  ///   - old: The state before.
  ///   - new: The state after.
  /// - Throws: The errors of the states' own coding, as far as they are encoded.
  /// - Complexity: That of ``init(from:to:)`` for what the states do not share, and O(size of that) for encoding.
  public init<State: Encodable & Sendable>(encoding old: State, to new: State) throws {
    let parts = try UnsharedParts(encoding: old, new)
    guard !parts.areWhole else {
      self.init(from: parts.old, to: parts.new)
      return
    }
    self.init(
      comparing: parts.old, parts.new, visited: parts.visited,
      old: { Self.tree(encoding: old, orElse: parts.old) }, new: { Self.tree(encoding: new, orElse: parts.new) })
  }

  /// A whole state; of one that cannot be encoded, the parts that were.
  private static func tree(encoding state: some Encodable, orElse parts: StateTree) -> StateTree {
    do { return try StateTree(encoding: state) } catch { return parts }
  }
}

/// One difference between two states.
public struct StateChange: Hashable, Sendable {
  /// What happened to the value.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// It is only in the new state.
    case added
    /// It is only in the old state.
    case removed
    /// It is another value.
    case changed
  }

  /// What happened to the value.
  public let kind: Kind
  /// Where the value is in the old state; `nil` if it was added.
  public let oldPointer: JSONPointer?
  /// Where the value is in the new state; `nil` if it was removed.
  public let newPointer: JSONPointer?
  /// The value before; `nil` if it was added.
  public let old: JSONValue?
  /// The value after; `nil` if it was removed.
  public let new: JSONValue?

  /// Where the value is: in the new state if it is there, else in the old one.
  ///
  /// The two places differ only below an array in which something before was added or removed.
  public var pointer: JSONPointer { newPointer ?? oldPointer ?? .root }

  init(added value: JSONValue, at pointer: JSONPointer) {
    (kind, oldPointer, newPointer, old, new) = (.added, nil, pointer, nil, value)
  }

  init(removed value: JSONValue, at pointer: JSONPointer) {
    (kind, oldPointer, newPointer, old, new) = (.removed, pointer, nil, value, nil)
  }

  init(changed old: JSONValue, at oldPointer: JSONPointer, to new: JSONValue, at newPointer: JSONPointer) {
    self.kind = .changed
    (self.oldPointer, self.newPointer) = (oldPointer, newPointer)
    (self.old, self.new) = (old, new)
  }
}

extension StateChange: CustomStringConvertible {
  /// The change on one line: `+ /a: 1` for a value that was added, `- /b: 2` for one that was removed, `~ /c: 1 → 2` for one that
  /// changed. A value whose place changed, too, has both: `~ /1/n → /2/n: 4 → 5`.
  public var description: String {
    let place = MessageText.escaping(pointer.description)
    let values = [old, new].compactMap { value in value.map { value in MessageText.escaping(value.description) } }
      .joined(separator: " → ")
    switch kind {
    case .added: return "+ \(place): \(values)"
    case .removed: return "- \(place): \(values)"
    case .changed:
      let oldPlace = oldPointer.map { pointer in MessageText.escaping(pointer.description) } ?? place
      return "~ \(oldPlace == place ? place : "\(oldPlace) → \(place)"): \(values)"
    }
  }
}

extension StateDiff: CustomStringConvertible {
  /// The changes, one on a line; see ``changes``.
  public var description: String { changes.map(\.description).joined(separator: "\n") }
}

/// How one value becomes another: only what differs is in the tree of edits.
package indirect enum StateEdit: Sendable {
  /// Another value stands in its place.
  case replace(old: JSONValue, new: JSONValue)
  /// An object whose members differ, in order of their names.
  case object([(name: String, edit: MemberEdit)])
  /// An array whose elements differ, in order of their places.
  case array([ElementEdit])

  /// What happens to one member of an object.
  package enum MemberEdit: Sendable {
    case add(JSONValue)
    case remove(JSONValue)
    case edit(StateEdit)
  }

  /// What happens to one element of an array. Places are those in the old and in the new array.
  package enum ElementEdit: Sendable {
    case add(JSONValue, new: Int)
    case remove(JSONValue, old: Int)
    case edit(StateEdit, old: Int, new: Int)
  }
}
