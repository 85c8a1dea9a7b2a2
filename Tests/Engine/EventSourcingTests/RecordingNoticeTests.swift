import ActionLog
import ActionLogTesting
import EventSourcing
import ImmutableData
import Platform
import TestSupport
import Testing

/// Notices, which do not keep a recorder from recording.
@MainActor @Suite struct RecordingNoticeTests {
  private let disk = MemoryFileSystem()
  private let segment = "log/0000000000000001.jsonl"

  /// Records some ones and collects the notices.
  private func record(
    _ count: Int, snapshots: SnapshotPolicy<TallyState> = .never, in files: (any LogFileSystem)? = nil
  ) async throws -> [RecordingNotice] {
    let notices = Locked<[RecordingNotice]>([])
    var configuration = reproducible(Tally.self, snapshots: snapshots)
    configuration.onNotice = { notice in notices.withLock { notices in notices.append(notice) } }
    let recorder = try await Recorder<Tally>.open(at: "log", configuration: configuration, fileSystem: files ?? disk)
    let store = try recorder.makeStore()
    for _ in 0..<count {
      try store.dispatch(action: .add(1))
      try await recorder.sync()
    }
    try await recorder.close()
    return notices.withLock { notices in notices }
  }

  @Test func anIntactLogSendsNoNotice() async throws {
    #expect(try await record(3, snapshots: .every(1)).isEmpty)
    #expect(try await record(3, snapshots: .every(1)).isEmpty)
  }

  @Test func aTornTailIsReportedWithItsFile() async throws {
    _ = try await record(3)
    let torn = Array(#"{"seq":4,"ti"#.utf8)
    let file = try disk.open(segment, for: .overwrite)
    try file.write(torn, at: try file.size())
    file.close()
    let notices = try await record(1)
    guard notices.count == 1, case .tornTailCut(let recovered, let log)? = notices.first else {
      Issue.record("\(notices)")
      return
    }
    #expect(log == "log" && recovered.bytes == torn.count)
    #expect(try disk.contents(of: "log/" + recovered.file, limitBytes: 1 << 10) == torn)
    #expect(try await record(1).isEmpty, "it is reported once")
  }

  /// Opens and closes the log with a model, after recording some numbers.
  private func open<M: TallyModel>(_ model: M.Type, adding numbers: Int...) async throws -> [RecordingNotice] {
    let notices = Locked<[RecordingNotice]>([])
    var configuration = reproducible(M.self)
    configuration.onNotice = { notice in notices.withLock { notices in notices.append(notice) } }
    let store = try RecordingStore<M>(at: "log", configuration: configuration, fileSystem: disk)
    for number in numbers { try store.dispatch(action: .add(number)) }
    try await store.close()
    return notices.withLock { notices in notices }
  }

  @Test func anotherStateThanThatOfTheCloseIsNoticed() async throws {
    #expect(try await open(Tally.self, adding: 1, 2).isEmpty)
    #expect(try await open(Tally.self).isEmpty)
    for _ in 1...2 {
      let notices = try await open(DoublingTally.self)
      guard notices.count == 1, case .digestMismatch(let divergence, log: "log")? = notices.first else {
        Issue.record("\(notices)")
        return
      }
      #expect(divergence.revision == 2 && !divergence.isByOtherReducer)
      #expect("\(notices[0])".contains("decodes to another"))
    }
    // The log is usable, and its next digest is that of the present code.
    #expect(try await open(DoublingTally.self, adding: 3).count == 1)
    #expect(try await open(DoublingTally.self).isEmpty)
    #expect(try await open(RichTally.self).isEmpty, "the digest was recorded by code with another fingerprint")
  }

  @Test func aFailedSnapshotIsReportedOnce() async throws {
    let door = FaultyFileSystem(
      disk, faults: [FileFault(.createDirectory, lasts: true, code: .noSpace, pathSuffix: "/snapshots")])
    let notices = try await record(10, snapshots: .every(2), in: door)
    guard notices.count == 1, case .snapshotFailed(_, let log)? = notices.first else {
      Issue.record("\(notices)")
      return
    }
    #expect(log == "log")
    let attempts = door.calls.count { call in call.operation == .createDirectory && call.path.hasSuffix("/snapshots") }
    #expect(attempts == 5, "each time it is tried again")
    #expect(try await History<Tally>(at: "log", fileSystem: disk).state().sum == 10)
  }
}
