/// Bytes that came and were not used yet, and the lines among them.
struct LineBuffer: Sendable {
  private var bytes: [UInt8] = []
  /// Where the unused ones begin.
  private var start = 0
  /// Up to where no line feed was found, so that a line that comes byte by byte is not searched again and again.
  private var searched = 0

  /// How many bytes were not used yet.
  var count: Int { bytes.count - start }

  mutating func append(_ more: [UInt8]) {
    if start > 0 {
      bytes.removeFirst(start)
      searched -= start
      start = 0
    }
    bytes += more
  }

  /// Takes a line that ends in CR LF.
  ///
  /// - Parameter problem: What to throw when the line is longer than the limit.
  /// - Returns: The line without its end; `nil` when it is not there as a whole.
  mutating func takeLine(
    limit: Int, orThrow problem: @autoclosure () -> HTTPProblem
  ) throws(HTTPProblem) -> ArraySlice<UInt8>? {
    guard let end = bytes[max(start, searched)...].firstIndex(of: 0x0A) else {
      searched = bytes.count
      // The CR of the line's end may be there already.
      guard count <= limit + 1 else { throw problem() }
      return nil
    }
    guard end - start <= limit + 1 else { throw problem() }
    guard end > start, bytes[end - 1] == 0x0D else {
      throw HTTPProblem(.badRequest, "a line does not end in CR LF")
    }
    defer {
      start = end + 1
      searched = start
    }
    return bytes[start..<end - 1]
  }

  /// Takes some bytes.
  ///
  /// - Returns: As many as there are, at most `limit`.
  mutating func take(_ limit: Int) -> ArraySlice<UInt8> {
    let taken = bytes[start..<start + min(limit, count)]
    start = taken.endIndex
    searched = max(searched, start)
    return taken
  }
}
