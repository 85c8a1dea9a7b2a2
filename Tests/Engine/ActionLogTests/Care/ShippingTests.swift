import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import Platform
import TestSupport
import Testing

@Suite("Shipping segments", .timeLimit(.minutes(60)))
struct ShippingTests {
  private static let root = "/lake"

  private func shipping(_ story: LogStory) throws -> LogShipping {
    try LogShipping(at: LogStory.path, to: Self.root, fileSystem: story.door)
  }

  /// Ships the missing segments.
  private func ship(_ story: LogStory) throws -> [Int] {
    let shipping = try shipping(story)
    var shipped: [Int] = []
    for segment in shipping.segments where try !shipping.isShipped(segment) {
      try shipping.ship(segment)
      shipped.append(segment.first)
    }
    return shipped
  }

  @Test("segments shipped from a log in use verify, file by file and as a log, and are shipped once")
  func shippedWhileWritten() throws {
    let story = LogStory(segmentLimitBytes: 1_500)
    let writer = try story.open()
    for number in 1...30 { try writer.appendNow([.numbered(number)]) }
    let first = try ship(story)
    #expect(first.count >= 3)
    #expect(try ship(story).isEmpty)
    for number in 31...60 { try writer.appendNow([.numbered(number)]) }
    let second = try ship(story)
    #expect(!second.isEmpty && second.allSatisfy { revision in revision > first.last ?? 0 })
    try writer.closeNow()

    // The last segment is shipped once the log is closed.
    let segments = try story.reader().segments
    #expect(first + second == segments.dropLast().map(\.first))
    #expect(try ship(story) == [segments[segments.count - 1].first])
    try story.files.createDirectory("/copy")
    for segment in try shipping(story).segments {
      #expect(segment.target.hasPrefix("/lake/model=counter/log="))
      #expect(segment.target.contains(#/\/date=\d{4}-\d\d-\d\d\/\d{16}\.jsonl$/#))
      let report = try LogVerifier.verify(at: segment.target, fileSystem: story.files)
      #expect(report.verdict == .clean)
      let bytes = try story.files.contents(of: segment.source)
      #expect(try story.files.contents(of: segment.target) == bytes)
      try story.files.setContents(bytes, of: "/copy/" + segment.target.suffix(22))
    }
    let whole = try LogVerifier.verify(at: "/copy", fileSystem: story.files)
    #expect(whole.verdict == .clean)
    #expect(whole.lastRevision == 60)
    #expect(whole.isClosed)
  }

