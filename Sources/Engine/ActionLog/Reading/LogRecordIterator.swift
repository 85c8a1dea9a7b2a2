/// Goes through the records of a log in order.
///
/// ```swift
/// var records = try reader.records()
/// while let record = try records.next() { … }
/// ```
///
/// Memory is that of one chunk and of the longest line.
public struct LogRecordIterator {
  private var cursor: RecordCursor

  init(_ cursor: RecordCursor) {
    self.cursor = cursor
  }

  /// How the log ends; `nil` while there may be more.
  public var ending: LogEnding? { cursor.ending }

  /// How many bytes were read from files, those of finding the first record included.
  public var bytesRead: Int { cursor.bytesRead }

  /// The largest stretch of memory that lines were read into.
  package var largestBufferBytes: Int { cursor.largestBufferBytes }

  /// The schema in force at the record that was returned last.
  public var schema: Int { cursor.schema }

  /// The next record, control records included.
  ///
  /// - Returns: `nil` at the end of the log, also when that is a torn tail; ``ending`` then says which.
  /// - Throws: ``LogError`` with code `damaged` at a line that does not check and that no crash explains, after all good
  ///   records before it; then again at every call.
  /// - Complexity: O(length of the line).
  public mutating func next() throws(LogError) -> LogRecord? {
    do throws(LogError) { return try cursor.nextRecord() } catch { throw cursor.explained(error) }
  }
}
