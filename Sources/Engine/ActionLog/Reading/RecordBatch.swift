/// Whole lines of a log that checked, in the memory that they were read into: what a replay decodes from.
///
/// Nothing is made of a record until it is asked for.
package struct RecordBatch: Sendable {
  /// The memory of the lines. What of it is no record is not to be looked at.
  package let bytes: [UInt8]
  /// The records, in the order of the log; at least one.
  package let entries: [RecordEntry]
  /// The segment that the lines stand in.
  package let path: String

  /// The first byte of `bytes` in the file.
  private let byteOffset: Int
  /// The line of the first record, counted from 1; `nil` when reading began in the middle of the file.
  private let firstLine: Int?

  init(bytes: [UInt8], entries: [RecordEntry], path: String, byteOffset: Int, firstLine: Int?) {
    self.bytes = bytes
    self.entries = entries
    self.path = path
    self.byteOffset = byteOffset
    self.firstLine = firstLine
  }

  /// The memory, empty or as it is, for the next batch.
  consuming func memory() -> ([UInt8], [RecordEntry]) { (bytes, entries) }

  /// Where a record stands on disk.
  package func place(at index: Int) -> LogPlace {
    LogPlace(
      path: path, byteOffset: byteOffset + entries[index].lineRange.lowerBound,
      line: firstLine.map { line in line + index })
  }

  /// Makes a record of its own.
  ///
  /// - Complexity: O(length of the line).
  package func record(at index: Int) -> LogRecord {
    let entry = entries[index]
    return LogRecord(entry.parsed, line: bytes[entry.lineRange], schema: entry.schema, place: place(at: index))
  }

  /// The type of a record.
  ///
  /// - Complexity: O(length).
  package func type(at index: Int) -> String {
    let entry = entries[index]
    if entry.isTypeEscaped { return entry.parsed.typeText(in: bytes[entry.lineRange]) }
    return String(decoding: bytes[entry.typeRange], as: UTF8.self)
  }

  /// The JSON object of a record's values, without copying it.
  package func data(at index: Int) -> ArraySlice<UInt8> { bytes[entries[index].dataRange] }

  /// The JSON object of remarks on a record, without copying it.
  package func meta(at index: Int) -> ArraySlice<UInt8>? { entries[index].metaRange.map { range in bytes[range] } }

  /// Calls a closure with the bytes of a record's type, unescaped, and of its values. They are good until it returns.
  @inlinable
  package func withTypeAndData<Result, Failure: Error>(
    at index: Int,
    _ body: (_ type: UnsafeRawBufferPointer, _ data: UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let entry = entries[index]
    if entry.isTypeEscaped { return try withEscapedType(at: index, body) }
    return try bytes.withUnsafeBufferPointer { (buffer) throws(Failure) in
      let bytes = UnsafeRawBufferPointer(buffer)
      return try body(
        UnsafeRawBufferPointer(rebasing: bytes[entry.typeRange]),
        UnsafeRawBufferPointer(rebasing: bytes[entry.dataRange]))
    }
  }

  @usableFromInline
  package func withEscapedType<Result, Failure: Error>(
    at index: Int,
    _ body: (_ type: UnsafeRawBufferPointer, _ data: UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let type = Array(type(at: index).utf8)
    return try type.withUnsafeBufferPointer { (type) throws(Failure) in
      try bytes.withUnsafeBufferPointer { (buffer) throws(Failure) in
        let data = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[entries[index].dataRange])
        return try body(UnsafeRawBufferPointer(type), data)
      }
    }
  }
}
