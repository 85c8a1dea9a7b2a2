import ActionLog
import ActionLogTesting
import EventSourcing
import ImmutableData
import TestSupport
import Testing

/// The initial state of a log that continues another one counts as recorded, so a state that was not recorded is refused.
@Suite("States that cannot be frozen")
struct FreezingRefusalTests {
  private let disk = MemoryFileSystem()

  /// Records ten ones, with snapshots at 4 and 8, and digests at every second action. The later reducer counts double.
  @MainActor private func writeOnes(
    snapshots: SnapshotPolicy<TallyState> = .every(4), segmentLimitBytes: Int? = nil
  ) async throws {
    try await record(
      Array(repeating: .add(1), count: 10), as: Tally.self, at: "log", in: disk,
      configuration: reproducible(
        Tally.self, snapshots: snapshots, digests: .every(2), segmentLimitBytes: segmentLimitBytes))
  }

  private func freeze(at revision: Int? = nil) throws -> ReplayReport {
    try History<DoublingTally>(at: "log", fileSystem: disk)
      .freezeBase(into: "next", at: revision, configuration: reproducible(DoublingTally.self).log)
  }

  @Test(arguments: [Int?.none, 10]) @MainActor func aMismatchingStateIsNotFrozen(at revision: Int?) async throws {
    try await writeOnes()
    let error = try #require(throws: EventSourcingError.self) { try freeze(at: revision) }
    #expect(
      error.code == .divergence && error.revision == 10, "the recorded state is 10, and 8 and two double ones are 12")
    #expect(error.advice?.description.contains("No snapshot of the code that recorded it is left") == true)
    #expect(error.advice?.description.contains("branch LOG NEW --at 8") == true, "\(error)")
    #expect(try disk.status(of: "next") == nil)
    #expect(try freeze(at: 8).frozenRevision == 8, "what the error says can be done")
    #expect(try await History<DoublingTally>(at: "next", fileSystem: disk).state().sum == 8)
  }

  @Test @MainActor func aMatchingStateIsFrozen() async throws {
    try await writeOnes()
    let report = try freeze(at: 9)
    #expect(report.frozenRevision == 8 && report.divergences.isEmpty)
  }

  /// The changed reducer continued the recording: the last digests are its own, and its fold is the recorded state.
  @Test @MainActor func theFoldIsFrozenIfTheNewestDigestMatches() async throws {
    try await writeOnes()
    try await record(
      Array(repeating: .add(1), count: 4), as: DoublingTally.self, at: "log", in: disk,
      configuration: reproducible(DoublingTally.self, snapshots: .never, digests: .every(2)))
    let error = try #require(throws: EventSourcingError.self) { try freeze(at: 11) }
    #expect(error.code == .divergence && error.revision == 10, "the next digest follows it")
    let report = try freeze()
    #expect(report.frozenRevision == 14 && report.divergences.isEmpty)
    #expect(try await History<DoublingTally>(at: "next", fileSystem: disk).state().sum == 28)
  }

  @Test @MainActor func aRecorderDoesNotContinueFromAMismatch() async throws {
    try await writeOnes()
    var configuration = reproducible(DoublingTally.self)
    configuration.onDivergence = .freezeBase(into: "next")
    let error = try #require(throws: EventSourcingError.self) {
      try RecordingStore<DoublingTally>(at: "log", configuration: configuration, fileSystem: disk)
    }
    #expect(
      error.code == .divergence && error.advice?.description.contains("branch LOG NEW --at 8") == true, "\(error)")
    #expect(try disk.status(of: "next") == nil)
  }

  @Test @MainActor func readingContinuesAndReportsMismatches() async throws {
    try await writeOnes()
    let read = try await History<DoublingTally>(at: "log", fileSystem: disk).replayOnFrozenBase(to: nil)
    #expect(read.state.sum == 12 && read.report.frozenRevision == 8)
    #expect(read.report.divergences.map(\.revision) == [10])
  }

  /// The requested end is that of the log: actions after damage are not omitted silently.
  @Test(arguments: [true, false]) @MainActor func theEndOfADamagedLogIsNotFrozen(isSealed: Bool) async throws {
    try await writeOnes(snapshots: .every(1), segmentLimitBytes: isSealed ? 1_500 : nil)
    let segments = try LogReader.open(at: "log", fileSystem: disk).segments
    #expect((segments.count > 2) == isSealed)
    let damaged = segments[isSealed ? 1 : 0]
    let lines = try disk.contents(of: damaged.path, limitBytes: 1 << 20)
      .split(separator: 0x0A, omittingEmptySubsequences: false)
    // Neither the first nor the last line, which opening checks.
    let line = lines.count / 2
    let start = lines[..<line].reduce(0) { sum, line in sum + line.count + 1 }
    try disk.flipBit(2, ofByte: start + 60, in: damaged.path)
    let history = try await History<Tally>(at: "log", fileSystem: disk)
    let last = try history.replay(options: .wholeLog).revision
    #expect(last > 0 && last < 10)
    for model in [true, false] {
      let error = try #require(throws: LogError.self) {
        if model { try history.freezeBase(into: "next") } else { _ = try freeze() }
      }
      #expect(error.code == .damaged)
      #expect(error.description.contains("--at \(last)"), "\(error)")
      #expect(try disk.status(of: "next") == nil)
    }
    _ = try history.freezeBase(into: "next", at: last, configuration: reproducible(Tally.self).log)
    #expect(try await History<Tally>(at: "next", fileSystem: disk).state().sum == last)
  }

  /// The tally without its numbers.
  private enum NamesAlone: Model {
    enum Action: Codable, Equatable, Sendable { case name(String) }
    static var name: String { "tally" }
    static var schema: Int { 1 }
    static var initialState: TallyState { TallyState() }
    static func reduce(into state: inout TallyState, action: Action) {
      if case .name(let name) = action { state.names.append(name) }
    }
  }

  @Test @MainActor func aStateWithoutUnknownActionsIsNotFrozen() async throws {
    try await record(
      [.name("one"), .add(1)], as: Tally.self, at: "log", in: disk, configuration: reproducible(Tally.self))
    let history = try await History<NamesAlone>(at: "log", fileSystem: disk, unknownTypes: .keep)
    let error = try #require(throws: EventSourcingError.self) { try history.freezeBase(into: "next") }
    #expect(error.code == .unknownType, "\(error)")
    #expect(try disk.status(of: "next") == nil)
    #expect(try history.freezeBase(into: "next", at: 1).actionsFolded == 1, "before the first of them one can")
  }

  @Test @MainActor func aMatchingSnapshotIsNotReplaced() async throws {
    try await writeOnes()
    let snapshots = SnapshotStore(at: "log", fileSystem: disk)
    let before = try snapshots.read(at: 8)
    let later = try await History<DoublingTally>(at: "log", fileSystem: disk)
    let error = try #require(throws: EventSourcingError.self) { try later.takeSnapshot(at: 8) }
    #expect(error.code == .divergence && error.revision == 8 && error.path == snapshots.path(at: 8))
    #expect(try snapshots.read(at: 8) == before)
    #expect(try later.takeSnapshot(at: 7).snapshot.revision == 7, "elsewhere nothing is lost")
    #expect(try later.takeSnapshot(at: 7).snapshot.revision == 7, "no digest names that one")
    let same = try await History<Tally>(at: "log", fileSystem: disk)
    #expect(try same.takeSnapshot(at: 8).snapshot.state == before.state, "the same state may be written again")
    try disk.flipBit(0, ofByte: 100, in: snapshots.path(at: 8))
    #expect(try later.takeSnapshot(at: 8).snapshot.revision == 8, "an unusable snapshot may be replaced")
  }
}
