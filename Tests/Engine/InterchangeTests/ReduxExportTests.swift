import ActionLog
import ActionLogTesting
import Interchange
import JSONCoding
import TestSupport
import Testing

@Suite("Redux DevTools export")
struct ReduxExportTests {
  private static let drafts = [
    LogDraft("ui.list.add", #"{"n":1}"#, meta: #"{"actor":"ann"}"#, time: "2026-11-21T09:00:05.123999Z"),
    // The clock was set back.
    LogDraft("ui.list.clear", time: "2026-11-21T09:00:04.000000Z"),
    LogDraft("ui.list.add", #"{"n":2}"#, meta: #"{"seq":"mine"}"#, time: "2026-11-21T09:00:06.500000Z"),
  ]
  private static let states = [#"{"n":0}"#, #"{"n":1}"#, #"{"n":0}"#, #"{"n":2}"#]

  @Test("consecutive ids, ascending times, revisions in meta, all states")
  func written() throws {
    let value = try JSONValue(parsing: try MadeLog(Self.drafts).lifted(states: Self.states))
    let text = #"""
      {"actionsById":{
        "0":{"type":"PERFORM_ACTION","action":{"type":"@@INIT","meta":{"format":"actionlog/1",
          "log":"3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11","model":"counter","schema":1}},"timestamp":1795251600000},
        "1":{"type":"PERFORM_ACTION","action":{"type":"ui.list.add","payload":{"n":1},
          "meta":{"seq":1,"time":"2026-11-21T09:00:05.123999Z","actor":"ann"}},"timestamp":1795251605123},
        "2":{"type":"PERFORM_ACTION","action":{"type":"ui.list.clear",
          "meta":{"seq":2,"time":"2026-11-21T09:00:04.000000Z"}},"timestamp":1795251605123},
        "3":{"type":"PERFORM_ACTION","action":{"type":"ui.list.add","payload":{"n":2},
          "meta":{"seq":3,"time":"2026-11-21T09:00:06.500000Z","record":{"seq":"mine"}}},"timestamp":1795251606500}},
       "nextActionId":4,"stagedActionIds":[0,1,2,3],"skippedActionIds":[],"currentStateIndex":3,
       "monitorState":{},"isLocked":false,"isPaused":false,"committedState":{"n":0},
       "computedStates":[{"state":{"n":0}},{"state":{"n":1}},{"state":{"n":0}},{"state":{"n":2}}]}
      """#
    #expect(value == (try JSONValue(text: text)))
  }

  @Test("an export imports as the same actions, byte for byte")
  func roundTrip() throws {
    let log = try MadeLog(Self.drafts)
    let bytes = try log.lifted(states: Self.states)
    let copy = try MadeLog(importing: try reduxActions(bytes))
    #expect(try copy.actions.map(\.said) == log.actions.map(\.said))
    #expect(try copy.lifted(states: Self.states) == bytes)
    let source = try ReduxDevToolsImport(parsing: bytes)
    #expect(source.origin?.model == "counter")
    #expect(source.base == Array(#"{"n":0}"#.utf8))
  }

  @Test("skipped actions, stacks and ids survive a round trip")
  func skippedAndStacks() throws {
    let bytes = try Fixture.bytes("redux/accepted/C.json")
    let log = try MadeLog(importing: try reduxActions(bytes))
    let states = [#"{"value":0}"#, #"{"value":1}"#, #"{"value":2}"#]
    let value = try JSONValue(parsing: try log.lifted(states: states))
    let given = try JSONValue(parsing: bytes)
    for name in ["nextActionId", "stagedActionIds", "skippedActionIds", "computedStates"] {
      #expect(value[name] == given[name], "\(name)")
    }
    for id in ["1", "2", "3"] {
      #expect(value["actionsById", id, "timestamp"] == given["actionsById", id, "timestamp"])
      #expect(value["actionsById", id, "stack"] == given["actionsById", id, "stack"])
    }
    // Enabled again in DevTools, it is an ordinary action.
    var edited = value
    if case .object(var object) = value {
      object["skippedActionIds"] = []
      edited = .object(object)
    }
    let all = try MadeLog(importing: try reduxActions(edited.bytes()))
    #expect(try all.actions.map(\.type) == ["didTapIncrementButton", "didTapDecrementButton", "didTapIncrementButton"])
  }

  @Test("names with a meaning for jsan are escaped and restored")
  func guarded() throws {
    let data = #"{"$jsan":"d1699999","n":[{"__serializedType__":"Map","$jsan_":1}],"text":"$jsan"}"#
    let log = try MadeLog([LogDraft("a", data, meta: #"{"$jsan":{"\u0024jsan":2}}"#)])
    let bytes = try log.lifted(states: [#"{"$jsan":1}"#, data])
    let value = try JSONValue(parsing: bytes)
    let names = Self.names(in: value)
    #expect(!names.contains("$jsan") && !names.contains("__serializedType__"))
    #expect(names.isSuperset(of: ["$jsan_", "$jsan__", "__serializedType___"]))
    let copy = try MadeLog(importing: try reduxActions(bytes), base: try ReduxDevToolsImport(parsing: bytes).base)
    let action = try #require(try copy.actions.first)
    #expect(try JSONValue(parsing: action.data) == JSONValue(text: data))
    #expect(action.said[2] == #"{"$jsan":{"$jsan":2}}"#)
    let base = try #require(try copy.records().first { record in record.type == "@base" })
    #expect(String(decoding: base.data, as: UTF8.self) == #"{"state":{"$jsan":1}}"#)
  }

  @Test("skipping loses and invents no revision", arguments: [1, 2, 3] as [UInt64])
  func anySkips(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let drafts = (1...40).map { number in LogDraft("a", #"{"n":\#(number)}"#) }
    let bytes = try MadeLog(drafts).lifted()
    let skips = (1...40).filter { _ in Int.random(in: 0..<3, using: &generator) == 0 }
    let text = String(decoding: bytes, as: UTF8.self)
      .replacing("\"skippedActionIds\":[]", with: "\"skippedActionIds\":\(skips)")
    let log = try MadeLog(importing: try reduxActions(Array(text.utf8)))
    let kept = (1...40).filter { number in !skips.contains(number) }
    #expect(try log.actions.map { record in record.said[1] } == kept.map { number in #"{"n":\#(number)}"# }, "\(seed)")
    for (index, record) in try log.actions.enumerated() where kept[index] != index + 1 {
      #expect(record.said[2] == #"{"was":\#(kept[index])}"#)
    }
    var counted = try LogImport(
      to: "/counted", model: "counter", schema: 1, fileSystem: MemoryFileSystem(), environment: MadeLog.environment)
    for action in try reduxActions(Array(text.utf8)) { try counted.append(action) }
    #expect(counted.missingCount == 0 && counted.skippedCount == skips.count && counted.actionCount == kept.count)
    counted.discard()
    let again = try JSONValue(parsing: try log.lifted())
    #expect(again["skippedActionIds"] == .array(skips.map { id in .number(JSONNumber(id)) }), "seed \(seed)")
  }

  private static func names(in value: JSONValue) -> Set<String> {
    switch value {
    case .array(let elements): elements.reduce(into: []) { names, element in names.formUnion(Self.names(in: element)) }
    case .object(let object):
      object.reduce(into: []) { names, member in names.formUnion(Self.names(in: member.value).union([member.name])) }
    default: []
    }
  }
}
