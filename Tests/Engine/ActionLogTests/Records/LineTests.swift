import ActionLog
import Testing

@Suite("Lines", .timeLimit(.minutes(60)))
struct LineTests {
  /// Returns how a log ends after a header and one more line.
  private func outcome(ofLine body: String) throws -> LogEnding? {
    var log = RawLog()
    log.line(body: body)
    return try log.story().read().ending
  }

  @Test(arguments: [
    #"{"seq":1,"time":"TIME","type":"add","synced":0,"prev":"PREV","data":{}"#,
    #"{"seq":1,"time":"TIME","type":"add","synced":0,"prev":"PREV","data":{"a":[1,{}]},"meta":{"actor":"u7"}"#,
    // Another order of members, and unknown members.
    #"{"data":{},"type":"add","prev":"PREV","time":"TIME","seq":1,"synced":0"#,
    #"{"seq":1,"time":"TIME","type":"add","synced":0,"prev":"PREV","data":{},"host":{"a":null},"b":[1.5e3,true]"#,
    #"{"seq":1,"time":"TIME","type":"add","synced":0,"prev":"PREV","data":{},"meta":{},"host":1"#,
    #"{"new":0,"seq":1,"time":"TIME","type":"add","synced":0,"prev":"PREV","data":{}"#,
    // White space and escapes are valid JSON.
    #"{ "seq" : 1 , "time":"TIME","type":"add","synced":0,"prev":"PREV","data":{ }"#,
    #"{"seq":1,"time":"TIME","type":"add","synced":0,"prev":"PREV","data":{ "a" : 1 } ,"meta":{ } "#,
    #"{"seq":1,"time":"TIME","type":"\u0061d\"d","synced":0,"prev":"PREV","data":{}"#,
    #"{"seq":1,"time":"TIME","type":"größer","synced":0,"prev":"PREV","data":{}"#,
    #"{"seq":1,"time":"TIME","type":"add","synced":0,"prev":"PREV","data":{"s":",\"crc\":\"00000000\"}"}"#,
  ])
  func membersAreReadInAnyOrder(body: String) throws {
    let ending = try outcome(ofLine: body.replacing("TIME", with: RawLog.time))
    guard case .clean = ending else {
      Issue.record("\(String(describing: ending))")
      return
    }
  }

  @Test(arguments: [
    (#"{"time":"TIME","type":"add","synced":0,"prev":"PREV","data":{}"#, "seq"),
    (#"{"seq":"1","time":"TIME","type":"add","synced":0,"prev":"PREV","data":{}"#, "seq"),
    (#"{"seq":1.0,"time":"TIME","type":"add","synced":0,"prev":"PREV","data":{}"#, "seq"),
    (#"{"seq":1e0,"time":"TIME","type":"add","synced":0,"prev":"PREV","data":{}"#, "seq"),
    (#"{"seq":-1,"time":"TIME","type":"add","synced":0,"prev":"PREV","data":{}"#, "seq"),
    (#"{"seq":9007199254740992,"time":"TIME","type":"add","synced":0,"prev":"PREV","data":{}"#, "seq"),
    (#"{"seq":18446744073709551617,"time":"TIME","type":"add","synced":0,"prev":"PREV","data":{}"#, "seq"),
    (#"{"seq":1,"time":"2026-11-21","type":"add","synced":0,"prev":"PREV","data":{}"#, "time"),
    (#"{"seq":1,"time":"TIME","type":"","synced":0,"prev":"PREV","data":{}"#, "type"),
    (#"{"seq":1,"time":"TIME","type":7,"synced":0,"prev":"PREV","data":{}"#, "type"),
    (#"{"seq":1,"time":"TIME","type":"add","synced":null,"prev":"PREV","data":{}"#, "synced"),
    (#"{"seq":1,"time":"TIME","type":"add","synced":0,"prev":"PREV0","data":{}"#, "prev"),
    (#"{"seq":1,"time":"TIME","type":"add","synced":0,"prev":"ABCDEF00","data":{}"#, "prev"),
    (#"{"seq":1,"time":"TIME","type":"add","synced":0,"prev":"PREV","data":[]"#, "data"),
    (#"{"seq":1,"time":"TIME","type":"add","synced":0,"prev":"PREV"#, "data"),
    (#"{"seq":1,"time":"TIME","type":"add","synced":0,"prev":"PREV","data":{},"meta":null"#, "meta"),
  ])
  func isDamagedWhenAMemberIsMissingOrOfAnotherType(body: String, member: String) throws {
    var body = body.replacing("TIME", with: RawLog.time)
    if body.hasSuffix("PREV") { body += "\"" }
    let error = try #require(try outcome(ofLine: body)?.damage)
    #expect(error.message.contains("'\(member)'"), "\(error)")
    #expect(error.line == 2)
    #expect(error.revision == 1)
  }

  @Test(arguments: [
    #"{"seq":1,"time":"TIME","type":"add","synced":0,"prev":"PREV","data":{"a":1,"a":2}"#,
    #"{"seq":1,"time":"TIME","type":"add","synced":0,"prev":"PREV","data":{"a":1,}"#,
    #"{"seq":1,"time":"TIME","type":"add","synced":0,"prev":"PREV","data":{},"data":{}"#,
    #"{"seq":1,"time":"TIME","type":"add","synced":0,"prev":"PREV","data":{"a":"\ud800"}"#,
    #"{"seq":1,"time":"TIME","type":"add","synced":0,"prev":"PREV","data":{"a":01}"#,
    #"{"seq":1,"time":"TIME","type":"add","synced":0,"prev":"PREV","data":{},"meta":{"a":1"#,
    #"{"seq":1,"time":"TIME","type":"add","synced":0,"prev":"PREV","data":{"a":1"#,
    #"[1"#,
  ])
  func isNotWholeWhenItIsNotStrictJSON(body: String) throws {
    // Nothing records this last line of the file as durable, so a crash is the likely reason.
    guard case .torn = try outcome(ofLine: body.replacing("TIME", with: RawLog.time)) else {
      Issue.record("read as a line: \(body)")
      return
    }
  }

  @Test(arguments: [128, 129])
  func nestsUpToOneHundredAndTwentyEightLevels(depth: Int) throws {
    // The record is the first level, `data` the second.
    let inner = String(repeating: "[", count: depth - 2) + String(repeating: "]", count: depth - 2)
    let body = #"{"seq":1,"time":"TIME","type":"add","synced":0,"prev":"PREV","data":{"a":\#(inner)}"#
    let ending = try outcome(ofLine: body.replacing("TIME", with: RawLog.time))
    switch ending {
    case .clean where depth == 128: break
    case .torn where depth == 129: break
    default: Issue.record("\(depth): \(String(describing: ending))")
    }
  }

  @Test func linesEndAtLineFeedsAndNowhereElse() throws {
    let story = LogStory()
    let writer = try story.open()
    let odd = "a\u{2028}b\u{85}c\u{7F}/"
    try writer.appendNow([LogDraft(type: "say", data: Array(#"{"_0":"\#(odd)"}"#.utf8))])
    try writer.closeNow()
    var records = try story.reader().records(from: 1)
    #expect(try records.next()?.data == Array(#"{"_0":"\#(odd)"}"#.utf8))
  }
}
