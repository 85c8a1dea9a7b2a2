import ActionLog
import ActionLogTesting
import EventSourcing
import ImmutableData
import JSONCoding
import Platform
import TestSupport
import Testing

@Suite("Proving a replay", .serialized)
struct ProofTests {
  private let disk = MemoryFileSystem()

  /// Reads a clock to measure.
  private enum ClockTally: TallyModel {
    static func reduce(into state: inout TallyState, action: TallyAction) throws {
      try Tally.reduce(into: &state, action: action)
      if case .measure = action { state.sum = Int(LogTime.now().microseconds) }
    }
  }

  /// Uses a random number to measure.
  private enum DiceTally: TallyModel {
    static func reduce(into state: inout TallyState, action: TallyAction) throws {
      try Tally.reduce(into: &state, action: action)
      if case .measure = action { state.names.append(String(UInt64.random(in: 0 ... .max))) }
    }
  }

  /// Uses a random bit, so that two folds are often equal by chance.
  private enum CoinTally: TallyModel {
    static func reduce(into state: inout TallyState, action: TallyAction) throws {
      try Tally.reduce(into: &state, action: action)
      if case .measure = action, Bool.random() { state.sum += 1 }
    }
  }

  /// Counts the actions that it folds.
  private enum CountedTally: TallyModel {
    static let folded = Locked(0)

    static func reduce(into state: inout TallyState, action: TallyAction) throws {
      try Tally.reduce(into: &state, action: action)
      folded.withLock { folded in folded += 1 }
    }
  }

  @MainActor private func write(
    _ actions: [TallyAction], snapshots: SnapshotPolicy<TallyState> = .never, digests: DigestPolicy = .withSnapshots
  ) async throws {
    try await record(
      actions, as: Tally.self, at: "log", in: disk,
      configuration: reproducible(Tally.self, snapshots: snapshots, digests: digests))
  }

  @Test @MainActor func aPureReducerIsProved() async throws {
    try await write((1...20).map(TallyAction.add), snapshots: .every(5), digests: .every(2))
    let proof = try await History<Tally>(at: "log", fileSystem: disk).prove()
    #expect(proof.isProven && proof.disagreements.isEmpty)
    #expect(proof.revision == 20)
    #expect(proof.snapshotsChecked == 4)
    #expect(proof.digestsChecked == 1 + 10 + 2, "at the start, every second, with snapshots")
    #expect(proof.statesCompared == 21)
    #expect(proof.actionsFolded == 40)
    #expect(proof.digest == (try StateDigest(of: TallyState(sum: 210))))
    #expect(proof.witness == "in this process")
  }

  @Test @MainActor func aClockIsFoundWithItsActionAndPlace() async throws {
    try await write((1...100).map { number in number == 67 ? .measure(1) : .add(number) })
    let proof = try await History<ClockTally>(at: "log", fileSystem: disk).prove()
    let found = try #require(proof.disagreements.first { found in found.kind == .secondFold })
    #expect(found.lastAgreement == 66 && found.revision == 67)
    let difference = try #require(found.difference)
    #expect(difference.pointer == JSONPointer("/sum"))
    #expect(difference.first != difference.second)
    #expect(found.description.hasPrefix("two folds differ from revision 67 on: /sum is "))
  }

  @Test @MainActor func aRandomValueIsFoundInALongLogWithLittleWork() async throws {
    let count = 20_000
    try await write((1...count).map { number in number == 13_579 ? .measure(1) : .add(number & 7) })
    let proof = try await History<DiceTally>(at: "log", fileSystem: disk).prove()
    let found = try #require(proof.disagreements.first)
    #expect(found.kind == .secondFold && found.lastAgreement == 13_578 && found.revision == 13_579)
    #expect(found.difference?.pointer == JSONPointer("/names/0"))
    #expect(proof.statesCompared <= 4 * 64, "not every state is compared")
    #expect(proof.actionsFolded <= 10 * count)
  }

  @Test @MainActor func aRandomBitIsFound() async throws {
    try await write((1...200).map { number in number >= 100 ? .measure(1) : .add(number) })
    let proof = try await History<CoinTally>(at: "log", fileSystem: disk).prove()
    // A hundred random bits are not equal twice.
    let found = try #require(proof.disagreements.first)
    #expect(found.kind == .secondFold && found.revision >= 100)
    #expect(found.lastAgreement < found.revision)
  }

