package import ActionLog
public import Foundation

/// Recorded feeds in place of the network: a directory with files like `all_hour.geojson`.
public struct FeedFiles: PersistentSessionRemoteStore {
  private let directory: URL
  private let fileSystem: any LogFileSystem

  /// A feed of a month has eight megabytes; what is longer than ten of them is none.
  private static let limitBytes = 80 << 20

  /// Makes a store of recorded feeds.
  ///
  /// - Parameters:
  ///   - directory: Where the files lie.
  ///   - fileSystem: What reads them.
  package init(directory: URL, fileSystem: any LogFileSystem) {
    self.directory = directory
    self.fileSystem = fileSystem
  }

  /// Makes a store of recorded feeds.
  ///
  /// - Parameter directory: Where the files lie.
  public init(directory: URL) {
    self.init(directory: directory, fileSystem: POSIXFileSystem())
  }

  /// Reads a feed.
  ///
  /// - Parameter range: How far back the feed reaches.
  /// - Returns: As ``RemoteStore/fetchRemoteQuakesQuery(range:)``.
  /// - Throws: ``RemoteStoreError``.
  /// - Complexity: O(length of the file), which is held in memory.
  public func fetchRemoteQuakesQuery(range: QuakesAction.UI.QuakeList.RefreshQuakesRange) async throws -> [Quake] {
    let url = directory.appending(path: range.feedName)
    return try await OffPool.run { [fileSystem] in try Self.quakes(at: url, fileSystem) }
  }

  private static func quakes(at url: URL, _ fileSystem: any LogFileSystem) throws -> [Quake] {
    let bytes: [UInt8]
    do {
      bytes = try fileSystem.contents(of: url.path, limitBytes: limitBytes)
    } catch {
      throw RemoteStoreError(.unreadableFile, "the feed's file cannot be read", url: url, underlying: error)
    }
    let response: RemoteResponse
    do {
      response = try JSONDecoder.feed.decode(RemoteResponse.self, from: Data(bytes))
    } catch {
      throw RemoteStoreError(
        .decodingError, "the file is not the JSON that was expected", url: url, underlying: error)
    }
    return try response.quakes(of: url)
  }
}
