/// An answer. The server adds its length, the date, and whether the connection stays, and nobody else does: fields of
/// those names are left out, and so are fields whose name is none. Control characters in a value are sent as spaces, so that
/// what came from elsewhere cannot become a field, or an answer, of its own.
public struct HTTPResponse: Hashable, Sendable {
  /// The status.
  public var status: HTTPStatus
  /// Header fields of the handler's own.
  public var headers: HTTPHeaders
  /// The body.
  public var body: [UInt8]

  /// Makes an answer.
  public init(_ status: HTTPStatus, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Makes an answer of JSON.
  ///
  /// - Parameter json: The bytes of the JSON.
  public init(_ status: HTTPStatus, json: [UInt8]) {
    self.init(status, headers: HTTPHeaders([.init(name: "Content-Type", value: "application/json")]), body: json)
  }

  /// Makes an answer of a line of text.
  ///
  /// - Parameter text: The line, without a line feed.
  public init(_ status: HTTPStatus, text: String) {
    self.init(
      status, headers: HTTPHeaders([.init(name: "Content-Type", value: "text/plain; charset=utf-8")]),
      body: Array(text.utf8) + [0x0A])
  }
}

extension HTTPResponse {
  /// The answer as it is sent.
  ///
  /// - Parameters:
  ///   - method: The request's: the answer to `HEAD` has no body, but tells its length.
  ///   - keepsAlive: Whether the connection stays open.
  ///   - date: The value of `Date`.
  func bytes(toMethod method: String?, keepsAlive: Bool, date: String) -> [UInt8] {
    var head = "HTTP/1.1 \(status.code) \(Self.line(status.reason))\r\n"
    for field in headers.fields where Self.isSent(field.name) {
      head += "\(field.name): \(Self.line(field.value))\r\n"
    }
    head += "Content-Length: \(body.count)\r\nDate: \(date)\r\n"
    head += "Connection: \(keepsAlive ? "keep-alive" : "close")\r\n\r\n"
    return Array(head.utf8) + (method == "HEAD" ? [] : body)
  }

  /// What the server says itself: two of one are two different lengths of one answer.
  private static let ownNames: Set<String> = ["connection", "content-length", "date", "transfer-encoding"]

  private static func isSent(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy(\.isTokenCharacter) && !ownNames.contains(name.lowercased())
  }

  /// - SeeAlso: RFC 9110, section 5.5, which lets whoever receives them do the same.
  private static func line(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { scalar in isControl(scalar) ? " " : scalar }))
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar != "\t" && (scalar.value < 0x20 || scalar.value == 0x7F)
  }
}
