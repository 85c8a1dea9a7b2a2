public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// What a ``RemoteStore`` asks with. An application conforms its network session to it; tests use a double.
public protocol RemoteStoreNetworkSession: Sendable {
  /// Fetches what a request asks for and decodes it.
  ///
  /// - Throws: When no answer came, or not the one that was expected.
  func json<T: Decodable>(for request: URLRequest, from decoder: JSONDecoder) async throws -> T
}
