/// The records of a file, line by line, up to the first line that is none. That a record follows the one before it is not checked.
package struct RecordLines {
  package struct Record {
    package let parsed: ParsedLine
    let bytes: ArraySlice<UInt8>
    let byteOffset: Int

    package var end: Int { byteOffset + bytes.count + 1 }
    package var controlType: ControlType? { parsed.controlType(in: bytes) }

    /// The unit that begins with the line; `nil` if it is another line.
    var unit: UnitRecord? {
      guard parsed.isControl else { return nil }
      do throws(LineFault) { return try UnitRecord(parsed, bytes) } catch { return nil }
    }
  }

  /// Why the next line is not a record; `nil` at the end of the file.
  private(set) var fault: LineFault?
  private var scanner: LineScanner

  package init(_ file: SourceFile, from byteOffset: Int = 0, to end: Int = .max, chunkBytes: Int = 4_096) {
    scanner = LineScanner(file, from: byteOffset, to: end, chunkBytes: chunkBytes)
  }

  /// Returns the last line before an offset; `nil` if it is not a record.
  package static func last(of file: SourceFile, endingAt end: Int) throws(LogError) -> Record? {
    var lines = RecordLines(file, from: try LineBounds.lastLineStart(of: file, size: end), to: end)
    return try lines.next()
  }

  /// Finds out how far the records up to an offset reach, and whether they end within a unit.
  ///
  /// - Parameter start: An offset at which a line begins that is in no unit.
  /// - Returns: The end of the last record before the first line that is none, and the offset of the `@unit` line whose actions are not
  ///   all before that end; `nil` if there is no such line.
  /// - Complexity: O(`end` − `start`).
  package static func extent(
    of file: SourceFile, from start: Int = 0, to end: Int
  ) throws(LogError) -> (end: Int, unfinishedUnit: Int?) {
    var lines = RecordLines(file, from: start, to: end, chunkBytes: LineScanner.defaultChunkBytes)
    var last = start
    var unit: (byteOffset: Int, lastRevision: Int)?
    while let line = try lines.next() {
      if line.parsed.isControl {
        unit = line.unit.map { record in (line.byteOffset, line.parsed.revision + record.actions) }
      } else if let lastRevision = unit?.lastRevision, line.parsed.revision >= lastRevision {
        unit = nil
      }
      last = line.end
    }
    return (last, unit?.byteOffset)
  }

  var bytesRead: Int { scanner.bytesRead }

  package mutating func next() throws(LogError) -> Record? {
    guard let line = try scanner.next() else { return nil }
    let bytes = scanner.bytes(of: line)
    do throws(LineFault) {
      return Record(parsed: try SegmentScan.parse(line, bytes), bytes: bytes, byteOffset: line.byteOffset)
    } catch {
      fault = error
      return nil
    }
  }
}
