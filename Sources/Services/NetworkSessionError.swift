public import Foundation

/// Why a ``NetworkSession`` has no value to give.
public struct NetworkSessionError: Error, Sendable {
  /// The kinds of failure that callers tell apart, in the order in which they are looked for.
  public enum Code: String, Sendable, CaseIterable {
    /// No complete answer came: no connection, a connection that broke, no byte in time.
    case transportError
    /// The answer's status is not one of success, or the answer is not one of HTTP.
    case statusError
    /// The answer is not of the media type `application/json`.
    case mediaTypeError
    /// The body is not JSON, or not the JSON that was expected.
    case decodingError
  }

  /// What kind of failure it is.
  public var code: Code
  /// What happened: lower case, without place.
  public var message: String
  /// What was asked for.
  public var url: URL?
  /// The answer's status, where there was an answer of HTTP.
  public var statusCode: Int?
  /// The error that caused this one: of `URLSession`, or of the decoder.
  public var underlying: (any Error)?

  /// Makes an error from its parts.
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
    // Errors of Foundation describe themselves at great length; their localized description is a sentence.
    if let underlying { text += ": \((underlying as? URLError)?.localizedDescription ?? "\(underlying)")" }
    return text
  }
}

extension NetworkSessionError: LocalizedError {
  /// The same as ``description``: what is shown and stored where an error is a text.
  public var errorDescription: String? { description }
}
