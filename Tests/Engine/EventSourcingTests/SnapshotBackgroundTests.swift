import ActionLog
import ActionLogTesting
import EventSourcing
import ImmutableData
import TestSupport
import Testing

/// Encoding a large state takes a tenth of a second. Here a test decides how long it takes, and dispatching continues.
@MainActor @Suite(.serialized) struct SnapshotBackgroundTests {
  /// A state whose encoding waits at a gate.
  struct GatedState: Codable, Equatable, Sendable {
    static let gate = Gate()

    var sum = 0

    init() {}

    init(from decoder: any Decoder) throws {
      sum = try decoder.singleValueContainer().decode(Int.self)
    }

    func encode(to encoder: any Encoder) throws {
      Self.gate.pass()
      var container = encoder.singleValueContainer()
      try container.encode(sum)
    }
  }

  enum Gated: Model {
    static var sourceFingerprint: String? { "" }
    enum Action: Codable, Equatable, Sendable { case add(Int) }
    static let name = "gated"
    static let schema = 1
    static let initialState = GatedState()

    static func reduce(into state: inout GatedState, action: Action) {
      guard case .add(let number) = action else { return }
      state.sum += number
    }
  }

  private let disk = MemoryFileSystem()

  private func check(snapshots: [Int], revision: Int, digests: Int) throws {
    #expect(try SnapshotStore(at: "log", fileSystem: disk).revisions() == snapshots)
    let history = try History<Gated>(at: "log", fileSystem: disk)
    for usesSnapshots in [false, true] {
      let replayed = try history.replay(options: .checkingDigests(usesSnapshots: usesSnapshots))
      #expect(replayed.revision == revision && replayed.state.sum == revision)
      #expect(replayed.report.divergences.isEmpty)
      #expect(replayed.report.digestsChecked == (usesSnapshots ? digests : digests + 1))
    }
  }

  private func checkOnlyFirstDigest(revision: Int) throws {
    #expect(try disk.records().filter { record in record.type == "@digest" }.map(\.revision) == [0])
    let replayed = try History<Gated>(at: "log", fileSystem: disk).replay(options: .checkingDigests())
    #expect(replayed.revision == revision && replayed.state.sum == revision)
    #expect(replayed.report.divergences.isEmpty)
  }

  @Test func aRecordingStoreWritesDuringAnEncoding() async throws {
    let store = try RecordingStore<Gated>(
      at: "log",
      configuration: reproducible(Gated.self, snapshots: .every(100), digests: .onlyAtStart, durability: .written),
      fileSystem: disk)
    GatedState.gate.close()
    for _ in 1...150 { try store.dispatch(action: .add(1)) }
    #expect(store.state.sum == 150)
    #expect(try LogReader.open(at: "log", fileSystem: disk).extent().lastRevision == 150, "written, not only accepted")
    #expect(try SnapshotStore(at: "log", fileSystem: disk).revisions().isEmpty)
    GatedState.gate.open()
    try await store.close()
    try check(snapshots: [100], revision: 150, digests: 0)
  }

  @Test func theMainActorIsFreeDuringADigest() async throws {
    let recorder = try await Recorder<Gated>.open(
      at: "log", configuration: reproducible(Gated.self, snapshots: .every(100)), fileSystem: disk)
    let store = try recorder.makeStore()
    GatedState.gate.close()
    for _ in 1...150 { try store.dispatch(action: .add(1)) }
    // The recording task waits at the gate, or has not begun; the main actor is not involved.
    #expect(store.state.sum == 150)
    #expect(recorder.status.waiting > 0)
    GatedState.gate.open()
    try await recorder.close()
    try check(snapshots: [100], revision: 150, digests: 2)
  }

  @Test(arguments: [FileCall.Operation.append, .sync])
  func dispatchingContinuesDuringASnapshot(operation: FileCall.Operation) async throws {
    let gate = Gate()
    let watched = FaultyFileSystem(disk) { call in
      if call.operation == operation, call.path.hasSuffix(".json.new") { gate.pass() }
    }
    let store = try RecordingStore<Gated>(
      at: "log", configuration: reproducible(Gated.self, snapshots: .every(100), durability: .written),
      fileSystem: watched)
    gate.close()
    for _ in 1...150 { try store.dispatch(action: .add(1)) }
    #expect(try LogReader.open(at: "log", fileSystem: disk).extent().lastRevision == 150)
    #expect(try SnapshotStore(at: "log", fileSystem: disk).revisions().isEmpty)
    gate.open()
    try await store.close()
    try check(snapshots: [100], revision: 150, digests: 2)
  }

  /// The digest at the end is that of the revision before the action, so it is not written after it.
  @Test func dispatchDuringCloseMakesNoFalseDigest() async throws {
    let store = try RecordingStore<Gated>(
      at: "log", configuration: reproducible(Gated.self, durability: .written), fileSystem: disk)
    for _ in 1...3 { try store.dispatch(action: .add(1)) }
    GatedState.gate.close()
    let closing = Task { try await store.close() }
    #expect(try await eventually { GatedState.gate.waitingCount == 1 })
    try store.dispatch(action: .add(1))
    GatedState.gate.open()
    try await closing.value
    try checkOnlyFirstDigest(revision: 4)
  }

  @Test func closingRecordsADigestOfTheLastAction() async throws {
    let recorder = try await Recorder<Gated>.open(at: "log", configuration: reproducible(Gated.self), fileSystem: disk)
    let store = try recorder.makeStore()
    for _ in 1...3 { try store.dispatch(action: .add(1)) }
    try await recorder.sync()
    GatedState.gate.close()
    let closing = Task { try await recorder.close() }
    #expect(try await eventually { GatedState.gate.waitingCount == 1 })
    #expect(throws: LogError.self) { try store.dispatch(action: .add(1)) }
    GatedState.gate.open()
    try await closing.value
    #expect(try disk.records().filter { record in record.type == "@digest" }.map(\.revision) == [0, 3])
  }

  /// The number of waiting snapshots is bounded, and they include the one that an opening would use.
  @Test func theNewestWaitingSnapshotsAreKept() async throws {
    var configuration = reproducible(
      Gated.self, snapshots: .every(1), digests: .onlyAtStart, durability: .written)
    configuration.retention = .all
    let store = try RecordingStore<Gated>(at: "log", configuration: configuration, fileSystem: disk)
    GatedState.gate.close()
    for _ in 1...600 { try store.dispatch(action: .add(1)) }
    GatedState.gate.open()
    try await store.close()
    let revisions = try SnapshotStore(at: "log", fileSystem: disk).revisions()
    // Possibly with the one that waited at the gate.
    #expect(revisions.count <= 257)
    #expect(revisions.suffix(256) == Array(345...600)[...])
    #expect(store.snapshotError == nil)
  }
}
