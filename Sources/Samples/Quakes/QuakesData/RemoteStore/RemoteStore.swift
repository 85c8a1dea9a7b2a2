public import Foundation

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
  /// Where the feeds lie; `nil` for the Survey's own place.
  private let base: URL?

  /// How many features of the last feed could not be read and were left out.
  public private(set) var unreadableFeatureCount = 0

  /// Makes a store.
  ///
  /// - Parameters:
  ///   - session: What fetches.
  ///   - base: The address below which the feeds lie, as `all_hour.geojson` and so on; `nil` for the Survey's own, which
  ///     is `https://earthquake.usgs.gov/earthquakes/feed/v1.0/summary`.
  public init(session: NetworkSession, base: URL? = nil) {
    self.session = session
    self.base = base
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
    let request = try request(range)
    let response: RemoteResponse = try await session.json(for: request, from: .feed)
    unreadableFeatureCount = response.unreadableFeatureCount
    return try response.quakes(of: request.url)
  }

  private func request(_ range: QuakesAction.UI.QuakeList.RefreshQuakesRange) throws -> URLRequest {
    if let base { return URLRequest(url: base.appending(path: range.feedName)) }
    let address = "https://earthquake.usgs.gov/earthquakes/feed/v1.0/summary/\(range.feedName)"
    guard let url = URL(string: address) else {
      throw RemoteStoreError(.urlError, "the address of the feed is none: \(address)")
    }
    return URLRequest(url: url)
  }
}

extension QuakesAction.UI.QuakeList.RefreshQuakesRange {
  /// The name of the feed's file.
  var feedName: String {
    switch self {
    case .allHour: "all_hour.geojson"
    case .allDay: "all_day.geojson"
    case .allWeek: "all_week.geojson"
    case .allMonth: "all_month.geojson"
    }
  }
}
