public import JSONCoding

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