  @Test @MainActor func aChangedReducerIsFoundByDigestAndSnapshot() async throws {
    try await write([.name("a"), .name("b"), .add(3), .add(4)], snapshots: .every(1), digests: .every(1))
    let proof = try await History<DoublingTally>(at: "log", fileSystem: disk).prove()
    #expect(proof.disagreements.map(\.kind) == [.digest, .snapshot])
    for found in proof.disagreements {
      #expect(found.lastAgreement == 2 && found.revision == 3)
      #expect(found.difference?.pointer == JSONPointer("/sum"))
      #expect(found.difference?.first == 6 && found.difference?.second == 3)
    }
    #expect(
      proof.disagreements[0].description.hasPrefix(
        "the fold differs from the digest in the log from revision 3 on: /sum is 6, recorded 3. "))
    #expect(proof.disagreements[0].description.contains("an action or a value of the state decodes to another one"))
  }

  @Test @MainActor func withoutASnapshotTheRangeIsReported() async throws {
    try await write([.name("a"), .add(3), .add(4), .name("b")], digests: .every(4))
    let proof = try await History<DoublingTally>(at: "log", fileSystem: disk).prove()
    let found = try #require(proof.disagreements.first)
    #expect(found.kind == .digest && found.lastAgreement == 0 && found.revision == 4)
    #expect(found.difference == nil, "the recorded state is not known")
    #expect(found.description.contains("from revisions 1…4 on"))
  }

  @Test @MainActor func aWrongSnapshotIsFound() async throws {
    try await write((1...6).map(TallyAction.add), snapshots: .every(3))
    let snapshots = SnapshotStore(at: "log", fileSystem: disk)
    var forged = try snapshots.read(at: 3)
    forged.state = Array(#"{"names":[],"sum":7}"#.utf8)
    try snapshots.publish(forged)
    let proof = try await History<Tally>(at: "log", fileSystem: disk).prove()
    #expect(proof.disagreements.map(\.kind) == [.snapshot])
    #expect(proof.disagreements[0].revision == 3)
    #expect(proof.disagreements[0].difference?.first == 6 && proof.disagreements[0].difference?.second == 7)
    #expect(!proof.disagreements[0].isByOtherCode)
  }

  @Test @MainActor func aWitnessWithMissingDigestsIsAnError() async throws {
    struct Silent: ReplayWitness {
      var place: String { "nowhere" }
      func digests(at revisions: [Int]) throws -> [StateDigest] { [] }
      func canonicalState(at revision: Int) throws -> [UInt8] { [] }
    }
    try await write([.add(1)])
    let history = try await History<Tally>(at: "log", fileSystem: disk)
    #expect(throws: EventSourcingError.self) { try history.prove(against: Silent()) }
  }

  @Test @MainActor func cancellationEndsTheSecondFold() async throws {
    let count = 5_000
    try await write((1...count).map { number in .add(number & 7) })
    let history = try await History<CountedTally>(at: "log", fileSystem: disk)
    // One fold after the other, and both at the same time.
    for foldLimit in [1, 2] {
      let before = CountedTally.folded.withLock { folded in folded }
      @Sendable func folded() -> Int { CountedTally.folded.withLock { folded in folded } - before }
      var options = ReplayOptions()
      options.foldLimit = foldLimit
      options.isCancelled = { folded() > count }
      #expect(throws: CancellationError.self) { try history.prove(options: options) }
      #expect(folded() > count && folded() < 2 * count, "it ends within the second fold")
    }
  }

  @Test @MainActor func damagePreventsAProof() async throws {
    try await write((1...10).map(TallyAction.add))
    try disk.overwrite("log/0000000000000001.jsonl", changing: #""seq":8"#, to: #""seq":9"#)
    let proof = try await History<Tally>(at: "log", fileSystem: disk).prove()
    #expect(proof.revision == 7 && !proof.isProven && proof.damage?.lastIntactRevision == 7)
    #expect(proof.disagreements.isEmpty)
  }
}

extension MemoryFileSystem {
  /// Replaces the first occurrence of a text in a file by one of the same length.
  fileprivate func overwrite(_ path: String, changing old: String, to new: String) throws {
    var bytes = try contents(of: path, limitBytes: 1 << 24)
    let wanted = Array(old.utf8)
    let start = try #require(
      bytes.indices.first { index in bytes[index...].starts(with: wanted) }, "the file does not hold \(old)")
    bytes.replaceSubrange(start..<start + wanted.count, with: Array(new.utf8))
    try remove(path)
    let file = try open(path, for: .create)
    defer { file.close() }
    try file.append(bytes)
  }
}
