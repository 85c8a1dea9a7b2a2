/// Reads a file line by line, in chunks: memory does not grow with the file, only with its longest line.
///
/// It knows nothing of records. Lines end with the byte 0x0A and with nothing else.
struct LineScanner {
  /// One line, good until the next call of ``next()``.
  struct Line {
    /// The first byte of the line in the file.
    var byteOffset: Int
    /// Where the line stands in ``LineScanner/buffer``, without its line feed; empty when it is too long.
    var range: Range<Int>
    /// The length in bytes, its line feed included.
    var sizeBytes: Int
    /// Whether the file goes on with a line feed.
    var isTerminated: Bool
    /// Whether the line is beyond the limit of the format, so that it was skipped and not kept.
    var isTooLong: Bool
  }

  /// The bytes that ``Line/range`` refers to.
  private(set) var buffer: [UInt8]
  /// How many bytes were read from the file.
  private(set) var bytesRead = 0

  private let file: SourceFile
  private let chunkBytes: Int
  /// The size of the next chunk: small at first, because often only a few lines are wanted.
  private var nextChunkBytes: Int
  /// Where reading ends, even if the file is longer.
  private let end: Int
  /// The first byte of the buffer in the file.
  private var bufferOffset: Int
  /// What of the buffer is yet to be looked at.
  private var unread = 0..<0

  /// 1 MiB: larger chunks do not read faster, and four of them are less than the longest line.
  static let defaultChunkBytes = 1 << 20

  /// 8 KiB: the first chunk, some forty lines of the usual length. Each further one is twice as large.
  private static let firstChunkBytes = 8_192

  /// Prepares to read from a byte at which a line begins.
  init(_ file: SourceFile, from byteOffset: Int, to end: Int = .max, chunkBytes: Int = defaultChunkBytes) {
    self.file = file
    self.chunkBytes = max(chunkBytes, 512)
    nextChunkBytes = min(self.chunkBytes, LineScanner.firstChunkBytes)
    self.end = end
    bufferOffset = byteOffset
    buffer = []
  }

  /// The bytes of a line, as a slice of the buffer.
  func bytes(of line: Line) -> ArraySlice<UInt8> { buffer[line.range] }

  /// The next line; `nil` at the end of the file.
  ///
  /// - Complexity: O(length of the line).
  mutating func next() throws(LogError) -> Line? {
    var searched = unread.lowerBound
    while true {
      if let lineFeed = lineFeed(from: searched) {
        return take(unread.lowerBound..<lineFeed, isTerminated: true)
      }
      if unread.count >= LogFormat.lineLimitBytes { return try skipLongLine() }
      searched = unread.count
      guard try fill() else {
        return unread.isEmpty ? nil : take(unread, isTerminated: false)
      }
      searched += unread.lowerBound
    }
  }

  private func lineFeed(from index: Int) -> Int? {
    buffer.withUnsafeBytes { bytes in
      ByteSearch.first(
        UInt8(ascii: "\n"), in: UnsafeRawBufferPointer(rebasing: bytes[..<unread.upperBound]), from: index)
    }
  }

  private mutating func take(_ range: Range<Int>, isTerminated: Bool) -> Line {
    let size = range.count + (isTerminated ? 1 : 0)
    unread = range.lowerBound + size..<unread.upperBound
    return Line(
      byteOffset: bufferOffset + range.lowerBound,
      range: range,
      sizeBytes: size,
      isTerminated: isTerminated,
      isTooLong: size > LogFormat.lineLimitBytes
    )
  }

  /// Moves what is unread to the front and reads another chunk behind it.
  ///
  /// - Returns: Whether there was anything left to read.
  private mutating func fill() throws(LogError) -> Bool {
    let kept = unread.count
    if unread.lowerBound > 0 {
      let source = unread
      buffer.withUnsafeMutableBytes { bytes in
        bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[source]))
      }
      bufferOffset += source.lowerBound
      unread = 0..<kept
    }
    // Doubling keeps the copies of a long line linear.
    let wanted = max(nextChunkBytes, kept)
    nextChunkBytes = min(nextChunkBytes * 2, chunkBytes)
    if buffer.count < kept + wanted {
      buffer += [UInt8](repeating: 0, count: kept + wanted - buffer.count)
    }
    let room = min(wanted, end - (bufferOffset + kept))
    guard room > 0 else { return false }
    let offset = bufferOffset + kept
    let outcome = buffer.withUnsafeMutableBytes { bytes in
      Result { () throws(LogError) in
        try file.read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: bytes[kept..<kept + room]))
      }
    }
    let count = try outcome.get()
    bytesRead += count
    unread = 0..<kept + count
    return count > 0
  }

  /// Goes past a line that is beyond the limit, keeping none of it.
  private mutating func skipLongLine() throws(LogError) -> Line {
    let start = bufferOffset + unread.lowerBound
    var size = 0
    var isTerminated = false
    while !isTerminated {
      if let lineFeed = lineFeed(from: unread.lowerBound) {
        size += lineFeed + 1 - unread.lowerBound
        unread = lineFeed + 1..<unread.upperBound
        isTerminated = true
      } else {
        size += unread.count
        unread = unread.upperBound..<unread.upperBound
        guard try fill() else { break }
      }
    }
    return Line(
      byteOffset: start, range: unread.lowerBound..<unread.lowerBound, sizeBytes: size, isTerminated: isTerminated,
      isTooLong: true)
  }
}

extension LineScanner {
  /// Counts the line feeds before a byte, for the number of a line that reading did not begin before.
  ///
  /// - Complexity: O(`byteOffset`).
  static func lineNumber(
    at byteOffset: Int, in file: SourceFile
  ) throws(LogError) -> Int {
    var scanner = LineScanner(file, from: 0, to: byteOffset)
    var number = 1
    while let line = try scanner.next() {
      if line.isTerminated { number += 1 }
    }
    return number
  }
}
