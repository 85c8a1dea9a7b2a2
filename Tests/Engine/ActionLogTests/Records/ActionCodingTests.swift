import ActionLog
import JSONCoding
import TestSupport
import Testing

@Suite("Actions as type and data", .timeLimit(.minutes(60)))
struct ActionCodingTests {
  enum Action: Codable, Equatable, Sendable {
    case reset
    case add(Int)
    case move(Int, Int)
    case ui(UI)
    case wrap(Point)
    case set([String: Point])
    case maybe(UI?)
    case rawValue(Kind)
    case _0(Int)
    case labelled(action: UI)
  }

  indirect enum UI: Codable, Equatable, Sendable {
    case list(List)
    case onAppear
    case deeper(UI)
  }

  enum List: Codable, Equatable, Sendable {
    case onTap(id: String)
  }

  enum Kind: String, Codable, Sendable { case cat }

  struct Point: Codable, Equatable, Sendable { var x = 1 }

  struct OnlyUI: Codable, Equatable { var ui: UI }

  private func text(_ form: ActionForm) -> String { form.type + " " + String(decoding: form.data, as: UTF8.self) }

  /// Expects that a line contains exactly the form of an action, even though the writer does not create the form.
  private func expectWritten<Written: Codable>(
    _ action: Written, as form: ActionForm, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    var writer = DirectWriter(capacity: 64)
    writer.literal("before")
    let typeSize = try ActionCoder<Written>.codable.append(action, to: &writer).typeSize
    let type = try StrictJSONEncoder().encode(form.type)
    #expect(writer.bytes == Array("before".utf8) + type + form.data, sourceLocation: sourceLocation)
    #expect(typeSize == type.count, sourceLocation: sourceLocation)
  }

