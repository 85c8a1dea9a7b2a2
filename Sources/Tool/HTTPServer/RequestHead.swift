/// The validated request line and header fields of a request.
struct RequestHead: Sendable {
  /// The methods of RFC 9110 and RFC 5789. Others are answered with 501, not with 404.
  private static let methods: Set<String> = [
    "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH",
  ]

  let method: String
  let path: String
  let query: String?
  private(set) var headers = HTTPHeaders()
  private(set) var bodyBytes = 0
  private(set) var keepsAlive = true

  init(line: some Collection<UInt8>) throws(HTTPProblem) {
    let words = line.split(separator: UInt8(ascii: " "), maxSplits: 3, omittingEmptySubsequences: false)
    guard words.count == 3 else {
      throw HTTPProblem(.badRequest, "the first line is not a method, a target and a version")
    }
    guard !words[0].isEmpty, words[0].allSatisfy(\.isTokenCharacter) else {
      throw HTTPProblem(.badRequest, "the method is not a token")
    }
    try Self.check(version: words[2])
    method = String(decoding: words[0], as: UTF8.self)
    guard Self.methods.contains(method) else {
      throw HTTPProblem(.notImplemented, "the method \(method.prefix(32)) is not implemented")
    }
    (path, query) = try Self.target(words[1])
  }

  private static func check(version word: some Collection<UInt8>) throws(HTTPProblem) {
    let version = Array(word)
    guard version.count == 8, version.starts(with: "HTTP/".utf8), version[6] == UInt8(ascii: "."),
      version[5].isDigit, version[7].isDigit
    else { throw HTTPProblem(.badRequest, "the version is not an HTTP version") }
    guard version[5] == UInt8(ascii: "1"), version[7] != UInt8(ascii: "0") else {
      throw HTTPProblem(.versionNotSupported, "the server supports HTTP/1.1")
    }
  }

  /// A path (origin-form in RFC 9112), a URL (absolute-form), or `*`.
  private static func target(_ word: some Collection<UInt8>) throws(HTTPProblem) -> (path: String, query: String?) {
    guard !word.isEmpty, word.allSatisfy({ byte in byte > 0x20 && byte < 0x7F }) else {
      throw HTTPProblem(.badRequest, "the target has characters that have to be encoded")
    }
    var text = String(decoding: word, as: UTF8.self)[...]
    let lowercase = text.lowercased()
    for scheme in ["http://", "https://"] where lowercase.hasPrefix(scheme) {
      let rest = text.dropFirst(scheme.count)
      text = rest.firstIndex(of: "/").map { start in rest[start...] } ?? "/"
    }
    guard text.hasPrefix("/") || text == "*" else { throw HTTPProblem(.badRequest, "the target is not a path") }
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    return (path: String(parts[0]), query: parts.count == 2 ? String(parts[1]) : nil)
  }
}

extension RequestHead {
  mutating func addField(_ line: some Collection<UInt8>) throws(HTTPProblem) {
    if let first = line.first, first == UInt8(ascii: " ") || first == UInt8(ascii: "\t") {
      throw HTTPProblem(.badRequest, "a header field is folded over two lines, which is obsolete")
    }
    let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, parts[0].allSatisfy(\.isTokenCharacter) else {
      throw HTTPProblem(.badRequest, "a header field is not a name, a colon and a value")
    }
    guard parts[1].allSatisfy({ byte in byte == 0x09 || (byte >= 0x20 && byte != 0x7F) }) else {
      throw HTTPProblem(.badRequest, "a header field has control characters")
    }
    headers.append(
      String(decoding: parts[0], as: UTF8.self),
      String(decoding: parts[1], as: UTF8.self).trimmingOptionalWhitespace())
  }

  mutating func finish(_ limits: HTTPLimits) throws(HTTPProblem) {
    guard headers.values(of: "Host").count == 1 else {
      throw HTTPProblem(.badRequest, "a request must have exactly one Host field")
    }
    bodyBytes = try bodyLength(limits)
    keepsAlive = !headers.tokens(of: "Connection").contains("close")
    // A client that expects `100 Continue` repeats the request without it.
    guard headers.values(of: "Expect").isEmpty else {
      throw HTTPProblem(.expectationFailed, "the server supports no expectation")
    }
  }

  /// Requests that two servers could frame differently are rejected.
  ///
  /// - SeeAlso: RFC 9112, section 6.3.
  private func bodyLength(_ limits: HTTPLimits) throws(HTTPProblem) -> Int {
    let lengths = headers.values(of: "Content-Length")
    if !headers.values(of: "Transfer-Encoding").isEmpty {
      guard lengths.isEmpty else {
        throw HTTPProblem(.badRequest, "the request has both Transfer-Encoding and Content-Length")
      }
      throw HTTPProblem(.lengthRequired, "the server supports no transfer coding: the request needs a Content-Length")
    }
    guard let length = lengths.first else {
      guard !["POST", "PUT", "PATCH"].contains(method) else {
        throw HTTPProblem(.lengthRequired, "the request has no Content-Length")
      }
      return 0
    }
    guard lengths.count == 1, !length.isEmpty, length.utf8.allSatisfy(\.isDigit) else {
      throw HTTPProblem(.badRequest, "Content-Length is not a number")
    }
    // A number that overflows Int exceeds every limit.
    guard let count = Int(length), count <= limits.bodyBytes else {
      throw HTTPProblem(.contentTooLarge, "a body has \(limits.bodyBytes) bytes at most")
    }
    return count
  }
}

extension UInt8 {
  var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

  /// - SeeAlso: RFC 9110, section 5.6.2.
  var isTokenCharacter: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case _ where isDigit: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(self)
    }
  }
}
