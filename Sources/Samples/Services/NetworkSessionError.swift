public import Foundation

/// An error of a ``NetworkSession``.
public struct NetworkSessionError: Error, Sendable {
  /// The kind of a failure. The cases are checked in this order.
  public enum Code: String, Sendable, CaseIterable {
    /// No complete response: no connection, a broken connection, or a timeout.
    case transportError
    /// The status is not 200 to 299, or the response is not an HTTP response.
    case statusError
    /// The media type is not `application/json`.
    case mediaTypeError
    /// The body is not JSON, or does not match the expected type.
    case decodingError
  }

  /// The kind of failure.
  public var code: Code
  /// A description of the failure in lower case, without the URL.
  public var message: String
  /// The requested URL.
  public var url: URL?
  /// The status of the response; `nil` if there was no HTTP response.
  public var statusCode: Int?
  /// The underlying error of `URLSession` or of the decoder.
  public var underlying: (any Error)?

  /// Creates an error.
  public init(
    _ code: Code, _ message: String, url: URL? = nil, statusCode: Int? = nil, underlying: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.url = url
    self.statusCode = statusCode
    self.underlying = underlying
  }
}

extension NetworkSessionError: CustomStringConvertible {
  /// For instance `the server answered with status 503: https://example.org/feed.json`.
  public var description: String {
    var text = message
    if let url { text += ": \(url.absoluteString)" }
    // The description of a Foundation error is very long; its localized description is one sentence.
    if let underlying { text += ": \((underlying as? URLError)?.localizedDescription ?? "\(underlying)")" }
    return text
  }
}

extension NetworkSessionError: LocalizedError {
  /// The same as ``description``.
  public var errorDescription: String? { description }
}
