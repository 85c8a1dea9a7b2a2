import ActionLog
import ActionLogTesting
import AnimalsData
import CounterData
import EventSourcing
import ImmutableData
import JSONCoding
import Platform
import TestSupport
import Testing

@MainActor @Suite struct HistoryTests {
  private let disk = MemoryFileSystem()

  @Test func everyRevisionIsTheFoldOfItsActions() async throws {
    let actions = acceptedActions(seed: 1, count: 300)
    try await record(
      actions, as: AnimalsModel.self, at: "log", in: disk,
      configuration: reproducible(AnimalsModel.self, snapshots: .every(50), segmentLimitBytes: 8_192))
    let history = try await History<AnimalsModel>(at: "log", fileSystem: disk)
    #expect(history.reader.segments.count > 3)
    for revision in 0...300 {
      let replayed = try history.replay(to: revision)
      #expect(replayed.state == (try folded(AnimalsModel.self, actions[..<revision])), "revision \(revision)")
      #expect(replayed.revision == revision)
      #expect(replayed.report.actionsFolded == revision % 50)
      #expect(replayed.report.snapshotsLoaded == (revision >= 50 ? 1 : 0))
      #expect(replayed.report.snapshotsRefused.isEmpty)
    }
  }

  @Test func openingALongLogFoldsOnlyTheTail() async throws {
    let actions = Array(CounterWorkload(seed: 2).prefix(100_000))
    var configuration = reproducible(CounterModel.self, snapshots: .every(10_000), durability: .written)
    configuration.retention = .exponential()
    try await record(actions, as: CounterModel.self, at: "log", in: disk, configuration: configuration)
    let history = try await History<CounterModel>(at: "log", fileSystem: disk)
    let available = try #require(history.snapshots).revisions()
    #expect(available.last == 100_000)

    let end = try history.replay()
    #expect(end.revision == 100_000)
    #expect(end.report.actionsFolded == 0)
    #expect(end.report.snapshotsLoaded == 1)

    for revision in [12_345, 50_000, 54_321, 99_999] {
      let replayed = try history.replay(to: revision)
      let nearest = available.last { snapshot in snapshot <= revision } ?? 0
      #expect(revision - nearest < 20_000, "the retention keeps old points near")
      #expect(replayed.report.startRevision == nearest)
      #expect(replayed.report.actionsFolded == revision - nearest)
      #expect(replayed.state == (try folded(CounterModel.self, actions[..<revision])))
      // About 180 bytes an action; the rest is the search and the end of the last chunk.
      #expect(replayed.report.bytesRead < (revision - nearest) * 200 + 2 << 20)
    }
  }

  @Test func deletingSnapshotsChangesOnlyTheWork() async throws {
    let actions = acceptedActions(seed: 3, count: 200)
    try await record(
      actions, as: AnimalsModel.self, at: "log", in: disk,
      configuration: reproducible(AnimalsModel.self, snapshots: .every(20)))
    let history = try await History<AnimalsModel>(at: "log", fileSystem: disk)
    let before = try history.replay(to: 155)
    let snapshots = try #require(history.snapshots)
    for revision in try snapshots.revisions() { try disk.remove(snapshots.path(at: revision)) }
    let after = try history.replay(to: 155)
    #expect(after.state == before.state)
    #expect(before.report.actionsFolded == 15)
    #expect(after.report.actionsFolded == 155)
  }

  @Test func replayingWithoutSnapshots() async throws {
    try await record(
      acceptedActions(seed: 3, count: 40), as: AnimalsModel.self, at: "log", in: disk,
      configuration: reproducible(AnimalsModel.self, snapshots: .every(20)))
    var options = ReplayOptions()
    options.usesSnapshots = false
    let replayed = try await History<AnimalsModel>(at: "log", fileSystem: disk).replay(options: options)
    #expect(replayed.report.actionsFolded == 40)
    #expect(replayed.report.snapshotsLoaded == 0)
  }

