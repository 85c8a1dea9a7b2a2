import ActionLog
import ActionLogTesting
import EventSourcing
import ImmutableData
import JSONCoding
import TestSupport
import Testing

/// Opening damaged logs and logs with unusual or incomplete initial records for recording.
@MainActor @Suite struct OpeningTests {
  private let disk = MemoryFileSystem()

  private func damageSealedSegment(snapshots: SnapshotPolicy<TallyState>) async throws {
    try await record(
      (1...60).map { number in .add(number) }, as: Tally.self, at: "log", in: disk,
      configuration: reproducible(Tally.self, snapshots: snapshots, segmentLimitBytes: 3_000))
    let segments = try LogReader.open(at: "log", fileSystem: disk).segments
    #expect(segments.count == 3)
    try disk.flipBit(0, ofByte: segments[1].sizeBytes / 2, in: segments[1].path)
  }

  @Test func aDamagedSealedSegmentPreventsRecording() async throws {
    try await damageSealedSegment(snapshots: .never)
    let before = try disk.contents(of: LogReader.open(at: "log", fileSystem: disk).segments[1].path)
    for _ in 1...2 {
      let error = try await #require(throws: LogError.self) {
        try await Recorder<Tally>.open(at: "log", configuration: reproducible(Tally.self), fileSystem: disk)
      }
      #expect(error.code == .damaged)
      #expect(error.path == (try LogReader.open(at: "log", fileSystem: disk).segments[1].path))
    }
    let error = try #require(throws: LogError.self) {
      try RecordingStore<Tally>(at: "log", configuration: reproducible(Tally.self), fileSystem: disk)
    }
    #expect(error.code == .damaged)
    #expect(try disk.contents(of: LogReader.open(at: "log", fileSystem: disk).segments[1].path) == before)
  }

  @Test func damageBeforeAUsableSnapshotIsTolerated() async throws {
    try await damageSealedSegment(snapshots: .every(50))
    let store = try RecordingStore<Tally>(
      at: "log", configuration: reproducible(Tally.self), fileSystem: disk)
    #expect(store.state.sum == 1_830)
    try await store.close()
  }

  /// Makes a log with the given initial records.
  private func makeLog(_ drafts: [LogDraft], schema: Int = 1) throws {
    let writer = try LogWriter.open(
      at: "log", model: "tally", schema: schema, fileSystem: disk, configuration: reproducible(Tally.self).log)
    _ = try writer.writeNow(drafts)
    try writer.closeNow()
  }

  @Test(arguments: [#"{"state":"odd"}"#, #"{"state":null}"#, "{}", #"{"state":{"sum":1e99,"names":[]}}"#])
  func anUndecodableBaseIsReported(data: String) throws {
    try makeLog([LogDraft(type: "@base", data: Array(data.utf8))])
    let error = try #require(throws: EventSourcingError.self) {
      try History<Tally>(at: "log", fileSystem: disk).state()
    }
    #expect(error.code == .undecodableState)
    let openError = try #require(throws: EventSourcingError.self) {
      try RecordingStore<Tally>(at: "log", configuration: reproducible(Tally.self), fileSystem: disk)
    }
    #expect(openError.code == .undecodableState)
    #expect(openError.path == "log/0000000000000001.jsonl")
  }

  @Test func aMissingInitialDigestIsWritten() async throws {
    try makeLog([LogDraft(type: "@base", data: Array(#"{"state":{"sum":7,"names":[]}}"#.utf8))])
    let store = try RecordingStore<Tally>(
      at: "log", startingAt: TallyState(sum: 9), configuration: reproducible(Tally.self), fileSystem: disk)
    #expect(store.state.sum == 7, "a log that has a beginning keeps it")
    try await store.close()
    let report = try await History<Tally>(at: "log", fileSystem: disk).replay(options: .checkingDigests()).report
    #expect(report.digestsChecked == 1)
    #expect(report.divergences.isEmpty)
  }

  @Test func unreadableSnapshotsAreTolerated() async throws {
    try await record(
      [.add(1), .add(2)], as: Tally.self, at: "log", in: disk,
      configuration: reproducible(Tally.self, snapshots: .every(1)))
    let faulty = FaultyFileSystem(disk, faults: [FileFault(.names, lasts: true, pathSuffix: "snapshots")])
    let replayed = try await History<Tally>(at: "log", fileSystem: faulty).replay()
    #expect(replayed.state.sum == 3)
    #expect(replayed.report.snapshotsRefused.map(\.code) == [.unreadable])
    let recorder = try await Recorder<Tally>.open(
      at: "log", configuration: reproducible(Tally.self), fileSystem: faulty)
    #expect(recorder.status.snapshotError is LogError)
    let store = try recorder.makeStore()
    try store.dispatch(action: .add(3))
    try await recorder.close()
    #expect(try await History<Tally>(at: "log", fileSystem: disk).state().sum == 6)
  }
}
