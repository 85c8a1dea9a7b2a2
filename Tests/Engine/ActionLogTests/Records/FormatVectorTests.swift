import ActionLog
import ActionLogTesting
import Platform
import Testing

@Suite("Vectors of the format", .timeLimit(.minutes(60)))
struct FormatVectorTests {
  /// The times of the vector, in the order in which the writer requests them.
  private static let times = [
    "2026-11-21T09:00:00.000000Z", "2026-11-21T09:00:00.000000Z", "2026-11-21T09:00:05.123456Z",
    "2026-11-21T09:00:09.000001Z", "2026-11-21T09:00:10.000000Z",
  ]

  private static func environment() throws -> LogEnvironment {
    let times = Locked(try times.map { text in try #require(LogTime(parsing: text)) })
    var environment = LogEnvironment.test()
    environment.now = { times.withLock { times in times.removeFirst() } }
    return environment
  }

  @Test func writerReproducesTheVectorByteForByte() throws {
    var story = LogStory()
    story.configuration.environment = try Self.environment()
    let writer = try story.open(model: "animals")
    try writer.appendNow([LogDraft(type: "ui.categoryList.onAppear", data: Array("{}".utf8))])
    try writer.appendNow([
      LogDraft(
        type: "ui.animalList.onTapDeleteSelectedAnimalButton", data: Array(#"{"animalId":"Dog"}"#.utf8),
        meta: Array(#"{"actor":"u7"}"#.utf8))
    ])
    try writer.closeNow()

    let expected = try Vectors.bytes("0000000000000001.jsonl", in: "log-fresh")
    #expect(try story.text() == String(decoding: expected, as: UTF8.self))
    let head = try Vectors.bytes("HEAD", in: "log-fresh")
    #expect(try story.files.contents(of: story.head) == head)
  }

  @Test func readerReadsTheVector() throws {
    let story = LogStory()
    try story.files.setContents(try Vectors.bytes("0000000000000001.jsonl", in: "log-fresh"), of: story.segment())
    try story.files.setContents(try Vectors.bytes("HEAD", in: "log-fresh"), of: story.head)

    let reader = try story.reader()
    #expect(
      reader.header
        == LogHeader(
          log: "3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11", model: "animals", schema: 1, first: 1, epoch: 1,
          created: LogEnvironment.testStart))
    var records = try reader.records()
    var found: [LogRecord] = []
    while let record = try records.next() { found.append(record) }
    #expect(found.map(\.revision) == [0, 0, 1, 2, 2])
    #expect(found.map(\.isControl) == [true, true, false, false, true])
    #expect(found[3].type == "ui.animalList.onTapDeleteSelectedAnimalButton")
    #expect(found[3].data == Array(#"{"animalId":"Dog"}"#.utf8))
    #expect(found[3].meta == Array(#"{"actor":"u7"}"#.utf8))
    #expect(found[3].synced == 1)
    #expect(found[3].crc == 0xd5cb_3e89)
    #expect(found[3].place == LogPlace(path: story.segment(), byteOffset: 599, line: 4))
    guard case .closed = records.ending else {
      Issue.record("the vector is closed, not \(String(describing: records.ending))")
      return
    }
  }

  struct Nesting: Decodable {
    var type: String
    var data: String
    var nested: String
  }

  @Test func nestedFormMatchesTheVectors() throws {
    let vectors = try Vectors.decode([Nesting].self, "unflatten.json")
    #expect(vectors.count >= 12)
    for vector in vectors {
      let nested = ActionCoding.nested(type: vector.type, data: Array(vector.data.utf8))
      #expect(String(decoding: nested, as: UTF8.self) == vector.nested)
    }
  }
}
