import ActionLog
import ActionLogTesting
import TestSupport
import Testing

@Suite("Following a log", .timeLimit(.minutes(60)))
struct FollowerTests {
  @Test func pollReturnsNewRecordsOnceAcrossSegments() throws {
    let story = LogStory(segmentLimitBytes: 900)
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    var follower = try story.reader().follower(from: 1)
    #expect(try follower.poll().map(\.revision) == [1])
    #expect(try follower.poll().isEmpty)
    var seen: [Int] = []
    for number in 2...20 {
      try writer.appendNow([.numbered(number)])
      if number % 3 == 0 { seen += try follower.poll().filter { record in !record.isControl }.map(\.number) }
    }
    seen += try follower.poll().filter { record in !record.isControl }.map(\.number)
    #expect(seen == Array(2...20))
    try writer.closeNow()
    #expect(try follower.poll().map(\.type) == ["@close"])
  }

  @Test func followingFromZeroReturnsEveryRecord() throws {
    let story = LogStory()
    try story.record(1)
    var follower = try story.reader().follower()
    #expect(try follower.poll().map(\.type) == ["@segment", "@open", "add", "@close"])
  }

  @Test func theFirstActionNeedNotExistYet() throws {
    let story = LogStory()
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    var follower = try story.reader().follower(from: 3)
    #expect(try follower.poll().isEmpty)
    try writer.appendNow([.numbered(2)])
    #expect(try follower.poll().isEmpty)
    try writer.appendNow([.numbered(3)])
    #expect(try follower.poll().map(\.revision) == [3])
  }

  @Test func unfinishedLineIsNotReturned() throws {
    let story = LogStory()
    try story.record(1)
    let whole = try story.bytes()
    let offset = try story.lineOffsets()[2]
    try story.files.setContents(Array(whole[..<(offset + 20)]), of: story.segment())
    try story.removeHead()
    var follower = try story.reader().follower(from: 1)
    #expect(try follower.poll().isEmpty)
    try story.files.setContents(whole, of: story.segment())
    #expect(try follower.poll().map(\.type) == ["add", "@close"])
  }

  @Test func durabilityIsReportedPerRecord() throws {
    let story = LogStory(durability: .written)
    let writer = try story.open()
    _ = try writer.writeNow([.numbered(1)])
    var follower = try story.reader().follower(from: 1)
    let first = try #require(try follower.poll().first)
    #expect(!follower.isDurable(first))
    try writer.syncNow()
    #expect(try follower.poll().isEmpty)
    #expect(follower.isDurable(first))
  }

  /// `HEAD` is only a hint. If it describes another line, it makes nothing durable.
  @Test func headAppliesOnlyToTheLastReadLine() throws {
    let story = LogStory(durability: .written)
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    _ = try writer.writeNow([.numbered(2)])
    let right = LogHead(revision: 2, segment: 1, bytes: try story.bytes().count, crc: writer.status.lastCRC)
    var heads = Array(repeating: right, count: 5)
    heads[0].revision = 60
    heads[1].revision = 1
    heads[2].segment = 2
    heads[3].bytes -= 1
    heads[4].crc ^= 1
    for head in heads {
      try story.files.setContents(head.encoded(), of: story.head)
      var follower = try story.reader().follower(from: 1)
      let records = try follower.poll()
      #expect(records.map(\.revision) == [1, 2])
      #expect(follower.durableRevision == 1, "\(head)")
      #expect(follower.isDurable(records[0]) && !follower.isDurable(records[1]))
      try story.files.setContents(right.encoded(), of: story.head)
      #expect(try follower.poll().isEmpty)
      #expect(follower.durableRevision == 2)
    }
  }

  @Test func pollRespectsTheMaximumCount() throws {
    let story = LogStory(segmentLimitBytes: 900)
    try story.record(20)
    var follower = try story.reader().follower(from: 1)
    var counts: [Int] = []
    var seen: [Int] = []
    while true {
      let records = try follower.poll(maximumCount: 7)
      if records.isEmpty { break }
      counts.append(records.count)
      seen += records.filter { record in !record.isControl }.map(\.revision)
    }
    #expect(counts.allSatisfy { count in count <= 7 })
    #expect(seen == Array(1...20))
  }

