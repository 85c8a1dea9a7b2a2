public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// The requirements of a ``NetworkSession``, satisfied by `URLSession` and by test doubles.
public protocol NetworkSessionURLSession: Sendable {
  /// Performs a request.
  ///
  /// - Returns: The body and the response.
  /// - Throws: An error if there is no complete response. An error status is not an error here.
  func data(for request: URLRequest) async throws -> (Data, URLResponse)
}

extension URLSession: NetworkSessionURLSession {
  /// Performs a request without a delegate.
  public func data(for request: URLRequest) async throws -> (Data, URLResponse) {
    try await data(for: request, delegate: nil)
  }
}
