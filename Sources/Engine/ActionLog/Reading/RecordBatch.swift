/// Complete, valid lines of a log in the memory into which they were read.
///
/// Records are decoded only on request.
package struct RecordBatch: Sendable {
  /// 256 KiB: a chunk that stays in the second-level cache while it is checked and decoded.
  package static let defaultChunkBytes = 1 << 18

  /// The memory of the lines. Bytes outside of the entries have no meaning.
  package let bytes: [UInt8]
  package let entries: [RecordEntry]
  package let path: String

  /// The offset of the first byte of `bytes` in the file.
  let byteOffset: Int
  /// The line number of the first record, starting at 1; `nil` if reading began in the middle of the file.
  let firstLine: Int?

  /// Releases the memory for reuse by the next batch.
  consuming func memory() -> ([UInt8], [RecordEntry]) { (bytes, entries) }

  package func place(at index: Int) -> LogPlace {
    LogPlace(
      path: path, byteOffset: byteOffset + entries[index].lineRange.lowerBound,
      line: firstLine.map { line in line + index })
  }

  package func record(at index: Int) -> LogRecord {
    let entry = entries[index]
    return LogRecord(entry.parsed, line: bytes[entry.lineRange], schema: entry.schema, place: place(at: index))
  }

  package func type(at index: Int) -> String {
    let entry = entries[index]
    if entry.isTypeEscaped { return entry.parsed.typeText(in: bytes[entry.lineRange]) }
    return String(decoding: bytes[entry.typeRange], as: UTF8.self)
  }

  /// Returns the JSON object with a record's values, without copying it.
  package func data(at index: Int) -> ArraySlice<UInt8> { bytes[entries[index].dataRange] }

  /// Returns the JSON object with a record's metadata, without copying it.
  package func meta(at index: Int) -> ArraySlice<UInt8>? { entries[index].metaRange.map { range in bytes[range] } }

  /// Calls a closure with the bytes of a record's unescaped type and of its values. They are valid during the call.
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

/// The members of a record in a ``RecordBatch``: numbers, and the ranges of the other values in the bytes of the batch.
///
/// It owns no memory, so that reading a million records needs no million allocations (benchmark `replay, direct, one
/// core`).
package struct RecordEntry: Sendable {
  package let revision: Int
  package let time: LogTime
  package let synced: Int
  package let schema: Int
  package let prev: UInt32
  package let crc: UInt32
  package let isControl: Bool
  /// Whether the type contains escapes, so that its bytes are not its text.
  package let isTypeEscaped: Bool
  /// Whether the action was decoded together with the record.
  package let isActionRead: Bool
  package let isRedacted: Bool
  /// Whether a redaction excludes the action from the fold: it has its revision and changes nothing.
  package let isSkipped: Bool

  // Offsets in the bytes of the batch, whose length is always less than 2³¹.
  private let line: (Int32, Int32)
  private let type: (Int32, Int32)
  private let data: (Int32, Int32)
  /// Empty if there is none: an object has at least two bytes.
  private let meta: (Int32, Int32)

  // Inlined, so that the members of a line are passed in registers and not through memory.
  @inline(__always)
  init(_ parsed: ParsedLine, line range: Range<Int>, schema: Int) {
    func place(_ part: Range<Int>) -> (Int32, Int32) {
      (
        Int32(truncatingIfNeeded: range.lowerBound &+ part.lowerBound),
        Int32(truncatingIfNeeded: range.lowerBound &+ part.upperBound)
      )
    }
    revision = parsed.revision
    time = parsed.time
    synced = parsed.synced
    prev = parsed.prev
    crc = parsed.crc
    isControl = parsed.isControl
    self.schema = schema
    isTypeEscaped = parsed.isTypeEscaped
    isActionRead = parsed.isActionRead
    isRedacted = parsed.isRedacted
    isSkipped = parsed.isSkipped
    line = place(0..<range.count)
    type = place(parsed.type)
    data = place(parsed.data)
    meta = parsed.meta.map(place) ?? (0, 0)
  }

  package var lineRange: Range<Int> { RecordEntry.range(line) }

  /// The type, without its quotes. It is escaped if ``isTypeEscaped`` is `true`.
  package var typeRange: Range<Int> { Int(type.0) + 1..<Int(type.1) - 1 }

  package var dataRange: Range<Int> { RecordEntry.range(data) }

  package var metaRange: Range<Int>? { meta.1 == 0 ? nil : RecordEntry.range(meta) }

  private static func range(_ offsets: (Int32, Int32)) -> Range<Int> { Int(offsets.0)..<Int(offsets.1) }

  /// The members as ``LineParser`` returns them.
  var parsed: ParsedLine {
    func place(_ part: (Int32, Int32)) -> Range<Int> { Int(part.0 - line.0)..<Int(part.1 - line.0) }
    return ParsedLine(
      revision: revision, time: time, synced: synced, prev: prev, crc: crc, isControl: isControl, type: place(type),
      data: place(data), meta: meta.1 == 0 ? nil : place(meta), isTypeEscaped: isTypeEscaped, isRedacted: isRedacted,
      isSkipped: isSkipped)
  }
}
