public import ActionLog
public import JSONCoding

/// A form of another program that the records of a log are written in, one after the other.
///
/// Nothing is kept of a record but what later ones need, so memory does not grow with the log. Control records are
/// passed over.
public protocol RecordExport {
  /// Writes what stands before the first record.
  mutating func begin(into output: inout [UInt8])

  /// Writes a record at the end of a buffer.
  ///
  /// - Parameters:
  ///   - record: The next record of the log.
  ///   - output: Takes the bytes; what it holds already is not looked at.
  /// - Throws: `JSONError`, for a record that was not read from a log.
  /// - Complexity: O(length of the record).
  mutating func append(_ record: LogRecord, into output: inout [UInt8]) throws(JSONError)

  /// Writes what stands behind the last record.
  mutating func end(into output: inout [UInt8])
}

extension RecordExport {
  /// Writes nothing.
  public mutating func begin(into output: inout [UInt8]) {}

  /// Writes nothing.
  public mutating func end(into output: inout [UInt8]) {}
}

extension LogRecord {
  /// The remarks as an object; `nil` when there are none.
  func metaObject() throws(JSONError) -> JSONObject? {
    guard let meta, case .object(let object) = try JSONValue(parsing: meta) else { return nil }
    return object
  }
}