  @Test(arguments: [
    (Action.reset, "reset {}"),
    (.add(3), #"add {"_0":3}"#),
    (.move(1, 2), #"move {"_0":1,"_1":2}"#),
    (.ui(.onAppear), "ui.onAppear {}"),
    (.ui(.list(.onTap(id: "Dog"))), #"ui.list.onTap {"id":"Dog"}"#),
    // The fields of a struct and the keys of a dictionary are values, never parts of the path.
    (.wrap(Point()), #"wrap {"_0":{"x":1}}"#),
    (.set(["Dog": Point()]), #"set {"_0":{"Dog":{"x":1}}}"#),
    (.rawValue(.cat), #"rawValue {"_0":"cat"}"#),
    (.maybe(.onAppear), "maybe.onAppear {}"),
    (.labelled(action: .onAppear), #"labelled {"action":{"onAppear":{}}}"#),
    // These names would be mistaken for the forms of other values.
    (._0(5), #"_ {"_0":{"_0":5}}"#),
  ])
  func typeIsThePathOfTheCases(action: Action, expected: String) throws {
    let form = try ActionCoding.encode(action)
    #expect(text(form) == expected)
    try expectWritten(action, as: form)
    #expect(try ActionCoding.decode(Action.self, type: form.type, data: form.data) == action)
    #expect(try ActionCoding.nested(type: form.type, data: form.data) == StrictJSONEncoder().encode(action))
  }

  @Test func otherValuesKeepTheirForm() throws {
    #expect(try text(ActionCoding.encode(Point())) == #"_ {"x":1}"#)
    #expect(try text(ActionCoding.encode(OnlyUI(ui: .onAppear))) == #"_ {"ui":{"onAppear":{}}}"#)
    #expect(try text(ActionCoding.encode(["Dog": ["a": 1]])) == #"_ {"Dog":{"a":1}}"#)
    #expect(try text(ActionCoding.encode(5)) == #"_0 {"_0":5}"#)
    #expect(try text(ActionCoding.encode(Kind.cat)) == #"_0 {"_0":"cat"}"#)
    #expect(try text(ActionCoding.encode([1, 2])) == #"_0 {"_0":[1,2]}"#)
    try expectWritten(Point(), as: ActionCoding.encode(Point()))
    try expectWritten(Kind.cat, as: ActionCoding.encode(Kind.cat))
    try expectWritten([1, 2], as: ActionCoding.encode([1, 2]))
    #expect(try ActionCoding.decode(Int.self, type: "_0", data: Array(#"{"_0":5}"#.utf8)) == 5)
    #expect(try ActionCoding.decode([String: Int].self, type: "_", data: Array(#"{"_0":5}"#.utf8)) == ["_0": 5])
  }

  @Test(arguments: [62, 63, 64, 100])
  func typeHasAtMostSixtyFourParts(depth: Int) throws {
    var ui = UI.list(.onTap(id: "Dog"))
    for _ in 0..<depth { ui = .deeper(ui) }
    let form = try ActionCoding.encode(ui)
    #expect(form.type.split(separator: ".").count == min(depth + 2, 64))
    try expectWritten(ui, as: form)
    #expect(
      try ActionCoding.nested(type: form.type, data: form.data) == StrictJSONEncoder(maximumDepth: 512).encode(ui))
    if depth < 100 { #expect(try ActionCoding.decode(UI.self, type: form.type, data: form.data) == ui) }
  }

  /// An enum whose case has an arbitrary name.
  struct Named: Codable {
    var name: String
    var inner: [Int] = [1]

    struct Key: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    init(name: String) { self.name = name }

    /// Never decoded.
    init(from decoder: any Decoder) throws { self.init(name: "") }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      var nested = container.nestedContainer(keyedBy: Key.self, forKey: Key(stringValue: name))
      try nested.encode(inner, forKey: Key(stringValue: "_0"))
    }
  }

  @Test(arguments: [
    ("fine", "fine"), ("größer", "größer"), ("with space", "with space"), ("quo\"te", "quo\"te"),
    ("", "_"), ("a.b", "_"), ("@open", "_"), ("_", "_"), ("_0", "_"),
    (String(repeating: "x", count: 1_024), String(repeating: "x", count: 1_024)),
    (String(repeating: "x", count: 1_025), "_"),
  ])
  func ambiguousNamesAreNotPartsOfTheType(name: String, type: String) throws {
    let form = try ActionCoding.encode(Named(name: name))
    #expect(form.type == type)
    try expectWritten(Named(name: name), as: form)
    #expect(
      try ActionCoding.nested(type: form.type, data: form.data) == StrictJSONEncoder().encode(Named(name: name)))
  }

  @Test func everyTypeAndObjectNestsToStrictJSON() throws {
    let data = Array(#"{"_0":1,"_1":2}"#.utf8)
    for type in ["", ".", "a..b", "@open", "_0", "_", String(repeating: ".", count: 100), "a\"b\\\n"] {
      let nested = ActionCoding.nested(type: type, data: data)
      #expect(throws: Never.self) { try JSONTape(parsing: nested, maximumDepth: 512) }
    }
  }

  @Test(arguments: ["ui.gone", "gone", "", "_", "_0", "ui..onAppear"])
  func whatIsNoActionIsAnError(type: String) {
    #expect(throws: (any Error).self) {
      try ActionCoding.decode(Action.self, type: type, data: Array("{}".utf8))
    }
  }

  @Test(arguments: [
    ("ui.tap", #"{"id":1}"#), ("ui.tap", #"{"id":"x"}}"#), ("ui.tap", #"{"id":"x"} x"#),
    ("ui.tap", #"{"id":"x","id":"y"}"#),
    ("ui.tap", #"{"id""#), ("ui.tap", ""), ("ui.gone", "{}"), ("a\"b.c", "{}"), ("a\nb", "{}"), ("", "{}"),
    ("..", "[1,2"),
    ("move", #"{"_0":1,"by":1e999}"#), ("wrap", #"{"_0":{"x":1,"y":{"z":[]}}}"#),
    ("tree.node", #"{"left":{"leaf":{"_0":true}}}"#),
    (String(repeating: "a.", count: 120) + "a", "{}"), (String(repeating: "a.", count: 300) + "a", "{}"),
    ("wrap", String(repeating: "[", count: 260)), ("ui.tap", "\u{FEFF}{}"), ("ui.tap", #" { "id" : null } "#),
  ])
  func errorsNameThePlaceInTheNestedText(type: String, data: String) {
    let data = Array(data.utf8)
    // The error for the complete text, at the depth limit of actions.
    let decoder = StrictJSONDecoder(maximumDepth: LogFormat.depthLimit + 2 * LogFormat.typePartLimit)
    let expected = #expect(throws: (any Error).self) {
      try decoder.decode(ZooAction.self, from: ActionCoding.nested(type: type, data: data))
    }
    let error = #expect(throws: (any Error).self) {
      try ActionCoding.decode(ZooAction.self, type: type, data: data)
    }
    #expect(error.map { String(describing: $0) } == expected.map { String(describing: $0) })
  }

  @Test func whiteSpaceAroundValuesIsAccepted() throws {
    let action = try ActionCoding.decode(ZooAction.self, type: "move", data: Array(" { \"by\" : 2, \"_0\" : 1 } ".utf8))
    #expect(action == .move(1, by: 2))
  }

  @Test(arguments: 0..<40)
  func everyActionReadsBackAndKeepsItsBytes(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<25 {
      let action = ZooAction(using: &generator)
      let form = try ActionCoding.encode(action)
      try expectWritten(action, as: form)
      #expect(try ActionCoding.decode(ZooAction.self, type: form.type, data: form.data) == action, "seed \(seed)")
      #expect(
        try ActionCoding.nested(type: form.type, data: form.data) == StrictJSONEncoder().encode(action),
        "seed \(seed)")
      #expect(!form.type.hasPrefix("_"), "seed \(seed)")
    }
  }

  @Test(arguments: 0..<10)
  func everyShapeOfValueReadsBackThroughALog(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let zoo = Zoo(using: &generator)
    let actions = (0..<10).map { _ in ZooAction(using: &generator) }
    let story = LogStory()
    let writer = try story.open()
    try writer.appendNow([LogDraft(try ActionCoding.encode(zoo))])
    for action in actions { try writer.appendNow([LogDraft(try ActionCoding.encode(action))]) }
    try writer.closeNow()
    let reader = try story.reader()
    #expect(try ActionCoding.decode(Zoo.self, from: reader.record(at: 1)) == zoo, "seed \(seed)")
    for (index, action) in actions.enumerated() {
      #expect(
        try ActionCoding.decode(ZooAction.self, from: reader.record(at: index + 2)) == action, "seed \(seed)")
    }
  }
}
