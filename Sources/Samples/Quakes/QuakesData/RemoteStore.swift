package import ActionLog
public import Foundation
public import SampleSupport

#if canImport(FoundationNetworking)
public import FoundationNetworking
import Platform
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

extension QuakesAction.UI.QuakeList.RefreshQuakesRange {
  var feedName: String {
    switch self {
    case .allHour: "all_hour.geojson"
    case .allDay: "all_day.geojson"
    case .allWeek: "all_week.geojson"
    case .allMonth: "all_month.geojson"
    }
  }
}

/// The network session of a ``RemoteStore``. An application conforms its session to it; tests use a double.
public protocol RemoteStoreNetworkSession: Sendable {
  func json<T: Decodable>(for request: URLRequest, from decoder: JSONDecoder) async throws -> T
}

/// An error of a ``RemoteStore`` or of ``FeedFiles``. Its path is the URL of the feed.
public typealias RemoteStoreError = SampleError<RemoteStoreErrorCode>

/// The failures of a ``RemoteStore`` or of ``FeedFiles``.
public enum RemoteStoreErrorCode: String, Sendable, CaseIterable {
  case urlError
  case unreadableFile
  case decodingError
  /// The feed has features, but all of them are invalid: it is not a feed of quakes.
  case unreadableFeed
}

extension RemoteStore {
  /// The error of ``RemoteStore/fetchRemoteQuakesQuery(range:)``.
  public typealias Error = RemoteStoreError
}

/// Recorded feeds: a directory with files like `all_hour.geojson`, used instead of the network.
public struct FeedFiles: PersistentSessionRemoteStore {
  private let directory: URL
  private let fileSystem: any LogFileSystem

  /// The maximum length of a file: ten times the 8 MB of a feed of a month.
  private static let limitBytes = 80 << 20

  /// Creates a store of recorded feeds.
  package init(directory: URL, fileSystem: any LogFileSystem) {
    self.directory = directory
    self.fileSystem = fileSystem
  }

  /// Creates a store of recorded feeds.
  public init(directory: URL) {
    self.init(directory: directory, fileSystem: POSIXFileSystem())
  }

  /// Reads a feed.
  public func fetchRemoteQuakesQuery(range: QuakesAction.UI.QuakeList.RefreshQuakesRange) async throws -> [Quake] {
    let url = directory.appending(path: range.feedName)
    return try await BlockingWork.run { [fileSystem] in try Self.quakes(at: url, fileSystem) }
  }

  private static func quakes(at url: URL, _ fileSystem: any LogFileSystem) throws -> [Quake] {
    let bytes: [UInt8]
    do {
      bytes = try fileSystem.contents(of: url.path, limitBytes: limitBytes)
    } catch {
      throw RemoteStoreError(
        .unreadableFile, "the feed's file cannot be read", path: url.absoluteString, underlying: error)
    }
    let response: RemoteResponse
    do {
      response = try JSONDecoder.feed.decode(RemoteResponse.self, from: Data(bytes))
    } catch {
      throw RemoteStoreError(
        .decodingError, "the file is not the expected JSON", path: url.absoluteString, underlying: error)
    }
    return try response.quakes(of: url)
  }
}
