import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import Dispatch
import EventSourcing
import Platform
import TestSupport
import Testing

/// Ranges between snapshots that are folded side by side prove what one fold proves, whatever is wrong with the snapshots.
@MainActor @Suite(.serialized) struct RangeFoldTests {
  private let disks = Locked(MemoryFileSystem())
  private var disk: MemoryFileSystem { disks.withLock { disk in disk } }
  private nonisolated static let count = 60

  /// One fold, or at most three ranges of any length.
  private func options(_ foldLimit: Int) -> ReplayOptions {
    var options = ReplayOptions()
    options.foldLimit = foldLimit
    options.shortestRange = 1
    return options
  }

  private func write(
    _ actions: [TallyAction], every distance: Int, digests: DigestPolicy = .withSnapshots, segmentLimitBytes: Int? = nil
  ) async throws {
    try await record(
      actions, as: Tally.self, at: "log", in: disk,
      configuration: reproducible(
        Tally.self, snapshots: .every(distance), digests: digests, durability: .written,
        segmentLimitBytes: segmentLimitBytes))
  }

  /// The proof and the digests, or the error, as text.
  private func answers<M: TallyModel>(_ model: M.Type, _ foldLimit: Int, to last: Int?) async throws -> [String] {
    let history = try await History<M>(at: "log", fileSystem: disk)
    let options = options(foldLimit)
    return [
      Self.text { try history.prove(at: last, options: options) },
      Self.text {
        try history.digests(at: Array((history.firstRevision...(last ?? history.lastRevision()))), options: options)
      },
    ]
  }

  private nonisolated static func text(_ body: () throws -> Any) -> String {
    do { return String(reflecting: try body()) } catch { return "error: \(error)" }
  }

  /// What happens to the snapshots and to the log.
  enum Harm: CaseIterable, Sendable {
    case none, damagedSnapshot, forgedSnapshot, foreignSnapshot, missingSnapshot, prunedBeginning, damagedLog
  }

