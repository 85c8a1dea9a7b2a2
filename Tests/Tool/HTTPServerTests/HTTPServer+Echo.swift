import HTTPServer

extension HTTPServer {
  /// A handler that says what it was asked.
  static let echo: @Sendable (HTTPRequest) async -> HTTPResponse = { request in
    HTTPResponse(.ok, text: "\(request.method) \(request.path) \(String(decoding: request.body, as: UTF8.self))")
  }
}
