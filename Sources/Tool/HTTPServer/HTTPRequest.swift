/// An HTTP request.
public struct HTTPRequest: Hashable, Sendable {
  /// The method, for instance `POST`.
  public var method: String
  /// The path, not percent-decoded.
  public var path: String
  /// The query after `?`, not percent-decoded; `nil` if there is none.
  public var query: String?
  /// The header fields.
  public var headers: HTTPHeaders
  /// The body, which may be empty.
  public var body: [UInt8]
  /// Whether the client keeps the connection open for further requests.
  var keepsAlive: Bool

  /// Creates a request.
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

  /// The media type of the body in lower case, without parameters; `nil` if there is no `Content-Type`.
  public var mediaType: String? {
    headers["Content-Type"]?.split(separator: ";").first.map { type in type.trimmingOptionalWhitespace().lowercased() }
  }
}

/// The header fields of a message, in order. Names are case-insensitive.
public struct HTTPHeaders: Hashable, Sendable {
  /// A header field.
  public struct Field: Hashable, Sendable {
    /// The name, in its original case.
    public let name: String
    /// The value, without surrounding white space.
    public let value: String

    /// Creates a field.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// All fields.
  public private(set) var fields: [Field]

  /// Creates a list of header fields.
  public init(_ fields: [Field] = []) {
    self.fields = fields
  }

  /// Appends a field.
  public mutating func append(_ name: String, _ value: String) {
    fields.append(Field(name: name, value: value))
  }

  /// Returns the values of all fields with a name, in order.
  public func values(of name: String) -> [String] {
    let name = name.lowercased()
    return fields.filter { field in field.name.lowercased() == name }.map(\.value)
  }

  /// The value of the first field with a name.
  public subscript(_ name: String) -> String? { values(of: name).first }

  /// The elements of the comma-separated lists in all fields with a name, in lower case.
  func tokens(of name: String) -> [String] {
    values(of: name).flatMap { value in value.split(separator: ",") }
      .map { token in token.trimmingOptionalWhitespace().lowercased() }.filter { token in !token.isEmpty }
  }
}

extension StringProtocol {
  func trimmingOptionalWhitespace() -> String {
    var rest = self[...]
    while let first = rest.first, first == " " || first == "\t" { rest = rest.dropFirst() }
    while let last = rest.last, last == " " || last == "\t" { rest = rest.dropLast() }
    return String(rest)
  }
}
