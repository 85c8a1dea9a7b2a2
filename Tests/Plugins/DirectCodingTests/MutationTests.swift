import ActionLog
import AnimalsData
import DirectZoo
import EventSourcing
import JSONCoding
import TestSupport
import Testing

/// For any bytes, generated code decodes the same value as `Codable`, or declines.
@Suite struct MutationTests {
  @Test(arguments: DirectSuite.seeds)
  func mutatedActionsDecodeLikeCodable(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let animals = Array(AnimalsWorkload(seed: seed).prefix(300))
    for action in animals { try check(action, 10, &generator) }
    for _ in 0..<500 { try check(DirectZoo.ZooAction(using: &generator), 10, &generator) }
  }

  @Test(arguments: DirectSuite.seeds)
  func mutatedStatesDecodeLikeCodable(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      try checkState(Enclosure(using: &generator), 10, &generator)
      try checkState(Collections(using: &generator), 10, &generator)
      try checkState(Scalars(using: &generator), 10, &generator)
    }
  }

  @Test(arguments: [
    #"{"name":"a","zone":"z","version":7,"capacity":1,"species":"lion","isOpen":true}"#,
    #"{"name":"a","version":7,"capacity":1,"species":"lion","isOpen":true,"unknown":[1,{"a":"]"}]}"#,
    #"{ "name":"a","version":7,"capacity":1,"species":"lion","isOpen":true}"#,
    #"{"name":"a","version":8,"capacity":1e0,"species":"lion","isOpen":true}"#,
    #"{"name":"\u0061\/","version":"x","capacity":1,"species":"lion","zone":null,"isOpen":true}"#,
  ])
  func otherSpellingsOfAValueAreReadByWayOfCodable(text: String) throws {
    let bytes = Array(text.utf8)
    let coder = StateCoder<Enclosure>()
    #expect(coder.decodeDirectly(from: bytes[...]) == nil)
    #expect(try coder.decode(from: bytes[...]) == (try StrictJSONDecoder().decode(Enclosure.self, from: bytes)))
  }

  @Test func errorsMatchCodable() throws {
    let coder = ActionCoder<AnimalsAction>()
    for (type, data) in [("ui.nothing", "{}"), ("ui.animalList.onAppear", "["), ("", "{}"), ("_", "{}"), ("data", "")] {
      let data = Array(data.utf8)
      let direct = #expect(throws: (any Error).self) { try coder.decode(type: type, data: data[...]) }
      let codable = #expect(throws: (any Error).self) {
        try ActionCoding.decode(AnimalsAction.self, type: type, data: data)
      }
      #expect(String(describing: direct) == String(describing: codable))
    }
  }

  @Test func duplicateKeysAreRejected() throws {
    for text in [#"{"\u00e9":1,"é":2}"#, "{\"e\u{301}\":1,\"\u{E9}\":2}", #"{"a":1,"a":2}"#] {
      let bytes = Array(
        #"{"inside":{},"levels":[],"names":\#(text),"nested":[],"numbers":{},"set":[],"species":[]}"#.utf8)
      let coder = StateCoder<Collections>()
      #expect(coder.decodeDirectly(from: bytes[...]) == nil)
      #expect(throws: (any Error).self) { try coder.decode(from: bytes[...]) }
    }
  }

  @Test(arguments: [1, 20, 40, 47, 48, 49, 63, 64, 65, 100, 1_000, 20_000])
  func deepNestingFallsBackToCodable(depth: Int) throws {
    var generator = SeededGenerator(seed: 1)
    let coder = StateCoder<Tree>()
    var tree = Tree.leaf(1)
    for _ in 0..<depth { tree = .node(left: tree, right: .leaf(0)) }
    let codable = Result { try StrictJSONEncoder(form: .canonical).encode(tree) }
    let direct = Result { try coder.canonicalBytes(of: tree) }
    #expect((try? codable.get()) == (try? direct.get()))
    let open = String(repeating: #"{"node":{"left":"#, count: depth) + #"{"leaf":{"_0":1}}"#
    let text = Array((open + String(repeating: #","right":{"leaf":{"_0":0}}}}"#, count: depth)).utf8)
    let read = Result { try coder.decode(from: text[...]) }
    let expected = Result { try StrictJSONDecoder().decode(Tree.self, from: text) }
    #expect((try? read.get()) == (try? expected.get()))
    #expect((coder.decodeDirectly(from: text[...]) != nil) == (depth < 48))
    _ = generator.next()
    // Deinitializing a deep tree also takes stack space, so it is done one level at a time.
    while case .node(let left, _) = tree { tree = left }
  }

  private func check<Action: Codable & Equatable>(
    _ action: Action, _ count: Int, _ generator: inout SeededGenerator
  ) throws {
    let coder = ActionCoder<Action>()
    let form = try coder.encode(action)
    let place = UnsafeMutablePointer<Action>.allocate(capacity: 1)
    defer { place.deallocate() }
    for _ in 0..<count {
      let isType = Int.random(in: 0..<4, using: &generator) == 0
      let type = isType ? generator.mutated(Array(form.type.utf8)) : Array(form.type.utf8)
      let data = isType ? form.data : generator.mutated(form.data)
      let isRead = data.withUnsafeBytes { data in
        type.withUnsafeBytes { type in coder.decodeDirectly(type: type, data: data, into: place) }
      }
      guard isRead else { continue }
      let direct = place.move()
      let name = String(decoding: type, as: UTF8.self)
      let codable = try ActionCoding.decode(Action.self, type: name, data: data)
      #expect(direct == codable, "\(name) \(String(decoding: data, as: UTF8.self))")
    }
  }

  private func checkState<State: Codable & Equatable & Sendable>(
    _ state: State, _ count: Int, _ generator: inout SeededGenerator
  ) throws {
    let coder = StateCoder<State>()
    let bytes = try coder.canonicalBytes(of: state)
    for _ in 0..<count {
      let changed = generator.mutated(bytes)
      guard let direct = coder.decodeDirectly(from: changed[...]) else { continue }
      let codable = try StrictJSONDecoder().decode(State.self, from: changed)
      #expect(direct == codable, "\(String(decoding: changed, as: UTF8.self))")
    }
  }
}

extension SeededGenerator {
  /// Returns slightly different bytes: one changed, removed, duplicated or inserted, or truncated bytes.
  mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
    guard !bytes.isEmpty else { return bytes }
    var bytes = bytes
    let place = Int.random(in: bytes.indices, using: &self)
    switch Int.random(in: 0..<7, using: &self) {
    case 0: bytes[place] ^= UInt8.random(in: 1...255, using: &self)
    case 1: bytes[place] = element(Array(#"{}[]",:0123456789eE.+-ntf\u "#.utf8))
    case 2: bytes.remove(at: place)
    case 3:
      bytes.insert(contentsOf: element([" ", "null", "0", "\\", "\u{E9}", "1.5", "\\n", "\\u0041"]).utf8, at: place)
    case 4: bytes.removeSubrange(place...)
    case 5: bytes.insert(bytes[place], at: place)
    default:
      let other = Int.random(in: bytes.indices, using: &self)
      bytes.insert(contentsOf: bytes[min(place, other)..<max(place, other)], at: place)
    }
    return bytes
  }
}
