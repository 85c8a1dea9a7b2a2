/// Makes requests of bytes, in whatever portions these come. What it holds is bounded by the limits.
///
/// - SeeAlso: RFC 9112.
package struct RequestParser: Sendable {
  /// What the bytes so far amount to.
  package enum Progress: Hashable, Sendable {
    /// More bytes are needed, or the end.
    case needsMore
    /// The client wants to be told that the body is welcome. More bytes are needed then.
    case expectsContinue
    /// A whole request. More may be there already: ask again.
    case request(HTTPRequest)
  }

  /// What is being waited for.
  package enum Stage: Hashable, Sendable {
    /// The first byte of a request.
    case idle
    /// The rest of a head.
    case head
    /// The rest of a body.
    case body
  }

  private enum Place: Sendable {
    case firstLine
    case fields(RequestHead, bytes: Int, count: Int)
    case body(RequestHead, remaining: Int, bytes: [UInt8])
    case chunks(RequestHead, ChunkedBody)
  }

  /// Empty lines before a request, which some clients send after a body; RFC 9112 asks to skip at least one.
  private static let emptyLineLimit = 4

  private let limits: HTTPLimits
  private var buffer = LineBuffer()
  private var place = Place.firstLine
  private var emptyLines = 0

  /// Makes a parser at the beginning of a connection.
  package init(_ limits: HTTPLimits = HTTPLimits()) {
    self.limits = limits
  }

  /// What is being waited for.
  package var stage: Stage {
    switch place {
    case .firstLine: buffer.count == 0 && emptyLines == 0 ? .idle : .head
    case .fields: .head
    case .body, .chunks: .body
    }
  }

  /// Takes bytes.
  package mutating func append(_ bytes: [UInt8]) {
    buffer.append(bytes)
  }

  /// Goes on as far as the bytes reach.
  ///
  /// - Throws: ``HTTPProblem``. There is no going on after it.
  /// - Complexity: O(bytes that are new).
  package mutating func next() throws(HTTPProblem) -> Progress {
    while true {
      switch place {
      case .firstLine:
        guard try readFirstLine() else { return .needsMore }
      case .fields(var head, let bytes, let count):
        let problem = HTTPProblem(.headerFieldsTooLarge, "the header fields are too long")
        guard let line = try buffer.takeLine(limit: limits.headerBytes - bytes, orThrow: problem) else {
          return .needsMore
        }
        if line.isEmpty {
          try head.finish(limits)
          if let progress = begin(head) { return progress }
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
        if data.count < remaining {
          place = .body(head, remaining: remaining - data.count, bytes: bytes)
          return .needsMore
        }
        return .request(request(head, bytes))
      case .chunks(let head, var body):
        place = .firstLine
        let isComplete = try body.read(&buffer, limits)
        guard isComplete else {
          place = .chunks(head, body)
          return .needsMore
        }
        return .request(request(head, body.bytes))
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

  /// Goes over to the body.
  private mutating func begin(_ head: RequestHead) -> Progress? {
    switch head.framing {
    case .length(0):
      place = .firstLine
      return .request(request(head, []))
    case .length(let count):
      place = .body(head, remaining: count, bytes: [])
    case .chunked:
      place = .chunks(head, ChunkedBody())
    }
    // Who sent the body already does not wait to be asked for it.
    return head.expectsContinue && buffer.count == 0 ? .expectsContinue : nil
  }

  private func request(_ head: RequestHead, _ body: [UInt8]) -> HTTPRequest {
    var request = HTTPRequest(
      method: head.method, path: head.path, query: head.query, headers: head.headers, body: body)
    request.keepsAlive = head.keepsAlive
    return request
  }
}
