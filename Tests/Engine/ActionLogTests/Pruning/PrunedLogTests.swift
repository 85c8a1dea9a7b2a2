import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import Foundation
import Platform
import TestSupport
import Testing

@Suite("Logs that begin at a base", .timeLimit(.minutes(60)))
struct PrunedLogTests {
  // MARK: Reading

  @Test func theVectorIsRead() throws {
    let files = try PrunedVectors.files()
    let reader = try LogReader.open(at: LogStory.path, fileSystem: files)
    #expect(reader.base?.revision == 5)
    #expect(reader.header.first == 6)
    var records = try reader.records()
    var types: [String] = []
    while let record = try records.next() { types.append(record.type) }
    #expect(types.count == 12)
    #expect(types.first == "@segment" && types.last == "@close")
    let extent = try reader.extent()
    #expect((extent.firstRevision, extent.lastRevision) == (5, 9))
    let report = try LogVerifier.verify(at: LogStory.path, fileSystem: files)
    #expect(report.verdict == .clean, "\(report.problems)")
    #expect(report.warnings.isEmpty, "\(report.warnings)")
    #expect((report.firstRevision, report.lastRevision) == (5, 9))
  }

  @Test func recordsFromTheBaseOnAreWhatTheyWere() throws {
    let pruned = try PrunedStory()
    let reader = try pruned.story.reader()
    for revision in pruned.base.first...12 { #expect(try reader.record(at: revision).number == revision) }
    #expect(try pruned.story.read().actions == Array(pruned.base.first...12))
    #expect(try pruned.story.read(from: pruned.base.revision).actions == Array(pruned.base.first...12))
    #expect(try pruned.story.read(from: pruned.base.first + 1).actions == Array((pruned.base.first + 1)...12))
  }

  @Test func revisionsBeforeTheBaseAreGone() throws {
    let pruned = try PrunedStory()
    let first = pruned.base.revision
    for revision in 1...first {
      let error = #expect(throws: LogError.self) { try pruned.story.reader().record(at: revision) }
      #expect(error?.code == .pruned)
      guard revision < first else { continue }
      #expect(error?.message == "revision \(revision) is gone: the log begins at \(first)")
      #expect(#expect(throws: LogError.self) { try pruned.story.reader().records(from: revision) }?.code == .pruned)
      #expect(#expect(throws: LogError.self) { try pruned.story.reader().follower(from: revision) }?.code == .pruned)
    }
  }

  @Test func theArchiveIsNamed() throws {
    let files = try PrunedVectors.files()
    let reader = try LogReader.open(at: LogStory.path, fileSystem: files)
    #expect(#expect(throws: LogError.self) { try reader.record(at: 3) }?.advice == "Its segments were deleted.")
  }

  @Test func segmentsBeforeTheBaseAreNoPartOfTheLog() throws {
    var pruned = try PrunedStory(keepsSegments: true)
    let segments = try pruned.story.reader().segments
    #expect(segments.first?.first == pruned.base.first)
    #expect(try pruned.story.read().actions == Array(pruned.base.first...12))
    let report = try pruned.verify()
    #expect(report.verdict == .clean)
    #expect(Set(report.warnings.map(\.kind)) == [.outdatedSegment])
    // Not even when they are damaged.
    try pruned.story.flipLine(1)
    #expect(try pruned.verify().verdict == .clean)
    pruned.story.door = pruned.story.files
    #expect(try pruned.story.open().opening.lastRevision == 12)
  }

  @Test func timesBeforeTheBaseAreGone() throws {
    let pruned = try PrunedStory()
    let reader = try pruned.story.reader()
    #expect(try reader.lastRevision(atOrBefore: pruned.base.time) == pruned.base.revision)
    let before = pruned.base.time.advanced(by: .microseconds(-1))
    #expect(#expect(throws: LogError.self) { try reader.lastRevision(atOrBefore: before) }?.code == .pruned)
    #expect(try reader.lastKnownRevision(atOrBefore: before) == pruned.base.revision)
    #expect(try reader.lastRevision(atOrBefore: try reader.record(at: 10).time) == 10)
  }

  @Test func theLastRecordsEndAtTheBase() throws {
    let pruned = try PrunedStory()
    let found = try pruned.story.reader().lastRecords(100) { record in !record.isControl }
    #expect(found.records.map(\.number) == Array(pruned.base.first...12))
    #expect(found.damage == nil)
  }

  // MARK: Writing

  @Test func aWriterContinuesAPrunedLog() throws {
    let pruned = try PrunedStory()
    try pruned.story.record(5, from: 13)
    #expect(try pruned.story.read().actions == Array(pruned.base.first...17))
    #expect(try pruned.verify().verdict == .clean)
  }

  @Test func aTornTailOfAPrunedLogIsCut() throws {
    let pruned = try PrunedStory()
    let last = try #require(try pruned.story.reader().segments.last)
    try pruned.story.change(last.first) { bytes in bytes += Array(#"{"seq":13,"ti"#.utf8) }
    #expect(try pruned.verify().verdict == .torn)
    let writer = try pruned.story.open()
    #expect(writer.opening.recovered?.bytes == 13)
    try writer.closeNow()
    #expect(try pruned.verify().verdict == .clean)
  }

  @Test func aFollowerBeginsAtTheBase() throws {
    let pruned = try PrunedStory()
    var follower = try pruned.story.reader().follower()
    #expect(try follower.poll().filter { record in !record.isControl }.map(\.number) == Array(pruned.base.first...12))
    try pruned.story.record(3, from: 13)
    #expect(try follower.poll().filter { record in !record.isControl }.map(\.number) == [13, 14, 15])
  }

  // MARK: Copies

  @Test func aBackupHasTheBase() throws {
    let pruned = try PrunedStory(keepsSegments: true)
    let report = try LogBackup.backup(at: LogStory.path, to: "/copy", fileSystem: pruned.story.files)
    #expect(report.verification.verdict == .clean)
    #expect(report.files.contains("base.json"))
    #expect(try LogReader.open(at: "/copy", fileSystem: pruned.story.files).base == pruned.base)
    #expect(report.verification.lastRevision == 12)
    #expect(report.verification.warnings.isEmpty)
  }

  /// The log is pruned between any two calls of a backup.
  @Test func aLogPrunedDuringABackupIsCopied() throws {
    let count = try CallCount.count { files in
      _ = try LogBackup.backup(at: LogStory.path, to: "/copy", fileSystem: files)
    }
    for call in 0..<count {
      let pruned = try PrunedStory(keepsSegments: true)
      try pruned.story.files.remove(PrunedStory.path)
      let calls = Locked(0)
      let door = FaultyFileSystem(pruned.story.files) { _ in
        let number = calls.withLock { calls in
          calls += 1
          return calls - 1
        }
        guard number == call else { return }
        do {
          try pruned.put(pruned.base)
          for path in pruned.removed.keys { try pruned.story.files.remove(path) }
        } catch { Issue.record(error) }
      }
      let report = try LogBackup.backup(at: LogStory.path, to: "/copy", fileSystem: door)
      #expect(report.verification.verdict == .clean, "call \(call): \(report.verification.problems)")
      #expect(report.verification.lastRevision == 12)
      // A copy with the base has none of the segments before it.
      guard try LogReader.open(at: "/copy", fileSystem: pruned.story.files).base != nil else { continue }
      for path in pruned.removed.keys {
        #expect(try pruned.story.files.status(of: "/copy" + path.dropFirst(LogStory.path.count)) == nil, "call \(call)")
      }
    }
  }

  @Test func theSegmentsOfAPrunedLogAreShipped() throws {
    let pruned = try PrunedStory()
    let shipping = try LogShipping(at: LogStory.path, to: "/ship", fileSystem: pruned.story.files)
    #expect(shipping.segments.first?.first == pruned.base.first)
    for segment in shipping.segments { try shipping.ship(segment) }
    #expect(try shipping.segments.allSatisfy(shipping.isShipped))
  }

  /// The number of file system calls of an operation on a log that is not pruned.
  private enum CallCount {
    static func count(_ body: (any LogFileSystem) throws -> Void) throws -> Int {
      let story = LogStory(segmentLimitBytes: 600)
      try story.record(12)
      let calls = Locked(0)
      try body(FaultyFileSystem(story.files) { _ in calls.withLock { calls in calls += 1 } })
      return calls.withLock { calls in calls }
    }
  }
}

/// Bases that are missing, damaged, or of another log or position: damage, whatever reads the log.
@Suite("Bases that do not fit", .timeLimit(.minutes(60)))
struct WrongBaseTests {
  enum Wrong: CaseIterable, Sendable {
    case missing, empty, damaged, directory, otherLog, otherModel, otherLink, otherSynced, earlier, later, past

    func apply(to pruned: PrunedStory) throws {
      let files = pruned.story.files
      var base = pruned.base
      switch self {
      case .missing: return try files.remove(PrunedStory.path)
      case .empty: return try files.setContents([], of: PrunedStory.path)
      case .damaged: return try files.flipBit(0, ofByte: 20, in: PrunedStory.path)
      case .directory:
        try files.remove(PrunedStory.path)
        return try files.createDirectory(PrunedStory.path)
      case .otherLog: base.log = "00000000-0000-4000-8000-00000000000f"
      case .otherModel: base.model = "other"
      case .otherLink: base.link ^= 1
      case .otherSynced: base.synced = base.revision
      case .earlier: base.revision -= 1
      case .later: base.revision += 1
      case .past: base.revision = 100
      }
      if self == .otherSynced {
        // The first line records less than that as durable.
        guard try pruned.story.firstSynced() < base.synced else { base.link ^= 1; return try pruned.put(base) }
      }
      base.lineCount = max(base.lineCount, base.revision + 1)
      base.tree = Array(repeating: base.tree[0], count: base.lineCount.nonzeroBitCount)
      try pruned.put(base)
    }
  }

  @Test(arguments: Wrong.allCases) func aWrongBaseIsDamage(_ wrong: Wrong) throws {
    let pruned = try PrunedStory()
    try wrong.apply(to: pruned)
    let before = pruned.story.files.filePaths
    for body: () throws -> Void in [
      { _ = try pruned.story.reader() }, { _ = try pruned.story.open() },
      { _ = try LogRepair.repair(at: LogStory.path, fileSystem: pruned.story.files) },
    ] {
      let error = try #require(#expect(throws: LogError.self) { try body() })
      #expect(error.code == .damaged, "\(wrong): \(error)")
      #expect("\(error)".contains("base"), "\(wrong): \(error)")
    }
    let report = try pruned.verify()
    #expect(report.verdict == .damaged, "\(wrong)")
    #expect(report.problems.contains { problem in problem.message.contains("base") }, "\(wrong): \(report.problems)")
    let endings: [Wrong: String] = [
      .missing: ": the segments before this one are missing, and so is the base.json of a pruned log",
      .later: ": the segment that base.json names is missing",
      .otherLink: ": base.json does not fit the log's first segment",
    ]
    if let ending = endings[wrong] {
      #expect(report.problems.contains { problem in problem.message.hasSuffix(ending) }, "\(report.problems)")
    }
    #expect(pruned.story.files.filePaths == before, "nothing is changed")
  }
}

extension WrongBaseTests {
  /// The base is a part of the log that verification reports; a process without free descriptors is not.
  @Test func onlyAnErrorOfTheBaseIsReported() throws {
    let pruned = try PrunedStory()
    func verify(_ errorNumber: Int32) throws -> LogReport {
      let door = FaultyFileSystem(
        pruned.story.files, faults: [FileFault(.open, lasts: true, errorNumber: errorNumber, pathSuffix: "/base.json")])
      return try LogVerifier.verify(at: LogStory.path, fileSystem: door)
    }
    let report = try verify(EACCES)
    #expect(report.verdict == .damaged)
    #expect(report.problems.contains { problem in problem.path == PrunedStory.path }, "\(report.problems)")
    let error = #expect(throws: LogError.self) { try verify(EMFILE) }
    #expect((error?.underlying as? FileSystemError)?.concernsFile == false, "\(String(describing: error))")
  }
}

/// A log that was never pruned.
extension WrongBaseTests {
  @Test func missingFirstLineIsNotExplainedByABase() throws {
    let story = LogStory()
    try story.record(3)
    try story.change { bytes in bytes.removeFirst((bytes.firstIndex(of: UInt8(ascii: "\n")) ?? 0) + 1) }
    let report = try LogVerifier.verify(at: LogStory.path, fileSystem: story.files)
    #expect(report.verdict == .damaged)
    #expect(report.problems.allSatisfy { problem in !problem.message.contains("base") }, "\(report.problems)")
  }
}

extension LogStory {
  /// The `synced` of the first line of the log.
  fileprivate func firstSynced() throws -> Int {
    var records = try reader().records()
    return try #require(try records.next()).synced
  }
}
