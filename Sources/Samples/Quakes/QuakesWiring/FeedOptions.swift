package import ActionLogTool
package import Foundation
public import QuakesData
public import Services

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension NetworkSession: RemoteStoreNetworkSession {}

/// Where a program takes its feeds from, as its command line says.
package struct FeedOptions: Sendable {
  private static let remote = CommandOption.value(
    "remote", letter: "r", "URL", "take the feeds below this address, URL/all_hour.geojson and so on")
  private static let fixture = CommandOption.value(
    "fixture", letter: "f", "DIR", "take the feeds from files, DIR/all_hour.geojson and so on: no network")
  private static let sample = CommandOption.flag("sample", "make the feeds up: no network")

  /// The options; without any the feeds are those of the United States Geological Survey.
  package static let all = [remote, fixture, sample]

  /// The feeds.
  package let store: AnyRemoteStore

  /// Reads the options.
  ///
  /// - Parameter now: The clock, for feeds that are made up.
  /// - Throws: A usage error.
  package init(_ context: CommandContext, now: @escaping @Sendable () -> Date) throws {
    let arguments = context.arguments
    let given = Self.all.filter { option in arguments.has(option) }
    guard given.count <= 1 else {
      throw ToolFailure.usage("--\(given[0].name) and --\(given[1].name) exclude each other")
    }
    if let directory = arguments.value(of: Self.fixture) {
      store = AnyRemoteStore(FeedFiles(directory: URL(filePath: directory, directoryHint: .isDirectory)))
    } else if arguments.has(Self.sample) {
      store = AnyRemoteStore(SampleFeeds(now: now))
    } else {
      let base = try arguments.value(of: Self.remote).map { text in try Self.url(text) }
      let session = NetworkSession(urlSession: URLSession(configuration: .ephemeral))
      store = AnyRemoteStore(RemoteStore(session: session, base: base))
    }
  }

  private static func url(_ text: String) throws -> URL {
    guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host() != nil else {
      throw ToolFailure.usage("--remote takes an address like http://localhost:8080/feeds, not '\(text)'")
    }
    return url
  }
}
