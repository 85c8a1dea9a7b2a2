import Foundation
import JSONCoding
import TestSupport
import Testing

@Suite struct StrictJSONDecoderTests {
  @Test func anyOrderAndUnknownMembersAreRead() throws {
    let point = try value(ZooPoint.self, #" { "x" : 1e0 , "new" : [ { } ] , "kind" : "🦊" , "y" : 2.0 } "#)
    #expect(point == ZooPoint(x: 1, y: 2, kind: .fox))
    #expect(try value(ZooPoint.self, #"{"x":1,"y":2,"kind":null}"#) == ZooPoint(x: 1, y: 2))
  }

  @Test func integersAreExact() throws {
    #expect(
      try value([Int].self, "[1.0,1e2,-0,12e-0,9223372036854775807,-9223372036854775808]")
        == [1, 100, 0, 12, .max, .min])
    #expect(try value([UInt64].self, "[18446744073709551615,1.8e19]") == [.max, 18_000_000_000_000_000_000])
    #expect(try value([Int8].self, "[-128,127]") == [-128, 127])
    for refused in ["1.5", "1e19", "9223372036854775808", "1e-1", "1e999999999999999999999", "\"1\"", "true", "null"] {
      #expect(throws: DecodingError.self) { try value(Int.self, refused) }
    }
    for refused in ["128", "-129", "1e3", "123456789012345678901234567890"] {
      #expect(throws: DecodingError.self) { try value(Int8.self, refused) }
    }
    #expect(throws: DecodingError.self) { try value(UInt64.self, "-1") }
  }

  @Test func floatingPointIsRounded() throws {
    #expect(try value(Double.self, "0.1000000000000000055511151231257827") == 0.1)
    #expect(try value(Double.self, "9007199254740993") == 9_007_199_254_740_992)
    // Rounded to zero as every number is rounded to the nearest one; Foundation refuses it.
    #expect(try value([Double].self, "[1e-400,0e-400]") == [0, 0])
    #expect(try value(Double.self, "-1e-400").sign == .minus)
    #expect(try value(Float.self, "1e-50") == 0)
    #expect(try value(Double.self, "-0").sign == .minus)
    // Rounded once: by way of a double, this would be 1.
    #expect(try value(Float.self, "1.00000005960464477540") == 1.0000001)
    #expect(try value([Double].self, #"["Infinity","-Infinity"]"#) == [.infinity, -.infinity])
    #expect(try value(Double.self, #""NaN""#).isNaN)
    for refused in ["1e400", "-1e400", "\"nan\"", "\"1\"", "true"] {
      #expect(throws: DecodingError.self) { try value(Double.self, refused) }
    }
    #expect(throws: DecodingError.self) { try value(Float.self, "1e39") }
  }

  @Test func typesOfFoundationAreCheckedInFull() throws {
    #expect(try value(Data.self, #""AP8+""#) == Data([0, 255, 62]))
    #expect(try value(Decimal.self, "12.5") == Decimal(string: "12.5"))
    #expect(try value(UUID.self, #""3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11""#).uuidString.hasPrefix("3F0C"))
    #expect(throws: DecodingError.self) { try value(Data.self, #""A""#) }
    #expect(throws: DecodingError.self) { try value(Decimal.self, #""12x""#) }
    #expect(throws: DecodingError.self) { try value(Decimal.self, #""""#) }
    #expect(throws: DecodingError.self) { try value(UUID.self, #""3f0c""#) }
    #expect(throws: DecodingError.self) { try value(URL.self, #""""#) }
    #expect(throws: DecodingError.self) { try value(Date.self, #""yesterday""#) }
  }

  @Test func anyValueIsKeptAsItIs() throws {
    struct Box: Codable, Equatable { var json: JSONValue }
    let written = #"{"json":{"b":1.50,"a":[12345678901234567890123,null]}}"#
    let box = try value(Box.self, written)
    #expect(try text(box) == written)
    #expect(try text(box, .canonical) == #"{"json":{"a":[12345678901234567890123,null],"b":1.50}}"#)
  }

  struct Failure: CustomTestStringConvertible, Sendable {
    var text: String
    var path: String
    var offset: Int?
    var code: JSONError.Code
    var testDescription: String { text }
  }

