import Foundation
import Locking
import QuakesData
import TreeCollections

/// What a double was asked for.
enum StoreCall: Hashable, Sendable {
  case fetchStored
  case fetchFeed(QuakesAction.UI.QuakeList.RefreshQuakesRange)
  case save(inserted: [Quake], updated: [Quake], deleted: [Quake])
  case delete(Quake.ID)
  case deleteAll
}

/// A failure that a test asked for.
struct Refusal: Error, Equatable, CustomStringConvertible {
  enum Code: String { case locked }
  var code = Code.locked
  var message = "the disk is locked"
  var path = "default.store"
  var description: String { message }
}

/// Both stores at once, in memory: they keep what they are asked for and answer as a test says.
final class StoreDouble: PersistentSessionLocalStore, PersistentSessionRemoteStore {
  struct Contents: Sendable {
    var calls: [StoreCall] = []
    var rows: QuakesState.Table<Quake.ID, Quake> = [:]
    var feed: [Quake] = []
    /// Which calls fail.
    var fails: @Sendable (StoreCall) -> Bool = { _ in false }
    /// Which calls never answer, not even when they are cancelled, until ``release()``.
    var hangs: @Sendable (StoreCall) -> Bool = { _ in false }
    var hanging: [CheckedContinuation<Void, Never>] = []
    var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  let contents: Locked<Contents>

  init(stored: [Quake] = [], feed: [Quake] = []) {
    var contents = Contents()
    for quake in stored { contents.rows[quake.id] = quake }
    contents.feed = feed
    self.contents = Locked(contents)
  }

  var calls: [StoreCall] { contents.withLock { contents in contents.calls } }

  var rows: QuakesState.Table<Quake.ID, Quake> { contents.withLock { contents in contents.rows } }

  func fail(_ fails: @escaping @Sendable (StoreCall) -> Bool) {
    contents.withLock { contents in contents.fails = fails }
  }

  func hang(_ hangs: @escaping @Sendable (StoreCall) -> Bool) {
    contents.withLock { contents in contents.hangs = hangs }
  }

  /// Lets every call that hangs go on.
  func release() {
    let hanging = contents.withLock { contents in
      defer { contents.hanging = [] }
      contents.hangs = { _ in false }
      return contents.hanging
    }
    for continuation in hanging { continuation.resume() }
  }

  /// Returns when so many calls have come.
  func calls(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = contents.withLock { contents in
        if contents.calls.count >= count { return true }
        contents.waiting.append((count: count, continuation: continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  private func enter(_ call: StoreCall) async throws {
    let (ready, hangs) = contents.withLock { contents in
      contents.calls.append(call)
      let count = contents.calls.count
      defer { contents.waiting.removeAll { waiter in waiter.count <= count } }
      return (contents.waiting.filter { waiter in waiter.count <= count }, contents.hangs(call))
    }
    for waiter in ready { waiter.continuation.resume() }
    if hangs {
      await withCheckedContinuation { continuation in
        contents.withLock { contents in contents.hanging.append(continuation) }
      }
    }
    if contents.withLock({ contents in contents.fails(call) }) { throw Refusal() }
  }

  func fetchLocalQuakesQuery() async throws -> [Quake] {
    try await enter(.fetchStored)
    return rows.values.sorted { lhs, rhs in lhs.id < rhs.id }
  }

  func fetchRemoteQuakesQuery(range: QuakesAction.UI.QuakeList.RefreshQuakesRange) async throws -> [Quake] {
    try await enter(.fetchFeed(range))
    return contents.withLock { contents in contents.feed }
  }

  func didFetchRemoteQuakesMutation(inserted: [Quake], updated: [Quake], deleted: [Quake]) async throws {
    try await enter(.save(inserted: inserted, updated: updated, deleted: deleted))
    contents.withLock { contents in
      for quake in inserted { contents.rows[quake.id] = quake }
      for quake in updated where contents.rows[quake.id] != nil { contents.rows[quake.id] = quake }
      for quake in deleted { contents.rows[quake.id] = nil }
    }
  }

  func deleteLocalQuakeMutation(quakeId: Quake.ID) async throws {
    try await enter(.delete(quakeId))
    contents.withLock { contents in contents.rows[quakeId] = nil }
  }

  func deleteLocalQuakesMutation() async throws {
    try await enter(.deleteAll)
    contents.withLock { contents in contents.rows = [:] }
  }
}

/// A clock whose sleepers wake when a test says.
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
