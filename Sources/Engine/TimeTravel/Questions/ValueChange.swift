public import ActionLog
public import JSONCoding

/// A change of one value of a state by one action.
public struct ValueChange: Sendable {
  /// The place of the value.
  public let pointer: JSONPointer
  /// The action that changed it; its `seq` is the first revision with the new value.
  public let record: LogRecord

  private let oldValue: KnownValue?
  private let newValue: KnownValue?
  /// What differs; `nil` if there was no value before, or is none after.
  private let parts: UnsharedParts?

  /// The value before; `nil` if there was none.
  ///
  /// If a part of the value that did not change cannot be encoded, only what changed is here.
  ///
  /// - Complexity: O(size of the value) at the first call.
  public var old: JSONValue? { oldValue?.json(orElse: parts?.old.root) }

  /// The value after; `nil` if there is none. See ``old``.
  public var new: JSONValue? { newValue?.json(orElse: parts?.new.root) }

  /// Whether the action added the value, removed it, or changed it.
  public var kind: StateChange.Kind { oldValue == nil ? .added : newValue == nil ? .removed : .changed }

  /// What changed inside the value, with places below it; `nil` where ``old`` and ``new`` say it as shortly.
  ///
  /// It is there for values with dictionaries that share their rows, which can be much larger than their change.
  ///
  /// - Complexity: O(size of what changed).
  public var difference: StateDiff? {
    guard let parts, !parts.areWhole else { return nil }
    let (old, new) = (oldValue, newValue)
    return StateDiff(
      comparing: parts.old, parts.new, visited: parts.visited,
      old: { StateTree(old?.json(orElse: nil) ?? parts.old.root) },
      new: { StateTree(new?.json(orElse: nil) ?? parts.new.root) })
  }

  /// Describes a change that was found.
  init(_ change: KnownChange, at pointer: JSONPointer, by record: LogRecord) {
    self.pointer = pointer
    self.record = record
    (oldValue, newValue, parts) = (change.old, change.new, change.parts)
  }
}

/// A value before and after an action that changed it.
struct KnownChange: Sendable {
  let old: KnownValue?
  let new: KnownValue?
  /// What differs; `nil` if one of the two is missing.
  let parts: UnsharedParts?

  /// Compares two values.
  ///
  /// - Parameter work: Counts the bytes that had to be encoded.
  /// - Returns: `nil` if they are equal.
  /// - Throws: What the coding of the values throws.
  /// - Complexity: O(size of what the values do not share).
  init?(from old: KnownValue?, to new: KnownValue?, counting work: inout Int) throws {
    if old === new { return nil }
    (self.old, self.new) = (old, new)
    guard let old, let new else {
      // A value that cannot be encoded is an error here, not where the change is shown.
      _ = try (old ?? new)?.json(counting: &work)
      parts = nil
      return
    }
    guard let parts = try new.difference(from: old, counting: &work) else { return nil }
    self.parts = parts
  }
}