  @Test(arguments: [-1, 4, 1_000])
  func aRevisionOutsideTheLogIsRefusedWithTheRange(revision: Int) async throws {
    try await recordCounter([.didTapIncrementButton, .didTapIncrementButton, .didTapDecrementButton])
    let history = try await History<CounterModel>(at: "log", fileSystem: disk)
    let error = try #require(throws: LogError.self) { try history.state(at: revision) }
    #expect(error.code == .revisionOutOfRange)
    #expect(error.description.contains("revision \(revision) is not in the log"))
    #expect(error.description.contains("0…3"))
  }

  @Test func actionsOfARangeAreDecoded() async throws {
    try await recordCounter([.didTapIncrementButton, .didTapDecrementButton, .didTapIncrementButton])
    let history = try await History<CounterModel>(at: "log", fileSystem: disk)
    let actions = try history.actions(in: 2...3)
    #expect(actions.map(\.revision) == [2, 3])
    #expect(actions.map(\.action) == [.didTapDecrementButton, .didTapIncrementButton])
    #expect(try history.action(at: 1).action == .didTapIncrementButton)
    #expect(throws: LogError.self) { try history.actions(in: 0...2) }
    #expect(throws: LogError.self) { try history.actions(in: 2...4) }
  }

  @Test func aTimeFindsTheRevisionThatWasCurrent() async throws {
    try await recordCounter([.didTapIncrementButton, .didTapIncrementButton, .didTapIncrementButton])
    let history = try await History<CounterModel>(at: "log", fileSystem: disk)
    let times = try history.actions(in: 1...3).map(\.time)
    #expect(try history.revision(at: times[1]) == 2)
    #expect(try history.revision(at: LogTime(microseconds: times[1].microseconds - 1)) == 1)
    #expect(try history.revision(at: LogTime(microseconds: times[2].microseconds + 1)) == 3)
    #expect(try history.revision(at: LogTime(microseconds: 0)) == 0)
  }

  @Test func aLogOfAnotherModelIsRefused() async throws {
    try await recordCounter([.didTapIncrementButton])
    let error = try #require(throws: LogError.self) {
      try History<AnimalsModel>(at: "log", fileSystem: disk)
    }
    #expect(error.code == .wrongModel)
    #expect(error.description.contains("'counter'"))
  }

  @Test func progressIsReportedAndCancellationEndsTheFold() async throws {
    try await recordCounter(Array(repeating: .didTapIncrementButton, count: 10_000))
    let history = try await History<CounterModel>(at: "log", fileSystem: disk)
    let seen = Locked<[Int]>([])
    var options = ReplayOptions()
    options.progress = { progress in seen.withLock { seen in seen.append(progress.revision) } }
    #expect(try history.replay(options: options).revision == 10_000)
    #expect(seen.withLock { seen in seen } == [0, 4_096, 8_192])
    // The beginning is reported even if few actions remain.
    seen.withLock { seen in seen = [] }
    _ = try history.fold(
      FoldRequest(try history.state(at: 9_950), at: 9_950, to: 9_990), options: options)
    #expect(seen.withLock { seen in seen } == [9_950])

    options.isCancelled = { true }
    #expect(throws: CancellationError.self) { try history.state(options: options) }
  }

  @Test func advancingFromAKnownState() async throws {
    try await recordCounter(Array(repeating: .didTapIncrementButton, count: 20))
    let history = try await History<CounterModel>(at: "log", fileSystem: disk)
    let five = try history.replay(to: 5)
    let nine = try history.fold(FoldRequest(five.state, at: 5, to: 9))
    #expect(nine.state == (try history.state(at: 9)))
    #expect(nine.report.actionsFolded == 4)
    #expect(try history.fold(FoldRequest(nine.state, at: 9, to: 9)).report.actionsFolded == 0)
    #expect(throws: LogError.self) { try history.fold(FoldRequest(nine.state, at: 9, to: 21)) }
  }

  private func recordCounter(_ actions: [CounterAction]) async throws {
    try await record(
      actions, as: CounterModel.self, at: "log", in: disk,
      configuration: reproducible(CounterModel.self, durability: .written))
  }
}
