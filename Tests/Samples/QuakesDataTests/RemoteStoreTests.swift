import EventSourcing
import Foundation
import Platform
import QuakesData
import SampleSupport
import Services
import TestSupport
import Testing
import TreeCollections

/// The feeds, from a server's response to quakes.
@Suite struct RemoteStoreTests {
  private typealias Range = QuakesAction.UI.QuakeList.RefreshQuakesRange

  /// Fetches a feed from a server with a prepared response.
  private func fetch(
    _ range: QuakesAction.UI.QuakeList.RefreshQuakesRange,
    _ answer: @escaping @Sendable (String) -> LoopbackReply = Feeds.answer
  ) async throws -> (quakes: [Quake], unreadable: Int, urls: [String]) {
    let server = try LoopbackServer(answer)
    defer { server.stop() }
    let session = Rerouted(to: server)
    let store = RemoteStore(session: NetworkSession(urlSession: session))
    let quakes = try await store.fetchRemoteQuakesQuery(range: range)
    return (quakes, await store.unreadableFeatureCount, session.urls.withLock { urls in urls })
  }

  @Test(arguments: zip(Range.allCases, ["hour", "day", "week", "month"]))
  private func everyRangeHasItsFeed(range: QuakesAction.UI.QuakeList.RefreshQuakesRange, name: String) async throws {
    let urls = try await fetch(range).urls
    #expect(urls == ["https://earthquake.usgs.gov/earthquakes/feed/v1.0/summary/all_\(name).geojson"])
  }

  @Test func featuresBecomeQuakes() async throws {
    let quakes = try await fetch(.allHour).quakes
    #expect(quakes.map(\.id) == ["nc75105631", "hv74522007", "ak0252abc1"])
    let first = try #require(quakes.first)
    #expect(first.magnitude == 1.2)
    #expect(first.name == "5 km NW of The Geysers, CA")
    #expect(first.longitude == -122.800163269043 && first.latitude == 38.8231658935547)
    #expect(first.time == Date(millisecondsSince1970: 1_795_250_339_250))
    #expect(first.updated == Date(millisecondsSince1970: 1_795_250_435_879))
    #expect(quakes[1].name == "12 km SSE of Pāhala, Hawaii")
    #expect(quakes[2].magnitude == -0.3)
  }

  /// Features with missing values, duplicate features, and invalid features.
  @Test func invalidFeaturesAreSkipped() async throws {
    let (quakes, unreadable, _) = try await fetch(.allDay)
    #expect(
      quakes.map(\.id) == ["nc75105631", "uw62055111", "us7000rk5z", "us7000rk3m", "us7000rk3m", "tx2026wxyz"])
    #expect(quakes.map(\.magnitude) == [1.24, 0, 4.4, 5.1, 5.3, 2])
    #expect(quakes[2].name == "")
    #expect(quakes[5].longitude == -103 && quakes[5].latitude == 31)
    #expect(unreadable == 8)

