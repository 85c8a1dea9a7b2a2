import ActionLog
import ActionLogTesting
import EventSourcing
import Foundation
import ImmutableData
import JSONCoding
import Platform
import TestSupport
import Testing

/// A snapshot that does not match is refused with its reason, and only the replay takes longer.
@MainActor @Suite struct SnapshotRefusalTests {
  private let disk = MemoryFileSystem()
  private let actions = (1...30).map { number in TallyAction.add(number) }

  /// Thirty actions with snapshots at 10, 20 and 30.
  private func write() async throws -> SnapshotStore {
    try await record(
      actions, as: Tally.self, at: "log", in: disk, configuration: reproducible(Tally.self, snapshots: .every(10)))
    return SnapshotStore(at: "log", fileSystem: disk)
  }

  private func expectFallBack<M: TallyModel>(
    _ model: M.Type = M.self, sum: Int = 465, reasons: [SnapshotRefusal.Code], folded: Int,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let replayed = try History<M>(at: "log", fileSystem: disk).replay()
    #expect(replayed.state.sum == sum, sourceLocation: sourceLocation)
    #expect(replayed.report.snapshotsRefused.map(\.code) == reasons, sourceLocation: sourceLocation)
    #expect(replayed.report.actionsFolded == folded, sourceLocation: sourceLocation)
  }

  @Test func theNewestMatchingSnapshotIsUsed() async throws {
    let snapshots = try await write()
    #expect(try snapshots.revisions() == [10, 20, 30])
    try expectFallBack(Tally.self, reasons: [], folded: 0)
  }

  @Test func everyFlippedBitIsRefused() async throws {
    let snapshots = try await write()
    let path = snapshots.path(at: 30)
    let good = try disk.contents(of: path)
    for byte in stride(from: 0, to: good.count, by: 7) {
      try disk.setContents(good, of: path)
      try disk.flipBit(byte % 8, ofByte: byte, in: path)
      try expectFallBack(Tally.self, reasons: [.damaged], folded: 10)
    }
  }

  @Test func everyPrefixIsRefused() async throws {
    let snapshots = try await write()
    let path = snapshots.path(at: 30)
    let good = try disk.contents(of: path)
    for length in 0..<good.count {
      try disk.setContents(Array(good[..<length]), of: path)
      try expectFallBack(Tally.self, reasons: [.damaged], folded: 10)
    }
  }

