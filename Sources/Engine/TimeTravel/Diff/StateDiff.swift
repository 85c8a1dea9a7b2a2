public import JSONCoding
import Platform

/// The difference of two states.
///
/// Objects are compared member by member. Arrays are aligned first, so that an element that was inserted in the middle is one
/// difference, and the elements after it are compared with their previous versions. See ``StateTree`` for the form of a `Set`
/// and of a dictionary. Differences are exact: applied to the old state they give the new one.
public struct StateDiff: Sendable {
  /// The number of visited pairs of values, and of visited nodes and rows of dictionaries. Shared storage is skipped and not
  /// counted.
  package let nodesCompared: Int

  /// The edit from the old state to the new one; `nil` if they are equal.
  package let edit: StateEdit?

  private let makeOld: @Sendable () -> StateTree
  private let makeNew: @Sendable () -> StateTree

  /// The old state.
  ///
  /// If an unchanged part of the state cannot be encoded, this is only the changed part.
  ///
  /// - Complexity: O(1); O(size) at each call if the states were compared without the rows they share.
  public var old: StateTree { makeOld() }

  /// The new state, as ``old``.
  public var new: StateTree { makeNew() }

  /// Compares two states.
  ///
  /// The smallest difference of two arrays is searched for up to 1 000 insertions and removals, fewer in arrays of more than 8
  /// 000 elements. Beyond that the arrays are divided at elements that occur once in each. A range that still differs too much
  /// is compared element by element in order: correct, but perhaps longer.
  ///
  /// - Complexity: O(size · depth) of the parts that the states do not share, and O(*d* · *n*) for *d* insertions into and
  ///   removals from an array of *n* elements, within the limits above.
  public init(from old: StateTree, to new: StateTree) {
    self.init(comparing: old, new, visited: 0, old: { old }, new: { new })
  }

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

  /// The changes from top to bottom: members in order of their names, elements in order of their indices.
  ///
  /// - Complexity: O(number of differences · depth).
  public var changes: [StateChange] {
    edit?.changes() ?? []
  }
}

extension StateDiff {
  /// Compares two states through their canonical forms.
  ///
  /// - Throws: The errors of the states' own coding.
  public init<State: Encodable>(encoding old: State, to new: State) throws {
    self.init(from: try StateTree(encoding: old), to: try StateTree(encoding: new))
  }

  /// Compares two states through their canonical forms, without the rows that they share.
  ///
  /// The differences are those of the complete states. Two states of one history share the rows of a `TreeDictionary` that no
  /// action between them has changed. ``old`` and ``new`` are encoded on demand. If a state cannot be encoded then, its
  /// unshared parts are returned.
  ///
  /// - Throws: The errors of the states' own coding, as far as they are encoded.
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

  /// The complete state; if it cannot be encoded, the encoded parts.
  private static func tree(encoding state: some Encodable, orElse parts: StateTree) -> StateTree {
    do { return try StateTree(encoding: state) } catch { return parts }
  }
}

/// One difference between two states.
public struct StateChange: Hashable, Sendable {
  /// The kind of a change.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The value is only in the new state.
    case added
    /// The value is only in the old state.
    case removed
    /// The value differs.
    case changed
  }

  /// The kind of the change.
  public let kind: Kind
  /// The location of the value in the old state; `nil` if it was added.
  public let oldPointer: JSONPointer?
  /// The location of the value in the new state; `nil` if it was removed.
  public let newPointer: JSONPointer?
  /// The old value; `nil` if it was added.
  public let old: JSONValue?
  /// The new value; `nil` if it was removed.
  public let new: JSONValue?

  /// The location in the new state of the container that has or had the value; `nil` for the complete state.
  package let container: JSONPointer?

  /// The location of the value in the new state, or in the old one if it was removed.
  ///
  /// The two locations differ only below an array with an earlier insertion or removal.
  public var pointer: JSONPointer { newPointer ?? oldPointer ?? .root }

  init(added value: JSONValue, at pointer: JSONPointer) {
    (kind, oldPointer, newPointer, old, new) = (.added, nil, pointer, nil, value)
    container = pointer.parent
  }

  init(removed value: JSONValue, at pointer: JSONPointer, from container: JSONPointer) {
    (kind, oldPointer, newPointer, old, new) = (.removed, pointer, nil, value, nil)
    self.container = container
  }

  init(changed old: JSONValue, at oldPointer: JSONPointer, to new: JSONValue, at newPointer: JSONPointer) {
    self.kind = .changed
    (self.oldPointer, self.newPointer) = (oldPointer, newPointer)
    (self.old, self.new) = (old, new)
    container = newPointer.parent
  }
}

extension StateChange: CustomStringConvertible {
  /// The change on one line: `+ /a: 1` for an added value, `- /b: 2` for a removed one, `~ /c: 1 → 2` for a changed one. A
  /// changed value that moved has both locations: `~ /1/n → /2/n: 4 → 5`.
  public var description: String {
    let place = EscapedText.escaping(pointer.description)
    let values = [old, new].compactMap { value in value.map { value in EscapedText.escaping(value.description) } }
      .joined(separator: " → ")
    switch kind {
    case .added: return "+ \(place): \(values)"
    case .removed: return "- \(place): \(values)"
    case .changed:
      let oldPlace = oldPointer.map { pointer in EscapedText.escaping(pointer.description) } ?? place
      return "~ \(oldPlace == place ? place : "\(oldPlace) → \(place)"): \(values)"
    }
  }
}

extension StateDiff: CustomStringConvertible {
  /// The changes, one on a line; see ``changes``.
  public var description: String { changes.map(\.description).joined(separator: "\n") }
}
