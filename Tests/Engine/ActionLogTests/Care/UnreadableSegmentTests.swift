import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import TestSupport
import Testing

/// The results for a segment that cannot be read in part or entirely, or is not a regular file, and for the other
/// segments.
@Suite("Segments that cannot be read", .timeLimit(.minutes(60)))
struct UnreadableSegmentTests {
  /// The reasons why a segment cannot be read.
  enum Trouble: CaseIterable, Sendable {
    case open, read, directory

    var isOdd: Bool { self == .directory }

    /// The expected message.
    var message: String {
      switch self {
      case .open: "the segment cannot be opened (open: Input/output error)"
      case .read: "the segment cannot be read (read: Input/output error)"
      case .directory: "the segment is not a regular file"
      }
    }

    var operation: FileCall.Operation { self == .open ? .open : .read }
  }

  /// A log of 12 actions in at least four segments, one of them unreadable.
  private struct Story {
    var log: LogStory
    var firsts: [Int]
    var path: String
    /// Its actions.
    var lost: ClosedRange<Int>

    init(_ trouble: Trouble, at place: Place) throws {
      log = LogStory(segmentLimitBytes: 700)
      try log.record(12)
      firsts = try log.reader().segments.map(\.first)
      try #require(firsts.count >= 4)
      let first = firsts[place == .first ? 0 : place == .middle ? 1 : firsts.count - 1]
      path = log.segment(first)
      lost = first...((firsts.first { next in next > first } ?? 13) - 1)
      if trouble.isOdd {
        try log.files.remove(path)
        try log.files.createDirectory(path)
      } else {
        log.door = FaultyFileSystem(
          log.files,
          faults: [FileFault(trouble.operation, lasts: true, errorNumber: 5, pathSuffix: String(path.suffix(22)))])
      }
    }

    func verified() throws -> LogReport { try LogVerifier.verify(at: LogStory.path, fileSystem: log.door) }

    func salvaged() throws -> SalvageReport {
      try LogSalvage.salvage(
        at: LogStory.path, to: "/saved", fileSystem: log.door, environment: .test())
    }
  }

  private enum Place: CaseIterable {
    case first, middle, last
  }

  @Test(arguments: Trouble.allCases)
  func anUnreadableSegmentIsOneProblemAmongOthers(trouble: Trouble) throws {
    for place in Place.allCases {
      let story = try Story(trouble, at: place)
      let report = try story.verified()
      #expect(report.verdict == .damaged)
      let problem = try #require(report.problems.first)
      #expect(problem.kind == .unreadableSegment)
      #expect(problem.path == story.path)
      #expect(problem.message == trouble.message)
      #expect(problem.revision == story.lost.lowerBound)
      #expect(report.problems.count == 1, "what follows has nothing to follow: \(report.problems)")
      #expect(report.lastRevision == story.lost.lowerBound - 1)
      #expect(report.actionCount == 12 - story.lost.count)
      #expect(report.segments.map(\.path) == story.firsts.map { first in story.log.segment(first) })
      #expect(!report.isClosed)
    }
  }

