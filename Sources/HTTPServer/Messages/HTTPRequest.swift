/// A whole request.
public struct HTTPRequest: Hashable, Sendable {
  /// The method, for instance `POST`.
  public var method: String
  /// The path, as it was sent: not decoded.
  public var path: String
  /// What stood behind the `?`, as it was sent; `nil` without one.
  public var query: String?
  /// The header fields.
  public var headers: HTTPHeaders
  /// The body; empty when there was none.
  public var body: [UInt8]
  /// Whether the client takes more answers on this connection.
  var keepsAlive: Bool

  /// Makes a request.
  public init(
    method: String, path: String, query: String? = nil, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = []
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
    self.keepsAlive = true
  }

  /// The media type of the body in lower case, without parameters; `nil` when the request does not say.
  public var mediaType: String? {
    headers["Content-Type"]?.split(separator: ";").first.map { type in type.trimmingOptionalWhitespace().lowercased() }
  }
}
