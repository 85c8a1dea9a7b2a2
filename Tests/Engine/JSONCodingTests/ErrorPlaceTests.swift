import JSONCoding
import TestSupport
import Testing

/// Errors name the byte and the path, whoever finds them.
@Suite struct ErrorPlaceTests {
  struct Failure: CustomTestStringConvertible, Sendable {
    var text: String
    var offset: Int
    var path: String?
    var code: JSONError.Code
    var testDescription: String { text }

    init(_ text: String, _ offset: Int, _ path: String?, _ code: JSONError.Code) {
      (self.text, self.offset, self.path, self.code) = (text, offset, path, code)
    }
  }

  @Test(arguments: [
    Failure(#"{"k":{"x":1,"y":[{"q":1,"q":1}]}}"#, 24, "/k/y/0/q", .duplicateName),
    Failure(#"[0,[1,{"a":[]},{"b":{"c":{},"d":2,"c":0}}]]"#, 34, "/1/2/b/c", .duplicateName),
    Failure(#"{"a~b/c":{"d":01}}"#, 14, "/a~0b~1c/d", .invalidNumber),
    Failure(#"{"a":[1,2,"x\q"]}"#, 12, "/a/2", .invalidEscape),
    Failure(#"{"a":[1,2 3]}"#, 10, "/a", .unexpectedByte),
    Failure(#"{"a":[[],"b"]"#, 13, nil, .unexpectedEnd),
    Failure(#"{"a":[1,"#, 8, "/a/1", .unexpectedEnd),
    Failure(#"{"a":["#, 6, "/a/0", .unexpectedEnd),
    Failure(#"{"a":{"b"1}}"#, 9, "/a/b", .unexpectedByte),
    Failure(#"{"a":{"b":1,}}"#, 12, "/a", .unexpectedByte),
    Failure(#"{"a":{"b":1,"\x":1}}"#, 13, "/a", .invalidEscape),
    Failure(#"{"a":{"\u0062":tru}}"#, 18, "/a/b", .unexpectedByte),
    Failure("[[[[[[]]]]]]", 4, "/0/0/0/0", .tooDeep),
    Failure("tru", 3, nil, .unexpectedEnd), Failure("", 0, nil, .unexpectedEnd),
    Failure("[1]]", 3, nil, .trailingBytes),
  ])
  func grammarErrorsSayWhere(failure: Failure) {
    let bytes = Array(failure.text.utf8)
    let depth = failure.code == .tooDeep ? 4 : JSONTape.defaultMaximumDepth
    let errors = [
      #expect(throws: JSONError.self) { try JSONTape(parsing: bytes, maximumDepth: depth) },
      #expect(throws: JSONError.self) {
        try StrictJSONDecoder(maximumDepth: depth).decode(JSONValue.self, from: bytes)
      },
      #expect(throws: JSONError.self) { try JSONTape(parsing: bytes[...], keeping: ["k"], maximumDepth: depth) },
    ]
    for error in errors {
      #expect(error?.code == failure.code)
      #expect(error?.byteOffset == failure.offset)
      #expect(error?.path?.description == failure.path)
    }
  }

  @Test func theDescriptionIsTheDocumentedOne() {
    let bytes = Array(#"{"k":{"x":1,"y":[{"q":1,"q":1}]}}"#.utf8)
    let error = #expect(throws: JSONError.self) { try JSONTape(parsing: bytes) }
    #expect(error?.description == "two members of an object have the name 'q': byte 24, at /k/y/0/q")
  }

  /// The error for every truncated text has the path of a byte in it.
  @Test func everyCutOfATextHasAPlace() {
    let text = Array(#"{"a":[1,{"b":["x",true,{}]},[[]]],"c":{"d":-1.5e3}}"#.utf8)
    for count in 0..<text.count {
      let error = #expect(throws: JSONError.self) { try JSONTape(parsing: text[..<count]) }
      #expect(error?.byteOffset == count)
      // From the end of a name to the end of its value, a truncation is in that member.
      let member = (4..<33).contains(count) ? "a" : (37..<50).contains(count) ? "c" : nil
      #expect(error?.path?.tokens.first == member, "\(count)")
    }
  }

  private enum Screen: Codable {
    case list(Int)
    case detail(Kind)
  }

  private enum Kind: String, Codable { case wide, narrow }

  @Test(
    arguments: [
      (#"[{"list":{"_0":1}},{"grid":{"_0":1}}]"#, "'grid' is no case of Screen: byte 19, at /1"),
      (#"[{}]"#, "the object names no case of Screen: byte 1, at /0"),
      (
        #"[{"list":{"_0":1},"detail":{}}]"#,
        "the object has 2 members where one case of Screen was expected: 'list', 'detail': byte 1, at /0"
      ),
      (
        #"[{"detail":{"_0":"tall"}}]"#,
        "Cannot initialize Kind from invalid String value tall: byte 17, at /0/detail/_0"
      ),
    ])
  func whatTypesSayOfTheirValuesSaysWhere(text: String, expected: String) throws {
    let error = #expect(throws: DecodingError.self) { try value([Screen].self, text) }
    #expect(error?.underlying?.description == expected)
  }

  @Test func aPathThatIsNotThereHasTheByteOfItsBeginning() throws {
    struct Liar: Decodable {
      init(from decoder: any Decoder) throws {
        let path = decoder.codingPath + [ZooKey("a"), ZooKey("none")]
        throw DecodingError.dataCorrupted(DecodingError.Context(codingPath: path, debugDescription: "no"))
      }
    }
    let error = #expect(throws: DecodingError.self) { try value([Liar].self, #"[{"b":[],"a":{}}]"#) }
    #expect(error?.underlying == JSONError(.invalidValue, "no", byteOffset: 13, path: JSONPointer(["0", "a", "none"])))
  }

  @Test func anUnderlyingErrorOfATypeIsKept() throws {
    struct Own: Error {}
    struct Knowing: Decodable {
      init(from decoder: any Decoder) throws {
        throw DecodingError.dataCorrupted(
          DecodingError.Context(codingPath: [], debugDescription: "no", underlyingError: Own()))
      }
    }
    let error = #expect(throws: DecodingError.self) { try value(Knowing.self, "1") }
    guard case .dataCorrupted(let context)? = error else {
      Issue.record("the error is \(String(describing: error))")
      return
    }
    #expect(context.underlyingError is Own)
  }
}

extension DecodingError {
  fileprivate var underlying: JSONError? {
    switch self {
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
      .dataCorrupted(let context):
      context.underlyingError as? JSONError
    @unknown default: nil
    }
  }
}

extension ErrorPlaceTests {
  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  @Test func deepCodingPathsAreShortened() {
    let path = (0..<500).map { number in Key(stringValue: "level\(number)") }
    let context = DecodingError.Context(codingPath: path, debugDescription: "no number")
    for error in [
      DecodingError.dataCorrupted(context), DecodingError.typeMismatch(Int.self, context),
      EncodingError.invalidValue(1, EncodingError.Context(codingPath: path, debugDescription: "no number"))
        as any Error,
    ] {
      let text = CodingFault(error).description
      #expect(
        text.hasPrefix("at level0.level1.") && text.hasSuffix("level499: no number") && text.utf8.count < 150, "\(text)"
      )
    }
  }
}
