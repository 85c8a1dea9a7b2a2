import ActionLog
import ActionLogTesting
import AnimalsData
import CounterData
import EventSourcing
import ImmutableData
import TestSupport
import Testing

/// *Live state = replayed state*: the central property of the engine.
///
/// For random action sequences, snapshot intervals, segment sizes, batch sizes and crash points, a log rebuilds the fold of a
/// prefix of the accepted actions, the prefix includes everything that was acknowledged, and recording continues from there.
@MainActor @Suite struct LiveStateIsReplayedStateTests {
  @Test(arguments: 0..<40 as Range<UInt64>)
  func forAnimals(seed: UInt64) async throws {
    try await check(AnimalsModel.self, workload: AnimalsWorkload(seed: seed).prefix(200), seed: seed)
  }

  @Test(arguments: 100..<140 as Range<UInt64>)
  func forTheCounter(seed: UInt64) async throws {
    try await check(CounterModel.self, workload: CounterWorkload(seed: seed).prefix(200), seed: seed)
  }

  private func check<M: Model>(
    _ model: M.Type, workload: some Sequence<M.Action>, seed: UInt64
  ) async throws {
    var random = SeededGenerator(seed: seed)
    var disk = MemoryFileSystem()
    var accepted: [M.Action] = []
    var acknowledged = 0
    var rest = Array(workload)[...]
    while !rest.isEmpty {
      let life = try await live(
        M.self, workload: &rest, accepted: accepted, on: disk, random: &random, seed: seed)
      accepted = life.accepted
      acknowledged = life.acknowledged

      let isCrash = Bool.random(using: &random)
      if isCrash { disk = disk.crash(CrashModel(seed: random.next())) }
      let history = try await History<M>(at: "log", fileSystem: disk)
      let replayed = try history.replay()
      #expect(replayed.revision >= acknowledged, "seed \(seed): acknowledged actions are gone")
      #expect(replayed.revision <= accepted.count, "seed \(seed)")
      accepted = Array(accepted[..<replayed.revision])
      #expect(replayed.state == (try folded(M.self, accepted)), "seed \(seed): revision \(replayed.revision)")

      let point = Int.random(in: 0...replayed.revision, using: &random)
      #expect(try history.state(at: point) == folded(M.self, accepted[..<point]), "seed \(seed): \(point)")
    }
  }

  /// One run of the process: opens the log, dispatches some actions, and ends with or without closing.
  private func live<M: Model>(
    _ model: M.Type, workload: inout ArraySlice<M.Action>, accepted: [M.Action], on disk: MemoryFileSystem,
    random: inout SeededGenerator, seed: UInt64
  ) async throws -> (accepted: [M.Action], acknowledged: Int) {
    let configuration = reproducible(
      M.self,
      snapshots: .every(Int.random(in: 1...40, using: &random)),
      digests: [.onlyAtStart, .withSnapshots, .every(3)].randomElement(using: &random) ?? .withSnapshots,
      segmentLimitBytes: Int.random(in: 300...20_000, using: &random))
    let recorder = try await Recorder<M>.open(at: "log", configuration: configuration, fileSystem: disk)
    let store = try recorder.makeStore()
    #expect(store.state == (try folded(M.self, accepted)), "seed \(seed): the live state after opening")
    var accepted = accepted
    var acknowledged = accepted.count
    for _ in 0..<Int.random(in: 1...120, using: &random) {
      guard let action = workload.popFirst() else { break }
      do {
        try store.dispatch(action: action)
        accepted.append(action)
      } catch {
        // Only sometimes, because waiting for everything before it takes most of the time.
        if Int.random(in: 0..<4, using: &random) == 0 {
          try await recorder.recordRefusal(of: action, error: error)
        }
      }
      if Int.random(in: 0..<20, using: &random) == 0 { acknowledged = try await recorder.sync().revision }
    }
    #expect(store.state == (try folded(M.self, accepted)), "seed \(seed): the live state")
    if Bool.random(using: &random) {
      try await recorder.close()
      acknowledged = accepted.count
    } else {
      await recorder.abandon()
    }
    return (accepted, acknowledged)
  }
}
