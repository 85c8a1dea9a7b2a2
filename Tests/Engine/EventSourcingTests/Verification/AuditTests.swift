import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import EventSourcing
import JSONCoding
import Platform
import TestSupport
import Testing

/// Redactions, checkpoints and proofs without the command line.
@Suite("Audits from Swift", .timeLimit(.minutes(60))) struct AuditTests {
  private let disk = MemoryFileSystem()
  private let value = JSONPointer(["data", "_0"])
  private static let id = "3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11"
  private static let otherID = "3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a12"

  private func open(at path: String = "log", id: String = AuditTests.id) async throws -> LogStore<Tally> {
    var configuration = reproducible(Tally.self, snapshots: .every(2), digests: .every(1))
    configuration.log.redactable = true
    configuration.log.environment.makeLogID = { id }
    return try await LogStore<Tally>.open(at: path, configuration: configuration, fileSystem: disk)
  }

  private func record(
    _ actions: [TallyAction], meta: RecordMeta? = nil, at path: String = "log", id: String = AuditTests.id
  ) async throws {
    let store = try await open(at: path, id: id)
    for action in actions { try await store.dispatch(action: action, meta: meta) }
    await store.settleSnapshots()
    try await store.close()
  }

  private func redact(
    _ values: (History<Tally>) throws -> [LogValue], reason: String = "request 118"
  ) throws -> RedactionReport {
    let history = try History<Tally>(at: "log", fileSystem: disk)
    return try history.redact(values(history), reason: reason, actor: "bob", environment: tickingEnvironment())
  }

  private func files(containing text: String) throws -> [String] {
    try disk.filePaths.filter { path in try disk.contents(of: path).contains(text: text) }
  }

  private func checkpoint(at path: String = "log") throws -> String {
    try LogEvidence.checkpoint(at: path, fileSystem: disk)
  }

  private func problems(_ checkpoint: String, at path: String = "log") throws -> [LogProblem] {
    try LogVerifier.verify(at: path, checkpoint: checkpoint, fileSystem: disk).problems
  }

  // MARK: - Redaction

  @Test func anErasedNameIsInNoFile() async throws {
    try await record([.name("Ann Smith"), .add(1), .name("Bo Jones"), .add(2)])
    let bench = SubscriptionBench(disk)
    try await bench.subscription(DeliveryJournal(failing: [1: 1])) { configuration in
      configuration.retries = .none
      configuration.onFailure = .skip
    }.catchUp()
    let before = try files(containing: "Ann Smith")
    for part in ["jsonl", "snapshots", "subscriptions"] {
      #expect(before.contains { path in path.contains(part) }, "\(before)")
    }
    let kept = try checkpoint()
    let report = try redact { history in try history.values(containing: "Ann Smith") }
    #expect(try files(containing: "Ann Smith") == [])
    #expect(report.indices.count == 1 && report.remainingValues.isEmpty && report.remainingFiles.isEmpty, "\(report)")
    let statement = try #require(try disk.records().first { record in record.type == "@redact" })
    #expect(statement.rawLine.contains(text: "bob"))
    #expect(try problems(kept) == [])
    let store = try await open()
    #expect(await store.state == TallyState(sum: 3, names: ["[redacted]", "Bo Jones"]))
    try await store.dispatch(action: .add(4))
    try await store.close()
    #expect(try problems(kept) == [])
  }

  @Test func anOpenLogIsRefused() async throws {
    let store = try await open()
    try await store.dispatch(action: .name("Ann Smith"), awaiting: .synced)
    let error = #expect(throws: LogError.self) { try redact { _ in [LogValue(value, ofAction: 1)] } }
    #expect(error?.code == .locked)
    try await store.close()
    let report = try redact { _ in [LogValue(value, ofAction: 1, replacement: "N. N.")] }
    #expect(report.indices.count == 1)
    #expect(try await History<Tally>(at: "log", fileSystem: disk).state().names == ["N. N."])
  }

  @Test func remainingValuesCanBeRedactedNext() async throws {
    try await record([.name("Ann Smith"), .name("for Ann Smith")], meta: RecordMeta(actor: "Ann Smith"))
    let first = try redact { _ in [LogValue(value, ofAction: 1)] }
    let places = first.remainingValues
    #expect(places.contains { place in place.revision == 2 && place.pointer == value }, "\(places)")
    #expect(places.contains { place in place.pointer == JSONPointer(["meta", "actor"]) }, "\(places)")
    let second = try redact { _ in places }
    #expect(second.remainingValues.isEmpty && second.remainingFiles.isEmpty, "\(second)")
    #expect(try files(containing: "Ann Smith") == [])
  }

  @Test func whatCannotBeRedactedChangesNothing() async throws {
    try await record([.name("Ann Smith"), .add(1)])
    let before = disk.copy()
    func expectRefusal(
      _ code: LogError.Code, _ values: [LogValue], reason: String = "request 118",
      sourceLocation: SourceLocation = #_sourceLocation
    ) {
      let error = #expect(throws: LogError.self, sourceLocation: sourceLocation) {
        try redact({ _ in values }, reason: reason)
      }
      #expect(error?.code == code, "\(error.debugDescription)", sourceLocation: sourceLocation)
    }
    expectRefusal(.invalidArgument, [LogValue(value, ofAction: 1)], reason: "Ann Smith's request")
    expectRefusal(.invalidArgument, [LogValue(value, ofAction: 1, replacement: "was Ann Smith")])
    expectRefusal(.invalidArgument, [LogValue(JSONPointer(["data", "name"]), ofAction: 1)])
    expectRefusal(.invalidArgument, [LogValue(value, ofAction: 1), LogValue(value, ofAction: 1)])
    expectRefusal(.invalidArgument, [])
    expectRefusal(.revisionOutOfRange, [LogValue(value, ofAction: 3)])
    let error = #expect(throws: EventSourcingError.self) {
      try redact { _ in [LogValue(value, ofAction: 2, replacement: "no number")] }
    }
    #expect(error?.revision == 2)
    #expect(disk.filePaths == before.filePaths)
    for path in before.filePaths { #expect(try disk.contents(of: path) == before.contents(of: path)) }
  }

  @Test func foundValuesAreNotWithinOthers() throws {
    let writer = try LogWriter.open(at: "log", model: "tally", schema: 1, fileSystem: disk)
    let data = #"{"Ann Smith":{"of":"Ann Smith"},"ann":["Ann Smith",1],"other":{"Ann Smith":2}}"#
    for text in [data, #"{"ann":"Ann"}"#] { try writer.appendNow([LogDraft(type: "add", data: Array(text.utf8))]) }
    try writer.closeNow()
    let history = try History<Tally>(at: "log", fileSystem: disk)
    #expect(try history.values(containing: "Ann Smith").map(\.pointer.description) == ["/data"])
    let found = try history.values(containing: "Ann")
    #expect(found.map(\.pointer.description) == ["/data", "/data/ann"] && found.map(\.revision) == [1, 2])
    #expect(try history.values(containing: "").isEmpty)
  }

  // MARK: - Checkpoints

  @Test func aCheckpointIsTakenNextToAnOpenStore() async throws {
    let store = try await open()
    for number in 1...3 { try await store.dispatch(action: .add(number), awaiting: .synced) }
    let first = try checkpoint()
    let lines = first.split(separator: "\n")
    #expect(lines.count == 3 && lines.first == "actionlog/\(Self.id)")
    let size = try #require(Int(lines[1]))
    #expect(try (4...disk.records().count).contains(size))
    #expect(try LogVerifier.verify(proof: proof(2), checkpoint: first).line.revision == 2)
    for number in 4...600 { try await store.dispatch(action: .add(number)) }
    #expect(try problems(first) == [])
    try await store.sync()
    let second = try checkpoint()
    #expect(second != first && second.hasPrefix("actionlog/\(Self.id)\n"))
    try await store.close()
    for text in [first, second] { #expect(try problems(text) == []) }
    // Nothing was added.
    #expect(try checkpoint() == checkpoint())
  }

  @Test func aLogIsComparedWithAKeptCheckpoint() async throws {
    try await record([.add(1), .add(2)])
    let kept = try checkpoint()
    try await record([.add(3)])
    let later = try checkpoint()
    try await record([.add(1), .add(2), .add(3)], at: "other", id: Self.otherID)
    // The same identifier, as a forger would choose it.
    try await record([.add(1), .add(20), .add(3)], at: "forged")
    try await record([.add(1)], at: "shorter")
    for (path, text, message) in [
      ("other", kept, "of another log"), ("forged", kept, "differ"), ("shorter", later, "missing at the end"),
    ] {
      let report = try LogVerifier.verify(at: path, checkpoint: text, fileSystem: disk)
      #expect(report.verdict == .damaged && report.problems.map(\.kind) == [.wrongCheckpoint], "\(report.problems)")
      #expect(report.problems.first?.message.contains(message) == true, "\(report.problems)")
    }
    let error = #expect(throws: LogError.self) { try problems("actionlog/\(Self.id)\n2\n") }
    #expect(error?.code == .invalidArgument)
    #expect(#expect(throws: LogError.self) { try checkpoint(at: "none") }?.code == .notFound)
  }

  @Test func aChosenOriginIsKept() async throws {
    try await record([.add(1)])
    let store = EvidenceStore(log: "log", fileSystem: disk)
    let first = try #require(try store.newCheckpoint(origin: "shelter.example"))
    _ = try store.store(first.checkpoint)
    try await record([.add(2)])
    let kept = try checkpoint()
    #expect(kept.hasPrefix("shelter.example\n"))
    for path in disk.filePaths where path.hasPrefix("log/proofs/") { try disk.remove(path) }
    #expect(try problems(kept) == [])
  }

  // MARK: - Proofs

  private func proof(_ revision: Int, hiding hidden: [JSONPointer] = []) throws -> [UInt8] {
    try LogEvidence.proof(ofAction: revision, at: "log", hiding: hidden, fileSystem: disk)
  }

  @Test func aProofIsCheckedWithoutTheLog() async throws {
    try await record([.add(1), .name("Ann Smith")])
    let kept = try checkpoint()
    let bytes = try proof(2)
    let proved = try LogVerifier.verify(proof: bytes, checkpoint: kept)
    #expect(proved.line.revision == 2 && proved.line.type == "name" && proved.unproved.isEmpty)
    let hidden = try LogVerifier.verify(proof: proof(2, hiding: [value]), checkpoint: kept)
    #expect(hidden.unproved == [value])
    #expect(!hidden.line.rawLine.contains(text: "Ann Smith"))

    try await record([.add(3)])
    let later = try checkpoint()
    let older = try LogEvidence.proof(ofAction: 2, at: "log", checkpoint: kept, fileSystem: disk)
    #expect(older == bytes)
    let error = #expect(throws: LogError.self) { try LogVerifier.verify(proof: bytes, checkpoint: later) }
    #expect(error?.code == .damaged && error?.message.contains("the one that was kept") == true)
  }

  @Test func aChangedLineIsNotProved() async throws {
    try await record([.add(1), .name("Ann Smith")])
    let kept = try checkpoint()
    let good = try LineProof(parsing: proof(2))
    // Another name, and another line of the same log, whose checksum is right.
    let renamed = Array(String(decoding: good.line, as: UTF8.self).replacing("Ann Smith", with: "Bob Smith").utf8)
    for line in [renamed, try LineProof(parsing: proof(1)).line] {
      let forged = LineProof(line: line, index: good.index, path: good.path, checkpoint: good.checkpoint)
      let error = #expect(throws: LogError.self) { try LogVerifier.verify(proof: forged.encoded, checkpoint: kept) }
      #expect(error?.code == .damaged)
    }
    for bytes in [[], Array("old 3\n".utf8)] {
      let error = #expect(throws: LogError.self) { try LogVerifier.verify(proof: bytes, checkpoint: kept) }
      #expect(error?.code == .invalidArgument)
    }
  }

  @Test func whatCannotBeProvedIsRefused() async throws {
    try await record([.add(1)])
    #expect(#expect(throws: LogError.self) { try proof(1) }?.code == .invalidArgument)
    let kept = try checkpoint()
    try await record([.add(2)])
    #expect(#expect(throws: LogError.self) { try proof(2) }?.code == .invalidArgument)
    #expect(#expect(throws: LogError.self) { try proof(3) }?.code == .revisionOutOfRange)
    #expect(
      #expect(throws: LogError.self) { try proof(1, hiding: [JSONPointer(["data", "x"])]) }?.code == .invalidArgument)
    try await record([.add(1)], at: "other", id: Self.otherID)
    _ = try checkpoint(at: "other")
    let error = #expect(throws: LogError.self) {
      try LogEvidence.proof(ofAction: 1, at: "other", checkpoint: kept, fileSystem: disk)
    }
    #expect(error?.code == .invalidArgument && error?.message.contains("of another log") == true)
  }
}
