import ActionLog
import ActionLogTesting
import TestSupport
import Testing

@Suite("Excluding lines by their bytes", .timeLimit(.minutes(60)))
struct LineScreenTests {
  @Test(arguments: 0..<200 as Range<UInt64>)
  func textsAreFoundWhereTheyAre(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    func bytes(_ count: Int) -> [UInt8] {
      (0..<count).map { _ in Array("abAB@`[{é".utf8).randomElement(using: &generator) ?? 0 }
    }
    for _ in 0..<50 {
      let whole = bytes(Int.random(in: 0...70, using: &generator))
      let text = String(decoding: bytes(Int.random(in: 0...4, using: &generator)), as: UTF8.self)
      for ignoresCase in [false, true] {
        func folded(_ bytes: some Sequence<UInt8>) -> [UInt8] {
          bytes.map { byte in ignoresCase && (0x41...0x5A).contains(byte) ? byte + 32 : byte }
        }
        let (haystack, needle) = (folded(whole), folded(text.utf8))
        let isThere = (0...haystack.count).contains { start in haystack[start...].starts(with: needle) }
        let isFound = whole.withUnsafeBytes(ByteText(text, ignoringCase: ignoresCase).isFound)
        #expect(isFound == isThere, "\(text) in \(whole), seed \(seed)")
      }
    }
  }

  /// A log with two segments, control records, and a type that the writer escapes.
  private func story() throws -> LogStory {
    let story = LogStory(segmentLimitBytes: 4_000)
    try story.record(30)
    let writer = try story.open()
    for number in 31...60 {
      let type = number % 7 == 0 ? "say \"\(number)\"" : number % 5 == 0 ? "rare" : "add"
      try writer.appendNow([LogDraft(type: type, data: Array(#"{"text":"\#(number) of all"}"#.utf8))])
    }
    try writer.closeNow()
    return story
  }

  @Test(arguments: [0, 1, 12, 45], [512, 700, 1 << 20])
  func otherRecordsAreReturned(revision: Int, chunkBytes: Int) throws {
    let reader = try story().reader()
    var expected: [LogRecord] = []
    var records = try reader.records(from: revision)
    while let record = try records.next() {
      let isText = String(decoding: record.rawLine, as: UTF8.self).contains("5 of")
      if record.isControl || record.type.contains("\"") || record.type == "rare" && isText { expected.append(record) }
    }
    let screen = LineScreen(excludingType: { type in !type.elementsEqual("rare".utf8) }) {
      [.init(ByteText("5 of"), isEscapable: false)]
    }
    var found: [LogRecord] = []
    var batches = try reader.batches(from: revision, chunkBytes: chunkBytes)
    while let batch = try batches.nextBatch(unless: screen) {
      for index in batch.entries.indices { found.append(batch.record(at: index)) }
      batches.recycle(batch)
    }
    #expect(found.map(\.rawLine) == expected.map(\.rawLine))
    #expect("\(String(describing: batches.ending))" == "\(String(describing: records.ending))")
    #expect(batches.lastLink == records.lastLink && screen.excludedCount > 0)
  }

  @Test func escapesKeepALine() throws {
    let story = LogStory()
    let writer = try story.open()
    for text in ["Dog", #"D\u006fg"#, "Cow", #"D\"g"#] {
      try writer.appendNow([LogDraft(type: "add", data: Array(#"{"name":"\#(text)"}"#.utf8))])
    }
    try writer.closeNow()
    let screen = LineScreen { [.init(jsonString: "Dog")].compactMap(\.self) }
    var batches = try story.reader().batches(from: 1)
    var revisions: [Int] = []
    while let batch = try batches.nextBatch(unless: screen) {
      revisions += batch.entries.filter { entry in !entry.isControl }.map(\.revision)
    }
    #expect(revisions == [1, 2, 4] && screen.excludedCount == 1)
  }

  /// A screen does not look at what it excludes, but its checksum and its place in the chain are checked.
  @Test(arguments: [false, true])
  func damageInExcludedLinesIsReported(isMissing: Bool) throws {
    let story = LogStory()
    try story.record(50)
    var bytes = try story.bytes()
    let offsets = try story.lineOffsets()
    if isMissing { bytes.removeSubrange(offsets[20]..<offsets[21]) } else { bytes[offsets[20] + 80] ^= 1 }
    try story.files.setContents(bytes, of: story.segment())
    let reader = try story.reader()
    func error(_ read: () throws -> Void) -> String {
      do { try read() } catch { return "\(error)" }
      return "none"
    }
    let expected = error {
      var records = try reader.records()
      while try records.next() != nil {}
    }
    let found = error {
      let screen = LineScreen { [.init(ByteText("nowhere"), isEscapable: false)] }
      var batches = try reader.batches()
      while try batches.nextBatch(unless: screen) != nil {}
    }
    #expect(found == expected && found != "none")
  }
}
