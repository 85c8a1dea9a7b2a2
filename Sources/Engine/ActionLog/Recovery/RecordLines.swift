/// The records of a file, line by line, up to the first line that is none. That a record follows the one before it is not checked.
package struct RecordLines {
  package struct Record {
    package let parsed: ParsedLine
    let bytes: ArraySlice<UInt8>
    let byteOffset: Int

    package var end: Int { byteOffset + bytes.count + 1 }
    package var controlType: ControlType? { parsed.controlType(in: bytes) }
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
