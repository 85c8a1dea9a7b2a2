import Foundation
import JSONCoding
import TestSupport
import Testing

@Suite struct StrictJSONEncoderTests {
  private func key(_ name: String) -> ZooKey { ZooKey(name) }

  @Test func membersStandInTheOrderOfTheType() throws {
    #expect(try text(ZooPoint(x: 1, y: 2, kind: .fox)) == #"{"y":2,"x":1,"kind":"🦊"}"#)
    #expect(try text(ZooPoint(x: 1, y: 2)) == #"{"y":2,"x":1}"#)
    #expect(try text(ZooPoint(x: 1, y: 2, kind: .fox), .canonical) == #"{"kind":"🦊","x":1,"y":2}"#)
    #expect(try text(ZooEmpty()) == "{}")
  }

  @Test func enumsAreWrittenAsSwiftWritesThem() throws {
    #expect(try text(ZooAction.ui(.list(.onAppear))) == #"{"ui":{"_0":{"list":{"_0":{"onAppear":{}}}}}}"#)
    #expect(try text(ZooAction.move(1, by: 0.5)) == #"{"move":{"_0":1,"by":0.5}}"#)
    #expect(try text(ZooAction.maybe(nil)) == #"{"maybe":{}}"#)
    #expect(try text(ZooAction.many(.cat, .low)) == #"{"many":{"_0":"cat","_1":-1}}"#)
  }

  @Test func dictionariesAreSortedByTheBytesOfTheirNames() throws {
    #expect(try text(["b": 1, "a": 2, "é": 3, "Z": 4, "": 5, "a\"": 6]) == #"{"":5,"Z":4,"a":2,"a\"":6,"b":1,"é":3}"#)
    #expect(try text([10: "a", 9: "b", -1: "c"]) == #"{"-1":"c","10":"a","9":"b"}"#)
    #expect(try text([ZooTag(text: "b"): 1, ZooTag(text: "a"): 2]) == ##"{"#a":2,"#b":1}"##)
    #expect(try text(["🦊": 1, "～": 2]) == #"{"～":2,"🦊":1}"#)
    #expect(try text([String: Int]()) == "{}")
  }

  @Test func otherDictionariesAreSortedPairs() throws {
    #expect(try text([true: 1, false: 2]) == "[false,2,true,1]")
    #expect(try text([10 as UInt8: "a", 9: "b", 1: "c"]) == #"[1,"c",10,"a",9,"b"]"#)
    #expect(try text([ZooPoint(x: 2, y: 1): 0, ZooPoint(x: 1, y: 1): 1]) == #"[{"y":1,"x":1},1,{"y":1,"x":2},0]"#)
    #expect(try text([ZooKind.dog: 1, .cat: 2]) == #"["cat",2,"dog",1]"#)
  }

  @Test func setsAreSortedByTheirEncodedElements() throws {
    #expect(try text([3, 10, 2, -1] as Set) == "[-1,10,2,3]")
    let sets: Set<Set<String>> = [["b", "a"], ["a"], []]
    #expect(try text(sets) == #"[["a","b"],["a"],[]]"#)
    // The elements are compared in encoded form: by `y` as declared, by `x` in canonical form.
    let points: Set<ZooPoint> = [ZooPoint(x: 1, y: 2), ZooPoint(x: 2, y: 1)]
    #expect(try text(points) == #"[{"y":1,"x":2},{"y":2,"x":1}]"#)
    #expect(try text(points, .canonical) == #"[{"x":1,"y":2},{"x":2,"y":1}]"#)
  }

