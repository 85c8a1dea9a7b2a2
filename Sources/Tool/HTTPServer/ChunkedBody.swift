/// A decoder of the chunked transfer coding. Chunk extensions and trailer fields are checked and dropped.
///
/// - SeeAlso: RFC 9112, section 7.1.
struct ChunkedBody: Sendable {
  private enum Place: Sendable {
    case size
    case data(remaining: Int)
    case dataEnd
    case trailer
  }

  /// The maximum length of a chunk-size line. Extensions are rare and short.
  private static let sizeLineLimitBytes = 1_024

  private(set) var bytes: [UInt8] = []
  private var place = Place.size
  private var trailerBytes = 0
  /// The total length of the chunk-size lines, which is limited so that one-byte chunks with long extensions cannot go on forever.
  private var overheadBytes = 0

  /// Consumes the available bytes.
  ///
  /// - Returns: Whether the body is complete.
  mutating func read(_ buffer: inout LineBuffer, _ limits: HTTPLimits) throws(HTTPProblem) -> Bool {
    while true {
      switch place {
      case .size:
        guard
          let line = try buffer.takeLine(
            limit: Self.sizeLineLimitBytes, orThrow: HTTPProblem(.badRequest, "the size of a chunk is too long"))
        else { return false }
        overheadBytes += line.count
        guard overheadBytes <= limits.bodyBytes else { throw Self.tooLarge(limits) }
        let size = try Self.size(line, limits)
        guard size <= limits.bodyBytes - bytes.count else { throw Self.tooLarge(limits) }
        place = size == 0 ? .trailer : .data(remaining: size)
      case .data(let remaining):
        let data = buffer.take(remaining)
        bytes += data
        if data.count < remaining {
          place = .data(remaining: remaining - data.count)
          return false
        }
        place = .dataEnd
      case .dataEnd:
        let problem = HTTPProblem(.badRequest, "a chunk is longer than its size")
        guard let line = try buffer.takeLine(limit: 0, orThrow: problem) else { return false }
        guard line.isEmpty else { throw problem }
        place = .size
      case .trailer:
        let problem = HTTPProblem(.headerFieldsTooLarge, "the trailer is too long")
        guard let line = try buffer.takeLine(limit: limits.headerBytes - trailerBytes, orThrow: problem) else {
          return false
        }
        if line.isEmpty { return true }
        _ = try RequestHead.field(line)
        trailerBytes += line.count + 2
        guard trailerBytes <= limits.headerBytes else { throw problem }
      }
    }
  }

  private static func size(_ line: ArraySlice<UInt8>, _ limits: HTTPLimits) throws(HTTPProblem) -> Int {
    // Some servers treat a carriage return within an extension as the end of the line, and would read another body.
    guard line.allSatisfy({ byte in byte == 0x09 || (byte >= 0x20 && byte != 0x7F) }) else {
      throw HTTPProblem(.badRequest, "the size of a chunk has control characters")
    }
    let digits = line.prefix { byte in byte != UInt8(ascii: ";") }
    let text = String(decoding: digits, as: UTF8.self).trimmingOptionalWhitespace()
    guard line.first?.isHexadecimalDigit == true, text.utf8.allSatisfy(\.isHexadecimalDigit) else {
      throw HTTPProblem(.badRequest, "the size of a chunk is not a number")
    }
    // A number that overflows Int exceeds every limit.
    guard let size = Int(text, radix: 16) else { throw tooLarge(limits) }
    return size
  }

  private static func tooLarge(_ limits: HTTPLimits) -> HTTPProblem {
    HTTPProblem(.contentTooLarge, "a body has \(limits.bodyBytes) bytes at most")
  }
}

extension UInt8 {
  fileprivate var isHexadecimalDigit: Bool {
    isDigit || (self | 0x20 >= UInt8(ascii: "a") && self | 0x20 <= UInt8(ascii: "f"))
  }
}