    let state = try QuakesModel.reducer(QuakesState(), .remote(.didFetchQuakes(result: .success(quakes: quakes))))
    #expect(state.quakes.data.keys.sorted() == ["nc75105631", "tx2026wxyz", "us7000rk3m", "us7000rk5z"])
    #expect(state.quakes.data["us7000rk3m"]?.magnitude == 5.3)
  }

  @Test func emptyFeedIsValid() async throws {
    let (quakes, unreadable, _) = try await fetch(.allWeek)
    #expect(quakes.isEmpty && unreadable == 0)
  }

  @Test func longFeedIsValid() async throws {
    let (quakes, unreadable, _) = try await fetch(.allMonth)
    #expect(quakes.count == 10_010)
    #expect(unreadable == 0)
    #expect(quakes.filter { quake in quake.magnitude == 0 }.count == 110)
    let state = try QuakesModel.reducer(QuakesState(), .remote(.didFetchQuakes(result: .success(quakes: quakes))))
    #expect(state.quakes.data.count == 9_900)
  }

  @Test func feedWithoutValidFeaturesFails() async throws {
    let error = try #require(
      await #expect(throws: RemoteStoreError.self) {
        try await fetch(.allHour) { _ in .answer(#"{"features":[{"id":"a"},{"id":"b"}]}"#.utf8) }
      })
    #expect(error.code == .unreadableFeed)
    #expect(error.message == "none of the feed's 2 features can be read")
  }

  @Test(
    arguments: [
      (.answer([], status: 503), .statusError), (.answer("<html>".utf8, type: "text/html"), .mediaTypeError),
      (.answer("{".utf8), .decodingError), (.answer("{}".utf8), .decodingError),
      (.answer(#"{"features":{}}"#.utf8), .decodingError), (.hangUp, .transportError),
    ] as [(LoopbackReply, NetworkSessionError.Code)])
  func whatIsNoFeedIsAFailure(reply: LoopbackReply, code: NetworkSessionError.Code) async throws {
    let error = try #require(
      await #expect(throws: NetworkSessionError.self) { try await fetch(.allHour) { _ in reply } })
    #expect(error.code == code)
  }

  /// A truncated feed is never treated as a short one.
  @Test func truncatedFeedFails() async throws {
    let feed = Feeds.generated(count: 500)
    await #expect(throws: NetworkSessionError.self) { try await fetch(.allMonth) { _ in .half(feed) } }
  }
}

@Suite struct MillisecondTests {
  @Test func datesAreTheNearestToTheirMilliseconds() {
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<20_000 {
      let milliseconds = Int64.random(in: -2_000_000_000_000...4_000_000_000_000, using: &generator)
      let date = Date(millisecondsSince1970: milliseconds)
      let seconds = date.map { date in date.timeIntervalSinceReferenceDate * 1_000 }
      #expect(seconds.map { seconds in Int64(seconds.rounded()) } == milliseconds - 978_307_200_000)
      #expect(date?.timeIntervalSinceReferenceDate == Double("\(milliseconds - 978_307_200_000)e-3"))
    }
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (1_795_251_600_001, "2026-11-21T09:00:00.001Z"), (-1, "1969-12-31T23:59:59.999Z"),
    ] as [(Int64, String)])
  func storedDatesKeepTheirMilliseconds(milliseconds: Int64, text: String) throws {
    let quake = Quake(
      quakeId: "a", magnitude: 1, time: try #require(Date(millisecondsSince1970: milliseconds)),
      updated: Quake.sampleDate, name: "", longitude: 0, latitude: 0)
    #expect(try storedText(quake).contains(#""time":"\#(text)""#))
  }

  @Test func overflowingMillisecondsAreRejected() {
    #expect(Date(millisecondsSince1970: .min) == nil)
    #expect(Date(millisecondsSince1970: .max) != nil)
  }

  @Test(arguments: ["9223372036854775807", "1.5", #""2026""#, "1e400"])
  func invalidNumbersAreRejected(text: String) throws {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .exactMillisecondsSince1970
    let feed = """
      {"features":[{"id":"a","properties":{"mag":1,"place":"","time":\(text),"updated":0},\
      "geometry":{"coordinates":[1,2]}},{"id":"b","properties":{"time":0,"updated":0},"geometry":{"coordinates":[1,2]}}]}
      """
    do {
      let response = try decoder.decode(RemoteResponse.self, from: Data(feed.utf8))
      #expect(response.features.count + response.unreadableFeatureCount == 2)
      #expect(response.features.last?.id == "b")
    } catch {
      #expect(error is DecodingError)
    }
  }

  @Test func feedRoundTrips() throws {
    let feature = RemoteResponse.Feature(
      properties: RemoteResponse.Feature.Properties(
        mag: nil, place: nil, time: Quake.sampleDate, updated: Quake.sampleDate),
      geometry: RemoteResponse.Feature.Geometry(longitude: -1, latitude: 2), id: "a")
    let response = RemoteResponse(features: [feature])
    #expect(try JSONDecoder().decode(RemoteResponse.self, from: JSONEncoder().encode(response)) == response)
  }
}
