#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An HTTP response.
///
/// The server sets `Content-Length`, `Date` and `Connection`, and drops fields of these names and fields with invalid names. Control
/// characters in a value are replaced by spaces, so that untrusted input cannot inject a field or a response.
public struct HTTPResponse: Hashable, Sendable {
  /// The status.
  public var status: HTTPStatus
  /// The header fields set by the handler.
  public var headers: HTTPHeaders
  /// The body.
  public var body: [UInt8]

  /// Creates a response.
  public init(_ status: HTTPStatus, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Creates a JSON response.
  public init(_ status: HTTPStatus, json: [UInt8]) {
    self.init(status, headers: HTTPHeaders([.init(name: "Content-Type", value: "application/json")]), body: json)
  }

  /// Creates a plain-text response of a line, without its line feed.
  public init(_ status: HTTPStatus, text: String) {
    self.init(
      status, headers: HTTPHeaders([.init(name: "Content-Type", value: "text/plain; charset=utf-8")]),
      body: Array(text.utf8) + [0x0A])
  }
}

extension HTTPResponse {
  /// The response in wire format. A response to `HEAD` has no body, but includes `Content-Length`.
  func bytes(toMethod method: String?, keepsAlive: Bool, date: String) -> [UInt8] {
    var head = "HTTP/1.1 \(status.code) \(Self.line(status.reason))\r\n"
    for field in headers.fields where Self.isSent(field.name) {
      head += "\(field.name): \(Self.line(field.value))\r\n"
    }
    head += "Content-Length: \(body.count)\r\nDate: \(date)\r\n"
    head += "Connection: \(keepsAlive ? "keep-alive" : "close")\r\n\r\n"
    return Array(head.utf8) + (method == "HEAD" ? [] : body)
  }

  /// The fields that only the server sets. Duplicates could give a response two different lengths.
  private static let ownNames: Set<String> = ["connection", "content-length", "date", "transfer-encoding"]

  private static func isSent(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy(\.isTokenCharacter) && !ownNames.contains(name.lowercased())
  }

  /// Replaces control characters by spaces, as recipients may do according to RFC 9110, section 5.5.
  private static func line(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { scalar in isControl(scalar) ? " " : scalar }))
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar != "\t" && (scalar.value < 0x20 || scalar.value == 0x7F)
  }
}

/// A status code.
///
/// - SeeAlso: RFC 9110, section 15; RFC 6585 for 431.
public struct HTTPStatus: Hashable, Sendable {
  /// The three digits.
  public let code: Int
  /// The reason phrase.
  public let reason: String

  /// Creates a status.
  public init(code: Int, reason: String) {
    self.code = code
    self.reason = reason
  }
}

extension HTTPStatus {
  /// The request succeeded.
  public static let ok = HTTPStatus(code: 200, reason: "OK")
  /// The request is malformed.
  public static let badRequest = HTTPStatus(code: 400, reason: "Bad Request")
  /// The request has no valid credentials.
  public static let unauthorized = HTTPStatus(code: 401, reason: "Unauthorized")
  /// The request is refused.
  public static let forbidden = HTTPStatus(code: 403, reason: "Forbidden")
  /// The path does not exist.
  public static let notFound = HTTPStatus(code: 404, reason: "Not Found")
  /// The resource does not support the method.
  public static let methodNotAllowed = HTTPStatus(code: 405, reason: "Method Not Allowed")
  /// The request was not received in time.
  public static let requestTimeout = HTTPStatus(code: 408, reason: "Request Timeout")
  /// The request does not fit the current state of the resource.
  public static let conflict = HTTPStatus(code: 409, reason: "Conflict")
  /// The request has no `Content-Length`.
  public static let lengthRequired = HTTPStatus(code: 411, reason: "Length Required")
  /// The body is too long.
  public static let contentTooLarge = HTTPStatus(code: 413, reason: "Content Too Large")
  /// The request's first line is too long.
  public static let uriTooLong = HTTPStatus(code: 414, reason: "URI Too Long")
  /// The media type of the body is not supported.
  public static let unsupportedMediaType = HTTPStatus(code: 415, reason: "Unsupported Media Type")
  /// The server does not meet what the `Expect` field asks for.
  public static let expectationFailed = HTTPStatus(code: 417, reason: "Expectation Failed")
  /// The request is meant for another host.
  public static let misdirectedRequest = HTTPStatus(code: 421, reason: "Misdirected Request")
  /// The client has too many requests in progress.
  public static let tooManyRequests = HTTPStatus(code: 429, reason: "Too Many Requests")
  /// The header fields are too long, or too many.
  public static let headerFieldsTooLarge = HTTPStatus(code: 431, reason: "Request Header Fields Too Large")
  /// The server failed.
  public static let internalServerError = HTTPStatus(code: 500, reason: "Internal Server Error")
  /// The server does not support the method.
  public static let notImplemented = HTTPStatus(code: 501, reason: "Not Implemented")
  /// The handler did not respond in time.
  public static let serviceUnavailable = HTTPStatus(code: 503, reason: "Service Unavailable")
  /// The HTTP version is not supported.
  public static let versionNotSupported = HTTPStatus(code: 505, reason: "HTTP Version Not Supported")
}

/// Dates in HTTP format.
///
/// - SeeAlso: RFC 9110, section 5.6.7.
package enum HTTPDate {
  private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  static func now() -> String { text(secondsSince1970: Int(time(nil))) }

  /// For instance `Sun, 06 Nov 1994 08:49:37 GMT`.
  package static func text(secondsSince1970: Int) -> String {
    var seconds = time_t(secondsSince1970)
    var parts = tm()
    guard gmtime_r(&seconds, &parts) != nil else { return "" }
    func digits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    // gmtime_r returns fields in range.
    return "\(days[Int(parts.tm_wday)]), \(digits(parts.tm_mday)) \(months[Int(parts.tm_mon)]) "
      + "\(1_900 + Int(parts.tm_year)) \(digits(parts.tm_hour)):\(digits(parts.tm_min)):\(digits(parts.tm_sec)) GMT"
  }
}
