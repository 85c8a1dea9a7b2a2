import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import EventSourcing
import ImmutableData
import Testing
import TimeTravel

/// Every entry point of the engine, used as another package uses it. `ForeignPackageTests` compiles this file without access to the names
/// that are for the package only.
@Suite("Every entry point of the engine") struct EntryPointTests {
  enum Tally: Model {
    struct State: Codable, Equatable, Sendable { var sum = 0 }

    enum Action: Codable, Equatable, Sendable {
      case add(Int)
    }

    struct Negative: Error {}

    static let name = "tally"
    static let schema = 1
    static let initialState = State()

    static func reduce(into state: inout State, action: Action) throws {
      guard case .add(let number) = action, number >= 0 else { throw Negative() }
      state.sum += number
    }
  }

  /// A file system with the log of three actions.
  @MainActor private func recorded() async throws -> MemoryFileSystem {
    let files = MemoryFileSystem()
    let recorder = try await Recorder<Tally>.open(at: "log", fileSystem: files)
    let store = try recorder.makeStore()
    for number in 1...3 { try store.dispatch(action: .add(number)) }
    try await recorder.close()
    return files
  }

  @MainActor @Test func recorderRecordsAStore() async throws {
    let files = try await recorded()
    let recorder = try await Recorder<Tally>.open(at: "log", fileSystem: files)
    let store = Store(initialState: Tally.State(sum: 6), reducer: Tally.reducer)
    try recorder.listen(to: store)
    try store.dispatch(action: .add(4))
    #expect(try await recorder.sync().revision == 4)
    #expect(recorder.status.revision == 4)
    #expect(store.isRecorded)
    try await recorder.close()
  }

  @MainActor @Test func timeTravelStoreShowsThePast() async throws {
    let files = try await recorded()
    let recorder = try await Recorder<Tally>.open(at: "log", fileSystem: files)
    let live = try recorder.makeStore()
    let store = TimeTravelStore<Tally>(.store(live, recorder: recorder))
    try await store.pause(at: .revision(2))
    #expect(store.state.sum == 3 && store.revision == 2 && store.revisions == 0...3)
    #expect(throws: TimeTravelError.self) { try store.dispatch(action: .add(4)) }
    try await store.branch(at: .revision(2), to: "branch")
    let stream = store.makeStream()
    try store.dispatch(action: .add(4))
    for await (oldState, _) in stream {
      await RecordMeta.withCause(latestIn: stream) { #expect(oldState.sum == 3) }
      break
    }
    #expect(store.live.path == "branch" && store.state.sum == 7)
    try await store.close()
  }

  @MainActor @Test func recordingStoreReturnsReceipts() async throws {
    let files = try await recorded()
    let store = try await RecordingStore<Tally>.open(at: "log", fileSystem: files)
    #expect(try await store.dispatch(action: .add(4), awaiting: .synced).revision == 4)
    #expect(throws: Tally.Negative.self) { try store.dispatch(action: .add(-1)) }
    #expect(store.select { state in state.sum } == 10)
    try await store.close()
  }

  @Test func logSetOpensStores() async throws {
    let set = try await LogSet<Tally>.open(at: "tallies", fileSystem: MemoryFileSystem())
    // The result can be discarded.
    try await set.withStore(for: "ann") { store in try await store.dispatch(action: .add(1), awaiting: .synced) }
    #expect(try await set.keys() == ["ann"])
    try await set.close()
    // The file system is that of the computer by default.
    #expect(try SnapshotStore(at: "/nowhere/tallies").revisions().isEmpty)
  }

  @MainActor @Test func historyAnswersQuestions() async throws {
    let history = try await History<Tally>(at: "log", fileSystem: try await recorded())
    #expect(try await history.reading { history in try history.state().sum } == 6)
    #expect(try history.state(at: 2).sum == 3)
    #expect(try history.replay(to: 1).revision == 1)
    #expect(try history.actions(in: 2...3).flatMap(\.actions) == [.add(2), .add(3)])
    let condition = try Condition(parsing: "/sum > 2")
    #expect(try history.firstRevision(where: condition).revision == 2)
    #expect(try history.prove(at: 3).isProven)
  }

  @MainActor @Test func cursorMovesThroughTheHistory() async throws {
    let cursor = try await History<Tally>(at: "log", fileSystem: try await recorded()).cursor(at: .start)
    try await cursor.stepForward()
    try await cursor.jump(to: .end)
    #expect(await cursor.state.sum == 6)
    #expect(try await cursor.difference(from: 1).changes.count == 1)
    let observer = await HistoryObserver(cursor)
    try await observer.stepBackward()
    #expect(observer.select { state in state.sum } == 3)
  }

  @Test func writerReaderAndFollowerHandleBytes() async throws {
    let files = MemoryFileSystem()
    let writer = try LogWriter.open(at: "log", model: "bytes", schema: 1, fileSystem: files)
    let draft = LogDraft(type: "didTick", data: Array("{}".utf8))
    let ticket = try writer.enqueue([draft])
    #expect(try await writer.receipt(for: ticket).revision == 1)
    #expect(try await writer.append([draft, draft]).revision == 3)
    #expect(try await writer.sync().durability == writer.durability)

    var follower = try LogReader.open(at: "log", fileSystem: files).follower(from: 2)
    #expect(try follower.poll().map(\.revision) == [2, 3])
    try await writer.close()

    let reader = try LogReader.open(at: "log", fileSystem: files)
    var records = try reader.records(from: 1)
    var types: [String] = []
    while let record = try records.next() { types.append(record.type) }
    #expect(types.filter { type in type == "didTick" }.count == 3)
    #expect(try LogVerifier.verify(at: "log", fileSystem: files).verdict == .clean)
  }

  @MainActor @Test func fileSystemCanBeOnesOwn() async throws {
    let files = ReadOnlyFileSystem(base: try await recorded())
    #expect(try await History<Tally>(at: "log", fileSystem: files).state().sum == 6)
    let error = #expect(throws: LogError.self) {
      try LogWriter.open(at: "log", model: "tally", schema: 1, fileSystem: files)
    }
    #expect(error?.code == .inputOutput)
  }

