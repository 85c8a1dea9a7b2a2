/// The status of an answer.
///
/// - SeeAlso: RFC 9110, section 15; RFC 6585 for 431.
public struct HTTPStatus: Hashable, Sendable {
  /// The three digits.
  public let code: Int
  /// The words behind them.
  public let reason: String

  /// Makes a status.
  public init(code: Int, reason: String) {
    self.code = code
    self.reason = reason
  }
}

extension HTTPStatus {
  /// Go on and send the body.
  public static let `continue` = HTTPStatus(code: 100, reason: "Continue")
  /// Done.
  public static let ok = HTTPStatus(code: 200, reason: "OK")
  /// The request is not one.
  public static let badRequest = HTTPStatus(code: 400, reason: "Bad Request")
  /// There is nothing at the path.
  public static let notFound = HTTPStatus(code: 404, reason: "Not Found")
  /// What is at the path does not take the method.
  public static let methodNotAllowed = HTTPStatus(code: 405, reason: "Method Not Allowed")
  /// The request did not come in time.
  public static let requestTimeout = HTTPStatus(code: 408, reason: "Request Timeout")
  /// The request does not say how long its body is.
  public static let lengthRequired = HTTPStatus(code: 411, reason: "Length Required")
  /// The body is too long.
  public static let contentTooLarge = HTTPStatus(code: 413, reason: "Content Too Large")
  /// The request's first line is too long.
  public static let uriTooLong = HTTPStatus(code: 414, reason: "URI Too Long")
  /// The body is of a type that is not understood.
  public static let unsupportedMediaType = HTTPStatus(code: 415, reason: "Unsupported Media Type")
  /// The request expects what is not offered.
  public static let expectationFailed = HTTPStatus(code: 417, reason: "Expectation Failed")
  /// The request is meant for another host.
  public static let misdirectedRequest = HTTPStatus(code: 421, reason: "Misdirected Request")
  /// The header fields are too long, or too many.
  public static let headerFieldsTooLarge = HTTPStatus(code: 431, reason: "Request Header Fields Too Large")
  /// The server failed.
  public static let internalServerError = HTTPStatus(code: 500, reason: "Internal Server Error")
  /// The request wants what the server cannot do at all.
  public static let notImplemented = HTTPStatus(code: 501, reason: "Not Implemented")
  /// The server had no answer in time.
  public static let serviceUnavailable = HTTPStatus(code: 503, reason: "Service Unavailable")
  /// The request is of another HTTP.
  public static let versionNotSupported = HTTPStatus(code: 505, reason: "HTTP Version Not Supported")
}
