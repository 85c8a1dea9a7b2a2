import JSONCoding
import TestSupport
import Testing

/// Finding the parts of an action's path, and its data.
@Suite struct CasePathTests {
  private func path<Value: Encodable>(_ value: Value) throws -> String {
    let (bytes, steps) = try StrictJSONEncoder().encodeWithCasePath(value)
    let data = steps.last.map { bytes[$0.content] } ?? bytes[...]
    return steps.map(\.key).joined(separator: ".") + " " + String(decoding: data, as: UTF8.self)
  }

  @Test func enumsInEnumsAreSteps() throws {
    #expect(try path(ZooAction.ui(.list(.onAppear))) == "ui.list.onAppear {}")
    #expect(try path(ZooAction.ui(.list(.onMove(1, 2)))) == #"ui.list.onMove {"_0":1,"_1":2}"#)
    #expect(try path(ZooAction.ui(.tap(id: "x"))) == #"ui.tap {"id":"x"}"#)
    #expect(try path(ZooAction.reset) == "reset {}")
    #expect(try path(ZooAction.tree(.leaf(3))) == #"tree.leaf {"_0":3}"#)
    #expect(try path(ZooAction.maybe(.tap(id: "x"))) == #"maybe.tap {"id":"x"}"#)
    #expect(try path(ZooAction.maybe(nil)) == "maybe {}")
  }

  @Test func payloadsAreNoSteps() throws {
    #expect(try path(ZooAction.wrap(ZooPoint(x: 1, y: 2))) == #"wrap {"_0":{"y":2,"x":1}}"#)
    #expect(try path(ZooAction.set(["Dog": ZooPoint(x: 1, y: 2)])) == #"set {"_0":{"Dog":{"y":2,"x":1}}}"#)
    #expect(try path(ZooAction.labelled(action: .tap(id: "x"))) == #"labelled {"action":{"tap":{"id":"x"}}}"#)
    #expect(try path(ZooAction.move(1, by: 2)) == #"move {"_0":1,"by":2}"#)
    #expect(try path(ZooAction.tree(.list([.empty]))) == #"tree.list {"_0":[{"empty":{}}]}"#)
  }

  @Test func whatIsNoEnumHasNoSteps() throws {
    struct Outer: Encodable {
      struct Inner: Encodable { var a = 1 }
      var inner = Inner()
    }
    #expect(try path(Outer()) == #" {"inner":{"a":1}}"#)
    #expect(try path(["a": ["b": 1]]) == #" {"a":{"b":1}}"#)
    #expect(try path(["a": ZooEmpty()]) == #" {"a":{}}"#)
    #expect(try path(ZooKind.cat) == #" "cat""#)
    #expect(try path([ZooAction.reset]) == #" [{"reset":{}}]"#)
    #expect(try path(ZooEmpty()) == " {}")
  }

  @Test func optionalActionsAndWrappersAreTransparent() throws {
    #expect(try path(Optional(ZooAction.ui(.tap(id: "")))) == #"ui.tap {"id":""}"#)
    #expect(
      try path(
        Encoded { encoder in
          var container = encoder.singleValueContainer()
          try container.encode(ZooAction.reset)
        }) == "reset {}")
  }

  @Test func handWrittenCodingCountsAsItIsWritten() throws {
    func nested(
      _ body: @escaping (inout KeyedEncodingContainer<ZooKey>, inout KeyedEncodingContainer<ZooKey>) throws -> Void
    )
      throws -> String
    {
      try path(
        Encoded { encoder in
          var outer = encoder.container(keyedBy: ZooKey.self)
          var inner = outer.nestedContainer(keyedBy: ZooKey.self, forKey: ZooKey("a\"b"))
          try body(&outer, &inner)
        })
    }
    #expect(try nested { _, inner in try inner.encode(1, forKey: ZooKey("x")) } == #"a"b {"x":1}"#)
    #expect(try nested { _, inner in try inner.encode(ZooAction.reset, forKey: ZooKey("_0")) } == #"a"b.reset {}"#)
    #expect(
      try nested { _, inner in try inner.encode(ZooAction.reset, forKey: ZooKey("_1")) } == #"a"b {"_1":{"reset":{}}}"#)
    #expect(
      try nested { _, inner in
        try inner.encode(ZooAction.reset, forKey: ZooKey("_0"))
        try inner.encode(1, forKey: ZooKey("_1"))
      } == #"a"b {"_0":{"reset":{}},"_1":1}"#)
    #expect(
      try nested { outer, inner in
        try inner.encode(1, forKey: ZooKey("x"))
        try outer.encode(1, forKey: ZooKey("y"))
      } == #" {"a\"b":{"x":1},"y":1}"#)
    #expect(
      try nested { outer, inner in
        try inner.encode(1, forKey: ZooKey("x"))
        var second = outer.nestedContainer(keyedBy: ZooKey.self, forKey: ZooKey("c"))
        try second.encode(1, forKey: ZooKey("x"))
      } == #" {"a\"b":{"x":1},"c":{"x":1}}"#)
  }

  @Test func contentIsTheRangeOfTheNestedObject() throws {
    let (bytes, steps) = try StrictJSONEncoder(form: .canonical).encodeWithCasePath(ZooAction.ui(.tap(id: "é")))
    #expect(steps.map(\.key) == ["ui", "tap"])
    #expect(
      steps.map { String(decoding: bytes[$0.content], as: UTF8.self) } == [
        #"{"_0":{"tap":{"id":"é"}}}"#, #"{"id":"é"}"#,
      ])
  }

  /// There are more paths than slots in the cache; a cached path must not be used for another one.
  @Test(arguments: 0..<8 as Range<UInt64>) func ambiguousCasePathsAreReported(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let middles = ["", ".", "..", "a", "b", "a.b", ".a", "ü", "\"", "\\", "\n", "_0", "_0._0"]
    for _ in 0..<400 {
      let middle = (middles.randomElement(using: &generator) ?? "") + (middles.randomElement(using: &generator) ?? "")
      let filling = String(
        repeating: "x", count: [0, 0, 0, 110, 111, 112, 113, 200].randomElement(using: &generator) ?? 0)
      let path =
        ["", "12345678"].map { end in end + middle + filling + end }.randomElement(using: &generator) ?? middle
      let content = [#"{"_0":{"a":[1]}}"#, "{}", #"{"b":"\u00e9"}"#].randomElement(using: &generator) ?? "{}"
      var nested: [UInt8] = []
      let parts = path.split(separator: ".", omittingEmptySubsequences: false)
      for (index, part) in parts.enumerated() {
        nested += try Array((index == 0 ? "{" : #"{"_0":{"#).utf8) + StrictJSONEncoder().encode(String(part)) + [0x3A]
      }
      nested += Array(content.utf8) + Array(repeating: UInt8(ascii: "}"), count: 2 * parts.count - 1)
      let decoded = try Array(path.utf8).withUnsafeBufferPointer { path in
        try Array(content.utf8).withUnsafeBufferPointer { content in
          try StrictJSONDecoder().decode(JSONValue.self, casePath: path, content: content) { nested }
        }
      }
      #expect(try decoded == JSONValue(parsing: nested), "seed \(seed), \(path)")
    }
  }
}