  @MainActor @Test func faultsAndCrashesAreSimulated() async throws {
    let disk = try await recorded()
    let files = FaultyFileSystem(disk, faults: [FileFault(.sync, lasts: true)])
    await #expect(throws: LogError.self) {
      let store = try await RecordingStore<Tally>.open(at: "log", fileSystem: files)
      _ = try await store.dispatch(action: .add(4), awaiting: .synced)
    }
    #expect(files.firedCount > 0)
    #expect(try await History<Tally>(at: "log", fileSystem: disk.crash(.onlySyncedSurvives)).state().sum == 6)
  }
}

/// A file system defined by the user: it forwards calls that read, and refuses all others.
private struct ReadOnlyFileSystem: LogFileSystem {
  let base: any LogFileSystem

  func status(of path: String) throws(FileSystemError) -> FileStatus? { try base.status(of: path) }
  func names(in directory: String) throws(FileSystemError) -> [String] { try base.names(in: directory) }
  func createDirectory(_ path: String) throws(FileSystemError) { throw refusal("mkdir", path) }
  func open(_ path: String, for access: FileAccess) throws(FileSystemError) -> any LogFile {
    guard access == .read else { throw refusal("open", path) }
    return ReadOnlyFile(base: try base.open(path, for: .read), path: path)
  }
  func rename(_ path: String, to newPath: String) throws(FileSystemError) { throw refusal("rename", path) }
  func renameWithoutReplacing(_ path: String, to newPath: String) throws(FileSystemError) {
    throw refusal("rename", path)
  }
  func remove(_ path: String) throws(FileSystemError) { throw refusal("unlink", path) }
  func syncDirectory(_ path: String) throws(FileSystemError) { throw refusal("fsync", path) }
  func lock(directory: String) throws(FileSystemError) -> any DirectoryLock { throw refusal("flock", directory) }

  private func refusal(_ operation: String, _ path: String) -> FileSystemError {
    FileSystemError(code: .readOnlyFileSystem, operation: operation, path: path)
  }
}

/// An open file of a ``ReadOnlyFileSystem``.
private final class ReadOnlyFile: LogFile {
  private let base: any LogFile
  private let path: String

  init(base: any LogFile, path: String) {
    self.base = base
    self.path = path
  }

  func size() throws(FileSystemError) -> Int { try base.size() }
  func identity() throws(FileSystemError) -> FileIdentity? { try base.identity() }
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemError) -> Int {
    try base.read(at: offset, into: buffer)
  }
  func append(_ bytes: UnsafeRawBufferPointer) throws(FileSystemError) { throw refusal("write") }
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileSystemError) { throw refusal("pwrite") }
  func truncate(toBytes count: Int) throws(FileSystemError) { throw refusal("ftruncate") }
  func sync(_ strength: SyncStrength) throws(FileSystemError) { throw refusal("fdatasync") }
  func discardCache() { base.discardCache() }
  func close() { base.close() }

  private func refusal(_ operation: String) -> FileSystemError {
    FileSystemError(code: .readOnlyFileSystem, operation: operation, path: path)
  }
}
