import ActionLog
import JSONCoding
import TestSupport
import Testing

/// The type of an action ends before an `ActionPayload`. Both forms of an action decode to the same value.
@Suite struct ActionPayloadTests {
  private func text(_ form: ActionForm) -> String { form.type + " " + String(decoding: form.data, as: UTF8.self) }

  @Test(arguments: [
    (Ended.rule(.always), #"rule {"_0":{"always":{}}}"#),
    (.rule(.not(.not(.always))), #"rule {"_0":{"not":{"_0":{"not":{"_0":{"always":{}}}}}}}"#),
    (.maybe(nil), "maybe {}"),
    (.maybe(.always), #"maybe {"_0":{"always":{}}}"#),
    (.boxed(Box(value: .not(.always))), #"boxed {"_0":{"not":{"_0":{"always":{}}}}}"#),
    (.change(from: .always, to: nil), #"change {"from":{"always":{}}}"#),
    (.ui(.rules(.all([.always]))), #"ui.rules {"_0":{"all":{"_0":[{"always":{}}]}}}"#),
    (.ui(.onTap(id: "a")), #"ui.onTap {"id":"a"}"#),
    (.reset, "reset {}"),
  ])
  func typeEndsBeforeThePayload(action: Ended, expected: String) throws {
    let form = try ActionCoding.encode(action)
    #expect(text(form) == expected)
    #expect(try ActionCoding.nested(type: form.type, data: form.data) == StrictJSONEncoder().encode(action))
    var writer = DirectWriter()
    _ = try ActionCoder<Ended>.codable.append(action, to: &writer)
    #expect(writer.bytes == Array("\"\(form.type)\"".utf8) + form.data)
  }

  @Test func rootActionKeepsItsCases() throws {
    #expect(try text(ActionCoding.encode(EndedRule.not(.not(.always)))) == #"not {"_0":{"not":{"_0":{"always":{}}}}}"#)
    #expect(try text(ActionCoding.encode(Optional(EndedRule.always))) == "always {}")
  }

  @Test func recursivePayloadsHaveOneType() throws {
    var generator = SeededGenerator(seed: 3)
    let rules = (0..<500).map { _ in EndedRule(depth: 6, using: &generator) }
    #expect(Set(try rules.map { try ActionCoding.encode(Ended.rule($0)).type }) == ["rule"])
    let open = try rules.map {
      try ActionCoding.encode(ActionCoding.decoded($0, as: OpenRule.self, in: Open.rule)).type
    }
    #expect(Set(open).count > 20, "without the conformance, each chain of cases is a type")
  }

  /// An action recorded today, and the same action recorded before its payload was an `ActionPayload`, decode to the
  /// same value.
  @Test(arguments: 0..<20 as Range<UInt64>) func bothFormsReadBack(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      let action = Ended(using: &generator)
      let nested = try StrictJSONEncoder().encode(action)
      let new = try ActionCoding.encode(action)
      let old = try ActionCoding.encode(StrictJSONDecoder().decode(Open.self, from: nested))
      #expect(old.type == new.type || old.type.hasPrefix(new.type + "."), "seed \(seed)")
      for form in [new, old] {
        #expect(try ActionCoding.decode(Ended.self, type: form.type, data: form.data) == action, "seed \(seed)")
        let open = try ActionCoding.decode(Open.self, type: form.type, data: form.data)
        #expect(try StrictJSONEncoder().encode(open) == nested, "seed \(seed)")
        #expect(ActionCoding.nested(type: form.type, data: form.data) == nested, "seed \(seed)")
      }
    }
  }

  @Test func deepPayloadsAreBoundedByTheLine() throws {
    for (depth, isWritten) in [(62, true), (63, false), (400, false)] {
      var rule = EndedRule.always
      for _ in 0..<depth { rule = .not(rule) }
      let story = LogStory()
      let writer = try story.open()
      let append = Result {
        try writer.appendNow([LogDraft(try ActionCoding.encode(Ended.rule(rule)))])
      }
      if isWritten {
        _ = try append.get()
        #expect(try ActionCoding.decode(Ended.self, from: story.reader().record(at: 1)) == .rule(rule))
      } else {
        #expect(throws: (any Error).self) { try append.get() }
      }
      try writer.closeNow()
    }
  }
}

extension ActionCoding {
  /// Returns an action whose payload has the same value in another type.
  fileprivate static func decoded<Value: Encodable, Payload: Decodable, Action>(
    _ value: Value, as payload: Payload.Type, in action: (Payload) -> Action
  ) throws -> Action {
    action(try StrictJSONDecoder().decode(Payload.self, from: StrictJSONEncoder().encode(value)))
  }
}

/// Actions whose recursive payload is not part of their type.
enum Ended: Codable, Equatable, Sendable {
  case reset
  case rule(EndedRule)
  case maybe(EndedRule?)
  case boxed(Box<EndedRule>)
  case change(from: EndedRule, to: EndedRule?)
  case pair(EndedRule, Int)
  case table([String: EndedRule])
  case ui(UI)

  indirect enum UI: Codable, Equatable, Sendable {
    case onTap(id: String)
    case rules(EndedRule)
    case deeper(UI)
  }

  init(using generator: inout SeededGenerator) {
    switch Int.random(in: 0..<9, using: &generator) {
    case 0: self = .reset
    case 1: self = .rule(EndedRule(depth: 5, using: &generator))
    case 2: self = .maybe(generator.optional { EndedRule(depth: 3, using: &$0) })
    case 3: self = .boxed(Box(value: EndedRule(depth: 3, using: &generator)))
    case 4:
      self = .change(
        from: EndedRule(depth: 2, using: &generator), to: generator.optional { EndedRule(depth: 2, using: &$0) })
    case 5: self = .pair(EndedRule(depth: 2, using: &generator), generator.integer())
    case 6: self = .table(generator.dictionary({ $0.string() }) { EndedRule(depth: 2, using: &$0) })
    case 7: self = .ui(.onTap(id: generator.string()))
    default:
      var ui = UI.rules(EndedRule(depth: 3, using: &generator))
      for _ in 0..<Int.random(in: 0...3, using: &generator) { ui = .deeper(ui) }
      self = .ui(ui)
    }
  }
}

indirect enum EndedRule: Codable, Equatable, Sendable, ActionPayload {
  case always
  case not(EndedRule)
  case all([EndedRule])
  case both(EndedRule, EndedRule)
  case named(name: String, inner: EndedRule?)
  case wrapped(Box<EndedRule>)

  init(depth: Int, using generator: inout SeededGenerator) {
    switch depth == 0 ? 0 : Int.random(in: 0..<9, using: &generator) {
    case 0: self = .always
    case 1: self = .all(generator.array { EndedRule(depth: depth - 1, using: &$0) })
    case 2:
      self = .both(EndedRule(depth: depth - 1, using: &generator), EndedRule(depth: depth - 1, using: &generator))
    case 3:
      self = .named(name: generator.string(), inner: generator.optional { EndedRule(depth: depth - 1, using: &$0) })
    case 4: self = .wrapped(Box(value: EndedRule(depth: depth - 1, using: &generator)))
    default: self = .not(EndedRule(depth: depth - 1, using: &generator))
    }
  }
}

/// The actions of `Ended` before their payload was an `ActionPayload`.
enum Open: Codable, Equatable, Sendable {
  case reset
  case rule(OpenRule)
  case maybe(OpenRule?)
  case boxed(Box<OpenRule>)
  case change(from: OpenRule, to: OpenRule?)
  case pair(OpenRule, Int)
  case table([String: OpenRule])
  case ui(UI)

  indirect enum UI: Codable, Equatable, Sendable {
    case onTap(id: String)
    case rules(OpenRule)
    case deeper(UI)
  }
}

indirect enum OpenRule: Codable, Equatable, Sendable {
  case always
  case not(OpenRule)
  case all([OpenRule])
  case both(OpenRule, OpenRule)
  case named(name: String, inner: OpenRule?)
  case wrapped(Box<OpenRule>)
}

/// A value that is encoded as its content.
struct Box<Value: Codable & Equatable & Sendable>: Codable, Equatable, Sendable {
  let value: Value

  init(value: Value) { self.value = value }

  init(from decoder: any Decoder) throws {
    value = try decoder.singleValueContainer().decode(Value.self)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}
