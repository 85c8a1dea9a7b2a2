/// An incremental parser of requests. Its memory is bounded by the limits.
///
/// - SeeAlso: RFC 9112.
package struct RequestParser: Sendable {
  /// The part of a request that the parser is waiting for.
  package enum Stage: Hashable, Sendable {
    case idle
    case head
    case body
  }

  private enum Place: Sendable {
    case firstLine
    case fields(RequestHead, bytes: Int, count: Int)
    case body(RequestHead, remaining: Int, bytes: [UInt8])
  }

  /// The maximum number of empty lines before a request. Some clients send one after a body, and RFC 9112 requires skipping at least
  /// one.
  private static let emptyLineLimit = 4

  private let limits: HTTPLimits
  private var buffer = LineBuffer()
  private var place = Place.firstLine
  private var emptyLines = 0

  package init(_ limits: HTTPLimits = HTTPLimits()) {
    self.limits = limits
  }

  package var stage: Stage {
    switch place {
    case .firstLine: buffer.count == 0 && emptyLines == 0 ? .idle : .head
    case .fields: .head
    case .body: .body
    }
  }

  package mutating func append(_ bytes: [UInt8]) {
    buffer.append(bytes)
  }

  /// Parses the buffered bytes up to the end of a request.
  ///
  /// - Returns: A complete request, after which the next one may be buffered already; `nil` if more bytes are needed.
  /// - Throws: ``HTTPProblem``. The parser must not be used after that.
  package mutating func next() throws(HTTPProblem) -> HTTPRequest? {
    while true {
      switch place {
      case .firstLine:
        guard try readFirstLine() else { return nil }
      case .fields(var head, let bytes, let count):
        let problem = HTTPProblem(.headerFieldsTooLarge, "the header fields are too long")
        guard let line = try buffer.takeLine(limit: limits.headerBytes - bytes, orThrow: problem) else { return nil }
        if line.isEmpty {
          try head.finish(limits)
          place = .body(head, remaining: head.bodyBytes, bytes: [])
        } else {
          guard count < limits.headerFields else {
            throw HTTPProblem(.headerFieldsTooLarge, "there are more than \(limits.headerFields) header fields")
          }
          guard line.count + 2 <= limits.headerBytes - bytes else { throw problem }
          try head.addField(line)
          place = .fields(head, bytes: bytes + line.count + 2, count: count + 1)
        }
      case .body(let head, let remaining, var bytes):
        place = .firstLine
        let data = buffer.take(remaining)
        bytes += data
        guard data.count == remaining else {
          place = .body(head, remaining: remaining - data.count, bytes: bytes)
          return nil
        }
        var request = HTTPRequest(
          method: head.method, path: head.path, query: head.query, headers: head.headers, body: bytes)
        request.keepsAlive = head.keepsAlive
        return request
      }
    }
  }

  private mutating func readFirstLine() throws(HTTPProblem) -> Bool {
    let problem = HTTPProblem(.uriTooLong, "the first line has \(limits.requestLineBytes) bytes at most")
    guard let line = try buffer.takeLine(limit: limits.requestLineBytes, orThrow: problem) else { return false }
    if line.isEmpty {
      emptyLines += 1
      guard emptyLines <= Self.emptyLineLimit else {
        throw HTTPProblem(.badRequest, "there are only empty lines")
      }
    } else {
      emptyLines = 0
      place = .fields(try RequestHead(line: line), bytes: 0, count: 0)
    }
    return true
  }
}

/// A buffer of received bytes that splits off lines.
struct LineBuffer: Sendable {
  private var bytes: [UInt8] = []
  /// The offset of the first unconsumed byte.
  private var start = 0
  /// The offset up to which no line feed was found, so that a line that arrives byte by byte is scanned only once.
  private var searched = 0

  var count: Int { bytes.count - start }

  mutating func append(_ more: [UInt8]) {
    if start > 0 {
      bytes.removeFirst(start)
      searched -= start
      start = 0
    }
    bytes += more
  }

  /// Consumes a line that ends in CR LF, and returns it without them; `nil` if it is incomplete.
  mutating func takeLine(
    limit: Int, orThrow problem: @autoclosure () -> HTTPProblem
  ) throws(HTTPProblem) -> ArraySlice<UInt8>? {
    guard let end = bytes[max(start, searched)...].firstIndex(of: 0x0A) else {
      searched = bytes.count
      // The CR may have arrived already.
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

  mutating func take(_ limit: Int) -> ArraySlice<UInt8> {
    let taken = bytes[start..<start + min(limit, count)]
    start = taken.endIndex
    searched = max(searched, start)
    return taken
  }
}

/// A problem with a request, with the status of the response. It ends the connection, because the start of the next request is
/// unknown.
package struct HTTPProblem: Error, Hashable, Sendable {
  package let status: HTTPStatus
  package let message: String

  package init(_ status: HTTPStatus, _ message: String) {
    self.status = status
    self.message = message
  }
}
