import ActionLog
import ActionLogTesting
import CounterData
import EventSourcing
import ImmutableData
import JSONCoding
import Platform
import TestSupport
import Testing

/// A recorder whose disk, reducer or action fails.
@MainActor @Suite struct RecorderFailureTests {
  private let disk = MemoryFileSystem()

  private func open(
    _ configuration: RecordingConfiguration<Tally> = reproducible(Tally.self)
  ) async throws -> Recorder<Tally> {
    try await Recorder<Tally>.open(at: "log", configuration: configuration, fileSystem: disk)
  }

  @Test func aFullDiskStopsTheRecorderUntilResume() async throws {
    let phases = Locked<[String]>([])
    var configuration = reproducible(Tally.self)
    configuration.onStatusChange = { phase in
      let name = String(describing: phase).prefix { character in character != "(" }
      phases.withLock { phases in phases.append(String(name)) }
    }
    let recorder = try await open(configuration)
    let store = try recorder.makeStore()
    try store.dispatch(action: .add(1))
    try await recorder.sync()

    disk.capacityBytes = disk.usedBytes + 10
    for number in 2...50 { try store.dispatch(action: .add(number)) }
    let error = try await #require(throws: LogError.self) { try await recorder.sync() }
    #expect(error.code == .noSpace)
    #expect(store.state.sum == 1_275, "dispatch never waits for the disk")
    #expect(recorder.status.waiting == 49)
    #expect(recorder.status.revision == 1)
    // A second flush fails immediately; close keeps the waiting actions.
    await #expect(throws: LogError.self) { try await recorder.sync() }
    await #expect(throws: LogError.self) { try await recorder.close() }

    disk.capacityBytes = nil
    recorder.resume()
    #expect(try await recorder.sync().revision == 50)
    try await recorder.close()
    #expect(try await History<Tally>(at: "log", fileSystem: disk).state().sum == 1_275)
    #expect(phases.withLock { phases in phases.first } == "recording")
    #expect(phases.withLock { phases in phases.contains("stopped") && phases.last == "closed" })
  }

  @Test func anUnrecordableActionFailsTheRecorder() async throws {
    let recorder = try await open()
    let store = try recorder.makeStore()
    try store.dispatch(action: .add(1))
    try store.dispatch(action: .name(String(repeating: "x", count: LogFormat.lineLimitBytes)))
    try store.dispatch(action: .add(2))
    let error = try await #require(throws: LogError.self) { try await recorder.sync() }
    #expect(error.code == .beyondLimit)
    guard case .failed = recorder.status.phase else {
      Issue.record("the recorder has not failed: \(recorder.status.phase)")
      return
    }
    await #expect(throws: LogError.self) { try await recorder.close() }
    // The log ends before the gap and can be opened again.
    let history = try await History<Tally>(at: "log", fileSystem: disk)
    #expect(try history.state().sum == 1)
    try await RecordingStore<Tally>(at: "log", fileSystem: disk).close()
  }

  @Test func aFailedRecordersStoreRefusesActions() async throws {
    let notices = Locked<[RecordingNotice]>([])
    var configuration = reproducible(Tally.self)
    configuration.onNotice = { notice in notices.withLock { notices in notices.append(notice) } }
    let recorder = try await open(configuration)
    let store = try recorder.makeStore()
    try store.dispatch(action: .name(String(repeating: "x", count: LogFormat.lineLimitBytes)))
    try store.dispatch(action: .add(1))
    await #expect(throws: LogError.self) { try await recorder.sync() }
    let before = store.state
    let error = try #require(throws: EventSourcingError.self) { try store.dispatch(action: .add(2)) }
    #expect(error.code == .storeDetached && (error.underlying as? LogError)?.code == .beyondLimit)
    #expect(store.state == before && recorder.status.lost == 2)
    guard case .recordingFailed(_, lost: 2, log: "log")? = notices.withLock({ notices in notices.first }) else {
      Issue.record("\(notices.withLock { notices in notices })")
      return
    }
    await recorder.abandon()
    #expect(notices.withLock { notices in notices.count } == 1)
  }

