import ActionLog
import ActionLogTesting
import EventSourcing
import ImmutableData
import TestSupport
import Testing

/// A snapshot whose state was changed together with its checksum: what uses it, and what finds it.
@MainActor @Suite struct ForgedSnapshotTests {
  private let disk = MemoryFileSystem()

  /// Records thirty actions with snapshots at 10, 20 and 30, and changes the sum in the last one.
  private func forge(digests: DigestPolicy = .withSnapshots) async throws -> SnapshotStore {
    try await record(
      (1...30).map { number in TallyAction.add(number) }, as: Tally.self, at: "log", in: disk,
      configuration: reproducible(Tally.self, snapshots: .every(10), digests: digests))
    let snapshots = SnapshotStore(at: "log", fileSystem: disk)
    let path = snapshots.path(at: 30)
    let text = String(decoding: try disk.contents(of: path).dropLast(CommitMark.sizeBytes), as: UTF8.self)
    try #require(text.contains(#""sum":465"#))
    var bytes = Array(text.replacing(#""sum":465"#, with: #""sum":466"#).utf8)
    CommitMark.append(to: &bytes)
    try disk.setContents(bytes, of: path)
    return snapshots
  }

  /// Regression: the examination reported that it is not used, but it was.
  @Test func examinationReportsAForgedSnapshot() async throws {
    let examination = try await forge().examine(against: LogReader.open(at: "log", fileSystem: disk))
    #expect(examination.sound == [10, 20])
    #expect(examination.refusals.map(\.code) == [.otherState])
    let text = try #require(examination.refusals.first).description
    #expect(text.hasPrefix("wrong snapshot: log/snapshots/0000000000000030.json: "), "\(text)")
    #expect(text.hasSuffix("and a replay by the code that took it begins with it"), "\(text)")
    let replayed = try await History<Tally>(at: "log", fileSystem: disk).replay()
    #expect(replayed.state.sum == 466)
    #expect(replayed.report.snapshotsRefused.isEmpty)
  }

  @Test(arguments: [DigestPolicy.withSnapshots, .onlyAtStart])
  func aProofFindsAForgedSnapshot(digests: DigestPolicy) async throws {
    _ = try await forge(digests: digests)
    let proof = try await History<Tally>(at: "log", fileSystem: disk).prove(at: 30)
    #expect(proof.disagreements.map(\.kind) == [.snapshot])
    #expect(proof.disagreements.first?.revision == 30)
  }

  /// Without a digest, only a fold shows the difference.
  @Test func examinationNeedsADigest() async throws {
    let examination = try await forge(digests: .onlyAtStart).examine(
      against: LogReader.open(at: "log", fileSystem: disk))
    #expect(examination.sound == [10, 20, 30])
  }
}
