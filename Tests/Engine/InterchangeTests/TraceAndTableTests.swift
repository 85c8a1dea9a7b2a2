import ActionLog
import Interchange
import JSONCoding
import Testing

@Suite("Traces and tables")
struct TraceAndTableTests {
  private static let drafts = [
    LogDraft("ui.tap", #"{"n":1}"#, meta: #"{"actor":"ann"}"#), LogDraft("ui.tap"),
    LogDraft("=cmd|' /C calc'!A0", #"{"text":"a, \"b\"\n"}"#, meta: #"{"actor":"ann","x":[1]}"#),
  ]

  @Test("each action is an instant on its actor's track")
  func trace() throws {
    let log = try MadeLog(Self.drafts)
    let value = try JSONValue(parsing: try log.exported(TraceExport(log.reader().header)))
    let text = #"""
      {"displayTimeUnit":"ms","otherData":{"log":"3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11","model":"counter"},"traceEvents":[
      {"name":"process_name","ph":"M","pid":1,"tid":0,"args":{"name":"counter"}},
      {"name":"thread_name","ph":"M","pid":1,"tid":0,"args":{"name":"actions"}},
      {"name":"thread_name","ph":"M","pid":1,"tid":1,"args":{"name":"ann"}},
      {"name":"ui.tap","cat":"action","ph":"i","s":"t","ts":1795251605123456,"pid":1,"tid":1,
       "args":{"seq":1,"data":{"n":1},"meta":{"actor":"ann"}}},
      {"name":"ui.tap","cat":"action","ph":"i","s":"t","ts":1795251605123456,"pid":1,"tid":0,"args":{"seq":2,"data":{}}},
      {"name":"=cmd|' /C calc'!A0","cat":"action","ph":"i","s":"t","ts":1795251605123456,"pid":1,"tid":1,
       "args":{"seq":3,"data":{"text":"a, \"b\"\n"},"meta":{"actor":"ann","x":[1]}}}]}
      """#
    #expect(value == (try JSONValue(text: text)))
  }

  @Test("a trace without actions is valid")
  func emptyTrace() throws {
    let log = try MadeLog([])
    let value = try JSONValue(parsing: try log.exported(TraceExport(log.reader().header)))
    #expect(value["traceEvents", "1", "name"] == "thread_name")
  }

  @Test("actors are distinguished by bytes")
  func actorsAreDistinguishedByBytes() throws {
    let drafts = ["\u{e9}", "e\u{301}"].map { actor in LogDraft("a", meta: #"{"actor":"\#(actor)"}"#) }
    let log = try MadeLog(drafts)
    let value = try JSONValue(parsing: try log.exported(TraceExport(log.reader().header)))
    guard case .array(let events)? = value["traceEvents"] else { return #expect(Bool(false)) }
    #expect(Set(events.compactMap { event in event["tid"] }).count == 3)
  }

  @Test("the number of tracks is limited")
  func tracks() throws {
    let drafts = (0..<1_010).map { number in LogDraft("a", meta: #"{"actor":"u\#(number)"}"#) }
    let log = try MadeLog(drafts)
    let value = try JSONValue(parsing: try log.exported(TraceExport(log.reader().header)))
    guard case .array(let events)? = value["traceEvents"] else { return #expect(Bool(false)) }
    #expect(Set(events.compactMap { event in event["tid"] }).count == 1_001)
    #expect(events.count { event in event["ph"] == "i" } == 1_010)
  }

  @Test("cells are quoted and never formulas")
  func table() throws {
    let text = String(decoding: try MadeLog(Self.drafts).exported(CSVExport()), as: UTF8.self)
    #expect(
      text == """
        seq,time,type,actor,data,meta
        1,2026-11-21T09:00:05.123456Z,ui.tap,ann,"{""n"":1}","{""actor"":""ann""}"
        2,2026-11-21T09:00:05.123456Z,ui.tap,,{},
        3,2026-11-21T09:00:05.123456Z,'=cmd|' /C calc'!A0,ann,"{""text"":""a, \\""b\\""\\n""}","{""actor"":""ann"",""x"":[1]}"

        """)
  }
}
