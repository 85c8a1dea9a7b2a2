import ActionLog
package import ActionLogTool
package import Foundation
package import QuakesData
public import QuakesRemote
import SampleSupport
public import Services

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension NetworkSession: RemoteStoreNetworkSession {}

package struct FeedOptions: Sendable {
  private static let remote = CommandOption.value(
    "remote", letter: "r", "URL", "fetch the feeds from this base URL: URL/all_hour.geojson and so on")
  private static let fixture = CommandOption.value(
    "fixture", letter: "f", "DIR", "read the feeds from files, DIR/all_hour.geojson and so on, without a network")
  private static let sample = CommandOption.flag("sample", "generate the feeds, without a network")

  package static let all = [remote, fixture, sample]

  package let store: any PersistentSessionRemoteStore

  package init(_ context: CommandContext, now: @escaping @Sendable () -> Date) throws {
    let arguments = context.arguments
    let given = Self.all.filter { option in arguments.has(option) }
    guard given.count <= 1 else {
      throw ToolFailure.usage("--\(given[0].name) and --\(given[1].name) exclude each other")
    }
    if let directory = arguments.value(of: Self.fixture) {
      store = FeedFiles(directory: URL(filePath: directory, directoryHint: .isDirectory))
    } else if arguments.has(Self.sample) {
      store = SampleFeeds(now: now)
    } else {
      let base = try arguments.value(of: Self.remote).map { text in try Self.url(text) }
      let session = NetworkSession(urlSession: URLSession(configuration: .ephemeral))
      store = RemoteStore(session: session, base: base)
    }
  }

  private static func url(_ text: String) throws -> URL {
    guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host() != nil else {
      throw ToolFailure.usage("--remote takes a URL like http://localhost:8080/feeds, not '\(text)'")
    }
    return url
  }
}

extension ToolFailure {
  /// Creates a failure from an error of the feeds or of a store, with advice; `nil` for errors that the tool handles
  /// itself.
  package init?(quakes error: any Error) {
    switch error {
    case let error as LocalStoreError:
      self.init(error, .usage)
    case let error as RemoteStoreError: self.init(feed: error)
    case let error as NetworkSessionError: self.init(feed: error)
    case let error as TimeLimitError: self.init(feed: error)
    default: return nil
    }
  }

  private init(feed error: some DescribedError) {
    self.init(
      error, .environment, message: "\(FailureReason(error).message)",
      advice: "Try again, or use --sample, which needs no network.")
    intact = "The stored earthquakes are unchanged."
  }
}