  @Test(arguments: [
    Failure(text: #"{"y":1}"#, path: "", offset: 0, code: .missingMember),
    Failure(text: #"[]"#, path: "", offset: 0, code: .typeMismatch),
    Failure(text: #" null"#, path: "", offset: 1, code: .typeMismatch),
    Failure(text: #"{"y":1,"x":"1"}"#, path: "/x", offset: 11, code: .typeMismatch),
    Failure(text: #"{"y":1,"x":1.5}"#, path: "/x", offset: 11, code: .numberOutOfRange),
    Failure(text: #"{"y":null,"x":1}"#, path: "/y", offset: 5, code: .typeMismatch),
    Failure(text: #"{"a":[{}],"y":1e99,"x":1}"#, path: "/y", offset: 14, code: .numberOutOfRange),
  ])
  func errorsSayWhere(failure: Failure) throws {
    let error = #expect(throws: DecodingError.self) { try value(ZooPoint.self, failure.text) }
    let underlying = try #require(error?.context?.underlyingError as? JSONError)
    #expect(underlying.path?.description == failure.path)
    #expect(underlying.byteOffset == failure.offset)
    #expect(underlying.code == failure.code)
  }

  @Test func pathsLeadThroughArraysAndEnums() throws {
    let text =
      #"[{"reset":{}},{"data":{"_0":{"didLoad":{"id":"","result":{"success":{"animals":[{"y":1,"x":true}]}}}}}}]"#
    let error = #expect(throws: DecodingError.self) { try value([ZooAction].self, text) }
    let path = try #require(error?.context).codingPath.map(\.stringValue)
    #expect(path == ["1", "data", "_0", "didLoad", "result", "success", "animals", "0", "x"])
  }

  @Test(arguments: [
    "{}", #"{"ui":{"_0":1}}"#, #"{"reset":{},"ui":{}}"#, #"{"unknown":{}}"#, "[]", "1", #"{"reset":1}"#,
  ])
  func enumsAreCheckedAsSwiftChecksThem(text: String) {
    #expect(throws: DecodingError.self) { try value(ZooAction.self, text) }
  }

  @Test func pairsNeedTheirValues() {
    #expect(throws: DecodingError.self) { try value([Bool: Int].self, "[true]") }
    #expect(throws: DecodingError.self) { try value([Bool: Int].self, "{}") }
    #expect(throws: DecodingError.self) { try value([Int: Int].self, #"{"a":1}"#) }
  }

  @Test func namesThatSwiftTakesAsEqualDoNotReplaceEachOther() {
    #expect(throws: DecodingError.self) { try value([String: Int].self, "{\"é\":1,\"e\u{301}\":2}") }
    #expect(throws: DecodingError.self) { try value([Int: Int].self, #"{"5":1,"+5":2}"#) }
    #expect(throws: DecodingError.self) { try value([Int: Int].self, #"{"5":1,"05":2}"#) }
  }

  @Test(arguments: ["01", "+1", "-01", " 1", "1.0", "0x1", "１", ""])
  func namesAreNumbersWhereFoundationTakesThemAsNumbers(name: String) throws {
    let text = #"{"\#(name)":true}"#
    let theirs = try? JSONDecoder().decode([Int: Bool].self, from: Data(text.utf8))
    let ours = try? value([Int: Bool].self, text)
    #expect(ours == theirs)
    #expect((ours != nil) == ["01", "+1", "-01"].contains(name))
  }

  @Test func namesInTwoNormalFormsAreTwoMembers() throws {
    let written = "{\"é\":1,\"e\u{301}\":2}"
    struct Both: Codable {
      var composed: Int
      var decomposed: Int
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: ZooKey.self)
        composed = try container.decode(Int.self, forKey: ZooKey("é"))
        decomposed = try container.decode(Int.self, forKey: ZooKey("e\u{301}"))
      }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: ZooKey.self)
        try container.encode(composed, forKey: ZooKey("é"))
        try container.encode(decomposed, forKey: ZooKey("e\u{301}"))
      }
    }
    let both = try value(Both.self, written)
    #expect(both.composed == 1)
    #expect(both.decomposed == 2)
    #expect(try StrictJSONEncoder().encode(both) == Array(written.utf8))
  }

  @Test func aSliceIsReadInPlace() throws {
    let bytes = Array("xx[1,2]yy".utf8)
    #expect(try StrictJSONDecoder().decode([Int].self, from: bytes[2..<7]) == [1, 2])
    let error = #expect(throws: JSONError.self) { try StrictJSONDecoder().decode([Int].self, from: bytes[2..<6]) }
    #expect(error?.byteOffset == 4)
  }

  @Test func userInfoReachesTheTypes() throws {
    let key = try #require(CodingUserInfoKey(rawValue: "zoo"))
    var decoder = StrictJSONDecoder()
    decoder.userInfo[key] = 7
    struct Reader: Decodable {
      let value: Int?
      init(from decoder: any Decoder) throws {
        value = decoder.userInfo.first?.value as? Int
      }
    }
    #expect(try decoder.decode([Reader].self, from: Array("[1]".utf8)).first?.value == 7)
  }

  @Test func dictionariesOfManyMembersTakeLinearTime() throws {
    let large = Dictionary(uniqueKeysWithValues: (0..<50_000).map { ("key \($0)", $0) })
    #expect(try StrictJSONDecoder().decode([String: Int].self, from: StrictJSONEncoder().encode(large)) == large)
  }
}

extension DecodingError {
  fileprivate var context: Context? {
    switch self {
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
      .dataCorrupted(let context):
      context
    @unknown default: nil
    }
  }
}
