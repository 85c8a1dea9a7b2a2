import EventSourcing
import QuakesData
import Testing

@Suite struct QuakesReducerTests {
  private static let statuses: [Status?] = [nil, .empty, .waiting, .success, .failure(error: "e")]
  private static let ranges = QuakesAction.UI.QuakeList.RefreshQuakesRange.allCases
  private static let reason = FailureReason(code: "noSpace", message: "the disk is full")

  @Test(arguments: statuses)
  func quakesAreRequestedOnce(status: Status?) throws {
    let expected = status == nil ? .waiting : status
    try Rule("appear", .with([.small], status), .ui(.quakeList(.onAppear)), .with([.small], expected)).check()
  }

  @Test(arguments: statuses, ranges)
  func refreshWaitsFromAnyStatus(
    status: Status?, range: QuakesAction.UI.QuakeList.RefreshQuakesRange
  ) throws {
    try Rule(
      "refresh", .with([.small], status), .ui(.quakeList(.onTapRefreshQuakesButton(range: range))),
      .with([.small], .waiting)
    ).check()
  }

  @Test(arguments: statuses)
  func deletedQuakeIsRemovedAtOnce(status: Status?) throws {
    try Rule(
      "delete", .with([.small, .large], status),
      .ui(.quakeList(.onTapDeleteSelectedQuakeButton(quakeId: "small"))), .with([.large], status)
    ).check()
    try Rule(
      "delete all", .with([.small, .large], status), .ui(.quakeList(.onTapDeleteAllQuakesButton)), .with([], status)
    ).check()
  }

  @Test(arguments: [
    Rule(
      "a quake that is gone cannot be deleted", .with([.large], .success),
      .ui(.quakeList(.onTapDeleteSelectedQuakeButton(quakeId: "small"))), nil),
    Rule("nothing can be deleted", .with(), .ui(.quakeList(.onTapDeleteAllQuakesButton)), .with()),
  ])
  func deletions(rule: Rule) throws { try rule.check() }

  @Test(arguments: [
    Rule(
      "stored quakes fill the table", .with([], .waiting),
      .local(.didFetchQuakes(result: .success(quakes: [.small, .large]))), .with([.small, .large], .success)),
    Rule(
      "stored quakes are merged, and win", .with([.small.with(name: "Old"), .medium], .waiting),
      .local(.didFetchQuakes(result: .success(quakes: [.small]))), .with([.small, .medium], .success)),
    Rule(
      "the later of two stored quakes with one id wins", .with(),
      .local(.didFetchQuakes(result: .success(quakes: [.small.with(name: "Old"), .small]))),
      .with([.small], .success)),
    Rule(
      "a stored quake needs no magnitude", .with(),
      .local(.didFetchQuakes(result: .success(quakes: [.small.with(magnitude: -1)]))),
      .with([.small.with(magnitude: -1)], .success)),
    Rule(
      "a failure keeps the quakes", .with([.small], .waiting),
      .local(.didFetchQuakes(result: .failure(error: "locked"))), .with([.small], .failure(error: "locked"))),
  ])
  func storedQuakesAreFetched(rule: Rule) throws { try rule.check() }

  @Test(arguments: [
    Rule(
      "a feed adds, changes and withdraws", .with([.small, .medium, .large], .waiting),
      .remote(
        .didFetchQuakes(
          result: .success(quakes: [.xlarge, .medium.with(name: "New"), .large.with(magnitude: 0)]))),
      .with([.small, .medium.with(name: "New"), .xlarge], .success)),
    Rule(
      "what a feed withdraws need not be there", .with([.small], .waiting),
      .remote(.didFetchQuakes(result: .success(quakes: [.large.with(magnitude: -0.4)]))), .with([.small], .success)),
    Rule(
      "the later of two features with one id wins", .with([], .waiting),
      .remote(
        .didFetchQuakes(
          result: .success(quakes: [.small.with(magnitude: 0), .small, .large, .large.with(magnitude: 0)]))),
      .with([.small], .success)),
    Rule(
      "not a number is no magnitude", .with([.small], .waiting),
      .remote(.didFetchQuakes(result: .success(quakes: [.small.with(magnitude: .nan)]))), .with([], .success)),
    Rule(
      "an empty feed is a success too", .with([.small], nil), .remote(.didFetchQuakes(result: .success(quakes: []))),
      .with([.small], .success)),
    Rule(
      "a failure keeps the quakes", .with([.small], .waiting),
      .remote(.didFetchQuakes(result: .failure(error: "offline"))), .with([.small], .failure(error: "offline"))),
  ])
  func feedsAreFetched(rule: Rule) throws { try rule.check() }

  @Test(arguments: [
    Rule(
      "what could not be deleted comes back, the status stays", .with([.large], .success),
      .local(.didFailToDeleteQuakes(quakes: [.small, .medium], reason: reason)),
      .with([.small, .medium, .large], .success)),
    Rule(
      "what a feed brought in the meantime is newer", .with([.small.with(name: "New")], .waiting),
      .local(.didFailToDeleteQuakes(quakes: [.small, .medium], reason: reason)),
      .with([.small.with(name: "New"), .medium], .waiting)),
    Rule(
      "nothing to bring back", .with([.small], .success),
      .local(.didFailToDeleteQuakes(quakes: [], reason: reason)), .with([.small], .success)),
  ])
  func failedDeletionsAreRolledBack(rule: Rule) throws { try rule.check() }

  @Test func rollbackUndoesTheDeletion() throws {
    let actions: [QuakesAction] = [
      .ui(.quakeList(.onTapDeleteAllQuakesButton)),
      .local(.didFailToDeleteQuakes(quakes: Quake.previewQuakes, reason: Self.reason)),
    ]
    #expect(try actions.reduce(QuakesState.samples, QuakesModel.reducer) == .samples)
  }

  @Test func errorNamesTheMissingQuake() {
    let error = QuakesModel.Error(quakeId: "nc1")
    #expect("\(error)" == "quake not found: there is no quake with the id 'nc1'. The state is unchanged.")
  }
}