  /// The checksum is valid, so the members are what is refused.
  @Test(arguments: [#","crc":"00000000""#, #","state" :{}"#])
  func duplicateMembersAreRefused(member: String) async throws {
    let snapshots = try await write()
    let path = snapshots.path(at: 30)
    let text = String(decoding: try disk.contents(of: path).dropLast(CommitMark.sizeBytes), as: UTF8.self)
    var changed = Array(text.replacing(#","state":"#, with: member + #","state":"#, maxReplacements: 1).utf8)
    CommitMark.append(to: &changed)
    try disk.setContents(changed, of: path)
    try expectFallBack(Tally.self, reasons: [.damaged], folded: 10)
  }

  /// Adds a `version` to the snapshot at revision 30 and updates the checksum.
  private func setVersion(_ version: String, of snapshots: SnapshotStore) throws {
    let path = snapshots.path(at: 30)
    let text = String(decoding: try disk.contents(of: path).dropLast(CommitMark.sizeBytes), as: UTF8.self)
    var changed = Array("{\"version\":\(version),\(text.dropFirst())".utf8)
    CommitMark.append(to: &changed)
    try disk.setContents(changed, of: path)
  }

  @Test(arguments: ["2", "0", "99999999999999999999", #""1""#, "null"])
  func anotherVersionIsRefused(version: String) async throws {
    let snapshots = try await write()
    try setVersion(version, of: snapshots)
    try expectFallBack(Tally.self, reasons: [.otherVersion], folded: 10)
    let refusal = #expect(throws: SnapshotRefusal.self) { try snapshots.read(at: 30) }
    #expect(refusal?.message == "it is of another version: \(version), and this program reads version 1")
  }

  /// The members of a later version may differ in name and type.
  @Test func anotherVersionWithUnknownMembersIsRefused() async throws {
    let snapshots = try await write()
    var changed = Array(#"{"version":2,"revision":30,"time":0,"state":[]"#.utf8)
    CommitMark.append(to: &changed)
    try disk.setContents(changed, of: snapshots.path(at: 30))
    try expectFallBack(Tally.self, reasons: [.otherVersion], folded: 10)
    let examination = try snapshots.examine(against: try LogReader.open(at: "log", fileSystem: disk))
    #expect(examination.sound == [10, 20] && examination.refusals.map(\.code) == [.otherVersion])
  }

  @Test func aSnapshotWithoutAVersionIsOfVersionOne() async throws {
    let snapshots = try await write()
    #expect(try !disk.contents(of: snapshots.path(at: 30)).contains(text: "version"))
    try expectFallBack(Tally.self, reasons: [], folded: 0)
    try setVersion("1", of: snapshots)
    try expectFallBack(Tally.self, reasons: [], folded: 0)
  }

  @Test func anotherRevisionIsRefused() async throws {
    let snapshots = try await write()
    try disk.rename(snapshots.path(at: 10), to: snapshots.path(at: 25))
    try disk.remove(snapshots.path(at: 30))
    try expectFallBack(Tally.self, reasons: [.damaged], folded: 10)
  }

  @Test func anotherLogIsRefused() async throws {
    let snapshots = try await write()
    var configuration = reproducible(Tally.self, snapshots: .every(30))
    configuration.log.environment.makeLogID = { "11111111-1111-4111-8111-111111111111" }
    try await record(actions, as: Tally.self, at: "other", in: disk, configuration: configuration)
    let foreign = SnapshotStore(at: "other", fileSystem: disk)
    try disk.setContents(try disk.contents(of: foreign.path(at: 30)), of: snapshots.path(at: 30))
    try expectFallBack(Tally.self, reasons: [.otherLog], folded: 10)
  }

  @Test func anotherModelIsRefused() async throws {
    let snapshots = try await write()
    // The same log, revision and shape of the state, with another name.
    let line = String(decoding: try disk.contents(of: snapshots.path(at: 30)), as: UTF8.self)
    let name = try #require(line.firstRange(of: #""model":"tally""#))
    let end = try #require(line.firstRange(of: #","crc":""#))
    var bytes = Array((line[..<name.lowerBound] + #""model":"other""# + line[name.upperBound..<end.lowerBound]).utf8)
    CommitMark.append(to: &bytes)
    try disk.setContents(bytes, of: snapshots.path(at: 30))
    try expectFallBack(Tally.self, reasons: [.otherModel], folded: 10)
  }

  @Test func anotherSchemaIsRefused() async throws {
    _ = try await write()
    try expectFallBack(NewTally.self, reasons: [.otherSchema, .otherSchema, .otherSchema], folded: 30)
  }

  @Test func otherCodeIsRefused() async throws {
    _ = try await write()
    try expectFallBack(
      RichTally.self, sum: 565, reasons: [.otherReducer, .otherReducer, .otherReducer], folded: 30)
  }

  /// They fold alike; only their fingerprints differ.
  private enum OneBuild: TallyModel {
    static var sourceFingerprint: String? { "1" }
  }
  private enum OtherBuild: TallyModel {
    static var sourceFingerprint: String? { "2" }
  }

  @Test func otherSourcesAreRefused() async throws {
    try await record(
      actions, as: OneBuild.self, at: "log", in: disk, configuration: reproducible(OneBuild.self, snapshots: .every(10))
    )
    try expectFallBack(OneBuild.self, reasons: [], folded: 0)
    try expectFallBack(OtherBuild.self, reasons: [.otherReducer, .otherReducer, .otherReducer], folded: 30)
    try expectFallBack(Tally.self, reasons: [.otherReducer, .otherReducer, .otherReducer], folded: 30)
  }

  /// They fold every action alike; only the policy differs.
  @Test func anotherPolicyIsRefused() async throws {
    _ = try await write()
    let replayed = try await History<Tally>(at: "log", fileSystem: disk, unknownTypes: .keep).replay()
    #expect(replayed.state.sum == 465 && replayed.report.actionsFolded == 30)
    #expect(replayed.report.snapshotsRefused.map(\.code) == [.otherReducer, .otherReducer, .otherReducer])
  }

  /// One refusal stands for all snapshots: none of them is used.
  @Test func aModelWithoutAFingerprintUsesNone() async throws {
    let snapshots = try await write()
    try expectFallBack(DoublingTally.self, sum: 930, reasons: [.otherReducer], folded: 30)
    let history = try await History<DoublingTally>(at: "log", fileSystem: disk)
    let snapshot = try history.takeSnapshot(at: 25).snapshot
    #expect(try snapshots.revisions() == [10, 20, 25, 30], "it can be frozen, and compared with a fold")
    try expectFallBack(DoublingTally.self, sum: 930, reasons: [.otherReducer], folded: 30)
    // A later fingerprint does not vouch for it.
    try disk.remove(snapshots.path(at: 30))
    try expectFallBack(Tally.self, reasons: [.otherReducer], folded: 10)
    #expect(snapshot.reducer.hasSuffix("+unknown"))
  }

  /// Logs and snapshots of the first version of a reducer keep their identity when a program begins to have a fingerprint.
  @Test func anEmptyFingerprintAddsNothing() async throws {
    enum Plain: TallyModel {}
    #expect(try Plain.fingerprint() == Tally.fingerprint() && OneBuild.fingerprint() != Tally.fingerprint())
  }

  /// A recorder of a model without a fingerprint takes snapshots at the same distances in each session.
  @Test func aRecorderContinuesWithTheLastSnapshotThatItTook() async throws {
    enum Plain: TallyModel {}
    for session in 0..<4 {
      try await record(
        (1...400).map { number in .add(number) }, as: Plain.self, at: "log", in: disk,
        configuration: reproducible(Plain.self, snapshots: .logGrowth(factor: 1, minimumBytes: 100_000)))
      _ = session
    }
    #expect(try SnapshotStore(at: "log", fileSystem: disk).revisions().count == 2)
  }

  @Test func aCustomSnapshotIsPublished() async throws {
    let snapshots = try await write()
    let snapshot = try snapshots.read(at: 30)
    var made = snapshot
    made.state = try await History<Tally>(at: "log", fileSystem: disk).canonicalState(at: 30)
    #expect(made == snapshot)
    try disk.remove(snapshots.path(at: 30))
    try snapshots.publish(made)
    try expectFallBack(Tally.self, reasons: [], folded: 0)
  }

  @Test func anotherHistoryIsRefused() async throws {
    let snapshots = try await write()
    // The same log identifier, clock and length, but another tenth action.
    var others = actions
    others[9] = .name("ten")
    let elsewhere = MemoryFileSystem()
    try await record(
      others, as: Tally.self, at: "log", in: elsewhere,
      configuration: reproducible(Tally.self, snapshots: .every(10)))
    let foreign = SnapshotStore(at: "log", fileSystem: elsewhere)
    try disk.setContents(try elsewhere.contents(of: foreign.path(at: 30)), of: snapshots.path(at: 30))
    try expectFallBack(Tally.self, reasons: [.otherHistory], folded: 10)
  }

  @Test func aSnapshotPastTheEndIsRefused() async throws {
    let whole = try await write()
    let shorter = MemoryFileSystem()
    try await record(
      Array(actions[..<24]), as: Tally.self, at: "log", in: shorter,
      configuration: reproducible(Tally.self, snapshots: .every(10)))
    let snapshots = SnapshotStore(at: "log", fileSystem: shorter)
    try shorter.setContents(try disk.contents(of: whole.path(at: 30)), of: snapshots.path(at: 30))
    let replayed = try await History<Tally>(at: "log", fileSystem: shorter).replay()
    #expect(replayed.revision == 24)
    #expect(replayed.report.snapshotsRefused.map(\.code) == [.otherHistory])
    #expect(replayed.report.actionsFolded == 4)
  }

  @Test func anUnreadableSnapshotIsRefused() async throws {
    let snapshots = try await write()
    try disk.remove(snapshots.path(at: 30))
    try disk.createDirectory(snapshots.path(at: 30))
    try expectFallBack(Tally.self, reasons: [.unreadable], folded: 10)
  }

  @Test func otherFilesAreNotSnapshots() async throws {
    let snapshots = try await write()
    for name in ["x.json", "0000000000000040.json.new", "000000000000004x.json", "00000000000000041.json"] {
      try disk.setContents([1], of: snapshots.directory + "/" + name)
    }
    #expect(try snapshots.revisions() == [10, 20, 30])
    try expectFallBack(Tally.self, reasons: [], folded: 0)
  }

  @Test func theNextWriterRemovesIncompleteSnapshots() async throws {
    let snapshots = try await write()
    let leftover = snapshots.path(at: 31) + ".new"
    try disk.setContents([1, 2, 3], of: leftover)
    try await RecordingStore<Tally>(at: "log", fileSystem: disk).close()
    #expect(try disk.status(of: leftover) == nil)
  }

  /// Regression: both wrote to the same temporary name, and one file was renamed while the other was still being written.
  @Test func twoWritersOfOneSnapshotDoNotCollide() async throws {
    let snapshots = try await write()
    let snapshot = try snapshots.read(at: 30)
    let other = Locked(false)
    let disk = disk
    let door = FaultyFileSystem(disk) { call in
      guard call.operation == .append, !other.withLock({ isDone in isDone }) else { return }
      other.withLock { isDone in isDone = true }
      do {
        try SnapshotStore(at: "log", fileSystem: disk).publish(snapshot)
      } catch {
        Issue.record(error)
      }
      #expect(throws: Never.self) { try snapshots.read(at: 30) }
    }
    try disk.remove(snapshots.path(at: 30))
    try SnapshotStore(at: "log", fileSystem: door).publish(snapshot)
    #expect(try snapshots.read(at: 30) == snapshot)
    #expect(try disk.names(in: snapshots.directory).allSatisfy { name in name.hasSuffix(".json") })
  }

  /// Regression: a writer followed it, and readers did not.
  @Test func aSymbolicLinkToTheDirectoryIsNotFollowed() async throws {
    let snapshot = try await write().read(at: 30)
    let directory = try TemporaryDirectory()
    for name in ["log", "aside"] {
      try FileManager.default.createDirectory(atPath: directory.path(name), withIntermediateDirectories: false)
    }
    let store = SnapshotStore(at: directory.path("log"), fileSystem: POSIXFileSystem())
    try FileManager.default.createSymbolicLink(
      atPath: store.directory, withDestinationPath: directory.path("aside"))
    let error = #expect(throws: LogError.self) { try store.publish(snapshot) }
    #expect(error?.advice?.description.hasSuffix("move away what is at '\(store.directory)'.") == true)
    #expect(try store.revisions().isEmpty && store.obstacle()?.path == store.directory)
    #expect(try POSIXFileSystem().names(in: directory.path("aside")).isEmpty)
    try POSIXFileSystem().remove(store.directory)
    #expect(store.obstacle() == nil)
    try store.publish(snapshot)
    try store.publish(snapshot)
    #expect(try store.revisions() == [30])
  }

  @Test func incompleteSnapshotsOfAnyNameAreRemoved() async throws {
    let snapshots = try await write()
    let names = [".new", ".2.new", ".99.new"].map { suffix in snapshots.path(at: 31) + suffix }
    for name in names { try disk.setContents([1], of: name) }
    try snapshots.publish(try snapshots.read(at: 30))
    try await RecordingStore<Tally>(at: "log", fileSystem: disk).close()
    for name in names { #expect(try disk.status(of: name) == nil) }
  }
}