  @Test func aLogIsShippedByOneCall() throws {
    let story = LogStory(segmentLimitBytes: 1_500)
    try story.record(20)
    let directory = "/lake/model=counter/log=3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11"
    for _ in 1...2 {
      #expect(
        try LogShipping.ship(at: LogStory.path, to: Self.root, fileSystem: story.files, environment: .test()).isEmpty)
      let report = try LogVerifier.verify(at: directory, fileSystem: story.files)
      #expect(report.verdict == .clean && report.lastRevision == 20 && report.warnings.isEmpty)
    }
  }

  @Test("a file that is not a copy of the segment is refused and not changed")
  func anotherFile() throws {
    let story = LogStory(segmentLimitBytes: 1_500)
    try story.record(20)
    _ = try ship(story)
    let target = try shipping(story).segments[1].target
    let whole = try story.files.contents(of: target)
    // Another last byte, and an end within a line.
    for changed in [Array(whole.dropLast(1)) + [UInt8(ascii: " ")], Array(whole.dropLast(5))] {
      try story.files.setContents(changed, of: target)
      let shipping = try shipping(story)
      let error = #expect(throws: LogError.self) { try shipping.isShipped(shipping.segments[1]) }
      #expect(error?.code == .exists && error?.path == target)
      #expect(try story.files.contents(of: target) == changed)
    }
  }

  @Test("a damaged segment is not shipped")
  func damaged() throws {
    let story = LogStory(segmentLimitBytes: 1_500)
    try story.record(20)
    let shipping = try shipping(story)
    let segment = shipping.segments[1]
    try story.flipLine(3, of: segment.first)
    let error = #expect(throws: LogError.self) { try shipping.ship(segment) }
    #expect(error?.code == .damaged && error?.path == segment.source)
    #expect(!story.files.filePaths.contains { path in path.hasPrefix(segment.target) })
  }

  @Test(
    "wherever it is interrupted, the next attempt ships the whole",
    arguments: [
      FileCall.Operation.open, .append, .sync, .rename, .syncDirectory, .createDirectory, .read, .status,
    ])
  func everyFault(operation: FileCall.Operation) throws {
    var number = 1
    while true {
      let story = LogStory(segmentLimitBytes: 1_500)
      try story.record(12)
      let faulty = FaultyFileSystem(story.files)
      let shipping = try LogShipping(at: LogStory.path, to: Self.root, fileSystem: faulty)
      let segment = shipping.segments[0]
      faulty.add(FileFault(operation, number: number))
      do throws(LogError) { try shipping.ship(segment) } catch {
        faulty.heal()
        // The file does not exist or is complete.
        if try !shipping.isShipped(segment) { try shipping.ship(segment) }
      }
      #expect(try story.files.contents(of: segment.target) == story.files.contents(of: segment.source))
      if faulty.firedCount == 0 { break }
      number += 1
    }
    #expect(number > 1)
  }

  @Test("wherever shipping is interrupted, a segment reported as shipped is durable")
  func everyKill() throws {
    let story = LogStory(segmentLimitBytes: 1_500)
    try story.record(12)
    let left = Locked<[MemoryFileSystem]>([])
    let base = story.files
    let door = FaultyFileSystem(base) { _ in left.withLock { left in left.append(base.copy()) } }
    let shipping = try LogShipping(at: LogStory.path, to: Self.root, fileSystem: door)
    try shipping.ship(shipping.segments[0])
    let disks = left.withLock { left in left + [base.copy()] }
    #expect(disks.count > 20)
    for disk in disks {
      let again = try LogShipping(at: LogStory.path, to: Self.root, fileSystem: disk)
      let segment = again.segments[0]
      if try !again.isShipped(segment) { try again.ship(segment) }
      let after = disk.crash(.onlySyncedSurvives)
      #expect(try after.contents(of: segment.target) == base.contents(of: segment.source))
    }
  }

  @Test("model names are escaped in paths")
  func unusualModelName() throws {
    let story = LogStory(segmentLimitBytes: 1_500)
    let writer = try story.open(model: "my/../model ä")
    for number in 1...20 { try writer.appendNow([.numbered(number)]) }
    try writer.closeNow()
    #expect(try shipping(story).segments[0].target.hasPrefix("/lake/model=my%2F..%2Fmodel%20%C3%A4/log="))
  }

  @Test(
    "the directory is neither inside the log nor contains it, however the paths are written",
    arguments: [
      ("/log/lake", "the directory to ship to is inside the log"),
      ("/other/../log/./lake/", "the directory to ship to is inside the log"),
      ("/log/snapshots", "the directory to ship to is inside the log"),
      ("/", "the log is inside the directory to ship to"),
      ("/other/..", "the log is inside the directory to ship to"),
      ("/log", "the directory to ship to is a log"),
      ("/other/../log", "the directory to ship to is a log"),
    ])
  func nested(root: String, message: String) throws {
    let story = LogStory(segmentLimitBytes: 1_500)
    try story.record(20)
    try story.files.createDirectory("/other")
    let before = story.files.filePaths
    let error = #expect(throws: LogError.self) {
      try LogShipping(at: LogStory.path, to: root, fileSystem: story.files)
    }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message == message)
    #expect(story.files.filePaths == before)
  }

  @Test("a directory whose name begins like the log's is not inside it")
  func neighbor() throws {
    let story = LogStory(segmentLimitBytes: 1_500)
    try story.record(20)
    let shipping = try LogShipping(at: LogStory.path, to: LogStory.path + "-lake", fileSystem: story.files)
    try shipping.ship(shipping.segments[0])
    #expect(try shipping.isShipped(shipping.segments[0]))
  }

  @Test("a log is not a directory to ship to, and a segment is not a log to ship")
  func wrongPlaces() throws {
    let story = LogStory(segmentLimitBytes: 1_500)
    try story.record(20)
    let toLog = #expect(throws: LogError.self) {
      try LogShipping(at: LogStory.path, to: LogStory.path, fileSystem: story.files)
    }
    #expect(toLog?.code == .invalidArgument)
    let segment = #expect(throws: LogError.self) {
      try LogShipping(at: story.segment(), to: Self.root, fileSystem: story.files)
    }
    #expect(segment?.code == .notALog)
  }

  @Test func closedLogIsShippedCompletely() throws {
    let story = LogStory()
    try story.record(3)
    #expect(try ship(story) == [1])
    let shipping = try shipping(story)
    #expect(shipping.openSegment == nil)
    #expect(!shipping.segments[0].isSealed)
    #expect(try story.files.contents(of: shipping.segments[0].target) == story.bytes())
    #expect(try ship(story).isEmpty)
  }

  @Test func closedLogWithoutActionsIsShipped() throws {
    let story = LogStory()
    try story.record(0)
    #expect(try ship(story) == [1])
  }

  @Test func lastSegmentOfCrashedLogStays() throws {
    let story = LogStory()
    try story.record(3, close: false)
    #expect(try ship(story).isEmpty)
    #expect(try shipping(story).openSegment?.first == 1)
  }

  /// A segment under the name of a later one follows no other segment, whether it ends with `@close` or not.
  @Test(arguments: [true, false])
  func misplacedLastSegmentIsDamage(isClosed: Bool) throws {
    let story = LogStory(segmentLimitBytes: 1_500)
    try story.record(20)
    let segments = try story.reader().segments
    let copied = segments[isClosed ? segments.count - 1 : 1]
    try story.files.setContents(try story.files.contents(of: copied.path), of: story.segment(99))
    #expect(try LogVerifier.verify(at: LogStory.path, fileSystem: story.files).verdict == .damaged)
    let error = #expect(throws: LogError.self) { try shipping(story) }
    #expect(error?.code == .damaged && error?.path == story.segment(99))
  }

  @Test func damagedOpenSegmentIsReported() throws {
    let story = LogStory()
    try story.record(3, close: false)
    try story.flipLine(2)
    try #require(try LogVerifier.verify(at: LogStory.path, fileSystem: story.files).verdict == .damaged)
    let error = #expect(throws: LogError.self) { try shipping(story) }
    #expect(error?.code == .damaged && error?.path == story.segment())
  }

  @Test func grownSegmentReplacesItsCopy() throws {
    let story = LogStory()
    try story.record(3)
    _ = try ship(story)
    let copy = try shipping(story).segments[0].target
    let before = try story.files.contents(of: copy)
    let writer = try story.open()
    try writer.appendNow([.numbered(4)])
    // While the log is open, the copy does not change.
    #expect(try ship(story).isEmpty)
    #expect(try story.files.contents(of: copy) == before)
    try writer.closeNow()
    #expect(try ship(story) == [1])
    #expect(try story.files.contents(of: copy) == story.bytes())
    #expect(try LogVerifier.verify(at: copy, fileSystem: story.files).lastRevision == 4)
    // A copy that is not an earlier state of the segment is not replaced.
    try story.files.setContents(Array(before.dropLast(2)) + [0x0A], of: copy)
    let error = #expect(throws: LogError.self) { try ship(story) }
    #expect(error?.code == .exists && error?.path == copy)
  }

  @Test func killedReplacementLeavesOneCompleteCopy() throws {
    let story = LogStory()
    try story.record(3)
    _ = try ship(story)
    try story.record(2, from: 4)
    let target = try shipping(story).segments[0].target
    let old = try story.files.contents(of: target)
    let left = Locked<[MemoryFileSystem]>([])
    let base = story.files
    let door = FaultyFileSystem(base) { _ in left.withLock { left in left.append(base.copy()) } }
    let shipping = try LogShipping(at: LogStory.path, to: Self.root, fileSystem: door)
    try shipping.ship(shipping.segments[0])
    let disks = left.withLock { left in left + [base.copy()] }
    #expect(disks.count > 10)
    for disk in disks {
      let copy = try disk.crash(.onlySyncedSurvives).contents(of: target)
      #expect(try copy == old || copy == base.contents(of: target))
    }
  }

  @Test func copyIsCompleteWhenALogIsReopened() throws {
    var number = 1
    while true {
      let story = LogStory()
      try story.record(3)
      let closed = try story.bytes()
      let (base, due, count) = (story.files, number, Locked(0))
      let door = FaultyFileSystem(base) { _ in
        guard
          count.withLock({ count in
            count += 1; return count == due
          })
        else { return }
        #expect(throws: Never.self) { try LogStory(base).record(2, from: 4, close: false) }
      }
      let shipping = try LogShipping(at: LogStory.path, to: Self.root, fileSystem: door)
      for segment in shipping.segments {
        try shipping.ship(segment)
        #expect(try base.contents(of: segment.target) == closed)
      }
      if count.withLock({ count in count < due }) { break }
      number += 1
    }
    #expect(number > 20)
  }

  @Test func sealedLogIsShippedForGood() throws {
    let story = LogStory()
    try story.record(3)
    #expect(try LogShipping.seal(at: LogStory.path, fileSystem: story.files, environment: .test()))
    #expect(try ship(story) == [1])
    let segment = try shipping(story).segments[0]
    #expect(segment.isSealed)
    let copy = try story.files.contents(of: segment.target)
    // The new segment has no action: there is nothing to seal or ship.
    #expect(try !LogShipping.seal(at: LogStory.path, fileSystem: story.files, environment: .test()))
    #expect(try story.reader().segments.map(\.first) == [1, 4])
    #expect(try ship(story).isEmpty)
    try story.record(2, from: 4)
    #expect(try ship(story) == [4])
    #expect(try story.files.contents(of: segment.target) == copy)
    #expect(try LogVerifier.verify(at: LogStory.path, fileSystem: story.files).verdict == .clean)
  }

  @Test func sealingRecoversACrashedLog() throws {
    let story = LogStory()
    try story.record(3, close: false)
    try story.change { bytes in bytes += Array(#"{"seq":4,"ti"#.utf8) }
    #expect(try LogShipping.seal(at: LogStory.path, fileSystem: story.files, environment: .test()))
    #expect(try ship(story) == [1])
    #expect(try story.read().actions == [1, 2, 3])
  }

  @Test func openLogIsNotSealed() throws {
    let story = LogStory()
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    let before = try story.bytes()
    let error = #expect(throws: LogError.self) { try LogShipping.seal(at: LogStory.path, fileSystem: story.files) }
    #expect(error?.code == .locked)
    #expect(try story.bytes() == before)
    try writer.closeNow()
  }

  @Test func differentLogsShipAtTheSameTime() throws {
    let story = LogStory(segmentLimitBytes: 1_500)
    try story.record(12)
    let (base, other) = (story.files, Locked(0))
    // Another log is shipped before each call of the first shipping.
    let door = FaultyFileSystem(base) { call in
      let number = other.withLock { other in
        other += 1; return other
      }
      #expect(throws: Never.self, "before \(call)") { try Self.shipAnother(number, on: base) }
    }
    let shipping = try LogShipping(at: LogStory.path, to: Self.root, fileSystem: door)
    for segment in shipping.segments {
      try shipping.ship(segment)
      #expect(try base.contents(of: segment.target) == base.contents(of: segment.source))
    }
    #expect(other.withLock { other in other } > 40)
  }

  /// Records a log with an identifier of its own and ships it.
  private static func shipAnother(_ number: Int, on files: MemoryFileSystem) throws {
    let path = "/another-\(number)"
    var environment = LogEnvironment.test()
    let digits = String(1_000_000 + number)
    environment.makeLogID = { "3f0c9a52-7d1e-4c55-9d0a-0b9f6\(digits)" }
    let writer = try LogWriter.open(
      at: path, model: "counter", schema: 1, fileSystem: files,
      configuration: LogConfiguration(environment: environment))
    try writer.appendNow([.numbered(1)])
    try writer.closeNow()
    let shipping = try LogShipping(at: path, to: root, fileSystem: files)
    var pass = try ShippingPass(shipping, now: { LogEnvironment.testStart })
    for segment in shipping.segments { _ = try pass.ship(segment) }
    _ = try pass.finish()
  }

  @Test func oneLogIsShippedByOneProcess() throws {
    let story = LogStory()
    try story.record(3)
    _ = try ship(story)
    try story.record(1, from: 4)
    let shipping = try shipping(story)
    let folder = "/lake/model=counter/log=3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11"
    let lock = try story.files.lock(directory: folder)
    let error = #expect(throws: LogError.self) { try shipping.ship(shipping.segments[0]) }
    #expect(error?.code == .locked && error?.path == folder)
    #expect(error?.message.hasPrefix("another process is shipping this log") == true)
    lock.unlock()
    try shipping.ship(shipping.segments[0])
  }
}

extension LogShipping {
  /// Whether the directory has a durable copy of a segment.
  func isShipped(_ segment: ShippedSegment) throws(LogError) -> Bool {
    guard case .current = try copy(of: segment) else { return false }
    return true
  }

  /// Ships one segment in a pass of its own, which does not end.
  func ship(_ segment: ShippedSegment) throws(LogError) {
    do {
      var pass = try ShippingPass(self, now: { LogEnvironment.testStart })
      _ = try pass.ship(segment)
    } catch let error as LogError {
      throw error
    } catch {
      throw LogError(.inputOutput, "\(error)")
    }
  }
}

@Suite("Manifest of shipped segments", .timeLimit(.minutes(60)))
struct ShippingManifestTests {
  private static let path = "/lake/_logs/3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11/manifest.jsonl"

  /// Ships a log of several segments.
  @discardableResult
  private func ship(
    _ story: LogStory, through door: (any LogFileSystem)? = nil
  ) throws -> [(outcome: ShippingPass.Outcome, sha256: String)] {
    let shipping = try LogShipping(at: LogStory.path, to: "/lake", fileSystem: door ?? story.files)
    var pass = try ShippingPass(shipping, now: { LogEnvironment.testStart })
    var answers: [(outcome: ShippingPass.Outcome, sha256: String)] = []
    for segment in shipping.segments { answers.append(try pass.ship(segment)) }
    _ = try pass.finish()
    return answers
  }

  private func manifest(_ story: LogStory) throws -> ShippingManifest {
    try LogShipping(at: LogStory.path, to: "/lake", fileSystem: story.files).manifest()
  }

  @Test func aDirectoryInPlaceOfASegmentIsNamed() throws {
    let story = LogStory(segmentLimitBytes: 1_500)
    try story.record(20)
    try ship(story)
    let segment = try LogShipping(at: LogStory.path, to: "/lake", fileSystem: story.files).segments[0]
    try story.files.remove(segment.target)
    try story.files.setContents([1], of: segment.target + "/x")
    let error = #expect(throws: LogError.self) { try ship(story) }
    #expect(error?.code == .exists && error?.path == segment.target)
    #expect(error?.message == "a directory is in place of the copy of the segment \(segment.source)")
  }

  @Test func aGrownSegmentGetsAnotherDigest() throws {
    let story = LogStory(segmentLimitBytes: 1_500)
    try story.record(20)
    let first = try ship(story)
    try story.record(1, from: 21)
    let second = try ship(story)
    #expect(second.count == first.count)
    #expect(second.dropLast().map(\.sha256) == first.dropLast().map(\.sha256))
    #expect(second.last?.outcome == .shipped && second.last?.sha256 != first.last?.sha256)
  }

  @Test func linesThatAreNoEntriesAreSkipped() throws {
    let story = LogStory(segmentLimitBytes: 1_500)
    try story.record(20)
    try ship(story)
    let whole = try story.files.contents(of: Self.path)
    var lines = whole.split(separator: 0x0A)
    // As an older version wrote them.
    lines[0] = Array(#"{"first":1,"bytes":5,"crc":"00000000","sha256":"1","path":"a"}"#.utf8)[...]
    try story.files.setContents(Array(lines.joined(separator: [0x0A])) + [0x0A, 0x7B], of: Self.path)
    let count = lines.count
    #expect(try manifest(story).sorted.count == count - 1)
    #expect(try ship(story).allSatisfy { answer in answer.outcome == .present })
    #expect(try story.files.contents(of: Self.path) == whole)
  }

  @Test func directoryInPlaceOfTheManifestIsReported() throws {
    let story = LogStory()
    try story.record(20)
    try ship(story)
    try story.files.remove(Self.path)
    try story.files.createDirectory(Self.path)
    let error = #expect(throws: LogError.self) { try manifest(story) }
    #expect(error?.path == Self.path && error?.advice?.description.contains("move the file") == true)
    #expect(error?.intact == "The segments are not affected.")
  }

  @Test(arguments: [FileCall.Operation.open, .append, .sync, .rename, .syncDirectory])
  func failedSaveKeepsTheManifestBefore(operation: FileCall.Operation) throws {
    let story = LogStory(segmentLimitBytes: 1_500)
    try story.record(20)
    try ship(story)
    let known = try manifest(story)
    try story.record(20, from: 21)
    let faulty = FaultyFileSystem(story.files)
    faulty.add(FileFault(operation, pathSuffix: operation == .syncDirectory ? "0f5a11" : "manifest.jsonl.unfinished"))
    #expect(throws: LogError.self) { try ship(story, through: faulty) }
    faulty.heal()
    let now = try manifest(story)
    // The entry of the segment that has grown is removed first.
    #expect(now.sorted.starts(with: known.sorted.dropLast()))
    try ship(story)
    #expect(try manifest(story).lastRevision == 40)
  }
}