  /// A log with the durable action 1, and a follower that has also returned the actions 2 and 3 before they were rolled
  /// back.
  ///
  /// The follower saw the lines of a batch that were written before the disk was full and truncated afterward.
  private func rolledBack(from first: Int) throws -> (story: LogStory, writer: LogWriter, follower: LogFollower) {
    var story = LogStory(durability: .written)
    let files = story.files
    let door = FaultyFileSystem(files)
    story.door = door
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    var follower = try LogReader.open(at: LogStory.path, fileSystem: files).follower(from: first)
    #expect(try follower.poll().map(\.number) == [1].filter { number in number >= first })
    let before = try story.bytes()
    door.add(FileFault(.append, code: .noSpace))
    #expect(throws: LogError.self) { try writer.writeNow([.numbered(2), .numbered(3)]) }
    var taken = RawLog(first: 1)
    taken.bytes = before
    taken.prev = writer.status.lastCRC
    taken.line(revision: 2, synced: 1, data: #"{"_0":2}"#)
    taken.line(revision: 3, synced: 1, data: #"{"_0":3}"#)
    try files.setContents(taken.bytes, of: story.segment())
    #expect(try follower.poll().map(\.number) == [2, 3].filter { number in number >= first })
    try files.setContents(before, of: story.segment())
    return (story, writer, follower)
  }

  /// Regression: durable replacements were skipped, because `HEAD` was applied before the lines were read. Two of the
  /// replacements are as long as the lines they replace.
  @Test(arguments: [1, 2, 5], [false, true])
  func rolledBackRecordsAreReportedAndReplaced(
    replacements: Int, areDurable: Bool
  ) throws {
    var (_, writer, follower) = try rolledBack(from: 1)
    for number in 0..<replacements {
      if areDurable {
        try writer.appendNow([.numbered(4 + number)])
      } else {
        _ = try writer.writeNow([.numbered(4 + number)])
      }
    }
    let error = #expect(throws: LogError.self) { try follower.poll() }
    #expect(error?.code == .rejected)
    #expect(error?.revision == 2)
    #expect(try follower.poll().map(\.number) == Array(4..<4 + replacements))
    #expect(follower.durableRevision == (areDurable ? 1 + replacements : 1))
    #expect(try follower.poll().isEmpty)
  }

  @Test func rollbackKeepsTheFirstRequestedAction() throws {
    var (_, writer, follower) = try rolledBack(from: 3)
    for number in 4...7 { try writer.appendNow([.numbered(number)]) }
    #expect(#expect(throws: LogError.self) { try follower.poll() }?.revision == 3)
    #expect(try follower.poll().map(\.number) == [5, 6, 7])
  }

  // MARK: - Missing

  private func cut(_ story: LogStory, toLines count: Int) throws {
    let offset = try story.lineOffsets()[count]
    try story.change { bytes in bytes.removeLast(bytes.count - offset) }
  }

  /// Regression: this was reported as a rollback ("None of it was acknowledged.").
  @Test(arguments: [false, true])
  func missingDurableActionsAreDamage(hasHead: Bool) throws {
    let story = LogStory()
    let writer = try story.open()
    for number in 1...5 { try writer.appendNow([.numbered(number)]) }
    var follower = try story.reader().follower(from: 1)
    #expect(try follower.poll().count == 5)
    try cut(story, toLines: 5)
    if !hasHead { try story.removeHead() }
    for _ in 0..<2 {
      let error = #expect(throws: LogError.self) { try follower.poll() }
      #expect(error?.code == .damaged)
      #expect(error?.revision == 4)
      #expect(error?.message == "the log was truncated: it ends after action 3, and action 5 was durable")
      #expect(error?.intact == "No writer discards durable actions. Actions 1…3 are intact.")
    }
  }

  @Test func missingUnreadEndIsDamage() throws {
    let story = LogStory()
    let writer = try story.open()
    for number in 1...5 { try writer.appendNow([.numbered(number)]) }
    try cut(story, toLines: 5)
    var follower = try story.reader().follower(from: 1)
    #expect(try follower.poll().map(\.number) == [1, 2, 3])
    let error = #expect(throws: LogError.self) { try follower.poll() }
    #expect(error?.code == .damaged)
    #expect(error?.revision == 4)
  }

  @Test func replacedDurableActionsAreDamage() throws {
    let story = LogStory()
    let writer = try story.open()
    for number in 1...3 { try writer.appendNow([.numbered(number)]) }
    var follower = try story.reader().follower(from: 1)
    #expect(try follower.poll().count == 3)
    writer.abandon()
    try cut(story, toLines: 4)
    try story.removeHead()
    try story.record(5, from: 13)
    for _ in 0..<2 {
      let error = #expect(throws: LogError.self) { try follower.poll() }
      #expect(error?.code == .damaged)
      #expect(error?.revision == 3)
      #expect(error?.message.contains("is different now") == true)
    }
  }

  @Test func damageIsReported() throws {
    let story = LogStory()
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    var follower = try story.reader().follower(from: 1)
    _ = try follower.poll()
    try writer.appendNow([.numbered(2)])
    try story.flipLine(3)
    let error = #expect(throws: LogError.self) { try follower.poll() }
    #expect(error?.code == .damaged)
    #expect(error?.line == 4)
    #expect(#expect(throws: LogError.self) { try follower.poll() }?.code == .damaged)
  }

  @Test func recordsBeforeDamageAreReturned() throws {
    let story = LogStory()
    let writer = try story.open()
    for number in 1...3 { try writer.appendNow([.numbered(number)]) }
    try story.flipLine(4)
    var follower = try story.reader().follower(from: 1)
    #expect(try follower.poll().map(\.number) == [1, 2])
    for _ in 0..<2 { #expect(#expect(throws: LogError.self) { try follower.poll() }?.code == .damaged) }
  }
}
