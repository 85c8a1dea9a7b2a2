import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import EventSourcing
import Foundation
import ImmutableData
import ImmutableUI
import TestSupport
import Testing
import TimeTravel

/// A recorded store whose views show the past.
@Suite(.timeLimit(.minutes(60))) @MainActor struct TimeTravelStoreTests {
  nonisolated enum Kind: CaseIterable, Sendable {
    case recorder, recordingStore
  }

  private typealias TravelStore = TimeTravelStore<Walk>

  private let disk = MemoryFileSystem()

  private func open(
    _ kind: Kind = .recorder, at path: String = "walk", steps: Int = 0
  ) async throws -> TravelStore {
    var configuration = RecordingConfiguration<Walk>(snapshots: .never)
    configuration.log.durability = .written
    let live: RecordedStore<Walk>
    switch kind {
    case .recorder:
      let recorder = try await Recorder<Walk>.open(at: path, configuration: configuration, fileSystem: disk)
      live = .store(try recorder.makeStore(), recorder: recorder)
    case .recordingStore:
      live = .recordingStore(
        try await RecordingStore<Walk>.open(at: path, configuration: configuration, fileSystem: disk))
    }
    let store = TravelStore(live)
    for number in 0..<steps { try store.dispatch(action: .step(number)) }
    return store
  }

  /// The state after the steps 0, 1, 2, …
  private func folded(_ count: Int) -> Walk.State {
    Walk.State(steps: count, place: count * (count - 1) / 2)
  }

  /// Lets the tasks run that a change could have started.
  private func idle() async { for _ in 0..<200 { await Task.yield() } }

  // MARK: - Views

  @Test(arguments: Kind.allCases) func selectorsSeeEachChangeOnce(kind: Kind) async throws {
    let store = try await open(kind, steps: 5)
    let steps = Selection(store, outputSelector: \.steps)
    let filtered = Selection(store, filter: { _, _ in false }, outputSelector: \.steps)
    let isWalk = Selection(store, outputSelector: { state in state.steps >= 0 })
    let changes = ChangeCount { steps.output }
    let filteredChanges = ChangeCount { filtered.output }
    let otherChanges = ChangeCount { isWalk.output }
    await idle()
    #expect(steps.output == 5 && changes.count == 0 && !store.isPaused && store.revisions == 0...5)

    try await store.pause(at: .revision(2))
    #expect(await value(of: { steps.output }) { steps in steps != 5 } == 2)
    #expect(await value(of: { filtered.output }) { steps in steps != 5 } == 2)
    await idle()
    #expect(changes.count == 1 && filteredChanges.count == 1)
    #expect(store.isPaused && store.revision == 2 && store.state == folded(2))

    // The live store continues without the views.
    try store.live.dispatch(.step(7))
    await idle()
    #expect(changes.count == 1 && store.state.steps == 2 && store.live.state.steps == 6)

    store.resume()
    #expect(await value(of: { steps.output }) { steps in steps != 2 } == 6)
    #expect(await value(of: { filtered.output }) { steps in steps != 2 } == 6)
    await idle()
    #expect(changes.count == 2 && filteredChanges.count == 2 && otherChanges.count == 0)
    #expect(store.revision == nil)

    // They are live again.
    try store.dispatch(action: .step(1))
    #expect(await value(of: { steps.output }) { steps in steps != 6 } == 7)
    await idle()
    #expect(changes.count == 3 && filteredChanges.count == 2)
    try await store.close()
  }

  @Test(arguments: Kind.allCases) func viewStoreShowsThePastToo(kind: Kind) async throws {
    let store = try await open(kind, steps: 5)
    let shown = ViewStore(store)
    let steps = Selection(shown, outputSelector: \.steps)
    let changes = ChangeCount { steps.output }
    #expect(steps.output == 5 && shown.state == store.state)
    try await store.pause(at: .revision(2))
    #expect(await value(of: { steps.output }) { steps in steps != 5 } == 2)
    #expect(throws: TimeTravelError.self) { try shown.dispatch(action: .step(1)) }
    store.resume()
    #expect(await value(of: { steps.output }) { steps in steps != 2 } == 5)

    var accepted = shown.makeStream().makeAsyncIterator()
    try await shown.dispatch { dispatcher, selector in
      try await dispatcher.dispatch(action: .step(selector.select(\.steps)))
    }
    #expect(await accepted.next()?.action == .step(5))
    #expect(await value(of: { steps.output }) { steps in steps != 5 } == 6)
    await idle()
    #expect(changes.count == 3 && store.live.lastRevision == 6)
    try await store.close()
  }

  @Test func sameScreenShowsEveryRevision() async throws {
    let walk = try await RecordedWalk(steps: 40)
    var configuration = RecordingConfiguration<Walk>()
    configuration.log.durability = .written
    let recorder = try await Recorder<Walk>.open(at: "walk", configuration: configuration, fileSystem: walk.disk)
    let store = TravelStore(.store(try recorder.makeStore(), recorder: recorder))
    let screen = WalkScreen(store)
    func expect(_ revision: Int) async {
      #expect(await value(of: { screen.text }) { text in text == walk.shown[revision] } == walk.shown[revision])
    }
    await expect(40)
    for revision in (0..<40).reversed() {
      try await store.stepBackward()
      await expect(revision)
    }
    for revision in 1...40 {
      try await store.stepForward()
      await expect(revision)
    }
    for revision in [3, 39, 12] {
      try await store.pause(at: .revision(revision))
      await expect(revision)
    }
    store.resume()
    await expect(40)
    try await store.close()
  }

  @Test func ownViewsShowBranchesAndTheirPast() async throws {
    let store = try await open(steps: 5)
    let steps = Selection(store, outputSelector: \.steps)
    #expect(steps.output == 5)
    try await store.branch(at: .revision(3), to: "branch")
    #expect(await value(of: { steps.output }) { steps in steps != 5 } == 3)
    try store.dispatch(action: .step(9))
    #expect(await value(of: { steps.output }) { steps in steps != 3 } == 4)
    try await store.pause(at: .start)
    #expect(await value(of: { steps.output }) { steps in steps != 4 } == 0)
    #expect(store.revisions == 0...4)
    try await store.close()
  }

  // MARK: - The present continues

  @Test(arguments: Kind.allCases) func refusedDispatchRecordsNothing(kind: Kind) async throws {
    let store = try await open(kind, steps: 3)
    try await store.pause(at: .end)
    let error = try #require(throws: TimeTravelError.self) { try store.dispatch(action: .step(1)) }
    #expect(error.code == .paused && error.message.hasPrefix("revision 3 is shown"))
    #expect(throws: TimeTravelError.self) {
      try store.dispatch(action: .step(1), meta: RecordMeta(actor: "ann"))
    }
    await #expect(throws: TimeTravelError.self) {
      try await store.dispatch { dispatcher, _ in try await dispatcher.dispatch(action: .step(1)) }
    }
    #expect(store.live.state == folded(3) && store.state == folded(3) && store.live.lastRevision == 3)
    store.resume()
    try store.dispatch(action: .step(1), meta: RecordMeta(actor: "ann"))
    try await store.close()
    let actions = try await History<Walk>(at: "walk", fileSystem: disk).actions(in: 1...4)
    #expect(actions.map(\.meta.actor) == [nil, nil, nil, "ann"])
    var records = try LogReader.open(at: "walk", fileSystem: disk).records(from: 0)
    while let record = try records.next() { #expect(record.type != "@rejected") }
  }

  @Test func effectsDoNotRunInThePast() async throws {
    let store = try await open(steps: 4)
    let seen = Journal<Int>()
    let streams = [store.makeStream(), store.live.makeStream()]
    let effects = streams.map { stream in
      Task { for await (oldState, _) in stream { seen.add(oldState.steps) } }
    }
    let selection = Selection(store, outputSelector: \.steps)
    #expect(selection.output == 4)
    await idle()
    let before = seen.entries
    try await store.stepBackward()
    try await store.stepBackward()
    try await store.stepForward()
    try await store.pause(at: .start)
    await idle()
    #expect(seen.entries == before)
    // The answer to a request of the present arrives while the past is shown.
    try store.live.dispatch(.step(1))
    #expect(await settle { seen.entries == before + [4, 4] })
    store.resume()
    await idle()
    #expect(seen.entries == before + [4, 4])
    for effect in effects { effect.cancel() }
    try await store.close()
  }

  @Test func moveThatFailsChangesNothing() async throws {
    let store = try await open(steps: 3)
    func code(_ body: () async throws -> Void) async -> TimeTravelError.Code? {
      do { try await body() } catch { return (error as? TimeTravelError)?.code }
      return nil
    }
    #expect(await code { try await store.pause(at: .revision(4)) } == .revisionOutOfRange)
    #expect(await code { try await store.stepForward() } == .revisionOutOfRange)
    #expect(!store.isPaused)
    try await store.pause(at: .revision(3))
    #expect(await code { try await store.stepForward() } == .revisionOutOfRange)
    #expect(await code { try await store.pause(at: .fromEnd(4)) } == .revisionOutOfRange)
    #expect(store.revision == 3)
    try await store.pause(at: .start)
    #expect(await code { try await store.stepBackward() } == .revisionOutOfRange)
    #expect(store.revision == 0)
    try await store.close()
  }

  @Test func waitingActionsMustBeWrittenFirst() async throws {
    let store = try await open(steps: 3)
    try await store.pause(at: .end)
    store.resume()
    disk.capacityBytes = disk.usedBytes
    try store.dispatch(action: .step(3))
    await #expect(throws: LogError.self) { try await store.pause(at: .end) }
    #expect(!store.isPaused && store.state == folded(4))
    disk.capacityBytes = nil
    guard case .store(_, let recorder) = store.live else { return }
    recorder.resume()
    try await store.pause(at: .end)
    #expect(store.revision == 4)
    try await store.close()
  }

  @Test func resumeOverridesAMove() async throws {
    let store = try await open(steps: 3)
    let move = Task { try await store.pause(at: .start) }
    let second = Task { try await store.stepBackward() }
    await Task.yield()
    store.resume()
    await #expect(throws: CancellationError.self) { try await move.value }
    await #expect(throws: CancellationError.self) { try await second.value }
    #expect(!store.isPaused && store.state == folded(3))
    // A canceled task changes nothing either.
    let canceled = Task { try await store.pause(at: .start) }
    canceled.cancel()
    await #expect(throws: CancellationError.self) { try await canceled.value }
    #expect(!store.isPaused)
    try await store.close()
  }

  @Test func releasedStoreEndsItsTask() async throws {
    var store: TravelStore? = try await open(steps: 3)
    weak var released: TravelStore?
    released = store
    let live = store?.live
    await idle()
    store = nil
    #expect(await settle { released == nil })
    try live?.dispatch(.step(1))
    try await live?.close()
  }

  // MARK: - Branches

  @Test(arguments: Kind.allCases) func branchContinuesFromARevision(kind: Kind) async throws {
    let store = try await open(kind, steps: 5)
    let parent = store.live
    try await store.pause(at: .revision(3))
    let branch = try await store.branch(at: .revision(3), to: "branch")
    #expect(branch.path == "branch" && store.live.path == "branch" && !store.isPaused)
    for width in [10, 20] { try store.dispatch(action: .step(width)) }
    // The parent is still recorded: an effect in flight dispatches to it.
    try parent.dispatch(.step(5))
    let expected = Walk.State(steps: 5, place: 0 + 1 + 2 + 10 + 20)
    #expect(store.state == expected && store.live.lastRevision == 5)
    try await branch.sync()

    // After a power cut the branch opens again, and names its parent.
    let reopened = try RecordingStore<Walk>(at: "branch", fileSystem: disk.crash(.onlySyncedSurvives))
    #expect(reopened.state == expected)
    try await reopened.close()
    let header = try LogReader.open(at: "walk", fileSystem: disk).header
    let origin = try #require(try LogReader.open(at: "branch", fileSystem: disk).header.parent)
    #expect(origin.log == header.log && origin.revision == 3)

    try await store.close()
    let history = try await History<Walk>(at: "walk", fileSystem: disk)
    #expect(try history.state() == folded(6), "the parent keeps its actions")
    let branched = try await History<Walk>(at: "branch", fileSystem: disk)
    #expect(try branched.actions(in: 1...5).compactMap(\.action) == [0, 1, 2, 10, 20].map(Walk.Action.step))
    #expect(try LogVerifier.verify(at: "branch", fileSystem: disk).verdict == .clean)
  }

  @Test func failedBranchChangesNothing() async throws {
    let store = try await open(steps: 5)
    try await store.pause(at: .revision(2))
    await #expect(throws: LogError.self) { try await store.branch(at: .revision(2), to: "walk") }
    await #expect(throws: TimeTravelError.self) { try await store.branch(at: .revision(6), to: "branch") }
    #expect(store.revision == 2 && store.live.path == "walk")
    #expect(try disk.names(in: "/") == ["walk"])
    store.resume()
    try store.dispatch(action: .step(5))
    #expect(store.state == folded(6))
    try await store.close()
  }

  // MARK: - The page

  /// The code of the page *The past inside a running app*.
  @Test func pageShowsThisCode() async throws {
    var configuration = RecordingConfiguration<Walk>()
    configuration.log.durability = .written
    let recorder = try await Recorder<Walk>.open(at: "walk", configuration: configuration, fileSystem: disk)
    // begin: store
    let live = try recorder.makeStore()
    let store = TimeTravelStore<Walk>(.store(live, recorder: recorder))
    let screen = WalkScreen(store)
    // end: store
    // begin: effects
    let stream = live.makeStream()
    let effects = Task {
      for await (_, action) in stream {
        guard case .step(100) = action else { continue }
        try await RecordMeta.withCause(latestIn: stream) {
          try live.dispatch(action: .step(-100))
        }
      }
    }
    // end: effects
    try store.dispatch(action: .step(1))
    try store.dispatch(action: .step(100))
    #expect(await settle { live.state.steps == 3 })
    // begin: past
    try await store.pause(at: .revision(1))
    try await store.stepForward()
    do {
      try store.dispatch(action: .step(5))
    } catch let error as TimeTravelError where error.code == .paused {
      print(error.message)
    }
    store.resume()
    // end: past
    #expect(await value(of: { screen.text }) { text in text == "1 after 3 steps" } == "1 after 3 steps")
    effects.cancel()
    _ = await effects.result
    let listener = Journal<String>()
    func listen(to store: Store<Walk.State, Walk.Action>) { listener.add("\(store.state.steps)") }
    // begin: branch
    let branch = try await store.branch(at: .revision(2), to: "without-the-way-back")
    if case .store(let live, _) = branch { listen(to: live) }
    try store.dispatch(action: .step(5))
    try await store.close()
    // end: branch
    #expect(listener.entries == ["2"])
    #expect(try await History<Walk>(at: branch.path, fileSystem: disk).state() == Walk.State(steps: 3, place: 106))
  }

  // MARK: - Costs

  @Test func stepsFoldFewActions() async throws {
    let store = try await open(steps: 6_000)
    try await store.pause(at: .revision(3_000))
    let cursor = try #require(store.cursor)
    let before = await cursor.work
    #expect(before.actionsFolded <= 6_000)
    for _ in 0..<100 { try await store.stepBackward() }
    for _ in 0..<100 { try await store.stepForward() }
    #expect(store.state == folded(3_000))
    let work = await cursor.work
    #expect(work.actionsFolded - before.actionsFolded <= 100 + 100 + 16)
    #expect(work.replays == before.replays)

    // The next look at the past continues with the same cursor, and reads only what was recorded in between.
    store.resume()
    try store.dispatch(action: .step(6_000))
    try await store.pause(at: .revision(2_990))
    #expect(store.cursor === cursor && store.revisions == 0...6_001)
    #expect(await cursor.work.actionsFolded - work.actionsFolded <= 127)
    try await store.close()
  }
}
