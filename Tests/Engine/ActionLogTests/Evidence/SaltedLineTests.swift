import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import Platform
import TestSupport
import Testing

@Suite("Lines with salts", .timeLimit(.minutes(60)))
struct SaltedLineTests {
  /// The random bytes that the environment of a test provides: 0, 1, 2 …, and the number of bytes of each call.
  private final class Source: Sendable {
    let requests = Locked<[Int]>([])

    func environment() -> LogEnvironment {
      var environment = LogEnvironment.test()
      environment.makeSalts = { [requests] bytes in
        let start = requests.withLock { requests -> Int in
          defer { requests.append(bytes.count) }
          return requests.reduce(0, +)
        }
        for index in bytes.indices {
          bytes[index] = UInt8(truncatingIfNeeded: (start + index) &* 7 &+ (start + index) >> 8)
        }
      }
      return environment
    }
  }

  private func story(_ source: Source = Source(), limit: Int = 1 << 25, redactable: Bool = true) -> LogStory {
    var story = LogStory(segmentLimitBytes: limit)
    story.configuration.environment = source.environment()
    story.configuration.redactable = redactable
    return story
  }

  /// The salt of a line; `nil` for a plain line.
  private func salt(_ line: String) -> Substring? {
    line.firstMatch(of: /"prev":"[0-9a-f]{8}","salt":"([^"]*)","data":/)?.1
  }

  @Test func everyLineButTheFirstHasASaltOfItsOwn() throws {
    let story = story(limit: 900)
    try story.record(12)
    let segments = try story.reader().segments
    #expect(segments.count > 2)
    var salts: [Substring] = []
    for segment in segments {
      let lines = try story.lines(segment.first)
      #expect(lines[0].contains(#"Z","salted":true},"crc":"#))
      #expect(salt(lines[0]) == nil)
      for line in lines.dropFirst() { salts.append(try #require(salt(line))) }
    }
    #expect(salts[0] == "AAcOFRwjKjE4P0ZNVFtiaQ")
    #expect(Set(salts).count == salts.count)
    #expect(try story.read().actions == Array(1...12))
    #expect(try LogVerifier.verify(at: LogStory.path, fileSystem: story.files).verdict == .clean)
  }

  @Test func aLogWithoutTheOptionIsUnchanged() throws {
    let source = Source()
    let (plain, other) = (story(source, redactable: false), LogStory())
    try plain.record(5)
    try other.record(5)
    #expect(try plain.bytes() == other.bytes())
    #expect(source.requests.withLock { requests in requests.isEmpty })
  }

  @Test func aLogKeepsItsSaltsWithoutTheOption() throws {
    var story = story(limit: 900)
    try story.record(3)
    story.configuration.redactable = false
    let writer = try story.open()
    #expect(writer.opening.isRedactable)
    try writer.closeNow()
    try story.record(9, from: 4)
    for segment in try story.reader().segments {
      for line in try story.lines(segment.first).dropFirst() { #expect(salt(line) != nil, "\(line)") }
    }
  }

  @Test func aPlainLogGetsSaltsWithItsNextSegment() throws {
    var story = story(limit: 900, redactable: false)
    try story.record(2)
    story.configuration.redactable = true
    try story.record(12, from: 3)
    let segments = try story.reader().segments.map(\.first)
    #expect(segments.count > 2)
    #expect(try story.lines(1).allSatisfy { line in salt(line) == nil })
    for first in segments.dropFirst() {
      #expect(try story.lines(first).dropFirst().allSatisfy { line in salt(line) != nil })
    }
    #expect(try story.read().actions == Array(1...14))
    #expect(try story.reader().isRedactable())
  }

  /// Regression: lines went on without salts, and could never be redacted, until the segment was full.
  @Test func aPlainLogBeginsASegmentForSalts() throws {
    var story = story(limit: 100_000, redactable: false)
    try story.record(2)
    story.configuration.redactable = true
    try story.record(2, from: 3)
    #expect(try story.reader().segments.map(\.first) == [1, 3])
    #expect(try story.lines(3).dropFirst().allSatisfy { line in salt(line) != nil })
    try story.record(1, from: 5)
    #expect(try story.reader().segments.map(\.first) == [1, 3])
  }

  @Test func aNewerSchemaKeepsTheSalts() throws {
    let story = story()
    try story.open().closeNow()
    let writer = try story.open(schema: 2)
    try writer.appendNow([.numbered(1)])
    try writer.closeNow()
    try story.open(schema: 3).appendNow([.numbered(2)])
    #expect(try story.reader().segments.count == 2)
    for first in [1, 2] { #expect(try story.lines(first).dropFirst().allSatisfy { line in salt(line) != nil }) }
    #expect(try LogVerifier.verify(at: LogStory.path, fileSystem: story.files).verdict == .clean)
  }

  @Test func randomBytesAreGeneratedInLargePortions() throws {
    let source = Source()
    let writer = try story(source).open()
    #expect(source.requests.withLock { requests in requests } == [1_024])
    // The line of `@open` has taken one of 64 salts.
    for number in 1...63 { _ = try writer.enqueue([.numbered(number)]) }
    #expect(source.requests.withLock { requests in requests.count } == 1)
    try writer.appendNow([.numbered(64)])
    // The write has generated the next portion in advance.
    #expect(source.requests.withLock { requests in requests } == [1_024, 65_536, 65_536])
    for number in 65..<65 + 2 * 4_096 - 1 { _ = try writer.writeNow([.numbered(number)]) }
    #expect(source.requests.withLock { requests in requests.count } <= 4)
  }

  @Test func systemSaltsDiffer() throws {
    var story = LogStory()
    story.configuration.redactable = true
    try story.record(200)
    let salts = try story.lines().dropFirst().map { line in try #require(salt(line)) }
    #expect(Set(salts).count == 202)
  }

  @Test func aRejectedBatchLeavesNoGap() throws {
    var story = story()
    let door = FaultyFileSystem(story.files)
    story.door = door
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    door.add(FileFault(.append, code: .noSpace))
    #expect(throws: LogError.self) { try writer.appendNow([.numbered(2)]) }
    door.heal()
    try writer.appendNow([.numbered(2)])
    try writer.closeNow()
    #expect(try story.read().actions == [1, 2])
    let salts = try story.lines().dropFirst().map { line in try #require(salt(line)) }
    #expect(Set(salts).count == salts.count)
  }

  @Test func draftsLoseTheirWhiteSpace() throws {
    let story = story()
    try story.open().appendNow([
      LogDraft(
        type: "add", data: Array(#"{ "a" : "x \" y" ,TAB"b":[ 1.50 , true ] }"#.replacing("TAB", with: "\t").utf8),
        meta: Array(#"{"actor": "u 7"}"#.utf8))
    ])
    let record = try story.reader().record(at: 1)
    #expect(String(decoding: record.data, as: UTF8.self) == #"{"a":"x \" y","b":[1.50,true]}"#)
    #expect(record.meta == Array(#"{"actor":"u 7"}"#.utf8))
  }

  /// The limit of lines without salts is that of `AppendTests`.
  @Test func theLongestLineHasRoomForASalt() throws {
    let story = story(redactable: true)
    let writer = try story.open()
    try writer.appendNow([.numbered(1)])
    let envelope = try #require(try story.lines().last).utf8.count + 1 - #"{"_0":1}"#.utf8.count
    let head = Array(#"{"_0":""#.utf8)
    let count = LogFormat.lineLimitBytes - envelope - head.count - 2
    let data = head + [UInt8](repeating: UInt8(ascii: "x"), count: count) + Array(#""}"#.utf8)
    #expect(throws: LogError.self) {
      try writer.enqueue([LogDraft(type: "add", data: head + [UInt8(ascii: "x")] + data.dropFirst(head.count))])
    }
    let before = try story.bytes().count
    try writer.appendNow([LogDraft(type: "add", data: data)])
    #expect(try story.bytes().count == before + LogFormat.lineLimitBytes)
  }

  @Test(arguments: 0..<24)
  func aPowerCutLosesNoSaltedLine(seed: UInt64) throws {
    let story = story(limit: 900)
    let writer = try story.open()
    for number in 1...7 { try writer.appendNow([.numbered(number)]) }
    _ = try writer.writeNow([.numbered(8)])
    var later = story
    let survivor = story.files.crash(CrashModel(seed: seed))
    later = LogStory(survivor, segmentLimitBytes: 900)
    let reopened = try later.open()
    #expect(reopened.status.lastRevision >= 7)
    try reopened.appendNow([.numbered(reopened.status.lastRevision + 1)])
    try reopened.closeNow()
    for segment in try later.reader().segments {
      for line in try later.lines(segment.first).dropFirst() { #expect(salt(line) != nil) }
    }
    #expect(try LogVerifier.verify(at: LogStory.path, fileSystem: survivor).verdict == .clean)
  }

  // MARK: The exact form

  private static let salt = "AbvA3-FqFQBQpAugJk2rwg"

  /// Returns how a log ends after a header and one more line.
  private func outcome(ofLine body: String) throws -> LogEnding? {
    var log = RawLog()
    log.line(body: body.replacing("TIME", with: RawLog.time).replacing("SALT", with: Self.salt))
    return try log.story().read().ending
  }

  @Test(arguments: [
    #"{"seq":1,"time":"TIME","type":"add","synced":0,"prev":"PREV","salt":"SALT","data":{}"#,
    #"{"seq":1,"time":"TIME","type":"add","synced":0,"prev":"PREV","salt":"SALT","data":{"a":"x  y"},"meta":{"b":[1,2]}"#,
    // The general path: characters of the type, nesting, many members.
    #"{"seq":1,"time":"TIME","type":"größer","synced":0,"prev":"PREV","salt":"SALT","data":{"ü":1},"meta":{}"#,
    #"{"seq":1,"time":"TIME","type":"a","synced":0,"prev":"PREV","salt":"SALT","data":{"a":[[[[[[[[[[[[[[{}]]]]]]]]]]]]]]}"#,
    // A member of this name elsewhere is an unknown member.
    #"{"seq":1,"time":"TIME","type":"add","synced":0,"prev":"PREV","data":{},"salt":"x""#,
    #"{"salt":1,"seq":1,"time":"TIME","type":"add","synced":0,"prev":"PREV","data":{}"#,
  ])
  func exactLinesAreRead(body: String) throws {
    let ending = try outcome(ofLine: body)
    guard case .clean = ending else {
      Issue.record("\(String(describing: ending))")
      return
    }
  }

  @Test(arguments: [
    #"{"seq":1,"time":"TIME","type":"add","synced":0,"prev":"PREV","salt":"SALT","data":{},"host":1"#,
    #"{"seq":1,"time":"TIME","type":"add","synced":0,"prev":"PREV","salt":"SALT","meta":{},"data":{}"#,
    #"{"seq":1,"time":"TIME","type":"add","synced":0,"prev":"PREV","salt":"SALT","data":{ }"#,
    #"{"seq":1,"time":"TIME","type":"add","synced":0,"prev":"PREV","salt":"SALT","data":{"a":{"b": 1}}"#,
    #"{"seq":1,"time":"TIME","type":"add","synced":0,"prev":"PREV","salt":"SALT","data":{},"meta":{"a":1 }"#,
    #"{"seq":1,"time":"TIME","type":"add","synced":0,"prev":"PREV","salt":"SALT","data":{} ,"meta":{}"#,
    #"{"seq":1,"time":"TIME","type":"add","synced":0,"prev":"PREV","salt":"SALT" ,"data":{}"#,
    #"{ "seq":1,"time":"TIME","type":"add","synced":0,"prev":"PREV","salt":"SALT","data":{}"#,
    #"{"time":"TIME","seq":1,"type":"add","synced":0,"prev":"PREV","salt":"SALT","data":{}"#,
    // 21 and 23 characters, another alphabet, bits beyond the 16 bytes, no string.
    #"{"seq":1,"time":"TIME","type":"add","synced":0,"prev":"PREV","salt":"AbvA3-FqFQBQpAugJk2rw","data":{}"#,
    #"{"seq":1,"time":"TIME","type":"add","synced":0,"prev":"PREV","salt":"AbvA3-FqFQBQpAugJk2rwgA","data":{}"#,
    #"{"seq":1,"time":"TIME","type":"add","synced":0,"prev":"PREV","salt":"AbvA3+FqFQBQpAugJk2rwg","data":{}"#,
    #"{"seq":1,"time":"TIME","type":"add","synced":0,"prev":"PREV","salt":"AbvA3-FqFQBQpAugJk2rwh","data":{}"#,
    #"{"seq":1,"time":"TIME","type":"add","synced":0,"prev":"PREV","salt":null,"data":{}"#,
  ])
  func anyOtherLineWithASaltIsDamage(body: String) throws {
    #expect(try outcome(ofLine: body)?.damage != nil)
  }

  @Test func everyCharacterOfASaltIsChecked() throws {
    let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    // Other bytes end the string or are no JSON by themselves.
    let others = (0x20..<0x7F).filter { byte in byte != 0x22 && byte != 0x5C }
    for position in 0..<22 {
      for byte in others {
        var salt = Array(Self.salt.utf8)
        salt[position] = UInt8(byte)
        let isLast = position == 21
        let isValid = isLast ? Set("AQgw".utf8).contains(UInt8(byte)) : alphabet.contains(UInt8(byte))
        let text = String(decoding: salt, as: UTF8.self)
        let ending = try outcome(
          ofLine: #"{"seq":1,"time":"TIME","type":"add","synced":0,"prev":"PREV","salt":"\#(text)","data":{}"#)
        #expect((ending?.damage == nil) == isValid, "\(text)")
      }
    }
  }

  @Test func theVectorIsAWholeLog() throws {
    let story = try EvidenceLogs.story("redactable/before")
    let report = try LogVerifier.verify(at: LogStory.path, fileSystem: story.files)
    #expect(report.verdict == .clean && report.warnings.isEmpty)
    #expect(report.header?.isSalted == true)
    #expect(report.lastRevision == 9)
    #expect(try story.lines(1)[3...].allSatisfy { line in salt(line) != nil })
    let writer = try story.open(model: "guestbook")
    try writer.closeNow()
    #expect(try story.lines(6).dropFirst().allSatisfy { line in salt(line) != nil })
  }
}
