import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import EventSourcing
import TestSupport
import Testing
import TimeTravel

@Suite struct MarkTests {
  private static let path = LedgerLog.path + "/" + LogFormat.marksName
  private static let time = LedgerLog.created

  @Test func marksAreOrderedByRevision() throws {
    let log = try LedgerLog(actions: 9)
    let store = try #require(try log.history().marks)
    #expect(try store.read().marks.isEmpty)
    try store.add(Mark("late", at: 8, time: Self.time))
    try store.add(Mark("early", at: 2, remark: "é \"quoted\"\n", time: Self.time))
    try store.add(Mark("also early", at: 2, time: Self.time))
    let list = try store.read()
    #expect(list.marks.map(\.name) == ["early", "also early", "late"])
    #expect(list["early"]?.remark == "é \"quoted\"\n")
    #expect(list.marks(at: 2).count == 2)
    #expect(list.flaws.isEmpty)
  }

  @Test func namesAreUniqueAndRemovable() throws {
    let store = try #require(try LedgerLog(actions: 9).history().marks)
    try store.add(Mark("crash", at: 3, time: Self.time))
    let error = #expect(throws: TimeTravelError.self) { try store.add(Mark("crash", at: 4, time: Self.time)) }
    #expect(error?.code == .markExists)
    #expect(try store.remove("crash", time: Self.time).revision == 3)
    #expect(try store.read().marks.isEmpty)
    try store.add(Mark("crash", at: 4, time: Self.time))
    #expect(try store.read()["crash"]?.revision == 4)
    let unknown = #expect(throws: TimeTravelError.self) { try store.remove("crahs", time: Self.time) }
    #expect(unknown?.code == .unknownMark && unknown?.suggestions == ["crash"])
  }

  @Test(arguments: [
    ("", "the name of the mark is empty"), (" a", "only single spaces are allowed"),
    ("a  b", "only single spaces are allowed"),
    ("a\nb", "it has control characters"), ("a\tb", "such as tabs or line feeds"),
    ("a\u{202E}b", "it has control characters"),
    ("-3", "it begins with '-'"), ("-x", "it begins with '-'"), ("a=b", "it begins with '-' or contains '='"),
    ("42", "it already means another point"), ("end", "it already means another point"),
    ("yesterday", "it already means another point"), ("5m ago", "it already means another point"),
    ("2026-11-21T09:00:05Z", "it already means another point"),
    ("5y ago", "it has the form of another point"), ("2026-11-21", "it already means another point"),
    ("2026-11-2", "it has the form of another point"),
    (String(repeating: "x", count: 257), "the name of the mark has 257 bytes"),
  ])
  func nameMustNotBeAnotherPoint(name: String, reason: String) {
    let error = #expect(throws: TimeTravelError.self) { try Mark(name, at: 1, time: Self.time) }
    #expect(error?.code == .invalidMark)
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
  }

