/// A body that comes in chunks.
///
/// - SeeAlso: RFC 9112, section 7.1. Extensions of chunks and the fields of the trailer are read and dropped.
struct ChunkedBody: Sendable {
  private enum Place: Sendable {
    case size
    case data(remaining: Int)
    case dataEnd
    case trailer
  }

  /// The length of a line with a chunk's size: extensions are rare and short.
  private static let sizeLineLimitBytes = 1_024

  private(set) var bytes: [UInt8] = []
  private var place = Place.size
  private var trailerBytes = 0
  /// What the lines with sizes may take together, so that a body of one-byte chunks with long extensions ends, too.
  private var overheadBytes = 0

  /// Takes what is there.
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
        let problem = HTTPProblem(.badRequest, "a chunk is longer than it says")
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
    // A carriage return within an extension ends the line for some servers, which then see another body.
    guard line.allSatisfy({ byte in byte == 0x09 || (byte >= 0x20 && byte != 0x7F) }) else {
      throw HTTPProblem(.badRequest, "the size of a chunk has control characters")
    }
    let digits = line.prefix { byte in byte != UInt8(ascii: ";") }
    let text = String(decoding: digits, as: UTF8.self).trimmingOptionalWhitespace()
    guard line.first?.isHexadecimalDigit == true, text.utf8.allSatisfy(\.isHexadecimalDigit) else {
      throw HTTPProblem(.badRequest, "the size of a chunk is no number")
    }
    // A number that is no Int is beyond any limit.
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
