/// The first line and the header fields of a request, checked.
struct RequestHead: Sendable {
  /// How long the body is.
  enum Framing: Hashable, Sendable {
    case length(Int)
    case chunked
  }

  /// The methods of RFC 9110 and RFC 5789. Others are not implemented, which is another answer than "not here".
  private static let methods: Set<String> = [
    "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH",
  ]

  let method: String
  let path: String
  let query: String?
  let isVersion1Point0: Bool
  private(set) var headers = HTTPHeaders()
  private(set) var framing = Framing.length(0)
  private(set) var expectsContinue = false
  private(set) var keepsAlive = true

  /// Reads the first line.
  init(line: some Collection<UInt8>) throws(HTTPProblem) {
    let words = line.split(separator: UInt8(ascii: " "), maxSplits: 3, omittingEmptySubsequences: false)
    guard words.count == 3 else {
      throw HTTPProblem(.badRequest, "the first line is not a method, a target and a version")
    }
    guard !words[0].isEmpty, words[0].allSatisfy(\.isTokenCharacter) else {
      throw HTTPProblem(.badRequest, "the method is no word")
    }
    isVersion1Point0 = try Self.isVersion1Point0(words[2])
    method = String(decoding: words[0], as: UTF8.self)
    guard Self.methods.contains(method) else {
      throw HTTPProblem(.notImplemented, "the method \(method.prefix(32)) is not implemented")
    }
    (path, query) = try Self.target(words[1])
  }

  private static func isVersion1Point0(_ word: some Collection<UInt8>) throws(HTTPProblem) -> Bool {
    let version = Array(word)
    guard version.count == 8, version.starts(with: "HTTP/".utf8), version[6] == UInt8(ascii: "."),
      version[5].isDigit, version[7].isDigit
    else { throw HTTPProblem(.badRequest, "the version is not one of HTTP") }
    guard version[5] == UInt8(ascii: "1") else {
      throw HTTPProblem(.versionNotSupported, "the server speaks HTTP/1.1 and HTTP/1.0")
    }
    return version[7] == UInt8(ascii: "0")
  }

  /// Reads the target: a path (RFC 9112's origin-form), a whole address (absolute-form), or `*`.
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
    guard text.hasPrefix("/") || text == "*" else { throw HTTPProblem(.badRequest, "the target is no path") }
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    return (path: String(parts[0]), query: parts.count == 2 ? String(parts[1]) : nil)
  }
}

extension RequestHead {
  /// Takes a header field.
  mutating func addField(_ line: some Collection<UInt8>) throws(HTTPProblem) {
    let field = try Self.field(line)
    headers.append(field.name, field.value)
  }

  /// Reads a header field.
  static func field(_ line: some Collection<UInt8>) throws(HTTPProblem) -> HTTPHeaders.Field {
    if let first = line.first, first == UInt8(ascii: " ") || first == UInt8(ascii: "\t") {
      throw HTTPProblem(.badRequest, "a header field goes on in a second line, which is obsolete")
    }
    let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, parts[0].allSatisfy(\.isTokenCharacter) else {
      throw HTTPProblem(.badRequest, "a header field is not a name, a colon and a value")
    }
    guard parts[1].allSatisfy({ byte in byte == 0x09 || (byte >= 0x20 && byte != 0x7F) }) else {
      throw HTTPProblem(.badRequest, "a header field has control characters")
    }
    return HTTPHeaders.Field(
      name: String(decoding: parts[0], as: UTF8.self),
      value: String(decoding: parts[1], as: UTF8.self).trimmingOptionalWhitespace())
  }

  /// Decides how the body is told from what follows, and whether the connection stays, when all fields are there.
  mutating func finish(_ limits: HTTPLimits) throws(HTTPProblem) {
    let hosts = headers.values(of: "Host").count
    guard hosts == 1 || (hosts == 0 && isVersion1Point0) else {
      throw HTTPProblem(.badRequest, "a request has one field Host")
    }
    framing = try bodyFraming(limits)
    let options = headers.tokens(of: "Connection")
    keepsAlive = isVersion1Point0 ? options.contains("keep-alive") : !options.contains("close")
    let expectations = headers.tokens(of: "Expect")
    guard expectations.allSatisfy({ expectation in expectation == "100-continue" }) else {
      throw HTTPProblem(.expectationFailed, "only 100-continue can be expected")
    }
    expectsContinue = !expectations.isEmpty && !isVersion1Point0
  }

  /// - SeeAlso: RFC 9112, section 6.3. What two servers could understand differently is refused.
  private func bodyFraming(_ limits: HTTPLimits) throws(HTTPProblem) -> Framing {
    let codings = headers.tokens(of: "Transfer-Encoding")
    let lengths = headers.values(of: "Content-Length")
    if !headers.values(of: "Transfer-Encoding").isEmpty {
      guard lengths.isEmpty, !isVersion1Point0 else {
        throw HTTPProblem(.badRequest, "the length of the body is told in two ways")
      }
      guard codings == ["chunked"] else {
        throw HTTPProblem(.notImplemented, "the only transfer coding is chunked")
      }
      return .chunked
    }
    guard let length = lengths.first else {
      guard !["POST", "PUT", "PATCH"].contains(method) else {
        throw HTTPProblem(.lengthRequired, "the request does not say how long its body is")
      }
      return .length(0)
    }
    guard lengths.count == 1, !length.isEmpty, length.utf8.allSatisfy(\.isDigit) else {
      throw HTTPProblem(.badRequest, "the length of the body is no number")
    }
    // A number that is no Int is beyond any limit.
    guard let count = Int(length), count <= limits.bodyBytes else {
      throw HTTPProblem(.contentTooLarge, "a body has \(limits.bodyBytes) bytes at most")
    }
    return .length(count)
  }
}

extension UInt8 {
  var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

  /// Whether it may stand in a method or in the name of a field.
  ///
  /// - SeeAlso: RFC 9110, section 5.6.2.
  var isTokenCharacter: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case _ where isDigit: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(self)
    }
  }
}