  @Test func namesArePoints() throws {
    let marks = [try Mark("before the crash", at: 3, time: Self.time)]
    #expect(try HistoryPoint(parsing: " before  the crash ", now: Self.time, marks: marks) == .revision(3))
    let error = #expect(throws: TimeTravelError.self) {
      try HistoryPoint(parsing: "before the crsah", now: Self.time, marks: marks)
    }
    #expect(error?.code == .invalidPoint && error?.suggestions == ["before the crash"])
  }

  /// Wherever the disk is full or fails while a mark is written, earlier marks and the log are intact, and a later mark can be
  /// written.
  @Test func truncatedMarkCostsNoOther() throws {
    let line = try Self.lengthOfLine()
    for count in 0...line {
      let log = try LedgerLog(actions: 3)
      try #require(try log.history().marks).add(Mark("first", at: 1, time: Self.time))
      let files = FaultyFileSystem(
        log.disk, faults: [FileFault(.append, code: .noSpace, pathSuffix: "marks.jsonl", partialWrite: .bytes(count))])
      let store = MarkStore(at: LedgerLog.path, fileSystem: files)
      let error = #expect(throws: LogError.self) { try store.add(Mark("second", at: 2, time: Self.time)) }
      #expect(error?.code == .noSpace)
      #expect(try store.read()["first"] != nil, "\(count) bytes")
      try store.add(Mark("third", at: 3, time: Self.time))
      let list = try store.read()
      let isWhole = count >= line - 1
      #expect(
        list.marks.map(\.name) == (isWhole ? ["first", "second", "third"] : ["first", "third"]), "\(count) bytes")
      #expect(list.flaws.map(\.line) == (isWhole || count == 0 ? [] : [2]), "\(count) bytes")
      #expect(try LogVerifier.verify(at: LedgerLog.path, fileSystem: log.disk).verdict == .clean)
    }
  }

  private static func lengthOfLine() throws -> Int {
    let log = try LedgerLog(actions: 3)
    try #require(try log.history().marks).add(Mark("second", at: 2, time: time))
    return try log.disk.contents(of: path).count
  }

  /// Reading any file ends, and returns each complete mark.
  @Test(arguments: [UInt64](0..<4)) func damagedLinesAreReported(seed: UInt64) throws {
    let log = try LedgerLog(actions: 9)
    let store = try #require(try log.history().marks)
    for revision in 1...6 { try store.add(Mark("mark \(revision)", at: revision, time: Self.time)) }
    let whole = try log.disk.contents(of: Self.path)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      var bytes = whole
      let place = Int.random(in: 0..<bytes.count, using: &random)
      bytes[place] ^= UInt8(1 << Int.random(in: 0..<8, using: &random))
      try log.disk.setContents(bytes, of: Self.path)
      let list = try store.read()
      #expect(!list.flaws.isEmpty, "seed \(seed), byte \(place)")
      // A changed line feed joins two lines.
      #expect((4...5).contains(list.marks.count), "seed \(seed), byte \(place)")
    }
  }

  @Test(arguments: [
    #"{"seq":1,"time":"2026-11-21T09:00:00.000000Z""#, #"{"seq":1,"name":"a""#,
    #"{"seq":-1,"time":"2026-11-21T09:00:00.000000Z","name":"a""#,
    #"{"seq":1.5,"time":"2026-11-21T09:00:00.000000Z","name":"a""#,
    #"{"seq":1,"time":"2026-11-21T09:00:00.000000Z","name":"end""#,
    #"{"seq":1,"time":"2026-11-21T09:00:00.000000Z","name":"a","remark":[]"#, #"{"name":{}"#, #"[{}"#,
  ])
  func sealedLineWithoutAMarkIsIgnored(line: String) throws {
    let log = try LedgerLog(actions: 3)
    let store = try #require(try log.history().marks)
    try store.add(Mark("good", at: 1, time: Self.time))
    var bytes = Array(line.utf8)
    CommitMark.append(to: &bytes)
    try log.disk.setContents(try log.disk.contents(of: Self.path) + bytes, of: Self.path)
    let list = try store.read()
    #expect(list.marks.map(\.name) == ["good"] && list.flaws.map(\.line) == [2])
  }

  /// A file of line feeds takes little more memory than its length.
  @Test func consecutiveBadLinesAreOneFlaw() throws {
    let log = try LedgerLog(actions: 9)
    let store = try #require(try log.history().marks)
    for revision in 1...2 { try store.add(Mark("mark \(revision)", at: revision, time: Self.time)) }
    let lines = try log.disk.contents(of: Self.path).split(separator: UInt8(ascii: "\n")).map { line in
      Array(line) + [10]
    }
    let noise = [UInt8](repeating: 10, count: 1_000)
    try log.disk.setContents(noise + lines[0] + Array("x\ny\n".utf8) + lines[1] + noise, of: Self.path)
    let list = try store.read()
    #expect(list.marks.count == 2)
    #expect(list.flaws.map(\.line) == [1, 1_002, 1_005])
    #expect(list.flaws.map(\.lineCount) == [1_000, 2, 1_000] && list.flawedLineCount == 2_002)
    #expect(list.flaws[1].message.hasSuffix("; lines up to 1003 are not marks, either"))
  }

  /// Wherever the disk fails, the file is the old or the new one, with all marks.
  @Test(arguments: [FileCall.Operation.append, .rename, .sync, .syncDirectory])
  func failedCleaningLosesNoMark(operation: FileCall.Operation) throws {
    var failed = 0
    for number in 1... {
      let log = try LedgerLog(actions: 3)
      let marks = try #require(try log.history().marks)
      for name in ["mark", "gone"] { try marks.add(Mark(name, at: 1, time: Self.time)) }
      try marks.remove("gone", time: Self.time)
      let files = FaultyFileSystem(log.disk, faults: [FileFault(operation, number: number, code: .noSpace)])
      let store = MarkStore(at: LedgerLog.path, fileSystem: files)
      do { try store.eraseRemovedMarks() } catch {
        failed += 1
        #expect(error.code == .noSpace)
        #expect(try store.read().marks.map(\.name) == ["mark"], "\(operation) \(number)")
        #expect(!log.disk.filePaths.contains { path in path.hasSuffix(".new") })
        continue
      }
      break
    }
    #expect(failed > 0)
  }

  @Test func marksNeedNoLockAndAreBackedUp() throws {
    let log = try LedgerLog(actions: 3)
    let writer = try LogWriter.open(
      at: LedgerLog.path, model: Ledger.name, schema: Ledger.schema, fileSystem: log.disk)
    let store = try #require(try log.history().marks)
    try store.add(Mark("live", at: 2, time: Self.time))
    try writer.closeNow()
    _ = try LogBackup.backup(at: LedgerLog.path, to: "copy", fileSystem: log.disk)
    #expect(try MarkStore(at: "copy", fileSystem: log.disk).read()["live"]?.revision == 2)
    #expect(try LogVerifier.verify(at: "copy", fileSystem: log.disk).verdict == .clean)
  }
}
