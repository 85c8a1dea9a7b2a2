import ActionLog
import ActionLogTesting
import EventSourcing
import Platform
import Testing

/// The files of a set of logs.
@Suite(.timeLimit(.minutes(60))) struct LogSetDirectoryTests {
  private let disk = MemoryFileSystem()

  private func open<M: Model>(_ model: M.Type = Tally.self, at path: String = "set") async throws -> LogSet<M> {
    try await LogSet<M>.open(
      at: path, configuration: LogSetConfiguration(recording: reproducible(M.self), openLimit: 100), fileSystem: disk)
  }

  private static let keys = [
    "a", "A", "a/b", "..", ".hidden", "dog.1", "Bob & c", "%41", "~", "\u{0}", "é", "e\u{301}", "日本", " ",
    String(repeating: "k", count: 160), String(repeating: "k", count: 161), String(repeating: "K", count: 1_023) + "1",
    String(repeating: "K", count: 1_023) + "2",
  ]

  @Test func everyKeyHasItsOwnLog() async throws {
    let set = try await open()
    for (number, key) in Self.keys.enumerated() {
      try await set.withStore(for: key) { store in try store.dispatch(action: .add(number)) }
    }
    try await set.close()
    let reopened = try await open()
    let keys = try await reopened.keys()
    #expect(
      keys.map { key in Array(key.utf8) }
        == Self.keys.map { key in Array(key.utf8) }.sorted { $0.lexicographicallyPrecedes($1) })
    for (number, key) in Self.keys.enumerated() {
      let history = try await reopened.history(for: key)
      #expect(try history.state().sum == number)
      #expect(history.reader.header.key.map { Array($0.utf8) } == Array(key.utf8))
      let name = try #require(history.path.split(separator: "/").last)
      #expect(name.utf8.count <= 160 && !name.hasPrefix("."))
      #expect(name.utf8.allSatisfy { byte in byte < 0x80 && !(0x41...0x5A).contains(byte) }, "\(name)")
    }
    try await reopened.close()
  }

  /// Another process can end after it made a directory and before it synced it.
  @Test func unsyncedDirectoriesAreMadeDurable() async throws {
    let made = try await open(at: "model")
    try await made.withStore(for: "a") { store in try store.dispatch(action: .add(1)) }
    try await made.close()
    let folder = try #require(disk.names(in: "model").first { name in name.utf8.count == 2 })

    try await open().close()
    try disk.createDirectory("set/" + folder)
    let set = try await open()
    try await set.withStore(for: "a") { store in
      _ = try await store.dispatch(action: .add(7), awaiting: .synced)
    }
    let after = disk.crash(.onlySyncedSurvives)
    let history = try await History<Tally>(at: set.history(for: "a").path, fileSystem: after)
    #expect(try history.state().sum == 7)
    try await set.close()
  }

  @Test(arguments: ["", String(repeating: "k", count: 1_025)])
  func invalidKeysAreRefused(key: String) async throws {
    let set = try await open()
    let error = await #expect(throws: LogError.self) { try await set.store(for: key) }
    #expect(error?.code == .invalidArgument)
    try await set.close()
  }

  @Test func theKeyStaysInLaterSegments() async throws {
    var recording = reproducible(Tally.self, segmentLimitBytes: 1)
    recording.snapshots = .never
    let set = try await LogSet<Tally>.open(
      at: "set", configuration: LogSetConfiguration(recording: recording), fileSystem: disk)
    for number in 1...3 {
      try await set.withStore(for: "a \"key\"") { store in try store.dispatch(action: .add(number)) }
    }
    let reader = try await set.history(for: "a \"key\"").reader
    #expect(reader.segments.count == 3)
    for segment in reader.segments {
      #expect(try LogReader.open(at: segment.path, fileSystem: disk).header.key == "a \"key\"")
    }
    try await set.close()
  }

  // MARK: - Other directories

  @Test func anotherDirectoryIsRefused() async throws {
    try disk.createDirectory("other")
    try disk.setContents([1], of: "other/file")
    let error = await #expect(throws: LogError.self) { try await open(at: "other") }
    #expect(error?.code == .notALog)
    #expect(error?.message.contains("'file'") == true)
    #expect(try disk.names(in: "other") == ["file"], "nothing is added")
  }

  @Test(arguments: [
    (#"{"format":"actionlogset/2","fanout":256,"model":"tally"}"#, LogError.Code.unsupportedFormat),
    (#"{"format":"actionlogset/1","fanout":16,"model":"tally"}"#, .unsupportedFormat),
    (#"{"format":"actionlogset/1","fanout":256,"model":"shop"}"#, .wrongModel), ("tally", .damaged),
  ])
  func anotherMarkerIsRefused(text: String, code: LogError.Code) async throws {
    try disk.createDirectory("set")
    try disk.setContents(Array(text.utf8), of: "set/SET")
    let error = await #expect(throws: LogError.self) { try await open() }
    #expect(error?.code == code)
  }

  @Test func aFileIsNotASet() async throws {
    try disk.setContents([], of: "set")
    let error = await #expect(throws: LogError.self) { try await open() }
    #expect(error?.code == .notALog)
  }

  @Test func anInterruptedCreationIsRepeated() async throws {
    try disk.createDirectory("set")
    try disk.setContents([1], of: "set/SET.3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11")
    try await open().close()
    #expect(try disk.names(in: "set") == ["SET"])
  }

  @Test func theSetSurvivesAPowerCut() async throws {
    let set = try await open()
    try await set.withStore(for: "a") { store in _ = try await store.dispatch(action: .add(1), awaiting: .synced) }
    let after = disk.crash(.onlySyncedSurvives)
    let reopened = try await LogSet<Tally>.open(
      at: "set", configuration: LogSetConfiguration(recording: reproducible(Tally.self)), fileSystem: after)
    #expect(try await reopened.history(for: "a").state().sum == 1)
    try await set.close()
  }

  @Test func aMisplacedLogIsReported() async throws {
    let set = try await open()
    for key in ["a", "b"] { try await set.withStore(for: key) { store in try store.dispatch(action: .add(1)) } }
    let (one, other) = (try await set.history(for: "a").path, try await set.history(for: "b").path)
    try await set.close()
    try disk.rename(one, to: "aside")
    try disk.rename(other, to: one)
    let reopened = try await open()
    let error = await #expect(throws: LogError.self) { try await reopened.store(for: "a") }
    #expect(error?.message == "the log is that of the key 'b', not of 'a'")
    for summary in try await reopened.summaries() {
      #expect(summary.key == "b")
      #expect(summary.failure?.code == .damaged)
    }
    try await reopened.close()
  }

  // MARK: - Other files

  @Test func filesAmongTheDirectoriesStopNoLog() async throws {
    let set = try await open()
    for key in ["a", "b"] { try await set.withStore(for: key) { store in try store.dispatch(action: .add(1)) } }
    let used = try await set.history(for: "a").path.split(separator: "/").dropLast().joined(separator: "/")
    let unused = "ab"
    #expect(try disk.status(of: "set/" + unused) == nil)
    // Other programs left a file like a directory of logs, one like a log, and a hidden one.
    for path in ["set/" + unused, used + "/copy", used + "/.DS_Store"] { try disk.setContents([1], of: path) }
    #expect(try await set.keys() == ["a", "b"])
    let found = try await set.summaries()
    #expect(found.filter { summary in summary.failure == nil }.map(\.key).sorted() == ["a", "b"])
    let failures = found.filter { summary in summary.failure != nil }
    #expect(Set(failures.map(\.path)) == ["set/" + unused, used + "/copy"])
    #expect(failures.allSatisfy { summary in summary.failure?.code == .notALog })
    try await set.close()
  }

  @Test func aFileInTheWayOfANewLogIsNamed() async throws {
    let made = try await open(at: "model")
    try await made.withStore(for: "a") { store in try store.dispatch(action: .add(1)) }
    let folder = try #require(try disk.names(in: "model").first { name in name.utf8.count == 2 })
    try await made.close()
    let set = try await open()
    try disk.setContents([1], of: "set/" + folder)
    let error = await #expect(throws: LogError.self) { try await set.store(for: "a") }
    #expect(error?.code == .notALog && error?.path == "set/" + folder)
    #expect(try disk.contents(of: "set/" + folder) == [1], "the file is unchanged")
    try await set.close()
  }

  @Test func anUnreadableDirectoryStopsNoOtherLog() async throws {
    let faulty = FaultyFileSystem(disk)
    let set = try await LogSet<Tally>.open(
      at: "set", configuration: LogSetConfiguration(recording: reproducible(Tally.self)), fileSystem: faulty)
    for key in ["a", "b"] { try await set.withStore(for: key) { store in try store.dispatch(action: .add(1)) } }
    // The second listing is that of the first directory of logs.
    faulty.add(FileFault(.names, number: 2))
    let found = try await set.summaries()
    #expect(found.map { summary in summary.failure?.code } == [.inputOutput, nil])
    faulty.add(FileFault(.names, number: 2))
    let error = await #expect(throws: LogError.self) { try await set.keys() }
    #expect(error?.code == .inputOutput, "keys that cannot be listed are not passed over")
    #expect(try await set.keys().count == 2)
    try await set.close()
  }

  // MARK: - Limits

  @Test func theDefaultLimitFollowsFromTheDescriptors() {
    #expect(LogSetLimits.openLimit(descriptors: 1_024) == 416)
    #expect(LogSetLimits.openLimit(descriptors: 10) == 1)
    #expect(LogSetLimits.openLimit(descriptors: nil) == 32)
    #expect(LogSetLimits.openLimit(descriptors: .max) == 10_000)
  }
}
