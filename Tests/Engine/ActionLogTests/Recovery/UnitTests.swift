import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import Platform
import TestSupport
import Testing

@Suite("Units", .timeLimit(.minutes(60)))
struct UnitTests {
  /// A log of two actions and a unit of three, of which only the first two were synced.
  private func story(after: Int = 0) throws -> (LogStory, unit: Int) {
    let story = LogStory()
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    try writer.appendNow([.numbered(2)])
    let head = try story.files.contents(of: story.head)
    let unit = try story.bytes().count
    let actions: [LogDraft] = [.numbered(3), .numbered(4), .numbered(5)]
    _ = try writer.writeNow([LogDraft(UnitRecord(actions: 3))] + actions)
    for number in 6..<6 + after { _ = try writer.writeNow([.numbered(number)]) }
    writer.abandon()
    try story.files.setContents(head, of: story.head)
    return (story, unit)
  }

  @Test func aUnitIsReadLikeOtherActions() throws {
    let (story, _) = try story()
    #expect(try story.types() == ["@segment", "@open", "add", "add", "@unit", "add", "add", "add"])
    #expect(try story.read().actions == [1, 2, 3, 4, 5])
    let writer = try story.open()
    #expect(writer.opening.recovered == nil)
    #expect(writer.opening.lastRevision == 5)
    try writer.closeNow()
    let report = try LogVerifier.verify(at: LogStory.path, fileSystem: story.files)
    #expect(report.verdict == .clean)
    #expect(report.warnings.isEmpty)
  }

  @Test func theDecisionOfAnActionIsFound() throws {
    let (story, _) = try story(after: 1)
    let reader = try story.reader()
    #expect(try (1...6).map { revision in try reader.decision(of: revision) } == [nil, nil, 3...5, 3...5, 3...5, nil])
  }

