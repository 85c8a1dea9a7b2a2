/// A record of a ``RecordBatch``: its numbers, and where its parts lie in the bytes of the batch.
///
/// It owns no memory, so that a million of them cost no million allocations (the benchmark
/// `replay, direct, one core`).
package struct RecordEntry: Sendable {
  /// The revision that the action leads to; of a control record, the revision it stands after.
  package let seq: Int
  /// When the action was recorded.
  package let time: LogTime
  /// The highest revision that was known durable when the line was encoded.
  package let synced: Int
  /// The schema of the model that was in force.
  package let schema: Int
  /// The checksum of the line before.
  package let prev: UInt32
  /// The checksum of this line.
  package let crc: UInt32
  /// Whether the line is a control record and not an action.
  package let isControl: Bool
  /// Whether the type is written with escapes, so that its bytes are not its text.
  package let isTypeEscaped: Bool
  /// Whether the action was read together with the record.
  package let isActionRead: Bool

  // Offsets in the bytes of the batch, which are never longer than 2³¹.
  private let line: (Int32, Int32)
  private let type: (Int32, Int32)
  private let data: (Int32, Int32)
  /// Empty when there is none: an object has two bytes at least.
  private let meta: (Int32, Int32)

  // Inlined, so that the members of a line go from registers to the entry and not by way of memory.
  @inline(__always)
  init(_ parsed: ParsedLine, line range: Range<Int>, schema: Int) {
    func place(_ part: Range<Int>) -> (Int32, Int32) {
      (
        Int32(truncatingIfNeeded: range.lowerBound &+ part.lowerBound),
        Int32(truncatingIfNeeded: range.lowerBound &+ part.upperBound)
      )
    }
    seq = parsed.seq
    time = parsed.time
    synced = parsed.synced
    prev = parsed.prev
    crc = parsed.crc
    isControl = parsed.isControl
    self.schema = schema
    isTypeEscaped = parsed.isTypeEscaped
    isActionRead = parsed.isActionRead
    line = place(0..<range.count)
    type = place(parsed.type)
    data = place(parsed.data)
    meta = parsed.meta.map(place) ?? (0, 0)
  }

  /// The line, without its line feed.
  package var lineRange: Range<Int> { RecordEntry.range(line) }

  /// The type, without its quotes. With ``isTypeEscaped`` it is what stands in the line and not the type itself.
  package var typeRange: Range<Int> { Int(type.0) + 1..<Int(type.1) - 1 }

  /// The JSON object of the action's values.
  package var dataRange: Range<Int> { RecordEntry.range(data) }

  /// The JSON object of remarks on the action.
  package var metaRange: Range<Int>? { meta.1 == 0 ? nil : RecordEntry.range(meta) }

  private static func range(_ offsets: (Int32, Int32)) -> Range<Int> { Int(offsets.0)..<Int(offsets.1) }

  /// The members as a reading of the line by itself gives them.
  var parsed: ParsedLine {
    func place(_ part: (Int32, Int32)) -> Range<Int> { Int(part.0 - line.0)..<Int(part.1 - line.0) }
    return ParsedLine(
      seq: seq, time: time, synced: synced, prev: prev, crc: crc, isControl: isControl, type: place(type),
      data: place(data), meta: meta.1 == 0 ? nil : place(meta), isTypeEscaped: isTypeEscaped)
  }
}
