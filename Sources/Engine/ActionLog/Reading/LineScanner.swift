#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A reader of the lines of a file, in chunks. Memory grows only with the longest line, not with the file.
///
/// It does not interpret the lines. A line ends with the byte 0x0A and with nothing else.
package struct LineScanner {
  /// A line. It is valid until the next call of ``next()``.
  package struct Line {
    package var byteOffset: Int
    /// The range of the line in ``LineScanner/buffer``, without its line feed; empty if the line is too long.
    package var range: Range<Int>
    /// The length in bytes, including the line feed.
    package var sizeBytes: Int
    package var isTerminated: Bool
    /// Whether the line exceeds the limit of the format. Such a line is skipped. If its line feed is not within
    /// ``LogFormat/tornLimitBytes`` either, the line reaches to the end of the file and is the last one.
    package var isTooLong: Bool
  }

  /// Lines together with the memory that contains them.
  package struct Block {
    package var bytes: [UInt8]
    /// The range of the lines in `bytes`, from the first byte of the first line to the line feed of the last one.
    package var range: Range<Int>
    package var byteOffset: Int
  }

  package private(set) var buffer: [UInt8] = []
  package private(set) var bytesRead = 0
  package private(set) var largestBufferBytes = 0

  private let file: SourceFile
  private let chunkBytes: Int
  /// The size of the next buffer. It is small at first, because often only a few lines are needed.
  private var bufferBytes: Int
  /// The offset at which reading ends, even if the file is longer.
  private var end: Int
  /// The offset of the buffer's first byte in the file.
  private var bufferOffset: Int
  /// The part of the buffer that was not returned yet.
  private var unread = 0..<0

  /// 1 MiB: larger chunks are not faster, and four of them are smaller than the longest line.
  package static let defaultChunkBytes = 1 << 20

  /// 8 KiB: the first chunk, about forty lines of the usual length. Each further chunk is twice as large.
  static let firstChunkBytes = 8_192

  /// Creates a scanner that starts at a byte at which a line begins.
  package init(
    _ file: SourceFile, from byteOffset: Int, to end: Int = .max, chunkBytes: Int = defaultChunkBytes,
    firstChunkBytes: Int = firstChunkBytes
  ) {
    self.file = file
    self.chunkBytes = max(chunkBytes, 512)
    bufferBytes = min(self.chunkBytes, max(firstChunkBytes, 512))
    self.end = end
    bufferOffset = byteOffset
  }

  package func bytes(of line: Line) -> ArraySlice<UInt8> { buffer[line.range] }

  @inlinable @inline(__always)
  package func withBytes<Result, Failure: Error>(
    of line: Line, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try buffer.withUnsafeBufferPointer { (bytes) throws(Failure) in
      try body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[line.range]))
    }
  }

  package mutating func next() throws(LogError) -> Line? {
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
      byteOffset: bufferOffset + range.lowerBound, range: range, sizeBytes: size, isTerminated: isTerminated,
      isTooLong: size > LogFormat.lineLimitBytes)
  }

  /// Skips a line that exceeds the limit, without keeping it in memory.
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
        guard size < LogFormat.tornLimitBytes else {
          // The rest is not read: a hole can be longer than the disk.
          size = max(size, min(end, try file.size()) - start)
          end = bufferOffset + unread.upperBound
          break
        }
        guard try fill() else { break }
      }
    }
    return Line(
      byteOffset: start, range: unread.lowerBound..<unread.lowerBound, sizeBytes: size, isTerminated: isTerminated,
      isTooLong: true)
  }
}

// MARK: - The buffer

extension LineScanner.Line {
  /// Creates a line of a block from its range, which is without the line feed.
  @inlinable
  package init(_ range: Range<Int>, of block: LineScanner.Block) {
    (byteOffset, self.range, sizeBytes) = (block.byteOffset + range.lowerBound, range, range.count + 1)
    (isTerminated, isTooLong) = (true, false)
  }
}

extension LineScanner {
  /// Whether all bytes of the buffer were returned.
  var isDrained: Bool { unread.isEmpty }

  /// Returns all complete lines of the buffer together with its memory. Reads first if there are none.
  ///
  /// - Returns: `nil` if the rest of the file has no line feed, or none within the limit of a line; ``next()``
  ///   distinguishes the two.
  package mutating func takeBlock(spare: inout [UInt8]) throws(LogError) -> Block? {
    var searched = unread.lowerBound
    while true {
      if let last = lastLineFeed(from: searched) {
        let block = Block(bytes: buffer, range: unread.lowerBound..<last + 1, byteOffset: bufferOffset)
        detach(keeping: last + 1..<unread.upperBound, in: &spare)
        return block
      }
      if unread.count >= LogFormat.lineLimitBytes { return nil }
      searched = unread.count
      guard try fill() else { return nil }
    }
  }

  private func lastLineFeed(from index: Int) -> Int? {
    buffer.withUnsafeBytes { bytes in
      let bytes = UnsafeRawBufferPointer(rebasing: bytes[index..<unread.upperBound])
      return ByteSearch.last(UInt8(ascii: "\n"), in: bytes).map { place in index + place }
    }
  }

