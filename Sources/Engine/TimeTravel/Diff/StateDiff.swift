import JSONCoding

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
  let edit: StateEdit?

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
