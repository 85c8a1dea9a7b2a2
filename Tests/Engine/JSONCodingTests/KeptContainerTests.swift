import Foundation
import JSONCoding
import TestSupport
import Testing

/// Coders use their containers again: whoever holds one must never see it move.
@Suite struct KeptContainerTests {
  /// Objects that types retain for later.
  final class Shelf {
    var containers: [KeyedDecodingContainer<ZooKey>] = []
    var decoders: [any Decoder] = []
    var lists: [any UnkeyedDecodingContainer] = []
    var encodings: [KeyedEncodingContainer<ZooKey>] = []
    var encoders: [any Encoder] = []
  }

  private static let shelfKey = CodingUserInfoKey(rawValue: "shelf")

  /// A shelf that travels in `userInfo`; one test uses it on one thread.
  private struct ShelfBox: @unchecked Sendable {
    let shelf: Shelf
  }

  /// A number in an object whose container and decoder are kept.
  struct Hoarder: Codable, Equatable {
    var number: Int

    init(number: Int) {
      self.number = number
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: ZooKey.self)
      number = try container.decode(Int.self, forKey: ZooKey("number"))
      guard let key = KeptContainerTests.shelfKey, let box = decoder.userInfo[key] as? ShelfBox else { return }
      box.shelf.containers.append(container)
      box.shelf.decoders.append(decoder)
      if container.contains(ZooKey("list")) {
        box.shelf.lists.append(try container.nestedUnkeyedContainer(forKey: ZooKey("list")))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: ZooKey.self)
      try container.encode(number, forKey: ZooKey("number"))
      guard let key = KeptContainerTests.shelfKey, let box = encoder.userInfo[key] as? ShelfBox else { return }
      box.shelf.encodings.append(container)
      box.shelf.encoders.append(encoder)
    }
  }

  private func decoder(_ shelf: Shelf) throws -> StrictJSONDecoder {
    var decoder = StrictJSONDecoder()
    decoder.userInfo[try #require(Self.shelfKey)] = ShelfBox(shelf: shelf)
    return decoder
  }

  /// A value that keeps its decoder.
  private struct Keeper: Decodable {
    let decoder: any Decoder

    init(from decoder: any Decoder) throws { self.decoder = decoder }
  }

  /// Long enough that its memory is released as soon as it is freed.
  @Test func retainedDecoderOutlivesAJoinedText() throws {
    let long = String(repeating: "x", count: 1 << 21)
    let content = Array(#"{"long":"\#(long)"}"#.utf8)
    let keeper = try Array(#"a"b"#.utf8).withUnsafeBufferPointer { path in
      try content.withUnsafeBufferPointer { content in
        try StrictJSONDecoder().decode(Keeper.self, casePath: path, content: content) {
          Array(#"{"a\"b":"#.utf8) + content + Array("}".utf8)
        }
      }
    }
    let outer = try keeper.decoder.container(keyedBy: ZooKey.self)
    let inner = try outer.nestedContainer(keyedBy: ZooKey.self, forKey: ZooKey(#"a"b"#))
    #expect(try inner.decode(String.self, forKey: ZooKey("long")) == long)
  }

  @Test func whatIsKeptStaysWhereItWas() throws {
    let shelf = Shelf()
    let decoder = try decoder(shelf)
    let first = Array(#"[{"number":1,"list":[7,8]},{"number":2},{"number":3}]"#.utf8)
    #expect(try decoder.decode([Hoarder].self, from: first).map(\.number) == [1, 2, 3])
    #expect(try decoder.decode([Hoarder].self, from: Array(#"[{"number":4}]"#.utf8)).map(\.number) == [4])
    // Later values use the thread's memory again.
    for number in 100..<120 { #expect(try value(Hoarder.self, #"{"number":\#(number)}"#).number == number) }
    #expect(shelf.containers.map { $0.codingPath.map(\.stringValue).joined() } == ["0", "1", "2", "0"])
    let numbers = try shelf.containers.map { try $0.decode(Int.self, forKey: ZooKey("number")) }
    #expect(numbers == [1, 2, 3, 4])
    #expect(try shelf.decoders.map { try Hoarder(from: $0).number } == [1, 2, 3, 4])
    var list = try #require(shelf.lists.first)
    #expect(try [list.decode(Int.self), list.decode(Int.self)] == [7, 8] && list.isAtEnd)
  }

  @Test func aKeptEncodingContainerWritesIntoNoOtherValue() throws {
    let shelf = Shelf()
    var encoder = StrictJSONEncoder()
    encoder.userInfo[try #require(Self.shelfKey)] = ShelfBox(shelf: shelf)
    #expect(
      try encoder.encode([Hoarder(number: 1), Hoarder(number: 2)]) == Array(#"[{"number":1},{"number":2}]"#.utf8))
    let outer = Encoded { encoder in
      var container = encoder.container(keyedBy: ZooKey.self)
      try container.encode(1, forKey: ZooKey("number"))
      for var kept in shelf.encodings {
        #expect(throws: JSONError.self) { try kept.encode(9, forKey: ZooKey("lost")) }
        var nested = kept.nestedContainer(keyedBy: ZooKey.self, forKey: ZooKey("lost"))
        #expect(throws: JSONError.self) { try nested.encode(9, forKey: ZooKey("lost")) }
      }
      for kept in shelf.encoders { #expect(throws: JSONError.self) { try Hoarder(number: 3).encode(to: kept) } }
      try container.encode(Hoarder(number: 4), forKey: ZooKey("next"))
    }
    #expect(try text(outer) == #"{"number":1,"next":{"number":4}}"#)
  }

  /// A tree that requests its own members after those of its children, with one type of key.
  struct Branch: Codable, Equatable {
    var children: [Branch]
    var only: Box?
    var name: String

    final class Box: Codable, Equatable {
      let branch: Branch
      init(_ branch: Branch) { self.branch = branch }
      static func == (left: Box, right: Box) -> Bool { left.branch == right.branch }
    }

    init(depth: Int, name: String) {
      self.name = name
      children =
        depth == 0 ? [] : [Branch(depth: depth - 1, name: name + "a"), Branch(depth: depth - 1, name: name + "b")]
      only = depth == 0 ? nil : Box(Branch(depth: depth - 1, name: name + "c"))
    }
  }

  @Test func recursionThroughOneTypeOfKeyIsRead() throws {
    let tree = Branch(depth: 5, name: "")
    for form in [JSONForm.declared, .canonical] {
      let bytes = try StrictJSONEncoder(form: form).encode(tree)
      #expect(try StrictJSONDecoder().decode(Branch.self, from: bytes) == tree)
      #expect(try JSONDecoder().decode(Branch.self, from: Data(bytes)) == tree)
    }
  }

  @Test func containersOfOneTypeOfKeyAreUsedInTurns() throws {
    struct Turns: Decodable {
      var seen: [Int] = []

      init(from decoder: any Decoder) throws {
        let outer = try decoder.container(keyedBy: ZooKey.self)
        let inner = try outer.nestedContainer(keyedBy: ZooKey.self, forKey: ZooKey("in"))
        let innermost = try inner.nestedContainer(keyedBy: ZooKey.self, forKey: ZooKey("in"))
        let again = try decoder.container(keyedBy: ZooKey.self)
        let above = try outer.superDecoder(forKey: ZooKey("in")).container(keyedBy: ZooKey.self)
        for container in [outer, inner, innermost, again, above, inner, outer] {
          seen.append(try container.decode(Int.self, forKey: ZooKey("n")))
        }
      }
    }
    let text = #"{"n":1,"in":{"n":2,"in":{"n":3}}}"#
    for _ in 0..<3 { #expect(try value(Turns.self, text).seen == [1, 2, 3, 1, 2, 2, 1]) }
  }

  /// A value that is kept as a text in a text.
  struct Envelope: Codable, Equatable {
    var content: [Envelope]
    var mark: Int

    init(_ content: [Envelope], mark: Int) {
      self.content = content
      self.mark = mark
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: ZooKey.self)
      let text = try container.decode(String.self, forKey: ZooKey("text"))
      content = try StrictJSONDecoder().decode([Envelope].self, from: Array(text.utf8))
      mark = try container.decode(Int.self, forKey: ZooKey("mark"))
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: ZooKey.self)
      let bytes = try StrictJSONEncoder().encode(content)
      try container.encode(String(decoding: bytes, as: UTF8.self), forKey: ZooKey("text"))
      try container.encode(mark, forKey: ZooKey("mark"))
    }
  }

  @Test func codersRunWithinCoders() throws {
    let value = Envelope([Envelope([Envelope([], mark: 3)], mark: 2), Envelope([], mark: 4)], mark: 1)
    let bytes = try StrictJSONEncoder().encode(value)
    #expect(try StrictJSONDecoder().decode(Envelope.self, from: bytes) == value)
    #expect(try JSONDecoder().decode(Envelope.self, from: Data(bytes)) == value)
  }

  @Test func failuresAndUserInfoLeaveNoState() throws {
    let shelf = Shelf()
    for _ in 0..<3 {
      #expect(throws: DecodingError.self) {
        try decoder(shelf).decode([Hoarder].self, from: Array(#"[{"number":1},{"number":"2"}]"#.utf8))
      }
      #expect(throws: JSONError.self) { try value([Hoarder].self, "[{]") }
      let failing = Encoded { encoder in
        var container = encoder.container(keyedBy: ZooKey.self)
        try container.encode([1, 2], forKey: ZooKey("begun"))
        throw CancellationError()
      }
      #expect(throws: CancellationError.self) { try text([failing]) }
      #expect(try text(Hoarder(number: 5)) == #"{"number":5}"#)
      #expect(try value([Hoarder].self, #"[{"number":6}]"#) == [Hoarder(number: 6)])
    }
    // Only the first element of each failed attempt had a shelf.
    #expect(shelf.containers.count == 3)
  }

  @Test func listsOfKeysAreThoseOfTheText() throws {
    struct Keys: Decodable {
      var names: [String]

      init(from decoder: any Decoder) throws {
        names = try decoder.container(keyedBy: ZooKey.self).allKeys.map(\.stringValue)
      }
    }
    let names = (0..<200).map { "name \($0)" } + ["", "é", "12345678", "123456789", String(repeating: "x", count: 100)]
    for name in names + names.reversed() { #expect(try value(Keys.self, "{\"\(name)\":0}").names == [name]) }
    #expect(try value(Keys.self, #"{"\u0061\n":0}"#).names == ["a\n"])
    #expect(try value([Keys].self, #"[{},{"a":1,"b":2}]"#).map(\.names) == [[], ["a", "b"]])
    // A name that is no case gives no key, time and again.
    for _ in 0..<2 { #expect(throws: DecodingError.self) { try value(ZooAction.self, #"{"nothing":{}}"#) } }
  }

  @Test func manyTasksCodeAtOnce() async throws {
    let texts = try await withThrowingTaskGroup(of: [UInt8].self) { group in
      for task in 0..<8 {
        group.addTask {
          var bytes: [UInt8] = []
          for seed in 1...10 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let actions = (0..<20).map { _ in ZooAction(using: &generator) }
            let encoded = try StrictJSONEncoder().encode(actions)
            guard try StrictJSONDecoder().decode([ZooAction].self, from: encoded) == actions else { return [] }
            bytes += encoded
            if task % 2 == 0 { await Task.yield() }
          }
          return bytes
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(texts.count == 8 && Set(texts).count == 1 && texts[0].isEmpty == false)
  }
}
