import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The feeds of the United States Geological Survey.
///
/// ```swift
/// let store = RemoteStore(session: NetworkSession(urlSession: URLSession.shared))
/// let quakes = try await store.fetchRemoteQuakesQuery(range: .allDay)
/// ```
///
/// - SeeAlso: The ImmutableData programming guide, chapter 10;
///   [GeoJSON Summary Format](https://earthquake.usgs.gov/earthquakes/feed/v1.0/geojson.php).
public actor RemoteStore<NetworkSession: RemoteStoreNetworkSession> {
  private let session: NetworkSession

  /// How many features of the last feed could not be read and were left out.
  public private(set) var unreadableFeatureCount = 0

  /// Makes a store.
  ///
  /// - Parameter session: What fetches.
  public init(session: NetworkSession) {
    self.session = session
  }
}

extension RemoteStore: PersistentSessionRemoteStore {
  /// Fetches a feed.
  ///
  /// - Parameter range: How far back the feed reaches.
  /// - Returns: A quake for each feature that can be read, in the feed's order. A feature without magnitude becomes a
  ///   quake of magnitude 0, one without place a quake with an empty name. Ids can come twice.
  /// - Throws: ``RemoteStoreError``, and what the session throws.
  /// - Complexity: O(length of the feed).
  public func fetchRemoteQuakesQuery(
    range: QuakesAction.UI.QuakeList.RefreshQuakesRange
  ) async throws -> [Quake] {
    let request = try Self.request(range)
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .exactMillisecondsSince1970
    let response: RemoteResponse = try await session.json(for: request, from: decoder)
    unreadableFeatureCount = response.unreadableFeatureCount
    guard !response.features.isEmpty || response.unreadableFeatureCount == 0 else {
      throw RemoteStoreError(
        .unreadableFeed, "none of the feed's \(response.unreadableFeatureCount) features can be read", url: request.url)
    }
    return response.features.map { feature in feature.quake }
  }

  private static func request(_ range: QuakesAction.UI.QuakeList.RefreshQuakesRange) throws -> URLRequest {
    let address = "https://earthquake.usgs.gov/earthquakes/feed/v1.0/summary/\(range.feedName).geojson"
    guard let url = URL(string: address) else {
      throw RemoteStoreError(.urlError, "the address of the feed is none: \(address)")
    }
    return URLRequest(url: url)
  }
}

extension QuakesAction.UI.QuakeList.RefreshQuakesRange {
  /// The name of the feed's file.
  fileprivate var feedName: String {
    switch self {
    case .allHour: "all_hour"
    case .allDay: "all_day"
    case .allWeek: "all_week"
    case .allMonth: "all_month"
    }
  }
}
