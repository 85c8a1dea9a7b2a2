public import ActionLog
public import JSONCoding

/// A change of one value of a state by one action.
public struct ValueChange: Sendable {
  /// The place of the value.
  public let pointer: JSONPointer
  /// The action that changed it; its `seq` is the first revision with the new value.
  public let record: LogRecord
  /// The value before; `nil` if there was none.
  public let old: JSONValue?
  /// The value after; `nil` if there is none.
  public let new: JSONValue?

  /// Whether the action made the value, took it away, or made it another one.
  public var kind: StateChange.Kind {
    old == nil ? .added : new == nil ? .removed : .changed
  }
}
