public import Foundation
public import QuakesData
public import SampleSupport

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// The feeds of the United States Geological Survey.
///
/// ```swift
/// let store = RemoteStore(session: NetworkSession(urlSession: URLSession.shared))
/// let quakes = try await store.fetchRemoteQuakesQuery(range: .allDay)
/// ```
public actor RemoteStore<NetworkSession: RemoteStoreNetworkSession> {
  private let session: NetworkSession
  /// The base URL of the feeds; `nil` for the Survey's server.
  private let base: URL?

  /// The number of invalid features in the last feed, which were skipped.
  public private(set) var unreadableFeatureCount = 0

  /// Creates a store.
  public init(session: NetworkSession, base: URL? = nil) {
    self.session = session
    self.base = base
  }
}

extension RemoteStore: PersistentSessionRemoteStore {
  /// Fetches a feed.
  public func fetchRemoteQuakesQuery(
    range: QuakesAction.UI.QuakeList.RefreshQuakesRange
  ) async throws -> [Quake] {
    let request = try request(range)
    let response: RemoteResponse = try await session.json(for: request, from: .feed)
    unreadableFeatureCount = response.unreadableFeatureCount
    return try response.quakes(of: request.url)
  }

  private func request(_ range: QuakesAction.UI.QuakeList.RefreshQuakesRange) throws -> URLRequest {
    if let base { return URLRequest(url: base.appending(path: range.feedName)) }
    let address = "https://earthquake.usgs.gov/earthquakes/feed/v1.0/summary/\(range.feedName)"
    guard let url = URL(string: address) else {
      throw RemoteStoreError(.urlError, "the address of the feed is not a URL: \(address)")
    }
    return URLRequest(url: url)
  }
}

/// The network session of a ``RemoteStore``. An application conforms its session to it; tests use a double.
public protocol RemoteStoreNetworkSession: Sendable {
  func json<T: Decodable>(for request: URLRequest, from decoder: JSONDecoder) async throws -> T
}

extension RemoteStore {
  /// The error of ``RemoteStore/fetchRemoteQuakesQuery(range:)``.
  public typealias Error = RemoteStoreError
}