  @Test func dictionariesThatATypeEncodesItselfAreSorted() throws {
    let dictionary = Dictionary(uniqueKeysWithValues: (10..<40).map { (String($0), $0) })
    let sorted = "{" + (10..<40).map { "\"\($0)\":\($0)" }.joined(separator: ",") + "}"
    #expect(try text(Encoded { try dictionary.encode(to: $0) }) == sorted)
    #expect(
      try text(
        Encoded { encoder in
          var container = encoder.container(keyedBy: ZooKey.self)
          try dictionary.encode(to: container.superEncoder(forKey: ZooKey("d")))
          try container.encode(1, forKey: ZooKey("a"))
        }) == "{\"d\":\(sorted),\"a\":1}")
  }

  struct Bag: UnorderedEncodable {
    var elements: [Int]
    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(element) }
    }
  }

  @Test func typesCanSayThatTheyAreUnordered() throws {
    #expect(try text(Bag(elements: [3, 1, 2, 1])) == "[1,1,2,3]")
    #expect(try text(["b": Bag(elements: [2, 1])]) == #"{"b":[1,2]}"#)
    #expect(try text(Optional(Bag(elements: [2, 1]))) == "[1,2]")
  }

  @Test func numbersHaveOneForm() throws {
    #expect(try text([0.1, 1, -0.0, 1e21, 1e-7, 1e20]) == "[0.1,1,-0,1e+21,1e-7,100000000000000000000]")
    #expect(
      try text([0.1, 1e10, 16_777_218, 3.4028235e38, .leastNonzeroMagnitude] as [Float])
        == "[0.1,10000000000,16777218,3.4028235e+38,1e-45]")
    #expect(try text([Double.nan, .infinity, -.infinity]) == #"["NaN","Infinity","-Infinity"]"#)
    #expect(try text([Float.nan, .infinity, -.infinity]) == #"["NaN","Infinity","-Infinity"]"#)
    #expect(try text([Int64.min, .max]) == "[-9223372036854775808,9223372036854775807]")
    #expect(try text(UInt64.max) == "18446744073709551615")
  }

  @Test func typesOfFoundationAreStrings() throws {
    #expect(try text(Data([0, 255, 62])) == #""AP8+""#)
    let url = try #require(URL(string: "https://example.com/a?b#c"))
    #expect(try text(["u": url]) == #"{"u":"https://example.com/a?b#c"}"#)
    let uuid = try #require(UUID(uuidString: "3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11"))
    #expect(try text(uuid) == #""3F0C9A52-7D1E-4C55-9D0A-0B9F6F0F5A11""#)
    let decimal = try #require(Decimal(string: "-12345678901234567890.123456789"))
    #expect(try text([decimal, 0, .nan]) == #"["-12345678901234567890.123456789","0","NaN"]"#)
  }

  @Test func scalarsStandAlone() throws {
    #expect(try text(5) == "5")
    #expect(try text("a") == "\"a\"")
    #expect(try text(ZooKind.fox) == "\"🦊\"")
    #expect(try text(Int?.none) == "null")
    #expect(try text([Int?.none, 1]) == "[null,1]")
    #expect(try text(["a": Int?.none]) == #"{"a":null}"#)
  }

  @Test func emptyPlacesAreEmptyObjects() throws {
    let value = Encoded { encoder in
      var container = encoder.unkeyedContainer()
      try container.encode(Encoded { _ in })
      _ = container.superEncoder()
      _ = container.nestedContainer(keyedBy: ZooKey.self)
      _ = container.nestedUnkeyedContainer()
      try container.encode(container.count)
    }
    #expect(try text(value) == "[{},{},{},[],4]")
    #expect(throws: EncodingError.self) { try text(Encoded { _ in }) }
  }

  @Test func containersAreFilledOneAfterTheOther() throws {
    let value = Encoded { encoder in
      var root = encoder.container(keyedBy: ZooKey.self)
      let early = root.superEncoder(forKey: ZooKey("early"))
      var elements = early.unkeyedContainer()
      try elements.encode(1)
      let single = root.superEncoder(forKey: ZooKey("single"))
      var container = single.singleValueContainer()
      try container.encode("x")
      var left = root.nestedUnkeyedContainer(forKey: ZooKey("left"))
      for index in 0..<3 {
        try left.encode(["x": index])
        try left.encode(ZooTree.leaf(index))
      }
      var right = root.nestedContainer(keyedBy: ZooKey.self, forKey: ZooKey("right"))
      for index in 0..<3 {
        var inner = right.nestedUnkeyedContainer(forKey: ZooKey("r\(index)"))
        try inner.encode([index])
      }
      try root.encode(true, forKey: ZooKey("last"))
    }
    let expected =
      #"{"early":[1],"single":"x","left":[{"x":0},{"leaf":{"_0":0}},{"x":1},{"leaf":{"_0":1}},{"x":2},{"leaf":{"_0":2}}],"#
      + #""right":{"r0":[[0]],"r1":[[1]],"r2":[[2]]},"last":true}"#
    #expect(try text(value) == expected)
    let canonical = try JSONValue(parsing: Array(expected.utf8)).bytes(.canonical)
    #expect(try StrictJSONEncoder(form: .canonical).encode(value) == canonical)
  }

  /// Nothing is left out silently.
  @Test func aFailedMemberFailsTheEncodingAlsoIfItsErrorIsCaught() throws {
    struct Refusal: Error {}
    let value = Encoded { encoder in
      var container = encoder.container(keyedBy: ZooKey.self)
      try container.encode(1, forKey: ZooKey("a"))
      #expect(throws: Refusal.self) {
        try container.encode(
          Encoded { encoder in
            var inner = encoder.container(keyedBy: ZooKey.self)
            try inner.encode([1, 2], forKey: ZooKey("x"))
            throw Refusal()
          }, forKey: ZooKey("b"))
      }
      try container.encode(2, forKey: ZooKey("b"))
    }
    #expect(throws: Refusal.self) { try text(value) }
  }
}
