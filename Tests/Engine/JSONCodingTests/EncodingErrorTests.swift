import JSONCoding
import TestSupport
import Testing

/// Errors in a type's own coding.
@Suite struct EncodingErrorTests {
  private func error(_ body: @escaping (any Encoder) throws -> Void) -> JSONError? {
    #expect(throws: JSONError.self) { try text(Encoded(body)) }
  }

  @Test(arguments: [2, 12, 13, 40]) func duplicateNamesAreRefused(count: Int) {
    let error = error { encoder in
      var outer = encoder.unkeyedContainer()
      var container = outer.nestedContainer(keyedBy: ZooKey.self)
      for index in (0..<count).reversed() { try container.encode(index, forKey: ZooKey("n\(index)")) }
      try container.encode(0, forKey: ZooKey("n0"))
    }
    #expect(error?.code == .duplicateName)
    #expect(error?.path == JSONPointer(["0"]))
  }

  @Test func duplicateNamesOfADictionaryAreRefused() {
    struct Same: Hashable, Codable, CodingKeyRepresentable {
      var id: Int
      var codingKey: any CodingKey { ZooKey("same") }
      init(id: Int) { self.id = id }
      init?(codingKey: some CodingKey) { id = 0 }
    }
    let error = #expect(throws: JSONError.self) { try text([Same(id: 1): 1, Same(id: 2): 2]) }
    #expect(error?.code == .duplicateName)
  }

  @Test func closedContainersAreRefused() {
    let left = error { encoder in
      var root = encoder.container(keyedBy: ZooKey.self)
      var left = root.nestedContainer(keyedBy: ZooKey.self, forKey: ZooKey("left"))
      try left.encode(1, forKey: ZooKey("a"))
      try root.encode(1, forKey: ZooKey("right"))
      try left.encode(2, forKey: ZooKey("b"))
    }
    #expect(
      left?.description
        == "a container is used again after the one around it: fill it before the next value begins: at /left")
    let nested = error { encoder in
      var root = encoder.container(keyedBy: ZooKey.self)
      var outer = root.nestedContainer(keyedBy: ZooKey.self, forKey: ZooKey("outer"))
      var inner = outer.nestedUnkeyedContainer(forKey: ZooKey("inner"))
      try root.encode(1, forKey: ZooKey("right"))
      _ = inner.nestedUnkeyedContainer()
    }
    #expect(nested?.code == .invalidEncoding && nested?.path == JSONPointer(["outer"]))
    let encoder = error { encoder in
      var root = encoder.container(keyedBy: ZooKey.self)
      let early = root.superEncoder(forKey: ZooKey("early"))
      try root.encode(1, forKey: ZooKey("right"))
      var value = early.singleValueContainer()
      try value.encode("x")
    }
    #expect(encoder?.code == .invalidEncoding && encoder?.path == JSONPointer(["early"]))
  }

  /// Returns a list whose nesting equals its length.
  private func list(_ length: Int) -> ZooTree {
    (0..<length).reduce(.empty) { tree, _ in .list([tree]) }
  }

  @Test func nestingIsLimited() throws {
    // Each link is `{"list":{"_0":[…]}}`: three levels; the innermost `{"empty":{}}` has two.
    _ = try text(list(42))
    let error = #expect(throws: JSONError.self) { try text(list(43)) }
    #expect(error?.code == .tooDeep)
    #expect(throws: JSONError.self) { try StrictJSONEncoder(maximumDepth: .max).encode(list(10_000)) }
    _ = try StrictJSONEncoder(maximumDepth: 131).encode(list(43))
  }

  @Test func depthIsThatOfTheDecoder() throws {
    let deepest = try StrictJSONEncoder().encode(list(42))
    #expect(try StrictJSONDecoder().decode(ZooTree.self, from: deepest) == list(42))
    #expect(throws: JSONError.self) { try StrictJSONDecoder(maximumDepth: 127).decode(ZooTree.self, from: deepest) }
  }

  @Test(arguments: [true, false]) func nestingWithinJSONCountsToo(isObject: Bool) throws {
    func value(_ depth: Int) -> JSONValue {
      (0..<depth).reduce(1) { value, _ in isObject ? ["a": value] : [value, 2] }
    }
    let deepest = try StrictJSONEncoder().encode(["b": value(127)])
    #expect(try StrictJSONDecoder().decode([String: JSONValue].self, from: deepest) == ["b": value(127)])
    for depth in [128, 200, 600] {
      let error = #expect(throws: JSONError.self) { try StrictJSONEncoder().encode(["b": value(depth)]) }
      #expect(error?.code == .tooDeep)
    }
    #expect(try StrictJSONEncoder(maximumDepth: 0).encode(value(0)) == Array("1".utf8))
    #expect(throws: JSONError.self) { try StrictJSONEncoder(maximumDepth: 0).encode(value(1)) }
  }

  @Test func endlessSingleValuesAreRefused() {
    final class Endless: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self)
      }
    }
    let error = #expect(throws: JSONError.self) { try text(Endless()) }
    #expect(error?.code == .tooDeep)
  }

  @Test func aValueEncodesItselfInOneWay() {
    let twice = error { encoder in
      var container = encoder.singleValueContainer()
      try container.encode(1)
      try container.encode(2)
    }
    #expect(twice?.code == .invalidEncoding)
    let mixed = error { encoder in
      var members = encoder.container(keyedBy: ZooKey.self)
      try members.encode(1, forKey: ZooKey("a"))
      var elements = encoder.unkeyedContainer()
      try elements.encode(1)
    }
    #expect(mixed?.code == .invalidEncoding)
    let nothing = error { encoder in
      var container = encoder.singleValueContainer()
      try container.encode(1)
      _ = encoder.unkeyedContainer()
    }
    #expect(nothing?.code == .invalidEncoding)
  }

  @Test func containersDoNotOutliveTheirValue() {
    var smuggled: KeyedEncodingContainer<ZooKey>?
    let late = error { encoder in
      var container = encoder.unkeyedContainer()
      try container.encode(
        Encoded { encoder in
          smuggled = encoder.container(keyedBy: ZooKey.self)
        })
      try container.encode([1])
      try smuggled?.encode(1, forKey: ZooKey("a"))
    }
    #expect(late?.code == .invalidEncoding)
  }

  @Test func aValueMayNotWriteIntoAClosedContainer() {
    let error = error { encoder in
      var root = encoder.container(keyedBy: ZooKey.self)
      var left = root.nestedContainer(keyedBy: ZooKey.self, forKey: ZooKey("left"))
      var right = root.nestedContainer(keyedBy: ZooKey.self, forKey: ZooKey("right"))
      try right.encode(1, forKey: ZooKey("a"))
      try left.encode(Encoded { _ in try right.encode(2, forKey: ZooKey("b")) }, forKey: ZooKey("a"))
    }
    #expect(error?.code == .invalidEncoding)
  }
}
