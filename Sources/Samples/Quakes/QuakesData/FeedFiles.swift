package import ActionLog
public import Foundation
import Platform
public import SampleSupport

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

/// An error of a `RemoteStore` or of ``FeedFiles``. Its path is the URL of the feed.
public typealias RemoteStoreError = SampleError<RemoteStoreErrorCode>

/// The failures of a `RemoteStore` or of ``FeedFiles``.
public enum RemoteStoreErrorCode: String, Sendable, CaseIterable {
  case urlError
  case unreadableFile
  case decodingError
  /// The feed has features, but all of them are invalid: it is not a feed of quakes.
  case unreadableFeed
}

extension QuakesAction.UI.QuakeList.RefreshQuakesRange {
  package var feedName: String {
    switch self {
    case .allHour: "all_hour.geojson"
    case .allDay: "all_day.geojson"
    case .allWeek: "all_week.geojson"
    case .allMonth: "all_month.geojson"
    }
  }
}
