/// Halves a segment by byte offsets: no index is needed, because every line says its own `seq` and time.
struct SegmentSearch {
  /// The beginning of a line that lies before what is looked for, or where the search began.
  private(set) var low: Int
  /// The beginning of a line that does not, or the end of the file.
  private(set) var high: Int
  private(set) var bytesRead = 0

  private let file: SourceFile

  /// 4 KiB: what remains is read through; halving it further costs as many calls as it saves bytes.
  private static let remainderBytes = 4_096
  /// How much is read around a place, enough for a few lines of the usual length.
  private static let windowBytes = 2_048

  /// Prepares to search from the beginning of a line to the end of the file.
  init(_ file: SourceFile, from byteOffset: Int) throws(LogError) {
    self.file = file
    low = byteOffset
    high = max(try file.size(), byteOffset)
  }

  /// Halves until little is left between ``low`` and ``high``, or a line does not check.
  ///
  /// - Parameter isBefore: Whether what is looked for lies after a line: true for the lines up to some place, then false.
  mutating func narrow(_ isBefore: (ParsedLine) -> Bool) throws(LogError) {
    while high - low > SegmentSearch.remainderBytes {
      let middle = low + (high - low) / 2
      guard let (start, line) = try line(around: middle), start > low, start < high else { return }
      if isBefore(line) { low = start } else { high = start }
    }
  }

  /// The line that a byte belongs to; `nil` when it does not check.
  private mutating func line(around byteOffset: Int) throws(LogError) -> (start: Int, line: ParsedLine)? {
    let windowStart = max(low, byteOffset - SegmentSearch.windowBytes / 2)
    let window = try file.bytes(at: windowStart, count: SegmentSearch.windowBytes)
    bytesRead += window.count
    let place = byteOffset - windowStart
    if let before = window[..<min(place, window.count)].lastIndex(of: UInt8(ascii: "\n")),
      let end = window[(before + 1)...].firstIndex(of: UInt8(ascii: "\n"))
    {
      return parse(window[(before + 1)..<end], at: windowStart + before + 1)
    }
    return try longLine(around: byteOffset)
  }

  private mutating func longLine(around byteOffset: Int) throws(LogError) -> (start: Int, line: ParsedLine)? {
    let start = try LineBounds.lineStart(before: byteOffset, in: file)
    var scanner = LineScanner(file, from: start)
    defer { bytesRead += scanner.bytesRead + (byteOffset - start) }
    guard let line = try scanner.next(), line.isTerminated, !line.isTooLong else { return nil }
    return parse(scanner.bytes(of: line), at: start)
  }

  private func parse(_ bytes: ArraySlice<UInt8>, at start: Int) -> (start: Int, line: ParsedLine)? {
    do throws(LineFault) { return (start, try LineParser.parse(bytes)) } catch { return nil }
  }
}
