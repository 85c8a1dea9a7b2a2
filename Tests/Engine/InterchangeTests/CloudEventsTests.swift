import ActionLog
import ActionLogTesting
import Foundation
import Interchange
import JSONCoding
import Testing

@Suite("CloudEvents")
struct CloudEventsTests {
  private static let drafts = [
    LogDraft("ui.animalList.onTapDelete", #"{"animalId":"Dög \u0001 \\"}"#, meta: #"{"actor":"Zoë \"u7\""}"#),
    LogDraft("_0", #"{"_0":[1,2.50,null]}"#, time: "2026-11-21T09:00:04.000000Z"),
    LogDraft("a.b", meta: #"{"cause":1,"free":{"deep":[{}]}}"#),
  ]

  @Test("events have the required attributes and their source")
  func written() throws {
    let bytes = try MadeLog(Self.drafts).exported(CloudEventsExport(try MadeLog([]).reader().header))
    let lines = bytes.split(separator: 10)
    #expect(lines.count == 3)
    let event = try JSONValue(parsing: lines[0])
    #expect(
      event
        == (try JSONValue(
          text: #"""
            {"specversion":"1.0","id":"3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11/1",
             "source":"urn:uuid:3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11","type":"ui.animalList.onTapDelete",
             "time":"2026-11-21T09:00:05.123456Z","datacontenttype":"application/json","sequence":"0000000000000001",
             "actionlogmodel":"counter","actionlogschema":1,"actionlogmeta":"{\"actor\":\"Zoë \\\"u7\\\"\"}",
             "data":{"animalId":"Dög \u0001 \\"}}
            """#)))
  }

  @Test("a log that is exported and imported holds the same actions, byte for byte, and exports the same events")
  func roundTrip() throws {
    let log = try MadeLog(Self.drafts)
    let events = try log.exported(CloudEventsExport(log.reader().header))
    let actions = try cloudEventActions(events.split(separator: 10))
    let copy = try MadeLog(importing: actions)
    #expect(try copy.actions.map(\.said) == log.actions.map(\.said))
    #expect(try copy.exported(CloudEventsExport(log.reader().header)) == events)
  }

  @Test("events of other sources survive a round trip", arguments: ["specification.ndjson", "corners.ndjson"])
  func foreign(name: String) throws {
    let lines = try Fixture.lines("cloudevents/\(name)")
    let actions = try cloudEventActions(lines)
    let log = try MadeLog(importing: actions)
    let written = try log.exported(CloudEventsExport(log.reader().header)).split(separator: 10)
    let expected = try lines.filter { line in !line.isEmpty }.map { line in try JSONValue(parsing: line).withoutNulls }
    #expect(try written.map { line in try JSONValue(parsing: line) } == expected)
  }

  @Test("values, types and times of other sources")
  func mapping() throws {
    let actions = try cloudEventActions(try Fixture.lines("cloudevents/corners.ndjson"))
    #expect(actions.map(\.type) == ["no.time.no.data", "offset", "control", "urn"])
    #expect(
      actions.map { action in String(decoding: action.data, as: UTF8.self) } == [
        "{}", #"{"_0":null}"#, #"{"_0":[1,2.50,{"a":[]}]}"#, "{}",
      ])
    #expect(
      actions.map { action in action.time?.description } == [
        nil, "2026-11-21T09:00:05.123456Z", "2026-11-21T09:00:05.123456Z", nil,
      ])
    #expect(actions.map(\.line) == [1, 3, 4, 5])
    #expect(actions[1].byteOffset == 90)
  }

  /// The data and the time of an action, and the members that are exported again. Null stands for an absent member, except for `data`.
  @Test(
    arguments: [
      (#""data":{},"data_base64":null"#, "{}", nil, #""data":{}"#), (#""data_base64":null"#, "{}", nil, ""),
      (#""data":null,"data_base64":"AA==""#, #"{"_0":"AA=="}"#, nil, #""data_base64":"AA==""#),
      (#""data":null,"data_base64":null"#, #"{"_0":null}"#, nil, #""data":null"#),
      (
        #""data":{"n":[1E400,-0,1e-7,1.0,""]}"#, #"{"n":[1E400,-0,1e-7,1.0,""]}"#, nil,
        #""data":{"n":[1E400,-0,1e-7,1.0,""]}"#
      ),
      (#""time":null,"subject":null"#, "{}", nil, ""), (#""subject":"""#, "{}", nil, #""subject":"""#),
      (#""time":"2016-12-31t23:59:60z""#, "{}", "2016-12-31T23:59:59.999999Z", #""time":"2016-12-31t23:59:60z""#),
      (
        #""time":"2026-11-21T09:00:05.1234567891-00:00""#, "{}", "2026-11-21T09:00:05.123456Z",
        #""time":"2026-11-21T09:00:05.1234567891-00:00""#
      ),
    ] as [(String, String, String?, String)])
  func edgesOfTheFormatSurvive(members: String, data: String, time: String?, kept: String) throws {
    let required = #""specversion":"1.0","id":"1","source":"a","type":"t""#
    let actions = try cloudEventActions([Array("{\(required),\(members)}".utf8)[...]])
    #expect(actions.map { action in String(decoding: action.data, as: UTF8.self) } == [data])
    #expect(actions.map { action in action.time?.description } == [time])
    let log = try MadeLog(importing: actions)
    let written = try log.exported(CloudEventsExport(log.reader().header)).split(separator: 10)
    let expected = try JSONValue(text: "{\(required)\(kept.isEmpty ? "" : "," + kept)}")
    #expect(try written.map { line in try JSONValue(parsing: line) } == [expected])
  }

  @Test("missing revisions are counted and old ones kept")
  func renumbering() throws {
    let drafts = (1...6).map { number in LogDraft("a", "{}", meta: number > 1 ? #"{"cause":\#(number - 1)}"# : nil) }
    let log = try MadeLog(drafts)
    let lines = try log.exported(CloudEventsExport(log.reader().header)).split(separator: 10)
    let actions = try cloudEventActions([lines[1], lines[2], lines[4], lines[5]])
    var counted = try LogImport(
      to: "/counted", model: "counter", schema: 1, fileSystem: MemoryFileSystem(), environment: MadeLog.environment)
    for action in actions { try counted.append(action) }
    #expect(counted.missingCount == 1 && (1...4).map { number in counted.line(of: number) } == [1, 2, 3, 4])
    counted.discard()
    let copy = try MadeLog(importing: actions)
    #expect(
      try copy.actions.map { record in record.meta.map { meta in String(decoding: meta, as: UTF8.self) } } == [
        #"{"was":2}"#, #"{"cause":1,"was":3}"#, #"{"was":5}"#, #"{"cause":3,"was":6}"#,
      ])
  }

  /// Every kind of cause and of old revision that a log can contain.
  private static let metadata = [
    #"{"was":7}"#, #"{"cause":1}"#, #"{"cause":99}"#, #"{"cause":4}"#, #"{"cause":0,"was":1}"#, #"{"cause":-3}"#,
    #"{"cause":"a3f"}"#, #"{"cause":1.5,"was":"2024-01"}"#, #"{"cause":{"log":"x","seq":3},"was":null}"#,
    #"{"cause":6,"was":[1]}"#,
  ]

  @Test(arguments: ["cloudevents", "redux-devtools"])
  func metadataSurvivesExportAndImport(format: String) throws {
    let log = try MadeLog(Self.metadata.map { meta in LogDraft("a", meta: meta) })
    let copy: MadeLog
    if format == "cloudevents" {
      let lines = try log.exported(CloudEventsExport(log.reader().header)).split(separator: 10)
      copy = try MadeLog(importing: cloudEventActions(lines.map { line in line }))
    } else {
      copy = try MadeLog(importing: reduxActions(log.lifted()))
    }
    #expect(try copy.actions.map(\.said) == log.actions.map(\.said))
    #expect(
      try copy.actions.map { record in record.meta.map { meta in String(decoding: meta, as: UTF8.self) } }
        == Self.metadata)
  }

  @Test func renumberedActionKeepsItsFirstNumber() throws {
    let log = try MadeLog([
      LogDraft("a"), LogDraft("b", meta: #"{"was":70}"#), LogDraft("c", meta: #"{"cause":2}"#),
      LogDraft("d", meta: #"{"cause":1}"#), LogDraft("e", meta: #"{"cause":9}"#),
    ])
    let lines = try log.exported(CloudEventsExport(log.reader().header)).split(separator: 10)
    let copy = try MadeLog(importing: cloudEventActions(Array(lines.dropFirst())))
    #expect(
      try copy.actions.map { record in record.meta.map { meta in String(decoding: meta, as: UTF8.self) } } == [
        #"{"was":70}"#, #"{"cause":1,"was":3}"#, #"{"was":4}"#, #"{"cause":9,"was":5}"#,
      ])
  }

  static let wrong: [(line: String, code: InterchangeError.Code, message: String, byte: Int)] = [
    ("{", .notJSON, "the text ends", 9),
    ("[]", .wrongShape, "an event is an object", 8), ("7", .wrongShape, "an event is an object", 8),
    (#"{"specversion":"0.3"}"#, .wrongShape, "\"specversion\" is not", 8),
    (#"{"specversion":"1.0","source":"a","type":"t"}"#, .wrongShape, "no string \"id\"", 8),
    (#"{"specversion":"1.0","id":"","source":"a","type":"t"}"#, .wrongShape, "no string \"id\"", 8),
    (#"{"specversion":"1.0","id":"1","source":7,"type":"t"}"#, .wrongShape, "no string \"source\"", 8),
    (#"{"specversion":"1.0","id":"1","source":"a","type":"@@"}"#, .wrongShape, "control record", 8),
    (#"{"specversion":"1.0","id":"1","source":"a","type":"t","x":{}}"#, .wrongShape, "the attribute \"x\"", 66),
    (#"{"specversion":"1.0","id":"1","source":"a","type":"t","time":"yesterday"}"#, .wrongShape, "\"time\"", 8),
    (
      #"{"specversion":"1.0","id":"1","source":"a","type":"t","time":"2026-02-30T00:00:00Z"}"#, .wrongShape,
      "valid date", 8
    ),
    (#"{"specversion":"1.0","id":"1","source":"a","type":"t","data":1,"data_base64":""}"#, .wrongShape, "not both", 8),
    (#"{"specversion":"1.0","id":"1","id":"2","source":"a","type":"t"}"#, .notJSON, "the name 'id'", 38),
    (##"{"specversion":"1.0","id":"1","source":"a","type":"t","data":"\ud800"}"##, .notJSON, "surrogate", 70),
    ("\u{FEFF}{}", .notJSON, "byte order mark", 8),
    (String(repeating: "[", count: 200), .beyondLimit, "deep", 136),
  ]

  @Test("invalid events are refused with line and byte", arguments: wrong.indices)
  func isRefused(index: Int) throws {
    let (line, code, message, byte) = Self.wrong[index]
    var source = CloudEventsImport()
    _ = try source.next(Array("       ".utf8)[...])
    let error = #expect(throws: InterchangeError.self) { _ = try source.next(Array(line.utf8)[...]) }
    #expect(error?.code == code)
    #expect(error?.line == 2)
    #expect(error?.message.contains(message) == true, "\(String(describing: error))")
    #expect(error?.byteOffset == byte)
  }

  @Test("invalid UTF-8, long types and deep data are refused")
  func bytesAndLimits() throws {
    let event = #"{"specversion":"1.0","id":"1","source":"a","type":""#
    let notText = Array(event.utf8) + [0xFF, UInt8(ascii: "\""), UInt8(ascii: "}")]
    var source = CloudEventsImport()
    let first = #expect(throws: InterchangeError.self) { _ = try source.next(notText[...]) }
    #expect(first?.code == .notJSON)
    #expect(first?.byteOffset == event.utf8.count)
    let long = Array((event + String(repeating: "t", count: 1_025) + "\"}").utf8)
    #expect(throws: InterchangeError.self) { _ = try source.next(long[...]) }
    let nested = String(repeating: "[", count: 127) + String(repeating: "]", count: 127)
    let deep = try cloudEventActions([Array((event + "t\",\"data\":\(nested)}").utf8)[...]])
    let error = #expect(throws: InterchangeError.self) { _ = try MadeLog(importing: deep) }
    #expect(error?.code == .beyondLimit)
    #expect(error?.line == 1)
  }

  @Test(
    "an event with an impossible revision is of another source", arguments: ["9223372036854775807", "0", "-1"])
  func numberOfNoAction(number: String) throws {
    let log = "3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11"
    let event = #"""
      {"specversion":"1.0","id":"\#(log)/\#(number)","source":"urn:uuid:\#(log)","type":"t","actionlogmodel":"counter","data":{}}
      """#
    let actions = try cloudEventActions([Array(event.utf8)[...], Array(event.utf8)[...]])
    #expect(actions.map(\.revision) == [nil, nil])
    #expect(try MadeLog(importing: actions).actions.count == 2)
  }

  @Test("events of two logs or out of order are refused")
  func mixed() throws {
    let log = try MadeLog(Self.drafts)
    let lines = try log.exported(CloudEventsExport(log.reader().header)).split(separator: 10)
    let other = String(decoding: lines[1], as: UTF8.self).replacingOccurrences(of: "3f0c", with: "4f0c")
    let cases: [([ArraySlice<UInt8>], String)] = [
      ([lines[1], lines[0]], "follows that of"), ([lines[0], lines[0]], "follows that of"),
      ([lines[0], Array(other.utf8)[...]], "belongs to the log 4f0c"),
    ]
    for (lines, message) in cases {
      let error = #expect(throws: InterchangeError.self) { _ = try cloudEventActions(lines) }
      #expect(error?.message.contains(message) == true && error?.line == 2)
    }
  }
}
