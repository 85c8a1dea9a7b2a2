import ActionLog
import Locking
import TestSupport
import Testing

@Suite("Shipping sealed segments", .timeLimit(.minutes(60)))
struct ShippingTests {
  private static let root = "/lake"

  private func shipping(_ story: LogStory) throws -> LogShipping {
    try LogShipping(LogStory.path, to: Self.root, fileSystem: story.door)
  }

  /// Ships what is missing.
  private func ship(_ story: LogStory) throws -> [Int] {
    let shipping = try shipping(story)
    var shipped: [Int] = []
    for segment in shipping.segments where try !shipping.isShipped(segment) {
      try shipping.ship(segment)
      shipped.append(segment.first)
    }
    return shipped
  }

  @Test("what is taken while a writer is at work verifies, file by file and as a log, and is taken once")
  func shippedWhileWritten() throws {
    let story = LogStory(segmentLimitBytes: 1_500)
    let writer = try story.open()
    for number in 1...30 { try writer.commit([.numbered(number)]) }
    let first = try ship(story)
    #expect(first.count >= 3)
    #expect(try ship(story).isEmpty)
    for number in 31...60 { try writer.commit([.numbered(number)]) }
    let second = try ship(story)
    #expect(!second.isEmpty && second.allSatisfy { seq in seq > first.last ?? 0 })
    try writer.closeNow()

    // The last segment can be written to again, so it stays.
    let segments = try story.reader().segments
    #expect(first + second == segments.dropLast().map(\.first))
    try story.files.createDirectory("/copy")
    for segment in try shipping(story).segments {
      #expect(segment.target.hasPrefix("/lake/model=counter/log="))
      #expect(segment.target.contains(#/\/date=\d{4}-\d\d-\d\d\/\d{16}\.jsonl$/#))
      let report = try LogVerifier.verify(segment.target, fileSystem: story.files)
      #expect(report.verdict == .clean)
      let bytes = try story.files.contents(of: segment.source)
      #expect(try story.files.contents(of: segment.target) == bytes)
      try story.files.setContents(bytes, of: "/copy/" + segment.target.suffix(22))
    }
    let whole = try LogVerifier.verify("/copy", fileSystem: story.files)
    #expect(whole.verdict == .clean)
    #expect(whole.lastSeq == segments[segments.count - 1].first - 1)
  }

  @Test("what lies there and is not the segment is refused, and left alone")
  func anotherFile() throws {
    let story = LogStory(segmentLimitBytes: 1_500)
    try story.record(20)
    _ = try ship(story)
    let target = try shipping(story).segments[1].target
    let changed = try story.files.contents(of: target).dropLast(1) + [UInt8(ascii: " ")]
    try story.files.setContents(Array(changed), of: target)
    let shipping = try shipping(story)
    let error = #expect(throws: LogError.self) { try shipping.isShipped(shipping.segments[1]) }
    #expect(error?.code == .exists && error?.path == target)
    #expect(try story.files.contents(of: target) == Array(changed))
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
    #expect(try story.files.status(of: segment.target) == nil)
  }

  @Test(
    "wherever it is interrupted, the next attempt ships the whole",
    arguments: [
      FileCall.Operation.open, .append, .synchronize, .rename, .synchronizeDirectory, .createDirectory, .read, .status,
    ])
  func everyFault(operation: FileCall.Operation) throws {
    var number = 1
    while true {
      let story = LogStory(segmentLimitBytes: 1_500)
      try story.record(12)
      let faulty = FaultyFileSystem(story.files)
      let shipping = try LogShipping(LogStory.path, to: Self.root, fileSystem: faulty)
      let segment = shipping.segments[0]
      faulty.add(Fault(operation, number: number))
      do throws(LogError) { try shipping.ship(segment) } catch {
        faulty.heal()
        // There is no file of that name, or the whole one.
        if try !shipping.isShipped(segment) { try shipping.ship(segment) }
      }
      #expect(try story.files.contents(of: segment.target) == story.files.contents(of: segment.source))
      if faulty.firedCount == 0 { break }
      number += 1
    }
    #expect(number > 1)
  }

  @Test("wherever it is cut off, what the next attempt says is there is there to stay")
  func everyKill() throws {
    let story = LogStory(segmentLimitBytes: 1_500)
    try story.record(12)
    let left = Locked<[MemoryFileSystem]>([])
    let base = story.files
    let door = FaultyFileSystem(base) { _ in left.withLock { left in left.append(base.copy()) } }
    let shipping = try LogShipping(LogStory.path, to: Self.root, fileSystem: door)
    try shipping.ship(shipping.segments[0])
    let disks = left.withLock { left in left + [base.copy()] }
    #expect(disks.count > 20)
    for disk in disks {
      let again = try LogShipping(LogStory.path, to: Self.root, fileSystem: disk)
      let segment = again.segments[0]
      if try !again.isShipped(segment) { try again.ship(segment) }
      let after = disk.crash(.onlySynchronizedSurvives)
      #expect(try after.contents(of: segment.target) == base.contents(of: segment.source))
    }
  }

  @Test("the names of models are parts of paths")
  func strangeModel() throws {
    let story = LogStory(segmentLimitBytes: 1_500)
    let writer = try story.open(model: "my/../model ä")
    for number in 1...20 { try writer.commit([.numbered(number)]) }
    try writer.closeNow()
    #expect(try shipping(story).segments[0].target.hasPrefix("/lake/model=my%2F..%2Fmodel%20%C3%A4/log="))
  }

  @Test(
    "what is shipped lies neither within the log nor around it, however the paths are written",
    arguments: [
      ("/log/lake", "the directory to ship to lies within the log"),
      ("/other/../log/./lake/", "the directory to ship to lies within the log"),
      ("/log/snapshots", "the directory to ship to lies within the log"),
      ("/", "the log lies within the directory to ship to"),
      ("/other/..", "the log lies within the directory to ship to"),
      ("/log", "the directory to ship to is a log itself"),
      ("/other/../log", "the directory to ship to is a log itself"),
    ])
  func nested(root: String, message: String) throws {
    let story = LogStory(segmentLimitBytes: 1_500)
    try story.record(20)
    try story.files.createDirectory("/other")
    let before = story.files.filePaths
    let error = #expect(throws: LogError.self) {
      try LogShipping(LogStory.path, to: root, fileSystem: story.files)
    }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message == message)
    #expect(story.files.filePaths == before)
  }

  @Test("a directory whose name begins like the log's is beside it")
  func neighbour() throws {
    let story = LogStory(segmentLimitBytes: 1_500)
    try story.record(20)
    let shipping = try LogShipping(LogStory.path, to: LogStory.path + "-lake", fileSystem: story.files)
    try shipping.ship(shipping.segments[0])
    #expect(try shipping.isShipped(shipping.segments[0]))
  }

  @Test("a log is no directory to ship to, and a segment no log to ship")
  func wrongPlaces() throws {
    let story = LogStory(segmentLimitBytes: 1_500)
    try story.record(20)
    let toLog = #expect(throws: LogError.self) {
      try LogShipping(LogStory.path, to: LogStory.path, fileSystem: story.files)
    }
    #expect(toLog?.code == .invalidArgument)
    let segment = #expect(throws: LogError.self) {
      try LogShipping(story.segment(), to: Self.root, fileSystem: story.files)
    }
    #expect(segment?.code == .notALog)
  }
}
