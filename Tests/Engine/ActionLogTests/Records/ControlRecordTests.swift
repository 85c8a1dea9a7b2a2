import ActionLog
import TestSupport
import Testing

@Suite("Control records")
struct ControlRecordTests {
  /// Returns the records that a writer appended after its `@open`.
  private func written(_ drafts: [LogDraft]) throws -> [LogRecord] {
    let story = LogStory()
    let writer = try story.open()
    try writer.appendNow(drafts)
    try writer.closeNow()
    var records = try story.reader().records()
    var found: [LogRecord] = []
    while let record = try records.next() {
      if record.controlType == nil || ![.segment, .open, .close].contains(record.controlType) { found.append(record) }
    }
    return found
  }

  private func text(_ record: some ControlRecord) -> String { String(decoding: record.data(), as: UTF8.self) }

  @Test func baseKeepsTheState() throws {
    let base = try BaseRecord(["a": 1])
    #expect(text(base) == #"{"state":{"a":1}}"#)
    #expect(text(BaseRecord(json: Array("7".utf8))) == #"{"state":7}"#)
    let record = try #require(try written([LogDraft(base)]).first)
    #expect(record.controlType == .base)
    #expect(try BaseRecord(record).state(as: [String: Int].self) == ["a": 1])
    #expect(try BaseRecord(record).json() == Array(#"{"a":1}"#.utf8))
  }

  @Test func digestKeepsStateAndReducer() throws {
    let digest = DigestRecord(state: "abc", reducer: "r\"1")
    #expect(text(digest) == #"{"state":"abc","reducer":"r\"1"}"#)
    let record = try #require(try written([LogDraft(digest)]).first)
    #expect(record.controlType == .digest)
    let read = try DigestRecord(record)
    #expect(read.state == "abc" && read.reducer == "r\"1")
  }

  @Test func digestWithoutStringsIsEmpty() throws {
    let record = try #require(try written([LogDraft(type: "@digest", data: Array(#"{"state":1}"#.utf8))]).first)
    let read = try DigestRecord(record)
    #expect(read.state.isEmpty && read.reducer.isEmpty)
  }

  @Test func rejectedKeepsActionAndError() throws {
    var rejected = RejectedRecord(
      actionType: "add", actionData: Array(#"{"_0":1}"#.utf8),
      error: RejectedRecord.Failure(type: "E", code: "c", message: "m", place: "/a"), suppressedCount: 2)
    #expect(
      text(rejected)
        == #"{"type":"add","data":{"_0":1},"error":{"type":"E","code":"c","message":"m","place":"/a"},"suppressed":2}"#)
    let record = try #require(try written([LogDraft(rejected)]).first)
    #expect(record.controlType == .rejected)
    let read = try #require(try RejectedRecord(record))
    #expect(read.actionType == "add" && read.actionData == Array(#"{"_0":1}"#.utf8))
    #expect(read.error.code == "c" && read.error.place == "/a" && read.suppressedCount == 2)
    rejected.error.place = nil
    rejected.suppressedCount = 0
    #expect(text(rejected) == #"{"type":"add","data":{"_0":1},"error":{"type":"E","code":"c","message":"m"}}"#)
  }

  @Test func rejectedWithoutErrorIsNotRead() throws {
    let draft = LogDraft(type: "@rejected", data: Array(#"{"type":"add","data":{}}"#.utf8))
    let record = try #require(try written([draft]).first)
    #expect(try RejectedRecord(record) == nil)
  }

  @Test func actionsHaveNoControlType() throws {
    let record = try #require(try written([.numbered(1)]).first)
    #expect(record.controlType == nil)
  }

  @Test(arguments: ControlType.allCases)
  func everyTypeBeginsWithThePrefix(type: ControlType) {
    #expect(type.rawValue.utf8.first == ControlType.prefix)
  }
}