  private func harm(_ harm: Harm, _ random: inout SeededGenerator) async throws {
    let snapshots = SnapshotStore(at: "log", fileSystem: disk)
    guard let victim = try snapshots.revisions().randomElement(using: &random) else { return }
    let path = snapshots.path(at: victim)
    switch harm {
    case .none: break
    case .damagedSnapshot: try disk.flipBit(3, ofByte: disk.contents(of: path).count / 2, in: path)
    case .forgedSnapshot:
      var forged = try snapshots.read(at: victim)
      forged.state = Array(#"{"names":[],"sum":7}"#.utf8)
      try snapshots.publish(forged)
    case .foreignSnapshot:
      var foreign = try snapshots.read(at: victim)
      foreign.reducer = "0000000000000000+0000000000000000"
      try snapshots.publish(foreign)
    case .missingSnapshot: try disk.remove(path)
    case .prunedBeginning:
      _ = try await History<Tally>(at: "log", fileSystem: disk)
        .prune(before: Self.count / 2, reason: "test", actor: nil, archive: "archive")
    case .damagedLog:
      let segment = try #require(try LogReader.open(at: "log", fileSystem: disk).segments.last)
      try disk.flipBit(0, ofByte: disk.contents(of: segment.path).count / 2, in: segment.path)
    }
  }

  @Test(arguments: Harm.allCases) func rangesProveWhatOneFoldProves(harm: Harm) async throws {
    for seed: UInt64 in 0..<3 {
      disks.withLock { disk in disk = MemoryFileSystem() }
      var random = SeededGenerator(seed: seed)
      let actions = (1...Self.count).map { number -> TallyAction in
        Int.random(in: 0..<6, using: &random) == 0 ? .name("\(number)") : .add(Int.random(in: 0...20, using: &random))
      }
      try await write(
        actions, every: Int.random(in: 4...13, using: &random), digests: .every(5), segmentLimitBytes: 2_048)
      try await self.harm(harm, &random)
      for last in [nil, Self.count - 1, Self.count / 2 + 2] {
        #expect(
          try await answers(Tally.self, 3, to: last) == answers(Tally.self, 1, to: last), "seed \(seed), \(harm)")
        // A reducer that was changed since disagrees with digests and snapshots.
        #expect(
          try await answers(CappingTally.self, 3, to: last) == answers(CappingTally.self, 1, to: last),
          "seed \(seed), \(harm)")
      }
    }
  }

  @Test func errorOfALaterRangeIsThatOfOneFold() async throws {
    for place in [11, 20, 21, 37] {
      disks.withLock { disk in disk = MemoryFileSystem() }
      try await write(
        (1...Self.count).map { number in number == place || number == 50 ? .add(-1) : .add(number) }, every: 10)
      let inRanges = try await answers(StrictTally.self, 3, to: nil)
      #expect(inRanges == (try await answers(StrictTally.self, 1, to: nil)))
      #expect(inRanges.allSatisfy { text in text.contains("seq \(place)") }, "\(inRanges)")
    }
  }

  /// Each action is folded once, and no more states are alive than the ranges in progress need.
  @Test func workAndStatesAreBounded() async throws {
    try await record(
      (1...400).map { number in .add(number) }, as: CountedTally.self, at: "log", in: disk,
      configuration: reproducible(CountedTally.self, snapshots: .every(10), durability: .written))
    let history = try await History<CountedTally>(at: "log", fileSystem: disk)
    let one = try history.digests(at: [200, 400], options: options(1))
    for foldLimit in [2, 3] {
      let options = options(foldLimit)
      // The identity of the code is known after the first call.
      _ = try history.digests(at: [200, 400], options: options)
      CountedTally.reset()
      #expect(try history.digests(at: [200, 400], options: options) == one)
      let counts = CountedTally.counts.withLock { counts in counts }
      #expect(counts.folded == 400, "each action once")
      #expect(counts.decoded > foldLimit, "several ranges begin with a snapshot")
      #expect(counts.peak <= 2 * foldLimit + 1, "\(counts)")
    }
  }

  /// An action of one range waits for an action of the next one.
  @Test func rangesAreFoldedSideBySide() async throws {
    try await write((1...20).map { number in .add(number) }, every: 10)
    let history = try await History<MeetingTally>(at: "log", fileSystem: disk)
    // The identity of the code is known after the first call, which folds the first actions.
    _ = try history.digests(at: [20], options: options(2))
    MeetingTally.isWaiting.withLock { flag in flag = true }
    defer { MeetingTally.isWaiting.withLock { flag in flag = false } }
    #expect(try history.digests(at: [20], options: options(2)).count == 1)
    #expect(MeetingTally.hasMet.withLock { flag in flag })
  }

  @Test func cancellationEndsAllRanges() async throws {
    try await record(
      (1...9_000).map { number in .add(number) }, as: CountedTally.self, at: "log", in: disk,
      configuration: reproducible(CountedTally.self, snapshots: .every(3_000), durability: .written))
    let history = try await History<CountedTally>(at: "log", fileSystem: disk)
    let options = options(3)
    _ = try history.digests(at: [9_000], options: options)
    CountedTally.reset()
    var canceled = options
    canceled.isCancelled = { true }
    #expect(throws: CancellationError.self) { try history.digests(at: [9_000], options: canceled) }
    let folded = CountedTally.counts.withLock { counts in counts.folded }
    #expect(folded <= 3 * 1_024, "each thread ends at its next check")
  }

  @Test func progressIsThatOfAllRanges() async throws {
    try await write((1...Self.count).map { number in .add(number) }, every: 10)
    let steps = Locked<[ReplayProgress]>([])
    var options = options(3)
    options.progress = { step in steps.withLock { steps in steps.append(step) } }
    _ = try await History<Tally>(at: "log", fileSystem: disk).digests(at: [Self.count], options: options)
    let reported = steps.withLock { steps in steps }
    #expect(reported.first?.actionsFolded == 0)
    #expect(Set(reported.map(\.actionsLimit)) == [Self.count])
    #expect(zip(reported, reported.dropFirst()).allSatisfy { $0.actionsFolded <= $1.actionsFolded })
  }
}

/// Jobs that run side by side and are consumed in order.
@Suite struct OrderedJobsTests {
  @Test func outputIsConsumedInOrder() throws {
    var consumed: [Int] = []
    let ending = OrderedJobs<Int>.run(40, width: 3) { number, output in
      for item in 0..<20 { try output.pass(20 * number + item, weight: 700) }
    } consume: { item in
      consumed.append(item)
      return true
    }
    guard case .complete = ending else {
      Issue.record("\(ending)")
      return
    }
    #expect(consumed == Array(0..<800))
  }

