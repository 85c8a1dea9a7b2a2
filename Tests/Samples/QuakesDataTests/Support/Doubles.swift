import Foundation
import Platform
import QuakesData
import TestSupport
import TreeCollections

/// A call of a double.
enum StoreCall: Hashable, Sendable {
  case fetchStored
  case fetchFeed(QuakesAction.UI.QuakeList.RefreshQuakesRange)
  case save(inserted: [Quake], updated: [Quake], deleted: [Quake])
  case delete(Quake.ID)
  case deleteAll
}

/// Both stores in memory, which record their calls and return prepared answers.
final class StoreDouble: PersistentSessionLocalStore, PersistentSessionRemoteStore, GatedDouble {
  struct Contents: Sendable {
    var rows: QuakesState.Table<Quake.ID, Quake> = [:]
    var feed: [Quake] = []
  }

  let gate = CallGate<StoreCall>()
  let contents: Locked<Contents>

  init(stored: [Quake] = [], feed: [Quake] = []) {
    var contents = Contents()
    for quake in stored { contents.rows[quake.id] = quake }
    contents.feed = feed
    self.contents = Locked(contents)
  }

  var rows: QuakesState.Table<Quake.ID, Quake> { contents.withLock { contents in contents.rows } }

  func fetchLocalQuakesQuery() async throws -> [Quake] {
    try await gate.enter(.fetchStored)
    return rows.values.sorted { lhs, rhs in lhs.id < rhs.id }
  }

  func fetchRemoteQuakesQuery(range: QuakesAction.UI.QuakeList.RefreshQuakesRange) async throws -> [Quake] {
    try await gate.enter(.fetchFeed(range))
    return contents.withLock { contents in contents.feed }
  }

  func didFetchRemoteQuakesMutation(inserted: [Quake], updated: [Quake], deleted: [Quake]) async throws {
    try await gate.enter(.save(inserted: inserted, updated: updated, deleted: deleted))
    contents.withLock { contents in
      for quake in inserted { contents.rows[quake.id] = quake }
      for quake in updated where contents.rows[quake.id] != nil { contents.rows[quake.id] = quake }
      for quake in deleted { contents.rows[quake.id] = nil }
    }
  }

  func deleteLocalQuakeMutation(quakeId: Quake.ID) async throws {
    try await gate.enter(.delete(quakeId))
    contents.withLock { contents in contents.rows[quakeId] = nil }
  }

  func deleteLocalQuakesMutation() async throws {
    try await gate.enter(.deleteAll)
    contents.withLock { contents in contents.rows = [:] }
  }
}

/// A clock whose sleeps are ended by a test.
struct TestClock: Clock {
  let pause: @Sendable () async throws -> Void

  var now: ContinuousClock.Instant { ContinuousClock().now }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    try await pause()
  }
}

extension TimeLimits {
  /// Limits that are reached when `pause` returns.
  static func reached(_ pause: @escaping @Sendable () async throws -> Void) -> TimeLimits {
    TimeLimits(clock: TestClock(pause: pause))
  }
}
