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

  /// Goes to where an action lies if lines are of even length, until ``low`` is a few lines before it, or a line does not
  /// check.
  ///
  /// Lines of a segment differ in length, but mostly not in the mean: three or four looks are enough. From then on every
  /// other one halves, so that no distribution of lengths takes more than twice as many as halving alone, and three.
  ///
  /// - Parameters:
  ///   - seq: The action, after the one at ``low``.
  ///   - first: The `seq` of the line at ``low``.
  ///   - end: The first `seq` that is not in the file, where it is known.
  mutating func narrow(to seq: Int, from first: Int, before end: Int?) throws(LogError) {
    var lowSeq = first
    var highSeq = end
    if highSeq == nil, high - low > SegmentSearch.remainderBytes, let last = try line(around: high - 1)?.line {
      highSeq = last.seq + 1
    }
    var looks = 0
    while high - low > SegmentSearch.remainderBytes, seq - lowSeq > SegmentSearch.nearLines {
      looks += 1
      var middle = low + (high - low) / 2
      if looks < 4 || looks % 2 == 0, let highSeq, highSeq > lowSeq {
        let share = Double(seq - lowSeq - SegmentSearch.nearLines / 2) / Double(highSeq - lowSeq)
        middle = low + Int(min(max(share, 0), 1) * Double(high - low - 1))
      }
      guard let (start, line) = try line(around: middle), start > low, start < high else { return }
      if line.seq < seq { (low, lowSeq) = (start, line.seq) } else { (high, highSeq) = (start, line.seq) }
    }
  }

  /// 16: what one chunk of 4 KiB holds of lines of the usual length, so that another look would read as much again.
  private static let nearLines = 16

  /// The line that a byte belongs to; `nil` when it does not check.
  private mutating func line(around byteOffset: Int) throws(LogError) -> (start: Int, line: ParsedLine)? {
    let windowStart = max(low, byteOffset - SegmentSearch.windowBytes / 2)
    let window = try file.bytes(at: windowStart, count: SegmentSearch.windowBytes)
    bytesRead += window.count
    let place = min(byteOffset - windowStart, window.count)
    let found = window.withUnsafeBytes { bytes -> Range<Int>? in
      let lineFeed = UInt8(ascii: "\n")
      guard let before = ByteSearch.last(lineFeed, in: UnsafeRawBufferPointer(rebasing: bytes[..<place])),
        let end = ByteSearch.first(lineFeed, in: bytes, from: before + 1)
      else { return nil }
      return before + 1..<end
    }
    guard let found else { return try longLine(around: byteOffset) }
    return parse(window[found], at: windowStart + found.lowerBound)
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
