/// Finding where lines begin, from any byte of a file.
enum LineBounds {
  /// How much is read at a time: a few lines of the usual length.
  private static let stepBytes = 4_096

  /// Where the last line begins, the one that the last line feed ends, or the unfinished one after it.
  ///
  /// - Complexity: O(length of the line), at most the limit of the format.
  static func lastLineStart(of file: SourceFile, size: Int) throws(LogError) -> Int {
    // The last byte is the line feed of the line that is looked for.
    try lineStart(before: max(size - 1, 0), in: file)
  }

  /// Where the line begins that the byte at an offset belongs to: after the last line feed before the offset.
  ///
  /// - Returns: When the line is longer than the format allows, a byte in the middle of it.
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