  @Test(arguments: Trouble.allCases)
  func theOtherSegmentsAreSalvaged(trouble: Trouble) throws {
    for place in Place.allCases {
      let story = try Story(trouble, at: place)
      let report = try story.salvaged()
      #expect(report.lastRevision == story.lost.lowerBound - 1)
      let gap = try #require(report.gaps.first)
      #expect(gap.path == story.path)
      #expect(
        gap.message == (trouble == .open ? "the segment cannot be read (open: Input/output error)" : trouble.message))
      #expect(gap.lastRevisionBefore == story.lost.lowerBound - 1)
      #expect(gap.firstRevisionAfter == (story.lost.upperBound == 12 ? nil : story.lost.upperBound + 1))
      #expect(report.gaps.count == 1, "\(report.gaps)")
      #expect((gap.sizeBytes > 0) == (trouble == .read), "\(gap)")
      let saved = try LogVerifier.verify(at: "/saved", fileSystem: story.log.files)
      #expect(saved.verdict == .clean)
      #expect(saved.lastRevision == report.lastRevision)
    }
  }

  /// A reader reports the intact actions before the segment; one that starts after it does not notice.
  @Test(arguments: Trouble.allCases)
  func readersReportTheIntactActionsBeforeIt(trouble: Trouble) throws {
    let story = try Story(trouble, at: .middle)
    let error = try #require(#expect(throws: LogError.self) { try readAll(story.log) })
    #expect(error.code == (trouble.isOdd ? .damaged : .inputOutput))
    #expect(error.path == story.path)
    #expect(error.revision == story.lost.lowerBound)
    #expect(error.message == trouble.message)
    #expect(error.intact == "Actions 1…\(story.lost.lowerBound - 1) are intact.", "\(error)")
    #expect(error.advice?.description.contains("'verify'") == true)
    var behind = try story.log.reader().records(from: story.lost.upperBound + 1)
    #expect(try behind.next()?.revision == story.lost.upperBound + 1)
    let inside = try #require(
      #expect(throws: LogError.self) { try readAll(story.log, from: story.lost.lowerBound) })
    #expect(inside.revision == story.lost.lowerBound)
    #expect(inside.intact == "The actions before it were not read.", "\(inside)")
  }

  /// Batch readers and the extent of the log report the same error.
  @Test(arguments: Trouble.allCases)
  func everyReaderSaysTheSame(trouble: Trouble) throws {
    let story = try Story(trouble, at: .middle)
    let one = try #require(#expect(throws: LogError.self) { try readAll(story.log) })
    let other = #expect(throws: LogError.self) {
      var batches = try story.log.reader().batches()
      while let batch = try batches.nextBatch() { batches.recycle(batch) }
    }
    #expect(other?.description == one.description)
    if trouble.isOdd {
      let extent = try story.log.reader().extent()
      #expect(extent.lastRevision == story.lost.lowerBound - 1)
      #expect(extent.ending.damage?.description == one.description)
    } else {
      let extent = #expect(throws: LogError.self) { try story.log.reader().extent() }
      #expect(extent?.message == one.message)
      #expect(extent?.revision == one.revision)
      #expect(extent?.intact == "The actions before it were not read.")
    }
  }

  @Test(arguments: Trouble.allCases)
  func anIrregularLastSegmentEndsTheReadableLog(trouble: Trouble) throws {
    let story = try Story(trouble, at: .last)
    let error = #expect(throws: LogError.self) { try readAll(story.log) }
    #expect(error?.revision == story.lost.lowerBound)
    guard trouble.isOdd else { return }
    let extent = try story.log.reader().extent()
    #expect(extent.lastRevision == story.lost.lowerBound - 1)
    #expect(extent.ending.damage?.path == story.path)
    #expect(extent.lastAction?.revision == extent.lastRevision)
  }

  @Test(arguments: Trouble.allCases)
  func noWriterGoesOn(trouble: Trouble) throws {
    for place in Place.allCases {
      let story = try Story(trouble, at: place)
      let before = story.log.files.filePaths
      let error = #expect(throws: LogError.self) { try story.log.open() }
      #expect(error?.code == (trouble.isOdd ? .damaged : .inputOutput), "\(String(describing: error))")
      #expect(error?.path == story.path)
      #expect(story.log.files.filePaths == before)
      let repair = #expect(throws: LogError.self) {
        try LogRepair.repair(at: LogStory.path, fileSystem: story.log.door, dryRun: true)
      }
      #expect(repair?.path == story.path)
    }
  }

  /// A process at its limit of open files or memory has found nothing wrong with the log.
  @Test(arguments: [Int32(24), 23, 12], [FileCall.Operation.open, .read])
  func aProcessLimitIsNotAFinding(number: Int32, operation: FileCall.Operation) throws {
    let log = LogStory(segmentLimitBytes: 700)
    try log.record(12)
    for path in [log.segment(), log.head, try #require(log.reader().segments.last).path] {
      let door = FaultyFileSystem(
        log.files, faults: [FileFault(operation, lasts: true, errorNumber: number, pathSuffix: path)])
      let errors = [
        #expect(throws: LogError.self) { try LogVerifier.verify(at: LogStory.path, fileSystem: door) },
        #expect(throws: LogError.self) {
          try LogSalvage.salvage(at: LogStory.path, to: "/saved", fileSystem: door, environment: .test())
        },
        #expect(throws: LogError.self) { try LogReader.open(at: LogStory.path, fileSystem: door).extent() },
      ]
      for error in errors {
        #expect((error?.underlying as? FileSystemError)?.errorNumber == number, "\(path)")
        #expect(error?.path == path)
      }
    }
  }

  /// A failure that does not recur is invisible in the new log, or there is none.
  @Test(arguments: [FileCall.Operation.open, .size, .read])
  func aPassingFailureLosesNothing(operation: FileCall.Operation) throws {
    var number = 1
    while true {
      let log = LogStory(segmentLimitBytes: 700)
      try log.record(12)
      let door = FaultyFileSystem(log.files, faults: [FileFault(operation, number: number, errorNumber: 5)])
      do {
        let report = try LogSalvage.salvage(at: LogStory.path, to: "/saved", fileSystem: door, environment: .test())
        #expect(report.lastRevision == 12, "\(operation) \(number)")
        #expect(report.gaps.isEmpty, "\(operation) \(number)")
      } catch {
        #expect(try log.files.status(of: "/saved") == nil, "\(operation) \(number): \(error)")
      }
      guard door.firedCount > 0 else { break }
      number += 1
    }
    #expect(number > 4)
  }

  /// A segment removed while it is read is a different case.
  @Test func aRemovedSegmentIsNotAGap() throws {
    let log = LogStory(segmentLimitBytes: 700)
    try log.record(12)
    let door = FaultyFileSystem(
      log.files, faults: [FileFault(.open, lasts: true, code: .notFound, pathSuffix: log.segment())])
    let error = #expect(throws: LogError.self) {
      try LogSalvage.salvage(at: LogStory.path, to: "/saved", fileSystem: door, environment: .test())
    }
    #expect(error?.code == .notFound)
  }

  /// A single file has no other segments.
  @Test func anUnreadableSingleFileIsAnError() throws {
    let log = LogStory()
    try log.record(2)
    let door = FaultyFileSystem(log.files, faults: [FileFault(.read, lasts: true, errorNumber: 5)])
    let error = #expect(throws: LogError.self) { try LogVerifier.verify(at: log.segment(), fileSystem: door) }
    #expect(error?.code == .inputOutput)
  }

  /// The lines before and after the bad sectors are salvaged, and each bad sector is read once.
  @Test func onlyBadSectorsAreLost() throws {
    let log = LogStory()
    try log.record(300)
    let offsets = try log.lineOffsets()
    let bad = (2 * 4_096 + 100)..<(3 * 4_096 + 5)
    let door = BadSectors(log.files, [log.segment(): [bad]])
    // The lines with a byte in a page with a bad sector.
    let pages = 8_192..<16_384
    let lost = (1..<offsets.count).filter { line in (offsets[line - 1]..<offsets[line]).overlaps(pages) }
    let report = try LogSalvage.salvage(
      at: LogStory.path, to: "/saved", fileSystem: door, environment: .test())
    // The first two lines are not actions.
    #expect(report.lastRevision == lost[0] - 3)
    #expect(report.afterGapCount >= 300 - lost.count - report.lastRevision)
    #expect(report.gaps.map(\.message) == ["the segment cannot be read (pread: Input/output error)"])
    #expect(report.gaps.first?.byteOffset == offsets[lost[0] - 1])
    #expect(report.gaps.first?.sizeBytes == offsets[lost[lost.count - 1]] - offsets[lost[0] - 1])
    #expect(report.gaps.first?.firstRevisionAfter == lost[lost.count - 1] - 1)
    // Once for their chunk, and once for each page.
    #expect(door.failureCount == 3)
    let found = try LogVerifier.verify(at: LogStory.path, fileSystem: door)
    #expect(found.problems.map(\.kind) == [.unreadableSegment])
  }

  /// What is readable between two bad sectors is read, and a damaged line there has its own reason.
  @Test func linesBetweenBadSectorsAreKept() throws {
    let log = LogStory()
    try log.record(300)
    let offsets = try log.lineOffsets()
    let (before, after) = (2 * 4_096..<3 * 4_096, 5 * 4_096..<6 * 4_096)
    let damaged = try #require(offsets.firstIndex { offset in offset >= 4 * 4_096 })
    try log.files.flipBit(0, ofByte: offsets[damaged] + 40, in: log.segment())
    let door = BadSectors(
      log.files, [log.segment(): [before, after].map { page in page.lowerBound + 7..<page.lowerBound + 8 }])
    let lost = (1..<offsets.count).filter { line in
      let bytes = offsets[line - 1]..<offsets[line]
      return bytes.overlaps(before) || bytes.overlaps(after) || line == damaged + 1
    }
    let report = try LogSalvage.salvage(
      at: LogStory.path, to: "/saved", fileSystem: door, environment: .test())
    #expect(report.afterGapCount >= 300 - lost.count - report.lastRevision)
    let unreadable = "the segment cannot be read (pread: Input/output error)"
    #expect(report.gaps.count == 3 && report.gaps.map { gap in gap.message == unreadable } == [true, false, true])
    // Once for their chunk, and once for each page.
    #expect(door.failureCount == 3)
  }

  /// A file without a length cannot be read at all.
  @Test func aSegmentWithoutALengthIsSkipped() throws {
    let log = LogStory(segmentLimitBytes: 700)
    try log.record(12)
    let second = try #require(try log.reader().segments.dropFirst().first)
    let door = FaultyFileSystem(
      log.files, faults: [FileFault(.size, lasts: true, errorNumber: 5, pathSuffix: String(second.path.suffix(22)))])
    let report = try LogSalvage.salvage(at: LogStory.path, to: "/saved", fileSystem: door, environment: .test())
    #expect(report.lastRevision == second.first - 1)
    #expect(report.gaps.map(\.message) == ["the segment cannot be read (size: Input/output error)"])
  }

  /// A segment whose status cannot be read is not one of length 0.
  @Test(arguments: [0, 1, 3]) func aFailingStatusIsAnError(index: Int) throws {
    var log = LogStory(segmentLimitBytes: 700)
    try log.record(12)
    let segment = try log.reader().segments[index]
    log.door = FaultyFileSystem(
      log.files, faults: [FileFault(.status, lasts: true, errorNumber: 5, pathSuffix: String(segment.path.suffix(22)))])
    let error = #expect(throws: LogError.self) { try log.reader() }
    #expect(error?.code == .inputOutput && error?.path == segment.path && error?.revision == segment.first)
    #expect(error?.message == "the length of the segment cannot be read (status: Input/output error)")
    #expect(error?.intact == "The other segments are not affected. Each can be read by its path.")
    #expect(error?.advice?.description.contains("'salvage'") == true)
    let report = try LogVerifier.verify(at: LogStory.path, fileSystem: log.door)
    #expect(report.verdict == .damaged && report.problems.map(\.kind) == [.unreadableSegment])
    #expect(report.problems.first?.path == segment.path && report.problems.first?.message == error?.message)
    #expect(report.lastRevision == segment.first - 1)
    // Only its length is unreadable.
    let saved = try LogSalvage.salvage(at: LogStory.path, to: "/saved", fileSystem: log.door, environment: .test())
    #expect(saved.lastRevision == 12 && saved.gaps.isEmpty)
  }

  private func readAll(_ log: LogStory, from revision: Int = 0) throws {
    var records = try log.reader().records(from: revision)
    while try records.next() != nil {}
  }
}
