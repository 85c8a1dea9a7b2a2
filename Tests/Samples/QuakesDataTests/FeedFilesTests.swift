import ActionLog
import Foundation
import QuakesData
import QuakesRemote
import SampleSupport
import Services
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Feeds from other sources: from files, and from another server.
@Suite struct FeedFilesTests {
  private let directory: TemporaryDirectory
  private let files: FeedFiles

  init() throws {
    directory = try TemporaryDirectory()
    files = FeedFiles(directory: URL(filePath: directory.path))
  }

  private func write(_ bytes: some Sequence<UInt8>, _ name: String) throws {
    try Data(bytes).write(to: URL(filePath: directory.path(name)))
  }

  @Test func feedFilesAreReadLikeFeeds() async throws {
    try write(Feeds.recorded("all_day"), "all_day.geojson")
    try write(Feeds.generated(count: 10_000), "all_month.geojson")
    let quakes = try await files.fetchRemoteQuakesQuery(range: .allDay)
    #expect(quakes.map(\.id) == ["nc75105631", "uw62055111", "us7000rk5z", "us7000rk3m", "us7000rk3m", "tx2026wxyz"])
    #expect(try await files.fetchRemoteQuakesQuery(range: .allMonth).count == 10_010)
  }

  @Test(
    arguments: [
      (nil, .unreadableFile), ("{", .decodingError), ("[]", .decodingError), ("", .decodingError),
      (#"{"features":[{"id":"a"}]}"#, .unreadableFeed),
    ] as [(String?, RemoteStoreError.Code)])
  func whatIsNoFeedIsAnErrorThatNamesTheFile(text: String?, code: RemoteStoreError.Code) async throws {
    if let text { try write(text.utf8, "all_hour.geojson") }
    let error = try #require(
      await #expect(throws: RemoteStoreError.self) { try await files.fetchRemoteQuakesQuery(range: .allHour) })
    #expect(error.code == code)
    #expect(error.path?.hasSuffix("/all_hour.geojson") == true)
    #expect(FailureReason(error).place?.hasSuffix("all_hour.geojson") == true)
  }

  @Test func directoryInsteadOfAFileFails() async throws {
    try FileManager.default.createDirectory(
      atPath: directory.path("all_week.geojson"), withIntermediateDirectories: false)
    let error = await #expect(throws: RemoteStoreError.self) { try await files.fetchRemoteQuakesQuery(range: .allWeek) }
    #expect(error?.code == .unreadableFile)
  }

  @Test func baseURLSelectsAnotherServer() async throws {
    let server = try LoopbackServer { path in Feeds.answer("/earthquakes/feed/v1.0/summary" + path.dropFirst(6)) }
    defer { server.stop() }
    let store = RemoteStore(
      session: NetworkSession(urlSession: URLSession.patient), base: server.url("/feeds"))
    #expect(try await store.fetchRemoteQuakesQuery(range: .allHour).count == 3)
    #expect(try await store.fetchRemoteQuakesQuery(range: .allMonth).count == 10_010)
    #expect(server.paths == ["/feeds/all_hour.geojson", "/feeds/all_month.geojson"])
  }
}