  @Test func aNoticeGoesToStandardErrorByDefault() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) { @MainActor in
      let recorder = try Recorder<Tally>(at: "log", fileSystem: MemoryFileSystem())
      let store = try recorder.makeStore()
      try store.dispatch(action: .name(String(repeating: "x", count: LogFormat.lineLimitBytes)))
      do { try await recorder.sync() } catch { await recorder.abandon() }
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    let lines = text.split(separator: "\n").filter { line in line.hasPrefix("warning: recording to log has failed: ") }
    #expect(lines.count == 1 && lines.first?.contains("The log lacks 1 accepted action. ") == true, "\(text)")
  }

  @Test func aFullDiskIsNoticedUntilAnActionIsRecorded() async throws {
    let notices = Locked<[RecordingNotice]>([])
    var configuration = reproducible(Tally.self)
    configuration.onNotice = { notice in notices.withLock { notices in notices.append(notice) } }
    let recorder = try await open(configuration)
    let store = try recorder.makeStore()
    for round in 1...2 {
      disk.capacityBytes = disk.usedBytes
      try store.dispatch(action: .add(1))
      for _ in 1...2 {
        await #expect(throws: LogError.self) { try await recorder.sync() }
        recorder.resume()
      }
      await #expect(throws: LogError.self) { try await recorder.sync() }
      #expect(notices.withLock { notices in notices.count } == round)
      disk.capacityBytes = nil
      recorder.resume()
      try await recorder.sync()
    }
    guard case .recordingStopped(_, log: "log")? = notices.withLock({ notices in notices.first }) else {
      Issue.record("\(notices.withLock { notices in notices })")
      return
    }
    try await recorder.close()
  }

  @Test func aFailedSyncFailsTheRecorder() async throws {
    let faulty = FaultyFileSystem(disk)
    let recorder = try await Recorder<Tally>.open(
      at: "log", configuration: reproducible(Tally.self), fileSystem: faulty)
    let store = try recorder.makeStore()
    try store.dispatch(action: .add(1))
    try await recorder.sync()
    faulty.add(FileFault(.sync, lasts: true))
    try store.dispatch(action: .add(2))
    let error = try await #require(throws: LogError.self) { try await recorder.sync() }
    #expect(error.code == .failed)
    #expect(throws: EventSourcingError.self) { try store.dispatch(action: .add(3)) }
    await #expect(throws: LogError.self) { try await recorder.sync() }
    recorder.resume()
    guard case .failed = recorder.status.phase else {
      Issue.record("resuming brought a failed recorder back")
      return
    }
    await recorder.abandon()
  }

  @Test func refusalsFollowEarlierAcceptedActions() async throws {
    let recorder = try await Recorder<StrictTally>.open(
      at: "log", configuration: reproducible(StrictTally.self), fileSystem: disk)
    let store = try recorder.makeStore()
    try store.dispatch(action: .add(1))
    do {
      try store.dispatch(action: .add(-1))
      Issue.record("the action was accepted")
    } catch {
      #expect(try await recorder.recordRefusal(of: .add(-1), error: error, meta: RecordMeta(actor: "u7")))
    }
    try store.dispatch(action: .add(2))
    try await recorder.close()
    let lines = try disk.records().dropFirst(3)
    #expect(lines.map(\.type) == ["add", "@rejected", "add", "@digest", "@close"])
    #expect(lines.map(\.revision) == [1, 1, 2, 2, 2])
    let refusal = try JSONValue(parsing: lines.dropFirst().first?.data ?? [])
    #expect(
      refusal
        == [
          "type": "add", "data": ["_0": -1],
          "error": [
            "type": "TallyError", "code": "negative",
            "message": "the number is negative",
          ],
        ])
    #expect(try await History<StrictTally>(at: "log", fileSystem: disk).state().sum == 3)
  }

  @Test func refusalsAreLimitedAndTheRestIsCounted() async throws {
    var configuration = reproducible(StrictTally.self)
    configuration.refusals = RefusalPolicy(limit: 2, window: .seconds(3_600))
    let recorder = try await Recorder<StrictTally>.open(at: "log", configuration: configuration, fileSystem: disk)
    _ = try recorder.makeStore()
    var recorded: [Bool] = []
    for _ in 1...5 {
      recorded.append(try await recorder.recordRefusal(of: .add(-1), error: TallyError(code: .negative)))
    }
    #expect(recorded == [true, true, false, false, false])
    try await recorder.close()
    #expect(try disk.records().filter { record in record.type == "@rejected" }.count == 2)
  }

  @Test func aFailedSnapshotDoesNotAffectTheLog() async throws {
    let recorder = try await open(reproducible(Tally.self, snapshots: .every(5)))
    let store = try recorder.makeStore()
    // A file at the path of the snapshots' directory.
    try disk.setContents([], of: "log/snapshots")
    for number in 1...6 { try store.dispatch(action: .add(number)) }
    try await recorder.close()
    #expect(recorder.status.snapshotError != nil)
    #expect(try await History<Tally>(at: "log", fileSystem: disk).lastRevision() == 6)
  }
}
