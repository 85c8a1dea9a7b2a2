import ActionLog
import ActionLogTesting
import EventSourcing
import ImmutableData
import Platform
import TestSupport
import Testing

/// Examinations that a file keeps for other processes change the work of a replay and nothing else.
@MainActor @Suite struct ExaminedSnapshotTests {
  private let disk = MemoryFileSystem()
  private static let path = "cache/examined-snapshots"

  /// The same model after a change that affects only later actions, so that its identity is the same.
  private enum LateTally: TallyModel {
    static func reduce(into state: inout TallyState, action: TallyAction) throws {
      try Tally.reduce(into: &state, action: action)
      if case .add(let number) = action, number > 150 { state.sum += 1 }
    }
  }

  /// 200 actions with snapshots at 40, 80 … 200.
  private func write() async throws -> SnapshotStore {
    try await record(
      (1...200).map { number in TallyAction.add(number) }, as: Tally.self, at: "log", in: disk,
      configuration: reproducible(Tally.self, snapshots: .every(40), digests: .onlyAtStart))
    return SnapshotStore(at: "log", fileSystem: disk)
  }

  private nonisolated static func code(_ name: String) -> SHA256Digest {
    var hasher = SHA256()
    hasher.update(name.utf8)
    return hasher.digest()
  }

  /// Replays as a new process with some code; `nil` for one that keeps no examinations.
  private func replay<M: TallyModel>(
    _ model: M.Type = Tally.self, by code: String?, to revision: Int? = nil, shortestRange: Int = 1
  ) throws -> Replayed<TallyState> {
    let history = try History<M>(at: "log", fileSystem: disk)
    if let code {
      history.keepExaminations(
        in: ExaminedSnapshots(in: "cache", fileSystem: disk, shortestRange: shortestRange) { Self.code(code) })
    }
    return try history.replay(to: revision)
  }

  private func entries() throws -> [Substring] {
    guard try disk.status(of: Self.path) != nil else { return [] }
    return String(decoding: try disk.contents(of: Self.path), as: UTF8.self).split(separator: "\n")
  }

  @Test func theNextProcessExaminesNothing() async throws {
    _ = try await write()
    #expect(try replay(by: nil).report.actionsExamined == 40)
    #expect(try entries().isEmpty)
    #expect(try replay(by: "a").report.actionsExamined == 40)
    #expect(try entries().count == 1)
    let next = try replay(by: "a")
    #expect(next.report.actionsExamined == 0 && next.report.snapshotsRefused.isEmpty)
    #expect(next.revision == 200 && next.state.sum == 20_100 && next.report.startRevision == 200)
    #expect(try entries().count == 1)
  }

  @Test func anotherBuildExaminesAgain() async throws {
    _ = try await write()
    _ = try replay(by: "a")
    #expect(try replay(by: "b").report.actionsExamined == 40)
    #expect(try entries().count == 2)
    #expect(try replay(by: "a").report.actionsExamined == 0)
    #expect(try replay(by: "b").report.actionsExamined == 0)
  }

  @Test func unknownCodeKeepsNothing() async throws {
    _ = try await write()
    for _ in 1...2 {
      let history = try await History<Tally>(at: "log", fileSystem: disk)
      history.keepExaminations(in: ExaminedSnapshots(in: "cache", fileSystem: disk, shortestRange: 1) { nil })
      #expect(try await history.replay().report.actionsExamined == 40)
    }
    #expect(try entries().isEmpty)
  }

  @Test func anotherModelOfTheSameBuildIsExamined() async throws {
    _ = try await write()
    _ = try replay(by: "a")
    let late = try replay(LateTally.self, by: "a")
    #expect(late.state.sum == 20_150)
    #expect(late.report.snapshotsRefused.map(\.revision) == [200, 160] && late.report.startRevision == 120)
  }