  /// Of jobs that are not consumed, so many begin, and their buffers hold so much.
  @Test func aheadOfTheConsumerMemoryIsBounded() throws {
    let passed = Locked<[Int: Int]>([:])
    let isHeadFree = DispatchSemaphore(value: 0)
    let limit = OrderedJobs<Int>.bufferLimit
    var wasBounded = true
    _ = OrderedJobs<Int>.run(
      30, width: 3,
      isCancelled: {
        // The consumer waits for the first job, which is held until the others can go no further.
        let counts = passed.withLock { passed in passed }
        if counts.count == 2, counts.values.allSatisfy({ count in count == 4 }) { isHeadFree.signal() }
        return false
      }
    ) { number, output in
      if number == 0 { isHeadFree.wait() }
      for _ in 0..<8 {
        passed.withLock { passed in passed[number, default: 0] += 1 }
        try output.pass(number, weight: limit / 4)
      }
    } consume: { item in
      wasBounded = wasBounded && passed.withLock { passed in passed.count <= item + 2 * 3 }
      return true
    }
    #expect(wasBounded && passed.withLock { passed in passed.values.allSatisfy { count in count == 8 } })
  }

  @Test func errorFollowsTheOutputBeforeIt() throws {
    struct Failure: Error {}
    var consumed: [Int] = []
    let ending = OrderedJobs<Int>.run(9, width: 4) { number, output in
      try output.pass(number)
      if number >= 5 { throw Failure() }
    } consume: { item in
      consumed.append(item)
      return true
    }
    guard case .failed(is Failure) = ending else {
      Issue.record("\(ending)")
      return
    }
    #expect(consumed == [0, 1, 2, 3, 4, 5])
  }

  @Test func noJobBeginsAfterTheConsumerHasEnough() throws {
    let begun = Locked(0)
    _ = OrderedJobs<Int>.run(1_000, width: 2) { number, output in
      begun.withLock { count in count += 1 }
      try output.pass(number)
    } consume: { item in
      item < 3
    }
    #expect(begun.withLock { count in count } <= 4 + 2 * 2)
  }
}

/// A tally that counts folded actions, decoded states and living states, for this suite only.
private enum CountedTally: Model {
  static var sourceFingerprint: String? { "" }
  struct Counts: Sendable {
    var folded = 0
    var decoded = 0
    var alive = 0
    var peak = 0
  }

  static let counts = Locked(Counts())

  static func reset() {
    counts.withLock { counts in counts = Counts(alive: counts.alive, peak: counts.alive) }
  }

  /// Lives as long as a state or its copies. A state that was decoded has another than the initial one.
  final class Life: Sendable {
    init() {
      counts.withLock { counts in
        counts.alive += 1
        counts.peak = max(counts.peak, counts.alive)
      }
    }

    deinit { counts.withLock { counts in counts.alive -= 1 } }
  }

  struct State: Codable, Equatable, Sendable {
    var sum = 0
    private var life = Life()

    enum CodingKeys: String, CodingKey { case sum }

    init() {}

    init(from decoder: any Decoder) throws {
      sum = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .sum)
      counts.withLock { counts in counts.decoded += 1 }
    }

    static func == (first: State, second: State) -> Bool { first.sum == second.sum }
  }

  static let name = "counted tally"
  static let schema = 1
  static let initialState = State()

  static func reduce(into state: inout State, action: TallyAction) {
    counts.withLock { counts in counts.folded += 1 }
    if case .add(let number) = action { state.sum += number }
  }
}

/// A tally in which the actions 10 and 11 wait for each other, for this suite only.
private enum MeetingTally: TallyModel {
  static var sourceFingerprint: String? { "" }
  static let isWaiting = Locked(false)
  static let hasMet = Locked(false)
  private static let tenth = DispatchSemaphore(value: 0)
  private static let eleventh = DispatchSemaphore(value: 0)

  static func reduce(into state: inout TallyState, action: TallyAction) throws {
    try Tally.reduce(into: &state, action: action)
    guard isWaiting.withLock({ flag in flag }) else { return }
    if action == .add(10) {
      tenth.signal()
      // One fold would never come to the next action; it goes on after a while, and the test fails.
      let met = eleventh.wait(timeout: .now() + .seconds(20)) == .success
      hasMet.withLock { flag in flag = met }
    } else if action == .add(11) {
      eleventh.signal()
      _ = tenth.wait(timeout: .now() + .seconds(20))
    }
  }
}