  /// Switches to other memory, which starts with the bytes that were not returned yet.
  private mutating func detach(keeping rest: Range<Int>, in spare: inout [UInt8]) {
    let old = buffer
    bufferOffset += rest.lowerBound
    unread = 0..<rest.count
    buffer = []
    swap(&buffer, &spare)
    if buffer.count < rest.count {
      buffer = Array(old[rest])
    } else {
      old.withUnsafeBytes { old in
        buffer.withUnsafeMutableBytes { bytes in bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: old[rest])) }
      }
    }
  }

  /// Moves the unread bytes to the front and reads another chunk after them.
  ///
  /// - Returns: Whether any bytes were read.
  private mutating func fill() throws(LogError) -> Bool {
    let kept = unread.count
    // A line that fills half of the buffer doubles it, so the cost of copying a long line stays linear.
    while bufferBytes < kept * 2 { bufferBytes *= 2 }
    // No line is longer than that, so there is space for a chunk.
    bufferBytes = min(bufferBytes, LogFormat.lineLimitBytes + chunkBytes)
    let room = min(bufferBytes - kept, end - (bufferOffset + unread.upperBound))
    guard room > 0 else { return false }
    let count = try buffer.count < bufferBytes ? readIntoNewBuffer(room) : readIntoBuffer(room)
    bytesRead += count
    unread = 0..<kept + count
    bufferBytes = min(bufferBytes * 2, max(chunkBytes, bufferBytes))
    return count > 0
  }

  /// Reads into a new buffer of the requested size, with the unread bytes at its front.
  private mutating func readIntoNewBuffer(_ room: Int) throws(LogError) -> Int {
    let (old, source) = (buffer, unread)
    let offset = bufferOffset + source.upperBound
    var outcome = Result<Int, LogError>.success(0)
    let bytes = [UInt8](unsafeUninitializedCapacity: bufferBytes) { buffer, initializedCount in
      let bytes = UnsafeMutableRawBufferPointer(buffer)
      old.withUnsafeBytes { old in bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: old[source])) }
      outcome = Result { () throws(LogError) in
        let kept = source.count
        return try file.read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: bytes[kept..<kept + room]))
      }
      if case .success(let count) = outcome { initializedCount = source.count + count }
    }
    let count = try outcome.get()
    buffer = bytes
    bufferOffset += source.lowerBound
    largestBufferBytes = max(largestBufferBytes, bufferBytes)
    return count
  }

  /// Moves the unread bytes to the front and reads after them.
  private mutating func readIntoBuffer(_ room: Int) throws(LogError) -> Int {
    let source = unread
    let offset = bufferOffset + source.upperBound
    let outcome = buffer.withUnsafeMutableBytes { bytes in
      if source.lowerBound > 0 { bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[source])) }
      return Result { () throws(LogError) in
        let kept = source.count
        return try file.read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: bytes[kept..<kept + room]))
      }
    }
    bufferOffset += source.lowerBound
    unread = 0..<source.count
    return try outcome.get()
  }
}

extension LineScanner {
  /// Returns the line number at a byte offset, by counting the line feeds before it.
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

/// Search for the beginning of a line, from any byte of a file.
enum LineBounds {
  /// The size of the first read: a few lines of the usual length.
  private static let stepBytes = 4_096

  /// Returns the start of the last line, whether it ends with a line feed or not.
  static func lastLineStart(of file: SourceFile, size: Int) throws(LogError) -> Int {
    // The last byte may be the line feed of that line.
    try lineStart(before: max(size - 1, 0), in: file)
  }

  /// Returns the start of the line that contains the byte at an offset.
  ///
  /// - Returns: If the line is longer than the format allows, an offset inside it.
  static func lineStart(before byteOffset: Int, in file: SourceFile) throws(LogError) -> Int {
    var end = byteOffset
    let limit = max(0, byteOffset - LogFormat.lineLimitBytes)
    var step = stepBytes
    while end > limit {
      let start = max(limit, end - step)
      let bytes = try file.bytes(at: start, count: end - start)
      if let lineFeed = bytes.lastIndex(of: UInt8(ascii: "\n")) { return start + lineFeed + 1 }
      end = start
      step = min(step * 2, LineScanner.defaultChunkBytes)
    }
    return limit
  }
}

/// A segment that is open for reading. Its failures are thrown as ``LogError`` with its path.
package struct SourceFile: Sendable {
  let file: any LogFile
  package let path: String

  package init(_ path: String, _ fileSystem: any LogFileSystem) throws(LogError) {
    do throws(FileSystemError) { file = try fileSystem.open(path, for: .read) } catch {
      throw LogError.segment(error, "the segment cannot be opened", path: path)
    }
    self.path = path
  }

  /// Uses an open file, for example one that is open for appending.
  init(_ file: any LogFile, path: String) {
    self.file = file
    self.path = path
  }

  package func size() throws(LogError) -> Int { try reading { (file) throws(FileSystemError) in try file.size() } }

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(LogError) -> Int {
    try reading { (file) throws(FileSystemError) in try file.read(at: offset, into: buffer) }
  }

  package func bytes(at offset: Int, count: Int) throws(LogError) -> [UInt8] {
    try reading { (file) throws(FileSystemError) in try file.bytes(at: offset, count: count) }
  }

  func identity() throws(LogError) -> FileIdentity? {
    try reading { (file) throws(FileSystemError) in try file.identity() }
  }

  package func close() { file.close() }

  /// Makes calls on the file, and converts the error of the one that fails.
  func reading<Value>(_ calls: (any LogFile) throws(FileSystemError) -> Value) throws(LogError) -> Value {
    do throws(FileSystemError) { return try calls(file) } catch {
      throw LogError.segment(error, "the segment cannot be read", path: path)
    }
  }
}

package enum ByteSearch {
  package static func first(_ byte: UInt8, in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard start < bytes.count, let base = bytes.baseAddress else { return nil }
    guard let found = memchr(base + start, Int32(byte), bytes.count - start) else { return nil }
    return UnsafeRawPointer(found) - base
  }

  package static func last(_ byte: UInt8, in bytes: UnsafeRawBufferPointer) -> Int? {
    var index = bytes.count
    while index > 0 {
      index -= 1
      if bytes[index] == byte { return index }
    }
    return nil
  }
}
