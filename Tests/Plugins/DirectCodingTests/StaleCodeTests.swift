import ActionLog
import EventSourcing
import JSONCoding
import Testing

/// Code generated for an older version of a type is not used: nothing is lost or written wrongly.
@Suite struct StaleCodeTests {
  @Test func matchingCodeIsUsed() throws {
    #expect(StateCoder<Current>().isDirect)
    #expect(try write(Current(a: 1)) == #"{"a":1}"#)
  }

  @Test func newMemberWithDefaultIsKept() throws {
    #expect(!StateCoder<Grown>().isDirect)
    #expect(try write(Grown(a: 1, added: 6)) == #"{"a":1,"added":6}"#)
    #expect(try read(#"{"a":1,"added":6}"#) == Grown(a: 1, added: 6))
  }

  @Test func newOptionalMemberIsKept() throws {
    #expect(!StateCoder<GrownOptional>().isDirect)
    #expect(try write(GrownOptional(a: 1, added: 6)) == #"{"a":1,"added":6}"#)
    #expect(try read(#"{"a":1,"added":6}"#) == GrownOptional(a: 1, added: 6))
  }

  @Test func memberMadeOptionalIsOmitted() throws {
    #expect(!StateCoder<Looser>().isDirect)
    #expect(try write(Looser(a: nil)) == "{}")
  }

  @Test func renamedKeyIsWritten() throws {
    #expect(!StateCoder<Renamed>().isDirect)
    #expect(try write(Renamed(a: 1)) == #"{"b":1}"#)
  }

  @Test func handWrittenCodingIsKept() throws {
    #expect(!StateCoder<ByHand>().isDirect)
    #expect(try write(ByHand(a: 1)) == "1")
  }

  @Test func newValueRuleIsKept() throws {
    #expect(!StateCoder<Strict>().isDirect)
    #expect(throws: DecodingError.self) { try StateCoder<Strict>().decode(from: Array(#"{"a":-5}"#.utf8)[...]) }
  }

  @Test func staleTypeDisablesDirectContainers() throws {
    #expect(DirectShape.staleTypes(in: Holder.self).contains { $0.hasSuffix("Grown") })
    #expect(!StateCoder<Holder>().isDirect)
    #expect(try write(Holder(a: [Grown(a: 1, added: 2)])) == #"{"a":[{"a":1,"added":2}]}"#)
  }

  @Test func payloadTypeFollowsTheNewRule() throws {
    let old = ActionCoder<Ruling<OldRule>>()
    #expect(old.isDirect)
    #expect(try old.encode(.rule(.always)).type == "rule.always")
    let new = ActionCoder<Ruling<NewRule>>()
    #expect(!new.isDirect)
    let form = try new.encode(.rule(.always))
    #expect(form.type == "rule" && form.data == Array(#"{"_0":{"always":{}}}"#.utf8))
    #expect(try new.decode(type: "rule.always", data: Array("{}".utf8)[...]) == .rule(.always))
  }

  private func write<State: Codable & Sendable>(_ state: State) throws -> String {
    String(decoding: try StateCoder<State>().canonicalBytes(of: state), as: UTF8.self)
  }

  private func read<State: Codable & Sendable>(_ text: String) throws -> State {
    try StateCoder<State>().decode(from: Array(text.utf8)[...])
  }
}

/// A type with a member that was an `Int` when its code was generated.
private struct Looser: Equatable, DirectCodable {
  var a: Int?

  static let directShape = DirectShape(of: Self.self, members: ["a"], samples: [#"{"a":0}"#], parts: { [] })
}

extension Looser {
  func write(directly writer: inout DirectWriter) {
    writer.literal(#"{"a":"#)
    writer.required(self.a)
    writer.literal("}")
  }

  init(directly reader: inout DirectReader) throws(DirectMismatch) {
    try reader.literal(#"{"a":"#)
    self.a = try reader.value()
    try reader.literal("}")
  }
}

/// An action whose code was generated when its payload was part of its type.
private enum Ruling<Rule: OneRule>: Codable, Equatable, Sendable {
  case rule(Rule)
}

extension Ruling: DirectAction {
  func write(directly writer: inout DirectWriter) { writer.literal(#"{"rule":{"_0":{"always":{}}}}"#) }

  init(directly reader: inout DirectReader) throws(DirectMismatch) {
    try reader.literal(#"{"rule":{"_0":{"always":{}}}}"#)
    self = .rule(.always)
  }

  func writeType(directly writer: inout DirectWriter) { writer.literal("rule.always") }

  func writeData(directly writer: inout DirectWriter) { writer.literal("{}") }

  init(type: inout DirectReader, data: inout DirectReader) throws(DirectMismatch) {
    try type.literal("rule.always")
    try data.literal("{}")
    self = .rule(.always)
  }

  static var directShape: DirectShape {
    DirectShape(of: Self.self, members: nil, samples: [#"{"rule":{"_0":{"always":{}}}}"#], parts: { [] })
  }
}

private protocol OneRule: Codable, Equatable, Sendable {
  static var always: Self { get }
}

private enum OldRule: OneRule { case always }

private enum NewRule: OneRule, ActionPayload { case always }

/// The code that is generated for `struct { var a: Int }`.
protocol OnceOnlyA: DirectCodable, Equatable, Sendable {
  associatedtype Value: DirectCodable
  var a: Value { get }
  init(onlyA: Value)
  static var samples: [String] { get }
}

extension OnceOnlyA {
  func write(directly writer: inout DirectWriter) {
    writer.literal(#"{"a":"#)
    writer.required(a)
    writer.literal("}")
  }

  init(directly reader: inout DirectReader) throws(DirectMismatch) {
    try reader.literal(#"{"a":"#)
    self.init(onlyA: try reader.value())
    try reader.literal("}")
  }

  static var samples: [String] { [#"{"a":0}"#, #"{"a":1}"#, #"{"a":-1}"#] }

  static var directShape: DirectShape {
    DirectShape(of: Self.self, members: ["a"], samples: samples, parts: { [Value.self] })
  }
}

private struct Current: OnceOnlyA {
  var a: Int
}

extension Current {
  init(onlyA: Int) { a = onlyA }
}

private struct Grown: OnceOnlyA {
  var a: Int
  var added = 5
}

extension Grown {
  init(onlyA: Int) { a = onlyA }
}

private struct GrownOptional: OnceOnlyA {
  var a: Int
  var added: Int?
}

extension GrownOptional {
  init(onlyA: Int) { a = onlyA }
}

private struct Renamed: OnceOnlyA {
  var a: Int

  private enum CodingKeys: String, CodingKey {
    case a = "b"
  }
}

extension Renamed {
  init(onlyA: Int) { a = onlyA }
}

private struct ByHand: OnceOnlyA {
  var a: Int

  init(a: Int) { self.a = a }

  init(onlyA: Int) { a = onlyA }

  init(from decoder: any Decoder) throws {
    a = try decoder.singleValueContainer().decode(Int.self)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(a)
  }
}

private struct Strict: OnceOnlyA {
  var a: Int

  private enum CodingKeys: CodingKey {
    case a
  }

  init(onlyA: Int) { a = onlyA }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    a = try container.decode(Int.self, forKey: .a)
    if a < 0 { throw DecodingError.dataCorruptedError(forKey: .a, in: container, debugDescription: "negative") }
  }
}

private struct Holder: OnceOnlyA {
  var a: [Grown]

  static var samples: [String] { [#"{"a":[]}"#] }
}

extension Holder {
  init(onlyA: [Grown]) { a = onlyA }
}
