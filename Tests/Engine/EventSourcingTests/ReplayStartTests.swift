import ActionLog
import ActionLogTesting
import EventSourcing
import ImmutableData
import JSONCoding
import Testing

/// Replays that begin at a snapshot, at revision 0, within a log, or in a single segment.
@MainActor @Suite struct ReplayStartTests {
  private let disk = MemoryFileSystem()

  private func write(
    _ count: Int, snapshots: SnapshotPolicy<TallyState> = .never, digests: DigestPolicy = .withSnapshots,
    segmentLimitBytes: Int? = nil
  ) async throws -> History<Tally> {
    try await record(
      (1...count).map { number in .add(number) }, as: Tally.self, at: "log", in: disk,
      configuration: reproducible(
        Tally.self, snapshots: snapshots, digests: digests, segmentLimitBytes: segmentLimitBytes))
    return try await History<Tally>(at: "log", fileSystem: disk)
  }

  /// Replaces the state in a snapshot and updates its checksum.
  private func replaceState(ofSnapshotAt revision: Int, sum: Int) throws {
    let path = SnapshotStore(at: "log", fileSystem: disk).path(at: revision)
    let line = String(decoding: try disk.contents(of: path), as: UTF8.self)
    let end = try #require(line.firstRange(of: #","state":"#)?.upperBound)
    var bytes = Array((line[..<end] + #"{"names":[],"sum":\#(sum)}"#).utf8)
    CommitMark.append(to: &bytes)
    try disk.setContents(bytes, of: path)
  }

  @Test func theDigestAtASnapshotIsChecked() async throws {
    let history = try await write(12, snapshots: .every(10))
    let good = try history.replay(options: .checkingDigests())
    #expect(good.report.digestsChecked == 2, "at the snapshot, and at the end")
    #expect(good.report.divergences.isEmpty)
    #expect(good.report.actionsFolded == 2)

    try replaceState(ofSnapshotAt: 10, sum: 1)
    let report = try history.replay(options: .checkingDigests()).report
    #expect(report.divergences.map(\.revision) == [10, 12], "the log knows better than a snapshot")
    #expect(try history.replay(to: 10, options: .checkingDigests()).report.divergences.map(\.revision) == [10])
  }

  @Test func aTargetAtASnapshotFoldsNothing() async throws {
    let history = try await write(30, snapshots: .every(10))
    for revision in [10, 20, 30] {
      let replayed = try history.replay(to: revision)
      #expect(replayed.report.actionsFolded == 0)
      #expect(replayed.report.startRevision == revision)
      #expect(replayed.state.sum == revision * (revision + 1) / 2)
    }
  }

  @Test(arguments: [#"{"state":5,"reducer":null}"#, "{}", #"{"state":"","reducer":[]}"#])
  func aMalformedDigestIsADivergence(data: String) async throws {
    let writer = try LogWriter.open(
      at: "log", model: "tally", schema: 1, fileSystem: disk, configuration: reproducible(Tally.self).log)
    _ = try writer.writeNow([
      LogDraft(type: "add", data: Array(#"{"_0":1}"#.utf8)), LogDraft(type: "@digest", data: Array(data.utf8)),
      LogDraft(type: "add", data: Array(#"{"_0":2}"#.utf8)),
    ])
    try writer.closeNow()
    let history = try await History<Tally>(at: "log", fileSystem: disk)
    let replayed = try history.replay(options: .checkingDigests())
    #expect(replayed.state.sum == 3)
    #expect(replayed.report.divergences.map(\.revision) == [1])
    #expect(try history.replay().report.divergences.isEmpty, "not checked unless requested")
  }

  @Test func onlyTheFirstSegmentReplaysAlone() async throws {
    let segments = try await write(60, segmentLimitBytes: 2_000).reader.segments
    #expect(segments.count > 3)
    let last = segments[1].first - 1
    let first = try await History<Tally>(at: "log/0000000000000001.jsonl", fileSystem: disk)
    #expect(try first.replay().revision == last)
    #expect(try first.state(at: 0) == TallyState())
    let error = try #require(throws: LogError.self) { try first.state(at: last + 1) }
    #expect(error.description.contains("0…\(last)"))

    let later = try await History<Tally>(at: segments[2].path, fileSystem: disk)
    for revision in [nil, 0, 1, segments[2].first, 10_000] {
      let error = try #require(throws: EventSourcingError.self) { try later.state(at: revision) }
      #expect(error.code == .incompleteHistory)
      #expect(error.description.contains("Give the directory of the log."))
    }
  }

  @Test func aLaterSegmentReturnsOnlyItsActions() async throws {
    let segments = try await write(60, segmentLimitBytes: 2_000).reader.segments
    let later = try await History<Tally>(at: segments[2].path, fileSystem: disk)
    let (first, last) = (segments[2].first, segments[3].first - 1)
    #expect(try later.actions(in: first...last).map(\.revision) == Array(first...last))
    // A range that begins before the segment is an error.
    let error = try #require(throws: LogError.self) { try later.actions(in: (first - 1)...last) }
    #expect(error.code == .revisionOutOfRange)
    #expect(error.description.contains("\(first)…\(last)"))
  }

  @Test func actionsOfANewerSchemaAreRefused() async throws {
    _ = try await write(5, digests: .every(1))
    let newer = try RecordingStore<NewTally>(
      at: "log", configuration: reproducible(NewTally.self), fileSystem: disk)
    try newer.dispatch(action: .add(6))
    try newer.dispatch(action: .add(7))
    try await newer.close()

    let history = try await History<Tally>(at: "log", fileSystem: disk)
    let five = try history.replay(to: 5, options: .checkingDigests())
    #expect(five.state.sum == 15)
    #expect(five.report.digestsChecked == 6)
    for read in [
      { try history.replay(to: 6).revision }, { try history.fold(FoldRequest(five.state, at: 5, to: 6)).revision },
      { try history.fold(FoldRequest(five.state, at: 6, to: 7)).revision }, { try history.action(at: 7).revision },
      { try history.actions(in: 6...7).count },
    ] {
      let error = try #require(throws: LogError.self) { _ = try read() }
      #expect(error.code == .schemaTooNew)
      #expect(error.description.contains("schema 2"))
    }
  }

  @Test func aDamagedBeginningIsNotTheInitialState() async throws {
    do {
      let store = try RecordingStore<Tally>(
        at: "log", startingAt: TallyState(sum: 40), configuration: reproducible(Tally.self), fileSystem: disk)
      try store.dispatch(action: .add(2))
      try await store.close()
    }
    let path = "log/0000000000000001.jsonl"
    let base = try #require(String(decoding: try disk.contents(of: path), as: UTF8.self).firstRange(of: "@base"))
    let text = String(decoding: try disk.contents(of: path), as: UTF8.self)
    try disk.flipBit(0, ofByte: text.utf8.distance(from: text.startIndex, to: base.lowerBound), in: path)
    let history = try await History<Tally>(at: "log", fileSystem: disk)
    for revision in [nil, 0] {
      let error = try #require(throws: LogError.self) { try history.state(at: revision) }
      #expect(error.code == .damaged)
    }
  }

  @Test func aHistorySeesLaterSegments() throws {
    let store = try RecordingStore<Tally>(
      at: "log", configuration: reproducible(Tally.self, segmentLimitBytes: 600), fileSystem: disk)
    try store.dispatch(action: .add(1))
    let history = try History<Tally>(at: "log", fileSystem: disk)
    for number in 2...40 {
      try store.dispatch(action: .add(number))
      #expect(try history.state() == store.state)
      #expect(try history.replay(to: number / 2).revision == number / 2)
      #expect(try history.lastRevision() == number)
    }
    #expect(try history.refreshed().reader.segments.count > history.reader.segments.count)
  }
}