  @Test func aChangedSnapshotIsExamined() async throws {
    let snapshots = try await write()
    _ = try replay(by: "a")
    let path = snapshots.path(at: 200)
    let text = String(decoding: try disk.contents(of: path).dropLast(CommitMark.sizeBytes), as: UTF8.self)
    var bytes = Array(text.replacing(#""sum":20100"#, with: #""sum":20101"#).utf8)
    CommitMark.append(to: &bytes)
    try disk.setContents(bytes, of: path)
    let replayed = try replay(by: "a")
    #expect(replayed.state.sum == 20_100 && replayed.report.snapshotsRefused.map(\.code) == [.otherReducer])
  }

  /// Without the snapshot at 160, the one at 200 has to prove more.
  @Test func anotherBeginningIsExamined() async throws {
    let snapshots = try await write()
    _ = try replay(by: "a")
    try disk.remove(snapshots.path(at: 160))
    #expect(try replay(by: "a").report.actionsExamined == 80)
    #expect(try replay(by: "a").report.actionsExamined == 0)
  }

  @Test func everyFlippedBitOfAnEntryIsHarmless() async throws {
    _ = try await write()
    let state = try replay(by: "a").state
    let good = try disk.contents(of: Self.path)
    #expect(good.count == 65)
    for bit in 0..<8 * good.count {
      try disk.setContents(good, of: Self.path)
      try disk.flipBit(bit % 8, ofByte: bit / 8, in: Self.path)
      let replayed = try replay(by: "a")
      // The last byte is the end of the line.
      #expect(bit / 8 == 64 || replayed.report.actionsExamined == 40, "bit \(bit)")
      #expect(replayed.state == state && replayed.report.snapshotsRefused.isEmpty, "bit \(bit)")
    }
    for length in 0..<64 {
      try disk.setContents(Array(good.prefix(length)), of: Self.path)
      #expect(try replay(by: "a").report.actionsExamined == 40, "\(length) bytes")
    }
  }

  @Test func shortRangesAreFoldedInstead() async throws {
    _ = try await write()
    for _ in 1...2 { #expect(try replay(by: "a", shortestRange: 41).report.actionsExamined == 40) }
    #expect(try entries().isEmpty)
  }

  @Test func theNewestEntriesAreKept() async throws {
    _ = try await write()
    let old = String(repeating: String(repeating: "0", count: 64) + "\n", count: 1_024)
    try disk.createDirectory("cache")
    try disk.setContents(Array(old.utf8), of: Self.path)
    // Left by a process that was killed.
    try disk.setContents([], of: Self.path + ".new")
    _ = try replay(by: "a")
    #expect(try entries().count == 1_024 && disk.status(of: Self.path + ".new") == nil)
    #expect(try replay(by: "a").report.actionsExamined == 0)
  }

  @Test func aFolderThatCannotBeWrittenIsIgnored() async throws {
    _ = try await write()
    try disk.setContents([], of: "cache")
    for _ in 1...2 { #expect(try replay(by: "a").report.actionsExamined == 40) }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func answersAreThoseWithoutEntries(seed: UInt64) async throws {
    let snapshots = try await write()
    var random = SeededGenerator(seed: seed)
    var good: [Int: [UInt8]] = [:]
    for revision in try snapshots.revisions() { good[revision] = try disk.contents(of: snapshots.path(at: revision)) }
    for step in 1...40 {
      let victim = good.keys.sorted().randomElement(using: &random) ?? 40
      let path = snapshots.path(at: victim)
      let isThere = try disk.status(of: path) != nil
      switch Int.random(in: 0..<6, using: &random) {
      case 0 where isThere: try disk.remove(path)
      case 1: try disk.setContents(good[victim] ?? [], of: path)
      case 2 where isThere: try disk.flipBit(0, ofByte: Int.random(in: 0..<100, using: &random), in: path)
      case 3:
        // The state of another revision in a file with a correct checksum.
        let text = String(decoding: (good[victim] ?? []).dropLast(CommitMark.sizeBytes), as: UTF8.self)
        let sum = victim * (victim + 1) / 2
        var bytes = Array(text.replacing("\"sum\":\(sum)", with: "\"sum\":\(sum + 1)").utf8)
        CommitMark.append(to: &bytes)
        try disk.setContents(bytes, of: path)
      default: break
      }
      let code = ["a", "b"].randomElement(using: &random)
      let revision = Int.random(in: 0...200, using: &random)
      let isLate = Bool.random(using: &random)
      func ask(by code: String?) throws -> Replayed<TallyState> {
        isLate ? try replay(LateTally.self, by: code, to: revision) : try replay(by: code, to: revision)
      }
      let (found, expected) = (try ask(by: code), try ask(by: nil))
      #expect(found.state == expected.state, "seed \(seed), step \(step)")
      #expect(found.report.snapshotsRefused == expected.report.snapshotsRefused, "seed \(seed), step \(step)")
      #expect(found.report.startRevision == expected.report.startRevision, "seed \(seed), step \(step)")
      #expect(found.report.actionsExamined <= expected.report.actionsExamined, "seed \(seed), step \(step)")
    }
  }

  #if os(Linux)
  @Test func theCodeOfThisProcessIsIdentified() throws {
    let digest = try #require(SHA256.digestOfCode())
    #expect(SHA256.digestOfCode() == digest)
  }
  #endif
}
