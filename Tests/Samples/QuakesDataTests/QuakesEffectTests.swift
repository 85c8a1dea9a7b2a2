import EventSourcing
import QuakesData
import Testing
import TreeCollections

/// The effects of actions, derived only from the old and the reduced state.
@Suite struct QuakesEffectTests {
  private typealias Range = QuakesAction.UI.QuakeList.RefreshQuakesRange
  private static let statuses: [Status?] = [nil, .empty, .waiting, .success, .failure(error: "e")]

  @Test(arguments: statuses)
  func firstAppearanceFetches(status: Status?) throws {
    let effect = try QuakesEffect(of: .ui(.quakeList(.onAppear)), in: .with([], status))
    #expect(effect == (status == nil ? .fetchStored : nil))
  }

  @Test(arguments: statuses, QuakesAction.UI.QuakeList.RefreshQuakesRange.allCases)
  func refreshFetchesUnlessWaiting(
    status: Status?, range: QuakesAction.UI.QuakeList.RefreshQuakesRange
  ) throws {
    let effect = try QuakesEffect(
      of: .ui(.quakeList(.onTapRefreshQuakesButton(range: range))), in: .with([], status))
    #expect(effect == (status == .waiting ? nil : .fetchFeed(range: range)))
  }

  @Test func deletionEffectsHaveTheDeletedQuakes() throws {
    let state = QuakesState.with([.small, .large, .medium], .waiting)
    #expect(
      try QuakesEffect(of: .ui(.quakeList(.onTapDeleteSelectedQuakeButton(quakeId: "small"))), in: state)
        == .delete(quakeId: "small", lost: [.small]))
    #expect(
      try QuakesEffect(of: .ui(.quakeList(.onTapDeleteAllQuakesButton)), in: state)
        == .deleteAll(lost: [.large, .medium, .small]))
    #expect(
      try QuakesEffect(of: .ui(.quakeList(.onTapDeleteAllQuakesButton)), in: QuakesState()) == .deleteAll(lost: []))
  }

  @Test(arguments: ActionCase.all)
  func everyActionHasItsEffect(candidate: ActionCase) throws {
    let state = QuakesState.with([.small, .large], nil)
    let expected: QuakesEffect? =
      switch candidate.kind {
      case .appeared: .fetchStored
      case .refreshTapped: .fetchFeed(range: .allDay)
      case .deleteTapped: .delete(quakeId: "small", lost: [.small])
      case .deleteAllTapped: .deleteAll(lost: [.large, .small])
      // Once, even if nothing changed.
      case .feedFetched: .save(QuakeChanges(of: [], from: state, to: state))
      case .storedFetched, .storedNotFetched, .feedNotFetched, .deletionFailed: nil
      }
    #expect(try QuakesEffect(of: candidate.action, in: state) == expected)
  }

  @Test func rollbackIsStoredIfNeeded() throws {
    let rollBack = QuakesAction.local(
      .didFailToDeleteQuakes(quakes: [.small, .medium], reason: FailureReason(code: "c", message: "m")))
    var changes = QuakeChanges(of: [], from: QuakesState(), to: QuakesState())
    changes.inserted = [.medium]
    #expect(try QuakesEffect(of: rollBack, in: .with([.small])) == .save(changes))
    #expect(try QuakesEffect(of: rollBack, in: .with([.small, .medium])) == nil)
  }

  @Test func feedIsClassified() throws {
    let old = QuakesState.with([.xsmall, .small, .medium.with(name: "Old"), .large])
    let feed: [Quake] = [
      .xlarge, .small, .medium, .large.with(magnitude: 0), .xxlarge.with(magnitude: -1), .xxsmall,
    ]
    let action = QuakesAction.remote(.didFetchQuakes(result: .success(quakes: feed)))
    var changes = QuakeChanges(of: [], from: old, to: old)
    changes.inserted = [.xlarge, .xxsmall]
    changes.updated = [.medium]
    changes.deleted = [.large.with(magnitude: 0)]
    #expect(try QuakesEffect(of: action, in: old) == .save(changes))
  }

  /// A feed that contains a quake twice classifies it once, by its last value.
  @Test func duplicatesAreClassifiedOnce() throws {
    let old = QuakesState.with([.medium, .large])
    let feed: [Quake] = [
      .small.with(name: "Old"), .medium.with(name: "Other"), .small, .medium, .large.with(name: "Other"),
      .large.with(magnitude: 0), .xlarge, .xlarge.with(magnitude: 0),
    ]
    let action = QuakesAction.remote(.didFetchQuakes(result: .success(quakes: feed)))
    var changes = QuakeChanges(of: [], from: old, to: old)
    changes.inserted = [.small]
    changes.deleted = [.large.with(magnitude: 0)]
    #expect(try QuakesEffect(of: action, in: old) == .save(changes))
  }

  /// Over generated workloads, folding the effects into the store gives the quakes of the state.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func storeFollowsTheState(seed: UInt64) throws {
    var state = QuakesState()
    var stored = QuakesStoreState()
    for action in QuakesWorkload(seed: seed).prefix(1_500) {
      guard let next = try? QuakesModel.reducer(state, action) else { continue }
      if case .save(let changes) = try QuakesEffect(of: action, in: state) {
        for quake in changes.inserted + changes.updated { stored.quakes[quake.id] = quake }
        for quake in changes.deleted { stored.quakes[quake.id] = nil }
      } else if case .local(.didFetchQuakes(.success)) = ActionOrigin(action) {
        stored.quakes = next.quakes.data
      } else if [.deleteTapped, .deleteAllTapped].contains(ActionKind(action)) {
        stored.quakes = next.quakes.data
      }
      state = next
      #expect(stored.quakes == state.quakes.data, "seed \(seed)")
    }
    #expect(state.quakes.data.count > 100)
  }
}

/// The two stores of actions, for short patterns.
private enum ActionOrigin {
  case ui
  case local(QuakesAction.Data.PersistentSession.LocalStore)
  case remote

  init(_ action: QuakesAction) {
    switch action {
    case .ui: self = .ui
    case .data(.persistentSession(.localStore(let action))): self = .local(action)
    case .data(.persistentSession(.remoteStore)): self = .remote
    }
  }
}
