import ActionLog
import ActionLogTesting
import Platform
import Testing

@Suite("base.json", .timeLimit(.minutes(60)))
struct LogBaseTests {
  @Test func theVectorIsReadAndWrittenByteForByte() throws {
    let bytes = try PrunedVectors.bytes("base.json")
    let base = try LogBase(parsing: bytes)
    #expect(base.bytes == bytes)
    #expect(base.revision == 5)
    #expect(base.first == 6)
    #expect(base.model == "guestbook")
    #expect(base.lineCount == 10)
    #expect(base.link == 0x65c2_3957)
    #expect(base.synced == 3)
    #expect(base.tree.count == 2)
    #expect(String(decoding: base.state, as: UTF8.self).hasPrefix(#"{"guests":{"g1":{"name":"Ann Smith""#))
  }

  @Test func everyChangedByteIsRefused() throws {
    let bytes = try PrunedVectors.bytes("base.json")
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 1
      #expect(throws: LogBaseFault.self) { try LogBase(parsing: changed) }
    }
    for count in bytes.indices { #expect(throws: LogBaseFault.self) { try LogBase(parsing: Array(bytes[..<count])) } }
  }

  /// Files with a good checksum that are not a base.
  @Test(arguments: [
    (#""seq":5"#, #""seq":0"#), (#""seq":5"#, #""seq":4"#), (#""seq":5"#, #""seq":9007199254740992"#),
    (#""first":6"#, #""first":7"#), (#""lines":10"#, #""lines":11"#), (#""lines":10"#, #""lines":5"#),
    (#""synced":3"#, #""synced":6"#), (#""synced":3"#, #""synced":-1"#), (#""schema":1"#, #""schema":0"#),
    (#""log":"3f0c"#, #""log":"3F0C"#), (#""model":"guestbook""#, #""model":"""#),
    (#""time":"2026"#, #""time":"2O26"#), (#""link":"65c23957""#, #""link":"65C23957""#), (#"LNmo="]"#, #"LNmp="]"#),
    (#"OySo="#, #"OySp="#), (#","reducer""#, #","extra":1,"reducer""#), (#","reducer":"#, #", "reducer":"#),
    (#"{"guests""#, #"{guests"#), (#""state":"#, #""stat":"#), (#""tree":["#, #""tree":[["#),
  ])
  func anotherFormIsRefused(old: String, new: String) throws {
    let text = String(decoding: try PrunedVectors.bytes("base.json").dropLast(CommitMark.sizeBytes), as: UTF8.self)
    try #require(text.contains(old))
    var bytes = Array(text.replacing(old, with: new, maxReplacements: 1).utf8)
    CommitMark.append(to: &bytes)
    #expect(throws: LogBaseFault.self) { try LogBase(parsing: bytes) }
  }

  @Test func membersInAnotherOrderAreRefused() throws {
    let text = String(decoding: try PrunedVectors.bytes("base.json").dropLast(CommitMark.sizeBytes), as: UTF8.self)
    var bytes = Array(
      text.replacing(#""first":6,"lines":10"#, with: #""lines":10,"first":6"#).utf8)
    CommitMark.append(to: &bytes)
    #expect(#expect(throws: LogBaseFault.self) { try LogBase(parsing: bytes) }?.message.contains("form") == true)
  }

  @Test func theRecordOfAPruningIsReadAndWritten() throws {
    let reader = try LogReader.open(at: LogStory.path, fileSystem: try PrunedVectors.files())
    let pruning = try #require(try reader.lastPruning())
    #expect(pruning.revision == 9)
    #expect(!pruning.isLastRecord)
    #expect(pruning.record.reason == "kept for a year")
    #expect(pruning.record.first == 6)
    #expect(pruning.record.base?.sha256 == SHA256.hexadecimal(try PrunedVectors.bytes("base.json")))
    #expect(pruning.record.segments.map(\.first) == [1])
    var records = try reader.records()
    var written: [UInt8]?
    while let record = try records.next() { if record.controlType == .prune { written = record.data } }
    #expect(pruning.record.data() == written)
  }
}
