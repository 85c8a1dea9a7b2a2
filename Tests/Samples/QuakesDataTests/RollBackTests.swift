import ImmutableData
import Platform
import QuakesData
import TestSupport
import Testing
import TreeCollections

/// Optimistic deletions that failed. The guide notes that it lacks this rollback.
@Suite(.timeLimit(.minutes(60))) @MainActor struct RollBackTests {
  private static let all: [Quake] = [.small, .medium, .large]

  /// The dispatched rollbacks.
  private func rollBacks(
    of store: Store<QuakesState, QuakesAction>
  ) -> @MainActor () async -> [(quakes: [Quake], reason: FailureReason)] {
    let stream = store.makeStream()
    return {
      store.finish()
      var found: [(quakes: [Quake], reason: FailureReason)] = []
      for await (_, action) in stream {
        if case .data(.persistentSession(.localStore(.didFailToDeleteQuakes(let quakes, let reason)))) = action {
          found.append((quakes: quakes, reason: reason))
        }
      }
      return found
    }
  }

  @Test func failedDeletionIsRolledBackWithItsReason() async throws {
    let scene = Scene(.with(Self.all, .success), stored: Self.all)
    let rollBacks = rollBacks(of: scene.store)
    scene.double.fail { call in call == .delete("small") }
    try scene.tap(.onTapDeleteSelectedQuakeButton(quakeId: "small"))
    #expect(scene.store.state == .with([.medium, .large], .success), "gone at once")
    #expect(await scene.settles(.with(Self.all, .success), calls: 2))
    #expect(await settle { scene.errors.withLock { errors in errors } == ["locked"] })
    #expect(scene.double.rows == scene.store.state.quakes.data)
    let found = await rollBacks()
    #expect(found.map(\.quakes) == [[.small]])
    #expect(
      found.map(\.reason) == [
        FailureReason(code: "locked", message: "the disk is locked", place: "default.store")
      ])
  }

  @Test func failedDeletionOfAllIsRolledBack() async throws {
    let scene = Scene(.with(Self.all, .success), stored: Self.all)
    let rollBacks = rollBacks(of: scene.store)
    scene.double.fail { call in call == .deleteAll }
    try scene.tap(.onTapDeleteAllQuakesButton)
    #expect(scene.store.state == .with([], .success), "gone at once")
    #expect(await scene.settles(.with(Self.all, .success), calls: 2))
    #expect(await rollBacks().map(\.quakes) == [[.large, .medium, .small]])
    #expect(scene.double.rows.count == 3)
  }

  @Test func successfulDeletionDispatchesNothing() async throws {
    let scene = Scene(.with(Self.all, .success), stored: Self.all)
    let rollBacks = rollBacks(of: scene.store)
    try scene.tap(.onTapDeleteSelectedQuakeButton(quakeId: "small"))
    #expect(await scene.settles(.with([.medium, .large], .success), calls: 1))
    #expect(await rollBacks().isEmpty)
  }

  @Test func deletionCanBeRetried() async throws {
    let scene = Scene(.with(Self.all, .success), stored: Self.all)
    scene.double.fail { call in call == .delete("small") }
    try scene.tap(.onTapDeleteSelectedQuakeButton(quakeId: "small"))
    #expect(await scene.settles(.with(Self.all, .success), calls: 2))
    scene.double.fail { _ in false }
    try scene.tap(.onTapDeleteSelectedQuakeButton(quakeId: "small"))
    #expect(await scene.settles(.with([.medium, .large], .success), calls: 3))
    #expect(await settle { scene.double.rows.count == 2 })
  }

  /// A quake that a feed added during the deletion is newer than the deleted one.
  @Test func newerQuakeIsKeptByARollback() async throws {
    let newer = Quake.small.with(name: "Newer")
    let scene = Scene(.with(Self.all, .success), stored: Self.all)
    scene.double.fail { call in call == .delete("small") }
    scene.double.hang { call in call == .delete("small") }
    try scene.tap(.onTapDeleteSelectedQuakeButton(quakeId: "small"))
    await scene.double.calls(1)
    try scene.store.dispatch(action: .remote(.didFetchQuakes(result: .success(quakes: [newer]))))
    scene.double.release()
    #expect(await scene.settles(.with([newer, .medium, .large], .success), calls: 2))
    #expect(await settle { scene.double.rows == scene.store.state.quakes.data }, "the store has the newer one")
  }

  /// The first deletion fails while the second one waits: the final state and store match.
  @Test func rollbackBetweenDeletionsKeepsStoreInSync() async throws {
    let scene = Scene(.with(Self.all, .success), stored: Self.all)
    scene.double.fail { call in call == .delete("small") }
    scene.double.hang { call in call == .delete("small") }
    try scene.tap(.onTapDeleteSelectedQuakeButton(quakeId: "small"))
    await scene.double.calls(1)
    try scene.tap(.onTapDeleteAllQuakesButton)
    scene.double.release()
    #expect(await scene.settles(.with([.small], .success), calls: 3))
    #expect(scene.double.calls == [.delete("small"), .deleteAll, .save(inserted: [.small], updated: [], deleted: [])])
    #expect(await settle { scene.double.rows == ["small": .small] })
  }

  /// A hanging store is a failure, and its later answer has no effect.
  @Test func hangingDeletionIsRolledBack() async throws {
    let clock = SwitchedClock()
    let scene = Scene(.with(Self.all, .success), stored: Self.all, limits: TimeLimits(clock: clock))
    scene.double.hang { call in call == .delete("small") }
    let rollBacks = rollBacks(of: scene.store)
    try scene.tap(.onTapDeleteSelectedQuakeButton(quakeId: "small"))
    await scene.double.calls(1)
    #expect(await settle { clock.sleeperCount == 1 })
    clock.strike()
    #expect(await scene.settles(.with(Self.all, .success), calls: 2))
    scene.double.release()
    let reason = await rollBacks().first?.reason
    #expect(reason?.code == "timeLimitReached")
    #expect(reason?.message == "no answer within 30.0 seconds")
    #expect(reason?.place == "local store")
  }
}
