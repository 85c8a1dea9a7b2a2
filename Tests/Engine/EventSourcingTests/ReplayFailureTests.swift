import ActionLog
import ActionLogTesting
import EventSourcing
import ImmutableData
import Testing

@MainActor @Suite struct ReplayFailureTests {
  private let disk = MemoryFileSystem()

  private func write(_ actions: [TallyAction], digests: DigestPolicy = .onlyAtStart) async throws {
    try await record(
      actions, as: Tally.self, at: "log", in: disk, configuration: reproducible(Tally.self, digests: digests))
  }

  @Test func aRefusedRecordedActionIsReported() async throws {
    try await write([.add(1), .add(-5), .add(2)])
    let history = try await History<StrictTally>(at: "log", fileSystem: disk)
    let error = try #require(throws: EventSourcingError.self) { try history.state() }
    #expect(error.code == .refusedInReplay)
    #expect(error.revision == 2)
    #expect(error.underlying as? TallyError == TallyError(code: .negative))
    #expect(error.description.contains("Revisions 0…1 can be read"))
    #expect(try history.state(at: 1).sum == 1, "earlier revisions can be read")
  }

  @Test func anUndecodableActionIsReported() async throws {
    try await write([.add(1), .name("x")])
    let history = try await History<OtherTally>(at: "log", fileSystem: disk)
    let error = try #require(throws: EventSourcingError.self) { try history.state() }
    #expect(error.code == .unknownType)
    #expect(error.revision == 1)
    #expect(error.description.contains("'add'"))
    #expect(try history.state(at: 0) == TallyState())
  }

  @Test func aLogOfANewerSchemaIsRefused() async throws {
    try await record([.add(1)], as: NewTally.self, at: "log", in: disk, configuration: reproducible(NewTally.self))
    let error = try #require(throws: LogError.self) {
      try History<Tally>(at: "log", fileSystem: disk).state()
    }
    #expect(error.code == .schemaTooNew)
    #expect(error.description.contains("schema 2"))
    #expect(throws: LogError.self) { try RecordingStore<Tally>(at: "log", fileSystem: disk) }
    // The lock was released.
    let store = try RecordingStore<NewTally>(at: "log", fileSystem: disk)
    #expect(store.state.sum == 1)
  }

  @Test func digestsMatchTheCodeThatWroteThem() async throws {
    try await write((1...10).map { number in .add(number) }, digests: .every(5))
    var options = ReplayOptions()
    options.checksDigests = true
    let report = try await History<Tally>(at: "log", fileSystem: disk).replay(options: options).report
    #expect(report.digestsChecked == 3, "at the revisions 0, 5 and 10")
    #expect(report.divergences.isEmpty)
  }

  @Test func aChangedReducerIsReported() async throws {
    try await write((1...10).map { number in .add(number) }, digests: .every(5))
    let history = try await History<DoublingTally>(at: "log", fileSystem: disk)
    var options = ReplayOptions()
    options.checksDigests = true
    let replayed = try history.replay(options: options)
    #expect(replayed.state.sum == 110, "the fold of the code that there is")
    #expect(replayed.report.divergences.map(\.revision) == [5, 10])
    #expect(replayed.report.divergences.map(\.lastAgreement) == [0, 0])
    #expect(replayed.report.divergences.allSatisfy { divergence in !divergence.isByOtherReducer })
  }

  @Test func aDigestByOtherCodeIsReportedAsSuch() async throws {
    try await write([.add(1)])
    var options = ReplayOptions()
    options.checksDigests = true
    let report = try await History<RichTally>(at: "log", fileSystem: disk).replay(options: options).report
    #expect(report.divergences.map(\.isByOtherReducer) == [true])
  }

  @Test func aDamagedLogIsReadUpToTheDamage() async throws {
    try await write((1...20).map { number in .add(number) })
    let path = "log/0000000000000001.jsonl"
    let bytes = try disk.contents(of: path)
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    // Three control records precede the first action; the tenth action is the thirteenth line.
    let offset = lines[..<12].reduce(0) { sum, line in sum + line.count + 1 }
    try disk.flipBit(0, ofByte: offset + 40, in: path)

    let history = try await History<Tally>(at: "log", fileSystem: disk)
    let replayed = try history.replay()
    #expect(replayed.revision == 9)
    #expect(replayed.state.sum == 45)
    #expect(replayed.report.damage?.lastIntactRevision == 9)
    #expect(replayed.report.damage?.description.contains("\(path):13") == true)
    #expect(try history.state(at: 7).sum == 28)
    let error = try #require(throws: LogError.self) { try history.state(at: 10) }
    #expect(error.code == .damaged)
  }

  @Test func theInitialStateIsRevisionZero() async throws {
    let base = TallyState(sum: 40, names: ["old"])
    do {
      let store = try RecordingStore<Tally>(
        at: "log", startingAt: base, configuration: reproducible(Tally.self), fileSystem: disk)
      #expect(store.state == base)
      try store.dispatch(action: .add(2))
      try await store.close()
    }
    let history = try await History<Tally>(at: "log", fileSystem: disk)
    #expect(try history.state(at: 0) == base)
    #expect(try history.state().sum == 42)

    // An existing log keeps its initial state.
    let store = try RecordingStore<Tally>(
      at: "log", startingAt: TallyState(sum: 7), configuration: reproducible(Tally.self), fileSystem: disk)
    #expect(store.state.sum == 42)
  }
}
