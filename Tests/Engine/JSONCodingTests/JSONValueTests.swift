import JSONCoding
import Testing

@Suite struct JSONValueTests {
  @Test func membersKeepTheirOrderOrAreSorted() throws {
    let text = #"{"b":1,"a":{"z":[],"y":null},"é":1.50,"Z":"x"}"#
    let value = try JSONValue(parsing: Array(text.utf8))
    #expect(value.description == text)
    #expect(
      String(decoding: value.bytes(.canonical), as: UTF8.self)
        == #"{"Z":"x","a":{"y":null,"z":[]},"b":1,"é":1.50}"#)
  }

  @Test func sortingIsByBytesOfTheUnescapedName() throws {
    // In UTF-16, the fox (a surrogate pair) would precede U+FF5E; as escapes, the line feed would precede the quote.
    let value = try JSONValue(parsing: Array(#"{"🦊":1,"～":2,"\n":3,"\"":4,"":5}"#.utf8))
    #expect(String(decoding: value.bytes(.canonical), as: UTF8.self) == #"{"":5,"\n":3,"\"":4,"～":2,"🦊":1}"#)
  }

  @Test func objectsAreEqualInAnyOrder() {
    let left: JSONValue = ["a": 1, "b": [true, nil]]
    let right: JSONValue = ["b": [true, nil], "a": 1]
    #expect(left == right)
    #expect(left.hashValue == right.hashValue)
    #expect(left != ["a": 1])
    #expect(left != ["a": 1, "b": [nil, true]])
  }

  @Test func stringsAreEqualOnlyIfTheirBytesAre() throws {
    #expect(JSONValue.string("é") != .string("e\u{301}"))
    let value = try JSONValue(parsing: Array("{\"é\":1,\"e\u{301}\":2}".utf8))
    #expect(value[JSONPointer(["é"])] == 1)
    #expect(value[JSONPointer(["e\u{301}"])] == 2)
  }

  @Test(arguments: [3, 8, 9, 50]) func membersCanBeSetAndRemoved(count: Int) {
    var object = JSONObject()
    for index in 0..<count { object["n\(index)"] = .number(JSONNumber(index)) }
    object["n1"] = "one"
    object["n0"] = nil
    object["absent"] = nil
    #expect(object.count == count - 1)
    #expect(object["n0"] == nil)
    #expect(object["n1"] == "one")
    #expect(object["n\(count - 1)"] == .number(JSONNumber(count - 1)))
    #expect(object.names.first == "n1")
  }

  @Test func pointersLeadToValues() throws {
    let value = try JSONValue(parsing: Array(#"{"a/b":{"~":[10,{"":11}]},"0":1}"#.utf8))
    #expect(try value[JSONPointer(parsing: "/a~1b/~0/0")] == 10)
    #expect(try value[JSONPointer(parsing: "/a~1b/~0/1/")] == 11)
    #expect(try value[JSONPointer(parsing: "/0")] == 1)
    #expect(try value[JSONPointer(parsing: "")] == value)
    for absent in ["/b", "/a~1b/~0/2", "/a~1b/~0/-", "/a~1b/~0/00", "/a~1b/~0/+1", "/0/0"] {
      #expect(try value[JSONPointer(parsing: absent)] == nil)
    }
  }

  @Test func numbersKeepTheirText() throws {
    #expect(JSONNumber("1.0") != JSONNumber("1"))
    for text in ["", "01", "1.", "1 ", "+1", "nan", "1e"] { #expect(JSONNumber(text) == nil) }
    #expect(JSONNumber(-0.0)?.text == "-0")
    #expect(JSONNumber(Double.nan) == nil)
    #expect(JSONNumber("-0")?.double.sign == .minus)
    #expect(JSONNumber("1e400")?.double == .infinity)
    #expect(JSONNumber("123456789012345678901234567890")?.double == 1.2345678901234568e29)
    #expect(JSONNumber("1.5")?.isInteger == false)
    #expect(JSONNumber("-15")?.isInteger == true)
  }
}
