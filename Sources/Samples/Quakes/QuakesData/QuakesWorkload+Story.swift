import Foundation
public import SampleSupport

extension QuakesWorkload {
  /// A step of the story.
  public typealias Step = StoryStep<QuakesAction>

  /// A story in which the user opens the list, requests feeds, gets a server error and a corrected feed, and deletes
  /// quakes. Two deletions fail and are rolled back: the disk is full, and the store does not answer in time.
  ///
  /// Every step is accepted. The final state has three quakes.
  public static let story: [Step] =
    openTheList + askForTheDay + deleteTwo + refreshAgain + deleteAll + startOver

  private static let openTheList = [
    Step(.milliseconds(380), list: .onAppear),
    Step(.milliseconds(41), local: .didFetchQuakes(result: .success(quakes: []))),
    Step(.seconds(3), list: .onTapRefreshQuakesButton(range: .allHour)),
    Step(.milliseconds(620), remote: .didFetchQuakes(result: .success(quakes: [geysers, hawaii]))),
  ]

  private static let askForTheDay = [
    Step(.seconds(9), list: .onTapRefreshQuakesButton(range: .allDay)),
    Step(
      .milliseconds(1_480),
      remote: .didFetchQuakes(result: .failure(error: "statusError: the server answered with status 503"))),
    Step(.seconds(5), list: .onTapRefreshQuakesButton(range: .allDay)),
    // The feed corrects the quake in Hawaii, and contains the quake in Japan twice.
    Step(
      .milliseconds(1_210),
      remote: .didFetchQuakes(
        result: .success(quakes: [geysers, strongerHawaii, japan, tonga, quarry, strongerJapan]))),
  ]

  private static let deleteTwo = [
    Step(.seconds(14), list: .onTapDeleteSelectedQuakeButton(quakeId: quarry.id)),
    Step(.seconds(4), list: .onTapDeleteSelectedQuakeButton(quakeId: geysers.id)),
    // The first deletion succeeds, the second one fails.
    Step(
      .milliseconds(70),
      local: .didFailToDeleteQuakes(
        quakes: [geysers], reason: FailureReason(code: "noSpace", message: "the disk is full", place: "default.store"))),
    Step(.seconds(33), list: .onTapDeleteSelectedQuakeButton(quakeId: geysers.id)),
  ]

  /// A refresh, in which the feed withdraws the quake in Tonga.
  private static let refreshAgain = [
    Step(.seconds(72), list: .onTapRefreshQuakesButton(range: .allHour)),
    Step(.milliseconds(540), remote: .didFetchQuakes(result: .success(quakes: [withdrawnTonga, chile]))),
  ]

  private static let deleteAll = [
    Step(.seconds(21), list: .onTapDeleteAllQuakesButton),
    Step(
      .seconds(30),
      local: .didFailToDeleteQuakes(
        quakes: [strongerHawaii, strongerJapan, chile].sorted { lhs, rhs in lhs.id < rhs.id },
        reason: FailureReason(code: "timeLimitReached", message: "no answer within 30 seconds", place: "local store"))),
    Step(.seconds(6), list: .onTapDeleteAllQuakesButton),
  ]

  private static let startOver = [
    Step(.seconds(50), list: .onAppear),
    Step(.seconds(2), list: .onTapRefreshQuakesButton(range: .allDay)),
    Step(
      .milliseconds(980),
      remote: .didFetchQuakes(result: .success(quakes: [chile, strongerHawaii, strongerJapan, withdrawnTonga]))),
  ]

  private static let geysers = quake("nc75105631", 1.2, 21, "5 km NW of The Geysers, CA", -122.8, 38.8)
  private static let hawaii = quake("hv74522007", 2.1, 47, "12 km SSE of Pāhala, Hawaii", -155.375, 19.125)
  private static let strongerHawaii = quake(
    "hv74522007", 2.4, 47, "12 km SSE of Pāhala, Hawaii", -155.375, 19.125, updatedAfter: 18)
  private static let japan = quake("us7000rk3m", 5.1, 512, "41 km ESE of Ōfunato, Japan", 142.1875, 38.9375)
  private static let strongerJapan = quake(
    "us7000rk3m", 5.3, 512, "41 km ESE of Ōfunato, Japan", 142.1875, 38.9375, updatedAfter: 44)
  private static let tonga = quake("us7000rk2x", 4.6, 880, "96 km WNW of Neiafu, Tonga", -174.84375, -18.375)
  private static let withdrawnTonga = quake(
    "us7000rk2x", 0, 880, "96 km WNW of Neiafu, Tonga", -174.84375, -18.375, updatedAfter: 883)
  private static let quarry = quake("ci40912207", 0.9, 66, "7 km S of Anza, CA", -116.6875, 33.5)
  private static let chile = quake("us7000rk41", 6.8, 3, "58 km W of Antofagasta, Chile", -70.96875, -23.625)

  /// A quake some minutes before the beginning of the story, which is 2026-11-21 09:00 UTC.
  private static func quake(
    _ quakeId: String, _ magnitude: Double, _ minutesBefore: Double, _ name: String, _ longitude: Double,
    _ latitude: Double, updatedAfter minutes: Double = 5
  ) -> Quake {
    let time = Date(timeIntervalSinceReferenceDate: 816_944_400 - 60 * minutesBefore + 0.25)
    return Quake(
      quakeId: quakeId, magnitude: magnitude, time: time, updated: time.addingTimeInterval(60 * minutes), name: name,
      longitude: longitude, latitude: latitude)
  }
}

extension StoryStep where Action == QuakesAction {
  init(_ pause: Duration, list action: QuakesAction.UI.QuakeList) {
    self.init(pause, .ui(.quakeList(action)))
  }

  init(_ pause: Duration, local action: QuakesAction.Data.PersistentSession.LocalStore) {
    self.init(pause, .data(.persistentSession(.localStore(action))))
  }

  init(_ pause: Duration, remote action: QuakesAction.Data.PersistentSession.RemoteStore) {
    self.init(pause, .data(.persistentSession(.remoteStore(action))))
  }
}