  @Test func theLargestDecisionIsFound() throws {
    let story = LogStory()
    let writer = try story.open()
    let count = UnitRecord.limit
    try writer.appendNow([.numbered(1), .numbered(2)])
    _ = try writer.writeNow(
      [LogDraft(UnitRecord(actions: count))] + (3..<3 + count).map { number in LogDraft.numbered(number) })
    _ = try writer.writeNow([.numbered(0)])
    try writer.closeNow()
    let reader = try story.reader()
    let revisions = [2, 3, 2 + count, 3 + count]
    #expect(
      try revisions.map { revision in try reader.decision(of: revision) } == [nil, 3...2 + count, 3...2 + count, nil])
  }

  /// Every way to read ends before a unit that is not all there, at each length that a crash can leave, and the next writer removes it.
  @Test func readersSeeAllOrNone() throws {
    let (whole, unit) = try story()
    let bytes = try whole.bytes()
    let head = try whole.files.contents(of: whole.head)
    for size in unit + 1..<bytes.count {
      let story = LogStory()
      try story.record(1)
      try story.files.setContents(Array(bytes[..<size]), of: story.segment())
      try story.files.setContents(head, of: story.head)
      let reader = try story.reader()
      let extent = try reader.extent()
      #expect(extent.lastRevision == 2, "\(size) bytes")
      guard case .torn(let torn, let place) = extent.ending else {
        Issue.record("\(size) bytes end in \(extent.ending)")
        continue
      }
      #expect(torn == size - unit && place.byteOffset == unit)
      for first in 0...5 {
        var records = try reader.records(from: first)
        var last = 0
        while let record = try records.next() { if !record.isControl { last = record.revision } }
        #expect(last == (first <= 2 ? 2 : 0), "\(size) bytes, from \(first)")
        var follower = try reader.follower(from: first)
        #expect(try follower.poll().filter { record in !record.isControl }.last?.revision == (first <= 2 ? 2 : nil))
      }
      var batches = try reader.records(from: 0)
      while let batch = try batches.nextBatch() { #expect(batch.entries.allSatisfy { entry in entry.revision <= 2 }) }
      #expect(throws: LogError.self) { try reader.record(at: 3) }
      #expect(throws: LogError.self) { try reader.record(at: 4) }
      #expect(try reader.lastRecords(5, where: { record in !record.isControl }).records.map(\.number) == [1, 2])
      #expect(try reader.lastRevision(atOrBefore: .latest) == 2)
      try story.expectTorn(after: 2)
      #expect(try story.read().actions == [1, 2])
    }
  }

  @Test func aFollowerReturnsAUnitWhenItIsWhole() throws {
    let (whole, unit) = try story(after: 1)
    let (bytes, head) = (try whole.bytes(), try whole.files.contents(of: whole.head))
    let story = LogStory()
    try story.record(1)
    try story.files.setContents(Array(bytes[..<unit]), of: story.segment())
    try story.files.setContents(head, of: story.head)
    var follower = try story.reader().follower(from: 1)
    var seen: [Int] = []
    for size in unit...bytes.count {
      try story.files.setContents(Array(bytes[..<size]), of: story.segment())
      let new = try follower.poll().filter { record in !record.isControl }.map(\.revision)
      #expect([[], [1, 2], [3, 4, 5], [6]].contains(new), "\(size) bytes")
      seen += new
    }
    #expect(seen == Array(1...6))
  }

  /// A unit that was durable is damaged, not torn: its end is missing, or one of its lines is changed.
  @Test func aDurableUnitIsNotTorn() throws {
    let (story, unit) = try story()
    let writer = try story.open()
    try writer.syncNow()
    writer.abandon()
    let bytes = try story.bytes()
    let offsets = try story.lineOffsets()
    try story.change { bytes in bytes.removeSubrange(offsets[6]...) }
    try story.expectDamage(after: 3)
    try story.files.setContents(bytes, of: story.segment())
    try story.flipByte(offsets[6] + 40)
    // A later line records that the unit was durable.
    try story.removeHead()
    try story.expectDamage(after: 2)
    #expect(offsets[4] == unit)
  }

  /// A lost page between complete lines is what a power cut leaves; a changed byte is not.
  @Test func aLostPageInAUnitIsTorn() throws {
    let story = LogStory()
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    let head = try story.files.contents(of: story.head)
    let actions = (2...40).map { number in LogDraft.numbered(number) }
    _ = try writer.writeNow([LogDraft(UnitRecord(actions: actions.count))] + actions)
    writer.abandon()
    try story.files.setContents(head, of: story.head)
    let bytes = try story.bytes()
    let page = try (story.lineOffsets()[10] / 512 + 1) * 512
    try story.change { bytes in for index in page..<page + 1_024 { bytes[index] = 0 } }
    try story.expectTorn(after: 1)
    try story.files.setContents(bytes, of: story.segment())
    try story.files.setContents(head, of: story.head)
    try story.flipByte(page)
    #expect(throws: LogError.self) { try story.open() }
  }

  @Test func aUnitBeginsANewSegmentAndIsNeverDivided() throws {
    let story = LogStory(segmentLimitBytes: 600)
    let writer = try story.open()
    for unit in 0..<6 {
      let actions = (1...3).map { number in LogDraft.numbered(unit * 3 + number) }
      _ = try writer.appendNow([LogDraft(UnitRecord(actions: 3))] + actions)
    }
    try writer.closeNow()
    let segments = try story.reader().segments
    #expect(segments.count > 2)
    #expect(segments.allSatisfy { segment in segment.first % 3 == 1 })
    #expect(try story.read().actions == Array(1...18))
  }

  /// A log that is made of another one may lack actions of a unit, and must not announce them.
  @Test func aSalvageHasNoUnits() throws {
    let (story, _) = try story(after: 2)
    let writer = try story.open()
    try writer.closeNow()
    try story.flipByte(story.lineOffsets()[6] + 40)
    _ = try LogSalvage.salvage(at: LogStory.path, to: "/new", fileSystem: story.files)
    try story.files.remove("/new/HEAD")
    let reader = try LogReader.open(at: "/new", fileSystem: story.files)
    #expect(try reader.extent().lastRevision == 3)
    var records = try reader.records(from: 0)
    while let record = try records.next() { #expect(record.type != "@unit") }
    #expect(try LogVerifier.verify(at: "/new", fileSystem: story.files).verdict == .clean)
  }

  @Test(arguments: ["{\"actions\":1}", "{\"actions\":1001}", "{\"actions\":\"2\"}", "{}"])
  func aUnitWithoutANumberIsDamage(data: String) throws {
    var log = RawLog()
    log.line(revision: 0, type: "@unit", data: data)
    log.line(revision: 1, data: #"{"_0":1}"#)
    #expect(try log.story().reader().extent().ending.damage != nil)
  }

  /// Only the engine makes units: one with the wrong number of actions would make recovery remove acknowledged actions.
  @Test func callersCannotWriteUnits() throws {
    let story = LogStory()
    let writer = try story.open()
    let unit = LogDraft(type: "@unit", data: Array(#"{"actions":2}"#.utf8))
    let invalid: [[LogDraft]] = [
      [unit, .numbered(1), .numbered(2)], [LogDraft(UnitRecord(actions: 2)), .numbered(1)],
      [LogDraft(UnitRecord(actions: 2)), .numbered(1), LogDraft(type: "@report", data: Array("{}".utf8))],
    ]
    for drafts in invalid {
      #expect(thrownCode { try writer.appendNow(drafts) } == .invalidRecord)
    }
    let large = LogDraft(type: "add", data: [UInt8](repeating: UInt8(ascii: " "), count: 15 << 20))
    #expect(
      thrownCode {
        try writer.appendNow([LogDraft(UnitRecord(actions: 9))] + [LogDraft](repeating: large, count: 9))
      } == .beyondLimit)
    try writer.closeNow()
    #expect(try story.types() == ["@segment", "@open", "@close"])
  }

  private func thrownCode(_ body: () throws -> Void) -> LogError.Code? {
    do { try body() } catch { return (error as? LogError)?.code }
    return nil
  }

  /// A reader that comes while a live writer writes a unit and more: whatever it sees at each of its calls, the log is intact.
  @Test func aGrowingUnitIsNotDamaged() throws {
    let (whole, unit) = try story(after: 2)
    let bytes = try whole.bytes()
    let head = try whole.files.contents(of: whole.head)
    for step in stride(from: 1, to: bytes.count - unit, by: 7) {
      for size in [unit + 1, unit + step] {
        let growing = {
          let files = MemoryFileSystem()
          try files.createDirectory(LogStory.path)
          try files.setContents(bytes, of: whole.segment())
          try files.setContents(head, of: whole.head)
          return GrowingFileSystem(files, suffix: ".jsonl", visible: size, step: step)
        }
        let files = try growing()
        let verdict = try LogVerifier.verify(at: LogStory.path, fileSystem: files).verdict
        #expect(verdict != .damaged, "verified from \(size) bytes by \(step)")
        let reader = try LogReader.open(at: LogStory.path, fileSystem: growing())
        #expect(try reader.extent().ending.damage == nil, "read from \(size) bytes by \(step)")
        var records = try LogReader.open(at: LogStory.path, fileSystem: growing()).records()
        while try records.next() != nil {}
        var follower = try LogReader.open(at: LogStory.path, fileSystem: growing()).follower(from: 1)
        var seen: [Int] = []
        while seen.count < 7 { seen += try follower.poll().filter { record in !record.isControl }.map(\.revision) }
        #expect(seen == Array(1...7), "followed from \(size) bytes by \(step)")
      }
    }
  }

  /// A crash leaves complete lines and a torn one of a unit that is longer than the remainder of a search.
  @Test func aReaderThatBeginsInsideAnUnfinishedUnitSeesNoneOfIt() throws {
    let count = 100
    let whole = LogStory()
    let writer = try whole.open()
    try writer.appendNow([.numbered(1), .numbered(2)])
    let head = try whole.files.contents(of: whole.head)
    let long = LogDraft(type: "add", data: Array(#"{"_0":3,"text":"\#(String(repeating: "x", count: 200))"}"#.utf8))
    _ = try writer.writeNow([LogDraft(UnitRecord(actions: count))] + [LogDraft](repeating: long, count: count))
    writer.abandon()
    let bytes = try whole.bytes()
    for size in [bytes.count - 1, bytes.count - 100, bytes.count * 2 / 3] {
      let story = LogStory()
      try story.files.createDirectory(LogStory.path)
      try story.files.setContents(Array(bytes[..<size]), of: story.segment())
      try story.files.setContents(head, of: story.head)
      let reader = try story.reader()
      #expect(try reader.extent().lastRevision == 2)
      for revision in 3...2 + count {
        var records = try reader.records(from: revision)
        #expect(try records.next() == nil, "from \(revision) of \(size) bytes")
        #expect(throws: LogError.self) { try reader.record(at: revision) }
      }
    }
  }

  /// Past damage, a complete unit is read like other actions, and an unfinished one is the end.
  @Test(arguments: [true, false]) func aUnitPastDamageIsReadWhole(isComplete: Bool) throws {
    let story = LogStory(segmentLimitBytes: 1)
    let writer = try story.open()
    try writer.appendNow([.numbered(1), .numbered(2)])
    try writer.appendNow([.numbered(3)])
    writer.abandon()
    let later = LogStory(story.files)
    let next = try later.open()
    try next.appendNow([.numbered(4)])
    let head = try story.files.contents(of: story.head)
    _ = try next.writeNow([LogDraft(UnitRecord(actions: 2)), .numbered(5), .numbered(6)])
    next.abandon()
    let segments = try LogFolder.list(LogStory.path, story.files).segments
    let last = try #require(segments.last?.first)
    if !isComplete {
      try story.change(last) { bytes in bytes.removeLast(10) }
      try story.files.setContents(head, of: story.head)
    }
    let offsets = try story.lineOffsets(1)
    // The last line of a segment is read with the end of the log.
    try story.flipByte(offsets[offsets.count - 3] + 30, of: 1)
    let found = try story.reader().lastRecords(20, where: { record in !record.isControl })
    #expect(found.records.map(\.number) == (isComplete ? [3, 4, 5, 6] : [3, 4]), "\(found)")
  }
}

/// A file system whose segments seem to grow with each call, as those of a live writer.
private final class GrowingFileSystem: ForwardingFileSystem {
  let base: any LogFileSystem
  private let suffix: String
  private let step: Int
  private let visible: Locked<Int>

  init(_ base: any LogFileSystem, suffix: String, visible: Int, step: Int) {
    (self.base, self.suffix, self.step) = (base, suffix, step)
    self.visible = Locked(visible)
  }

  func open(_ path: String, for access: FileAccess) throws(FileSystemError) -> any LogFile {
    let file = try base.open(path, for: access)
    return path.hasSuffix(suffix) ? GrowingFile(file, self) : file
  }

  /// Returns the number of bytes that are visible now. More are at the next call.
  fileprivate func next() -> Int {
    visible.withLock { visible in
      defer { visible += step }
      return visible
    }
  }

  private final class GrowingFile: ForwardingFile {
    let base: any LogFile
    private let files: GrowingFileSystem

    init(_ base: any LogFile, _ files: GrowingFileSystem) { (self.base, self.files) = (base, files) }

    func size() throws(FileSystemError) -> Int { min(try base.size(), files.next()) }
    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemError) -> Int {
      let count = min(buffer.count, max(0, files.next() - offset))
      return try base.read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
    }
  }
}
