public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// What a ``NetworkSession`` fetches with: `URLSession`, or a double in tests.
public protocol NetworkSessionURLSession: Sendable {
  /// Fetches what a request asks for.
  ///
  /// - Returns: The body and what the server says of it.
  /// - Throws: When no complete answer came. An answer of any status is no error here.
  func data(for request: URLRequest) async throws -> (Data, URLResponse)
}

extension URLSession: NetworkSessionURLSession {
  /// Fetches what a request asks for, without a delegate.
  public func data(for request: URLRequest) async throws -> (Data, URLResponse) {
    try await data(for: request, delegate: nil)
  }
}
