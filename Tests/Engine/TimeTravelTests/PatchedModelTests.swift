import ActionLog
import ActionLogTesting
import EventSourcing
import JSONCoding
import TestSupport
import Testing
import TimeTravel
import TreeCollections

/// The model of logs of other programs: its patches, its limits, and what its states share.
@Suite struct PatchedModelTests {
  private typealias State = PatchedModel.State
  private typealias Action = PatchedModel.Action

  private static func state(_ text: String) throws -> State {
    try StrictJSONDecoder().decode(State.self, from: Array(text.utf8))
  }

  /// The action of a line of a log.
  private static func action(_ data: String, type: String = "change") throws -> Action {
    try ActionCoding.decode(Action.self, type: type, data: Array(data.utf8))
  }

  private static func folding(_ state: State, _ data: String) throws -> State {
    var state = state
    try PatchedModel.reduce(into: &state, action: action(data))
    return state
  }

  private static func refusal(of data: String, at document: String) -> String? {
    do {
      _ = try folding(state(document), data)
      return nil
    } catch {
      return "\(error)"
    }
  }

  // MARK: - The RFCs

  @Test func patchesAreThoseOfTheRFC() throws {
    for test in PatchCase.conformance {
      let found: State
      do { found = try Self.folding(Self.state(test.document), #"{"@patch":\#(test.patch)}"#) } catch {
        #expect(test.expected == nil, "\(test.document) \(test.patch): \(error)")
        continue
      }
      let expected = try #require(test.expected, "\(test.document) \(test.patch)")
      #expect(try StateTree(encoding: found) == StateTree(parsing: Array(expected.utf8)), "\(test.patch)")
    }
  }

  @Test func mergesAreThoseOfTheRFC() throws {
    for test in PatchCase.merges {
      let found = try Self.folding(Self.state(test.document), #"{"@merge":\#(test.patch)}"#)
      let expected = try #require(test.expected)
      #expect(try StateTree(encoding: found) == StateTree(parsing: Array(expected.utf8)), "\(test.patch)")
    }
  }

  // MARK: - Refusals

  /// A document, the data of an action, and a part of the message.
  private static let refusals: [(document: String, data: String, message: String)] = [
    (
      #"{"a":{}}"#, #"{"@patch":[{"op":"add","path":"/b","value":1},{"op":"add","path":"/a/b/c","value":1}]}"#,
      #"operation 1 (add "/a/b/c"): the object has no member "b""#
    ),
    ("{}", #"{"@patch":[{"op":"remove","path":""}]}"#, #"operation 0 (remove ""): the complete state cannot be"#),
    (
      #"{"a":1}"#, #"{"@patch":[{"op":"test","path":"/a","value":2}]}"#, #"operation 0 (test "/a"): the value is not 2"#
    ),
    (
      #"{"a":1}"#, #"{"@patch":[{"op":"add","path":"/a/b","value":2}]}"#,
      #"there is no object or array that contains "b""#
    ),
    (#"{"a":[]}"#, #"{"@patch":[{"op":"remove","path":"/a/0"}]}"#, #""0" is not a position in the array of length 0"#),
    (
      #"{"a":[1]}"#, #"{"@patch":[{"op":"replace","path":"/a/-","value":1}]}"#,
      #""-" is not a position in the array of length 1"#
    ),
    (
      #"{"a":[1]}"#, #"{"@patch":[{"op":"remove","path":"/a/99999999999999999999"}]}"#,
      "is not a position in the array of length 1"
    ),
    (#"{"a~b":1}"#, #"{"@patch":[{"op":"remove","path":"/a~b"}]}"#, "operation 0: \"path\" is not a JSON Pointer"),
    (#"{"a/b":1,"a~1b":2}"#, #"{"@patch":[{"op":"remove","path":"/a/b"}]}"#, #"the object has no member "a""#),
    ("{}", #"{"@patch":[{"op":"remove","path":"a"}]}"#, "is not a JSON Pointer"),
    (#"{"a":{"b":1}}"#, #"{"@patch":[{"op":"move","from":"/a","path":"/a/b"}]}"#, "cannot be moved into itself"),
    ("{}", #"{"@patch":{}}"#, "a patch is an array of at most"),
    ("{}", #"{"@patch":[1]}"#, "operation 0: an operation is an object"),
    ("{}", #"{"@patch":[],"@merge":{}}"#, "an action has one effect"),
    ("{}", #"{"@merge":{"a":1e999}}"#, "the number 1e999 is out of range"),
    ("{}", #"{"@state":{"a":[-1e400]}}"#, "the number -1e400 is out of range"),
    (
      "{\"\u{e9}\":1}", "{\"@patch\":[{\"op\":\"add\",\"path\":\"/e\u{301}\",\"value\":2}]}",
      #"the object has the member "\u00e9", not "e\u0301""#
    ),
    ("{\"\u{e9}\":1}", "{\"@patch\":[{\"op\":\"remove\",\"path\":\"/e\u{301}\"}]}", "the object has the member"),
    ("{\"\u{e9}\":1}", "{\"@merge\":{\"e\u{301}\":2}}", "the object has the member"),
    ("{}", "{\"@state\":{\"\u{e9}\":1,\"e\u{301}\":2}}", "the object has the member"),
    ("{}", "{\"@merge\":[{\"\u{e9}\":1,\"e\u{301}\":2}]}", "in different normal forms of Unicode"),
    ("{}", "{\"@patch\":[{\"op\":\"add\",\"path\":\"/a\",\"value\":\(nested(120))}]}", "nested deeper than 120"),
    (
      "{\"a\":\(nested(60)),\"b\":\(nested(61))}",
      "{\"@patch\":[{\"op\":\"copy\",\"from\":\"/b\",\"path\":\"/a\(String(repeating: "/0", count: 59))/-\"}]}",
      "nested deeper than 120"
    ),
    (
      "{\"a\":\(nested(60)),\"b\":\(nested(61))}",
      "{\"@patch\":[{\"op\":\"move\",\"from\":\"/b\",\"path\":\"/a\(String(repeating: "/0", count: 59))/-\"}]}",
      "nested deeper than 120"
    ),
    (
      #"{"a":"\#(String(repeating: "x", count: 1_000))"}"#, "{\"@patch\":[\(doubling(20))]}", "the copies of one action"
    ),
    (
      "[]",
      "{\"@patch\":[\(Array(repeating: #"{"op":"add","path":"/-","value":0}"#, count: 65_537).joined(separator: ","))]}",
      "a patch is an array of at most 65536 operations"
    ),
  ]

  /// Arrays in arrays.
  private static func nested(_ depth: Int) -> String {
    String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
  }

  /// Operations that double the state.
  private static func doubling(_ count: Int) -> String {
    (0..<count).map { number in #"{"op":"copy","from":"","path":"/\#(number)"}"# }.joined(separator: ",")
  }

  @Test func refusalsNameTheOperationAndItsLocation() throws {
    for (document, data, message) in Self.refusals {
      let found = try #require(Self.refusal(of: data, at: document), "\(data.prefix(100)) is accepted")
      #expect(found.contains(message), "\(found)")
    }
  }

  @Test func numbersKeepTheirDigits() throws {
    let data =
      #"{"@patch":[{"op":"add","path":"/a","value":12345678901234567890123},{"op":"test","path":"/b","value":1e2}]}"#
    let state = try Self.folding(Self.state(#"{"b":100}"#), data)
    #expect(try StateTree(encoding: state).description == #"{"a":12345678901234567890123,"b":100}"#)
    #expect(
      Self.refusal(
        of: #"{"@patch":[{"op":"test","path":"/a","value":12345678901234567890124}]}"#,
        at: #"{"a":12345678901234567890123}"#) != nil)
  }

  @Test func theDeepestStateCanBeWrittenInALine() throws {
    let data = "{\"@patch\":[{\"op\":\"replace\",\"path\":\"\",\"value\":\(Self.nested(120))}]}"
    let state = try Self.folding(.object(TreeDictionary()), data)
    let form = try ActionCoding.encode(Self.action(data, type: "a.b.c"))
    #expect(form.type == "a.b.c" && String(decoding: form.data, as: UTF8.self) == data)
    try LogWriter.check([LogDraft(form)])
    #expect(try StrictJSONDecoder().decode(State.self, from: StrictJSONEncoder().encode(state)) == state)
  }

  // MARK: - Coding

  @Test(arguments: [
    "a", "cart/itemAdded", "tool.call", "a..b", ".", "with space", "é", "\u{301}.\u{301}", "x.@y", "quote\"s",
  ])
  func actionsHaveAnyType(type: String) throws {
    for data in ["{}", #"{"sku":"A-7","count":[1,{"x":null}]}"#, #"{"_0":5}"#] {
      for effect in [
        "", #""@patch":[{"op":"move","from":"/a","path":"/b"},{"op":"copy","from":"/b","path":"/a"}]"#,
        #""@merge":null"#,
      ] {
        let text = effect.isEmpty ? data : data.dropLast() + (data == "{}" ? "" : ",") + effect + "}"
        let action = try Self.action(String(text), type: type)
        #expect(action.type == type)
        let form = try ActionCoding.encode(action)
        #expect(try ActionCoding.decode(Action.self, type: form.type, data: form.data) == action)
        if form.type == type { #expect(String(decoding: form.data, as: UTF8.self) == text) }
      }
    }
  }

  // MARK: - Properties

  /// A document whose members have no two names that Swift considers equal.
  private static func document(_ generator: inout JSONGenerator) -> JSONValue {
    while true {
      let value: JSONValue = ["v": generator.value(), "w": generator.value()]
      if (try? state(value.description)) != nil { return value }
    }
  }

  @Test(arguments: Seeds.batches) func nextStateBecomesAPatch(batch: UInt64) throws {
    for seed in Seeds.batch(batch, of: 1_000) {
      var generator = JSONGenerator(seed: seed)
      let old = Self.document(&generator)
      let new = seed.isMultiple(of: 3) ? Self.document(&generator) : generator.changing(generator.changing(old))
      guard (try? Self.state(new.description)) != nil else { continue }
      var state = try Self.state(old.description)
      var action = Action(type: "next", effect: .state(new))
      PatchedModel.shorten(&action, for: state)
      if case .state = action.effect { Issue.record("seed \(seed): the complete state is kept") }
      #expect((action.effect == .none) == (StateTree(old) == StateTree(new)), "seed \(seed): \(old) → \(new)")
      try PatchedModel.reduce(into: &state, action: action)
      #expect(try StateTree(encoding: state) == StateTree(new), "seed \(seed): \(old) → \(new)")
      // The patch alone leads there, too.
      if case .patch(let patch) = action.effect {
        #expect(try StateTree(patch.apply(to: old)) == StateTree(new), "seed \(seed): \(patch.document)")
      }
    }
  }

  @Test(arguments: Seeds.batches) func foldEqualsThatOfAPlainValue(batch: UInt64) throws {
    for seed in Seeds.batch(batch, of: 200) {
      var generator = JSONGenerator(seed: seed)
      var plain = Self.document(&generator)
      var state = try Self.state(plain.description)
      for step in 0..<20 {
        let operation = try Self.operation(on: plain, step, &generator)
        let action = try Self.action(#"{"@patch":[\#(operation)]}"#)
        guard case .patch(let patch) = action.effect else { throw PatchlessAction() }
        plain = try patch.apply(to: plain)
        let before = state
        try PatchedModel.reduce(into: &state, action: action)
        #expect(try StateTree(encoding: state) == StateTree(plain), "seed \(seed), step \(step): \(operation)")
        #expect(
          (before == state) == (try StateTree(encoding: before) == StateTree(plain)), "seed \(seed), step \(step)")
      }
    }
  }

  private struct PatchlessAction: Error {}

  /// An operation that applies to a document, whose root is an object.
  private static func operation(on plain: JSONValue, _ step: Int, _ generator: inout JSONGenerator) throws -> JSONValue
  {
    let paths = plain.paths().filter { path in !path.tokens.isEmpty }
    let new = JSONPointer(["new \(step)"])
    guard !paths.isEmpty else { return ["op": "add", "path": .string(new.description), "value": [1, 2]] }
    let path = paths[generator.number(in: 0..<paths.count)]
    let text = JSONValue.string(path.description)
    let value: JSONValue = ["x": .array([1, .string("\(step)")])]
    switch generator.number(in: 0..<6) {
    case 0: return ["op": "remove", "path": text]
    case 1: return ["op": "replace", "path": text, "value": value]
    case 2: return ["op": "move", "from": text, "path": .string(new.description)]
    case 3: return ["op": "copy", "from": text, "path": .string(new.description)]
    case 4: return ["op": "add", "path": text, "value": value]
    default:
      guard case .array? = StateTree(plain)[path] else {
        return ["op": "test", "path": text, "value": StateTree(plain)[path] ?? .null]
      }
      return ["op": "add", "path": .string(path.appending("-").description), "value": value]
    }
  }

  // MARK: - Sharing

  private static let rows = 10_000

  /// A state of many rows, whose names are neither in order nor short.
  private static func table() throws -> State {
    let rows = (0..<rows).map { number in #""row number \#(number)":{"count":\#(number),"tags":{"a":1}}"# }
    return try state(#"{"items":{\#(rows.joined(separator: ","))},"ui":{"page":1,"list":[1,2,3]}}"#)
  }

  @Test func statesShareWhatAnActionDoesNotChange() throws {
    let before = try Self.table()
    let path = "/items/row number 77/tags/a"
    let after = try Self.folding(before, #"{"@patch":[{"op":"replace","path":"\#(path)","value":2}]}"#)
    let diff = try StateDiff(encoding: before, to: after)
    #expect(diff.changes.map(\.pointer.description) == [path])
    // The nodes on the path, in three tables of which one is large.
    #expect(diff.nodesCompared < 500)
    guard case .object(let old) = before, case .object(let new) = after, case .object(let oldPage)? = old["ui"],
      case .object(let newPage)? = new["ui"], case .object(let oldItems)? = old["items"],
      case .object(let newItems)? = new["items"]
    else { throw PatchlessAction() }
    #expect(oldPage.isTriviallyIdentical(to: newPage))
    #expect(newItems.unshared(with: oldItems).visited < 500)
  }

  @Test func aNextStateSharesWhatItRepeats() throws {
    let before = try Self.table()
    var next = try JSONValue(parsing: StrictJSONEncoder().encode(before))
    try next.update(at: JSONPointer(["items", "row number 5", "count"])) { value in value = -1 }
    var after = before
    try PatchedModel.reduce(into: &after, action: Action(type: "next", effect: .state(next)))
    let diff = try StateDiff(encoding: before, to: after)
    #expect(diff.changes.count == 1 && diff.nodesCompared < 500)
  }

  /// The index marks the members that changed, however deep they are, and not the tables around them.
  @Test func blameSkipsTheActionsThatChangedOtherMembers() throws {
    let disk = MemoryFileSystem()
    var configuration = LogConfiguration()
    configuration.durability = .written
    let writer = try LogWriter.open(
      at: "log", model: PatchedModel.name, schema: PatchedModel.schema, fileSystem: disk, configuration: configuration)
    let count = 400
    let begin = #"{"@patch":[{"op":"add","path":"/items","value":{"a":{"count":0},"b":{"count":0}}}]}"#
    var drafts = [LogDraft(type: "begin", data: Array(begin.utf8))]
    for number in 2...count {
      let row = number == 100 ? "a" : "b"
      let data = #"{"@patch":[{"op":"replace","path":"/items/\#(row)/count","value":\#(number)}]}"#
      drafts.append(LogDraft(type: "count", data: Array(data.utf8)))
    }
    _ = try writer.writeNow(drafts)
    try writer.closeNow()
    func blame(isIndexed: Bool) throws -> BlameAnswer {
      var history = try History<PatchedModel>(at: "log", fileSystem: disk)
      if isIndexed { history.derivedFiles = DerivedFiles(in: "cache", fileSystem: disk) }
      for revision in stride(from: 40, through: count, by: 40) where !isIndexed {
        _ = try history.takeSnapshot(at: revision)
      }
      var options = ReplayOptions()
      (options.indexBlockLength, options.minimumActionsToIndex, options.foldLimit) = (8, 1, 1)
      let pointer = try JSONPointer(parsing: "/items/a/count")
      // The first question makes the index.
      if isIndexed { _ = try history.changes(of: [pointer], in: 0...count, options: options) { _ in true } }
      return try history.blame(pointer, options: options)
    }
    let (plain, indexed) = (try blame(isIndexed: false), try blame(isIndexed: true))
    #expect(plain.change?.record.revision == 100 && indexed.change?.record.revision == 100)
    #expect(indexed.change?.old == 0 && indexed.change?.new == 100)
    // From the snapshot at 80 to the end of the block of action 100.
    #expect(indexed.work.actionsFolded < 40, "\(indexed.work.actionsFolded)")
    #expect(plain.work.actionsFolded > 300)
  }
}
