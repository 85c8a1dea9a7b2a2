internal import JSONCoding

/// Turns actions into what the log stores, and back.
public enum ActionCoding {
  /// The stored form put together again, as Swift's coding of enums has it.
  ///
  /// It is purely syntactic: every type and every object has a result, whether an action can be decoded from it or not.
  ///
  /// - Complexity: O(length).
  public static func nested(type: String, data: [UInt8]) -> [UInt8] {
    ActionNesting.nest(type: type, data: data[...])
  }

  /// The stored form of a record put together again.
  ///
  /// - Complexity: O(length).
  public static func nested(_ record: LogRecord) -> [UInt8] {
    ActionNesting.nest(type: record.type, data: record.dataBytes)
  }
}
