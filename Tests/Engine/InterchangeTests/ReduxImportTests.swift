import ActionLog
import Interchange
import JSONCoding
import Testing

@Suite("Redux DevTools import")
struct ReduxImportTests {
  struct Expected: Sendable {
    var types: [String]
    var base: String?
    var times: [String?]
    var skipped: [Int] = []
    var metas: [Int: String] = [:]
  }

  private static let (up, down) = ("didTapIncrementButton", "didTapDecrementButton")

  private static let lifted = Expected(
    types: [up, down, up], base: #"{"value":0}"#,
    times: ["2026-11-21T09:00:05.123000Z", "2026-11-21T09:00:06.000000Z", "2026-11-21T09:00:07.000000Z"],
    skipped: [1], metas: [0: #"{"redux":{"stack":"Error\n    at tap"}}"#])

  static let accepted: [String: Expected] = [
    "A.json": Expected(types: [up, up, down], base: #"{"value":10}"#, times: [nil, nil, nil]),
    "A2.json": Expected(types: [up, up], times: [nil, nil]),
    "B.json": Expected(types: [up, down, down], times: [nil, nil, nil]),
    "C.json": lifted, "C2.json": lifted, "C3.json": lifted,
    "C5.json": {
      var expected = lifted
      expected.base = nil
      return expected
    }(),
    "sparse-ids.json": Expected(
      types: [up, up], base: #"{"value":7}"#, times: ["2026-11-21T09:00:05.123000Z", "2026-11-21T09:00:07.000000Z"],
      metas: [0: #"{"redux":{"stack":"Error\n    at tap"}}"#]),
    "more-than-maxAge.json": Expected(
      types: Array(repeating: up, count: 120), base: #"{"value":0}"#,
      times: (1...120).map { number in
        let digits = String(number)
        return "2026-11-21T09:00:00." + String(repeating: "0", count: 3 - digits.count) + digits + "000Z"
      }),
  ]

  @Test("fixtures match the named shapes")
  func fixtures() throws {
    #expect(try Fixture.names(in: "redux/accepted") == Self.accepted.keys.sorted())
    #expect(try Fixture.names(in: "redux/refused") == Self.refused.keys.sorted())
  }

  @Test("every shape accepted by DevTools is imported", arguments: accepted.keys.sorted())
  func isAccepted(name: String) throws {
    let expected = try #require(Self.accepted[name])
    let bytes = try Fixture.bytes("redux/accepted/\(name)")
    let source = try ReduxDevToolsImport(parsing: bytes)
    let actions = try reduxActions(bytes)
    #expect(actions.map(\.type) == expected.types)
    #expect(source.base.map { base in String(decoding: base, as: UTF8.self) } == expected.base)
    #expect(actions.map { action in action.time?.description } == expected.times)
    #expect(actions.indices.filter { index in actions[index].isSkipped } == expected.skipped)
    for (index, action) in actions.enumerated() {
      #expect(JSONValue.object(action.meta).description == expected.metas[index] ?? "{}")
    }
  }

  /// DevTools test members with `if (…)`.
  @Test(arguments: ["null", #""""#])
  func emptyPreloadedStateIsAbsent(value: String) throws {
    let source = try ReduxDevToolsImport(
      parsing: Array(#"{"payload":"[{\"type\":\"a\"}]","preloadedState":\#(value)}"#.utf8))
    #expect(source.base == nil && source.count == 1)
  }

  @Test func nullIsAnAbsentMemberOfALiftedState() throws {
    let text = #"""
      {"actionsById":{"0":{"type":"PERFORM_ACTION","action":{"type":"@@INIT"},"timestamp":null},
        "1":{"type":"PERFORM_ACTION","action":{"type":"a","payload":null},"timestamp":null,"stack":null},
        "2":{"type":"PERFORM_ACTION","action":{"type":"b"},"timestamp":-0}},"stagedActionIds":[0,1.0,2e0],
       "skippedActionIds":null,"currentStateIndex":null,"computedStates":[],"monitorState":null,"isLocked":null}
      """#
    let actions = try reduxActions(Array(text.utf8))
    #expect(actions.map(\.type) == ["a", "b"] && actions.allSatisfy { action in !action.isSkipped })
    #expect(actions.map { action in action.time?.description } == [nil, "1970-01-01T00:00:00.000000Z"])
  }

  @Test("a skipped action becomes a record that is never folded")
  func skipped() throws {
    let log = try MadeLog(importing: try reduxActions(try Fixture.bytes("redux/accepted/C.json")))
    #expect(try log.actions.map(\.revision) == [1, 2])
    let rejected = try #require(try log.records().first { record in record.type == "@rejected" })
    #expect(rejected.revision == 1)
    #expect(rejected.time.description == "2026-11-21T09:00:06.000000Z")
    let data = try JSONValue(parsing: rejected.data)
    #expect(data["type"] == "didTapDecrementButton")
    #expect(data["error", "code"] == "skipped")
  }

  static let refused: [String: (code: InterchangeError.Code, message: String, pointer: String?)] = [
    "A-action-without-type.json": (.wrongShape, "no string \"type\"", "/1"),
    "A2-action-without-type.json": (.wrongShape, "no string \"type\"", "/0"),
    "B-action-without-type.json": (.wrongShape, "no string \"type\"", "/1"),
    "C-action-without-type.json": (.wrongShape, "no string \"type\"", "/actionsById/3/action"),
    "A-payload-no-json.json": (.notJSON, "the text of \"payload\" is not JSON", "/payload"),
    "A-preloaded-state-null.json": (.wrongShape, "\"preloadedState\" is null", "/preloadedState"),
    "C-does-not-begin-with-0.json": (.wrongShape, "does not begin with 0", "/stagedActionIds/0"),
    "C-serialized-type.json": (.notPlain, "__serializedType__", "/committedState/m"),
    "C-staged-id-missing.json": (.wrongShape, "there is no action 7", "/stagedActionIds/2"),
    "C-time-beyond-all-clocks.json": (.wrongShape, "milliseconds since 1970", "/actionsById/3/timestamp"),
    "C-too-few-computed-states.json": (.wrongShape, "2 computed states for 4", "/computedStates"),
    "C-value-of-jsan.json": (.notPlain, "$jsan", "/actionsById/3/action/payload/at"),
    "C4-no-computed-states.json": (.wrongShape, "\"computedStates\" is not an array", "/computedStates"),
    "D-payload-is-an-array.json": (.wrongShape, "\"payload\" is not a string", "/payload"),
    "byte-order-mark.json": (.notJSON, "byte order mark", nil),
    "duplicate-name.json": (.notJSON, "the name 'payload'", nil),
    "not-utf-8.json": (.notJSON, "UTF-8", nil),
    "number.json": (.wrongShape, "not in a format that Redux DevTools can import", nil),
    "object-without-payload.json": (.wrongShape, "not in a format that Redux DevTools can import", nil),
    "payload-is-text-of-a-text.json": (.wrongShape, "not in a format that Redux DevTools can import", nil),
    "too-deep.json": (.beyondLimit, "", nil),
  ]

  @Test("refused shapes report reason and location", arguments: refused.keys.sorted())
  func isRefused(name: String) throws {
    let expected = try #require(Self.refused[name])
    let bytes = try Fixture.bytes("redux/refused/\(name)")
    let error = #expect(throws: InterchangeError.self) { _ = try reduxActions(bytes) }
    #expect(error?.code == expected.code)
    #expect(error?.pointer?.description == expected.pointer)
    if !expected.message.isEmpty {
      #expect(error?.message.contains(expected.message) == true, "\(String(describing: error))")
    }
    if expected.code == .notJSON { #expect(error?.byteOffset != nil) }
  }

  @Test(
    "actions of all manners are kept, and written as they were",
    arguments: [
      #"{"type":"add","payload":{"n":1}}"#, #"{"type":"add","payload":5}"#, #"{"type":"add","payload":null}"#,
      #"{"type":"add","n":1,"deep":{"$jsan_":1}}"#, #"{"type":"@@router/GO","payload":{"to":"/"}}"#,
      #"{"type":"add","payload":{"message":"no"},"error":true}"#, #"{"type":"add","n":1,"type2":"x","payload":[]}"#,
      #"{"type":"counter/increment"}"#, #"{"type":"add","payload":{"__serializedType___":{"data":1}}}"#,
    ])
  func manners(action: String) throws {
    let log = try MadeLog(importing: try reduxActions(Array("[\(action)]".utf8)))
    let written = try JSONValue(parsing: try log.lifted())
    guard case .object(var object)? = written["actionsById", "1", "action"] else {
      Issue.record("no action: \(written)")
      return
    }
    #expect(object["meta"] != nil)
    object["meta"] = nil
    #expect(JSONValue.object(object) == (try JSONValue(text: action)))
  }

  @Test(
    "impossible revisions are metadata of another source",
    arguments: ["9223372036854775807", "-9223372036854775808", "9007199254740992", "0"])
  func numbersOfNoAction(number: String) throws {
    let own = #""meta":{"seq":\#(number),"time":"2026-11-21T09:00:05.000000Z"}"#
    let cause = #""meta":{"seq":2,"time":"2026-11-21T09:00:05.000000Z","cause":\#(number)}"#
    let text = #"[{"type":"a",\#(own)},{"type":"b",\#(own)},{"type":"c",\#(cause)},{"type":"d",\#(own)}]"#
    let log = try MadeLog(importing: try reduxActions(Array(text.utf8)))
    let remarks = try log.actions.map { record in record.said[2] }
    #expect(remarks[0].contains(#""seq":\#(number)"#) && remarks[0] == remarks[1] && remarks[0] == remarks[3])
    #expect(remarks[2].contains(#""cause":\#(number)"#))
  }

  @Test("reordered actions keep old revisions and known causes")
  func reordered() throws {
    let actions = [(1, 0), (3, 1), (2, 1), (2, 1), (4, 2), (5, 3)].map { revision, cause in
      #"{"type":"a","meta":{"seq":\#(revision),"time":"2026-11-21T09:00:05.000000Z","cause":\#(cause)}}"#
    }
    let log = try MadeLog(importing: try reduxActions(Array("[\(actions.joined(separator: ","))]".utf8)))
    let remarks = try log.actions.map { record in record.said[2] }
    #expect(
      remarks == [
        #"{"cause":0}"#, #"{"cause":1,"was":3}"#, #"{"cause":1,"was":2}"#, #"{"cause":1,"was":2}"#, #"{"was":4}"#,
        #"{"cause":2,"was":5}"#,
      ])
  }

  @Test("the number of schema changes is limited")
  func schemas() throws {
    func text(_ count: Int, last: String) -> [UInt8] {
      let schemas = (2..<2 + count).map(String.init) + [last]
      let actions = schemas.enumerated().map { index, schema in
        #"{"type":"a","meta":{"seq":\#(index + 1),"time":"2026-11-21T09:00:05.000000Z","schema":\#(schema)}}"#
      }
      return Array("[\(actions.joined(separator: ","))]".utf8)
    }
    let many = #expect(throws: InterchangeError.self) {
      _ = try MadeLog(importing: try reduxActions(text(200, last: "2000")))
    }
    #expect(many?.code == .beyondLimit && many?.pointer == JSONPointer(["200"]))
    let large = #expect(throws: InterchangeError.self) {
      _ = try MadeLog(importing: try reduxActions(text(1, last: "9007199254740992")))
    }
    #expect(large?.code == .wrongShape && large?.pointer == JSONPointer(["1"]))
    #expect(try MadeLog(importing: try reduxActions(text(3, last: "9007199254740991"))).actions.count == 4)
  }

  @Test("metadata of other sources is kept")
  func remarks() throws {
    let text = #"[{"type":"a","payload":{},"meta":{"seq":"x","who":"me"}},{"type":"b","meta":7}]"#
    let log = try MadeLog(importing: try reduxActions(Array(text.utf8)))
    #expect(try log.actions.map { record in record.said[2] } == [#"{"seq":"x","who":"me"}"#, #"{"redux":{"meta":7}}"#])
    let written = try JSONValue(parsing: try log.lifted())
    let record = try JSONValue(text: #"{"seq":"x","who":"me"}"#)
    #expect(written["actionsById", "1", "action", "meta", "record"] == record)
    #expect(written["actionsById", "2", "action", "meta"] == .number(JSONNumber(7)))
  }
}
