import JSONCoding
import Testing

@Suite struct JSONTapeTests {
  private func tape(_ text: String) throws -> JSONTape {
    try JSONTape(parsing: Array(text.utf8))
  }

  @Test func membersComeInOrderWithTheirBytes() throws {
    let tape = try tape(#" {"seq": 12 ,"data":{"a":[1, {}]},"s":"x\ny"} "#)
    let members = Array(tape.root.members)
    #expect(members.map { $0.name.string() } == ["seq", "data", "s"])
    #expect(members.map { String(decoding: $0.value.bytes, as: UTF8.self) } == ["12", "{\"a\":[1, {}]}", "\"x\\ny\""])
    #expect(members.map(\.value.kind) == [.number, .object, .string])
    #expect(members[1].value.byteRange == 20..<33)
    #expect(tape.root.byteRange == 1..<45)
    #expect(tape.root.count == 3)
  }

  @Test func rangesOfASliceCountFromItsFirstByte() throws {
    let bytes = Array("xx[true]".utf8)
    let root = try JSONTape(parsing: bytes[2...]).root
    let element = try #require(root.elements.first { _ in true })
    #expect(element.byteRange == 1..<5)
    #expect(element.bytes == bytes[3..<7])
    #expect(element.bool() == true)
    #expect(throws: JSONError(.unexpectedEnd, "the text ends where ',' or ']' was expected", byteOffset: 5)) {
      try JSONTape(parsing: bytes[2..<7])
    }
  }

  @Test func elementsSkipNestedValues() throws {
    let root = try tape("[[1,[2]],{\"a\":[3]},4]").root
    #expect(root.elements.map(\.count) == [2, 1, 0])
    #expect(root.elements.map { $0.int() } == [nil, nil, 4])
    #expect(Array(root.members).isEmpty)
    #expect(Array(root.elements)[2].elements.map(\.kind).isEmpty)
  }

  @Test func escapesOfStringsAreRead() throws {
    let root = try tape(#"["\"\\\/\b\f\n\r\t\u0041\u00e9\u20ac\uD83E\uDD8Aé","plain",1]"#).root
    let elements = Array(root.elements)
    #expect(elements[0].string() == "\"\\/\u{8}\u{C}\n\r\tAé€🦊é")
    #expect(elements[1].equals("plain"))
    #expect(!elements[1].equals("plai"))
    #expect(elements[2].string() == nil)
    #expect(!elements[2].equals("1"))
  }

  @Test func namesAreFoundByTheirUnescapedBytes() throws {
    let root = try tape(#"{"\u0061b":1,"é":2}"#).root
    #expect(root["ab"]?.int() == 1)
    #expect(root["é"]?.int() == 2)
    #expect(root["e\u{301}"] == nil)
  }

  @Test(
    arguments: [
      ("0", 0), ("-0", 0), ("1.0", 1), ("1e2", 100), ("100e-2", 1), ("-1.50e1", -15), ("0.0e99999999999999999999", 0),
      ("9223372036854775807", Int.max), ("-9223372036854775808", Int.min), ("9223372036854775808", nil),
      ("-9223372036854775809", nil), ("922337203685477580.7e1", Int.max), ("1.5", nil), ("1e-1", nil), ("1e19", nil),
      ("1e99999999999999999999", nil), ("1e-99999999999999999999", nil), ("10000000000000000000000000e-25", 1),
      ("0.00000000000000000000000000001e29", 1), ("1000000000000000000000000000000", nil),
    ] as [(String, Int?)])
  func integersAreExact(text: String, value: Int?) throws {
    #expect(try tape(text).root.int() == value)
    #expect(JSONNumber(text)?.int == value)
  }

  @Test func narrowIntegersDoNotOverflow() throws {
    #expect(try tape("255").root.integer(UInt8.self) == 255)
    #expect(try tape("256").root.integer(UInt8.self) == nil)
    #expect(try tape("-1").root.integer(UInt64.self) == nil)
    #expect(try tape("-128").root.integer(Int8.self) == -128)
    #expect(try tape("18446744073709551615").root.integer(UInt64.self) == .max)
    #expect(try tape("18446744073709551616").root.integer(UInt64.self) == nil)
    #expect(try tape("1").root.isInteger)
    #expect(try !tape("1.0").root.isInteger)
  }

  @Test func valueIsCheckedWithoutTheRest() throws {
    for text in StrictnessTests.accepted {
      let bytes = Array(text.utf8)
      let tape = try JSONTape(parsing: bytes)
      let checked = try (bytes + Array("}".utf8)).withUnsafeBufferPointer { try JSONTape.checkValue($0) }
      #expect(checked.kind == tape.root.kind)
      #expect(checked.end == tape.root.byteRange.upperBound)
    }
    for refused in StrictnessTests.structure where refused.code != .trailingBytes {
      let error = #expect(throws: JSONError.self) {
        try refused.bytes.withUnsafeBufferPointer { _ = try JSONTape.checkValue($0) }
      }
      #expect(error?.code == refused.code && error?.byteOffset == refused.offset, "\(refused.testDescription)")
    }
  }
}
