import JSONCoding
import Testing

/// Which texts the tokenizer takes and refuses, and which byte it points at.
@Suite struct StrictnessTests {
  static let accepted: [String] = [
    "null", "true", "false", " \t\r\n1 \t\r\n", "0", "-0", "-1", "12", "1.5", "0.0", "-0.0", "1e5", "1E5", "1e+5",
    "1e-5",
    "0e0", "0.1E-20", "1e400", "18446744073709551616", "\"\"", "\"a\"", "\"é\"", "\"日本\"", "\"🦊\"", "\"\u{2028}\"",
    "\"\u{7F}\"", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\u0041\"", "\"\\u00e9\"", "\"\\uD83E\\uDD8A\"",
    "\"\\u0000\"", "\"\u{FFFF}\"", "\"\u{10FFFF}\"", "[]", "[ ]", "[1]", "[ 1 , 2 ]", "[[],[[]],{}]", "{}", "{ }",
    "{\"\":1}", "{\"a\":1,\"b\":2}", "{ \"a\" : 1 }", "{\"a\":{\"a\":{\"a\":1}}}", "{\"a\":1,\"A\":2}",
    "{\"é\":1,\"e\u{301}\":2}", "[\"a\",\"a\"]", "[null,true,false,0,\"\",[],{}]", "{\"a\":[],\"b\":{}}",
  ]

  @Test(arguments: accepted) func takes(text: String) throws {
    _ = try JSONTape(parsing: Array(text.utf8))
    // Reading keeps everything but white space and the spelling of strings.
    let value = try JSONValue(parsing: Array(text.utf8))
    #expect(try JSONValue(parsing: value.bytes()) == value)
    #expect(try JSONValue(parsing: value.bytes(.canonical)) == value)
  }

  struct Refused: CustomTestStringConvertible, Sendable {
    var bytes: [UInt8]
    var code: JSONError.Code
    var offset: Int

    init(_ text: String, _ code: JSONError.Code, at offset: Int) {
      self.init(Array(text.utf8), code, at: offset)
    }

    init(_ bytes: [UInt8], _ code: JSONError.Code, at offset: Int) {
      self.bytes = bytes
      self.code = code
      self.offset = offset
    }

    var testDescription: String { String(decoding: bytes.prefix(60), as: UTF8.self) }
  }

  static let structure: [Refused] = [
    Refused("", .unexpectedEnd, at: 0),
    Refused("  ", .unexpectedEnd, at: 2),
    Refused("nul", .unexpectedEnd, at: 3),
    Refused("nulL", .unexpectedByte, at: 3),
    Refused("True", .unexpectedByte, at: 0),
    Refused("NaN", .unexpectedByte, at: 0),
    Refused("Infinity", .unexpectedByte, at: 0),
    Refused("undefined", .unexpectedByte, at: 0),
    Refused("'a'", .unexpectedByte, at: 0),
    Refused("1 2", .trailingBytes, at: 2),
    Refused("{}}", .trailingBytes, at: 2),
    Refused("nullx", .trailingBytes, at: 4),
    Refused("[", .unexpectedEnd, at: 1),
    Refused("[1", .unexpectedEnd, at: 2),
    Refused("[1,", .unexpectedEnd, at: 3),
    Refused("[1,]", .unexpectedByte, at: 3),
    Refused("[,1]", .unexpectedByte, at: 1),
    Refused("[1 2]", .unexpectedByte, at: 3),
    Refused("[1}", .unexpectedByte, at: 2),
    Refused("]", .unexpectedByte, at: 0),
    Refused("{", .unexpectedEnd, at: 1),
    Refused("{\"a\"", .unexpectedEnd, at: 4),
    Refused("{\"a\":", .unexpectedEnd, at: 5),
    Refused("{\"a\":1", .unexpectedEnd, at: 6),
    Refused("{\"a\":1,", .unexpectedEnd, at: 7),
    Refused("{\"a\":1,}", .unexpectedByte, at: 7),
    Refused("{,}", .unexpectedByte, at: 1),
    Refused("{a:1}", .unexpectedByte, at: 1),
    Refused("{1:1}", .unexpectedByte, at: 1),
    Refused("{\"a\" 1}", .unexpectedByte, at: 5),
    Refused("{\"a\":}", .unexpectedByte, at: 5),
    Refused("{\"a\":1]", .unexpectedByte, at: 6),
    Refused("[1]/*c*/", .trailingBytes, at: 3),
    Refused("[1,//c\n2]", .unexpectedByte, at: 3),
    Refused("1\u{0}", .trailingBytes, at: 1),
    Refused("\u{A0}1", .unexpectedByte, at: 0),
    Refused("[1\u{B}]", .unexpectedByte, at: 2),
    Refused("\u{FEFF}{}", .byteOrderMark, at: 0),
    Refused([0xFF, 0xFE, 0x31, 0x00], .unexpectedByte, at: 0),
  ]

  static let numbers: [Refused] = [
    Refused("01", .invalidNumber, at: 0),
    Refused("-01", .invalidNumber, at: 1),
    Refused("00", .invalidNumber, at: 0),
    Refused("-", .invalidNumber, at: 1),
    Refused("--1", .invalidNumber, at: 1),
    Refused("+1", .unexpectedByte, at: 0),
    Refused(".5", .unexpectedByte, at: 0),
    Refused("1.", .invalidNumber, at: 2),
    Refused("-.5", .invalidNumber, at: 1),
    Refused("1.e1", .invalidNumber, at: 2),
    Refused("1e", .invalidNumber, at: 2),
    Refused("1e+", .invalidNumber, at: 3),
    Refused("1e1.5", .trailingBytes, at: 3),
    Refused("0x10", .trailingBytes, at: 1),
    Refused("1_000", .trailingBytes, at: 1),
    Refused("-Infinity", .invalidNumber, at: 1),
    Refused("[1.0.0]", .unexpectedByte, at: 4),
    Refused("١", .unexpectedByte, at: 0),
  ]

  static let strings: [Refused] = [
    Refused("\"", .unexpectedEnd, at: 1),
    Refused("\"abc", .unexpectedEnd, at: 4),
    Refused("\"abcdefghijkl", .unexpectedEnd, at: 13),
    Refused("\"a\\", .unexpectedEnd, at: 3),
    Refused("\"\\u12", .unexpectedEnd, at: 5),
    Refused("\"\\a\"", .invalidEscape, at: 1),
    Refused("\"\\'\"", .invalidEscape, at: 1),
    Refused("\"\\U0041\"", .invalidEscape, at: 1),
    Refused("\"\\u00g0\"", .invalidEscape, at: 5),
    Refused("\"\\uD800\"", .loneSurrogate, at: 1),
    Refused("\"\\uDC00\"", .loneSurrogate, at: 1),
    Refused("\"ab\\uD83Ex\"", .loneSurrogate, at: 3),
    Refused("\"\\uD83E\\n\"", .loneSurrogate, at: 1),
    Refused("\"\\uD83E\\u0041\"", .loneSurrogate, at: 1),
    Refused("\"\\uD83E\\uD83E\"", .loneSurrogate, at: 1),
    Refused("\"\\uDD8A\\uD83E\"", .loneSurrogate, at: 1),
    Refused("\"a\nb\"", .controlCharacter, at: 2),
    Refused("\"\t\"", .controlCharacter, at: 1),
    Refused("\"\u{0}\"", .controlCharacter, at: 1),
    Refused("\"abcdefghijklmnop\u{1F}\"", .controlCharacter, at: 17),
    Refused([0x22, 0x80, 0x22], .invalidUTF8, at: 1),
    Refused([0x22, 0xC0, 0xAF, 0x22], .invalidUTF8, at: 1),
    Refused([0x22, 0xC1, 0xBF, 0x22], .invalidUTF8, at: 1),
    Refused([0x22, 0xC3, 0x22], .invalidUTF8, at: 1),
    Refused([0x22, 0xC3], .invalidUTF8, at: 1),
    Refused([0x22, 0xE0, 0x80, 0xAF, 0x22], .invalidUTF8, at: 1),
    Refused([0x22, 0xE0, 0x9F, 0xBF, 0x22], .invalidUTF8, at: 1),
    Refused([0x22, 0xE2, 0x82, 0x22], .invalidUTF8, at: 1),
    Refused([0x22, 0xED, 0xA0, 0x80, 0x22], .invalidUTF8, at: 1),
    Refused([0x22, 0xED, 0xBF, 0xBF, 0x22], .invalidUTF8, at: 1),
    Refused([0x22, 0xF0, 0x80, 0x80, 0xAF, 0x22], .invalidUTF8, at: 1),
    Refused([0x22, 0xF0, 0x9F, 0xA6, 0x22], .invalidUTF8, at: 1),
    Refused([0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], .invalidUTF8, at: 1),
    Refused([0x22, 0xF5, 0x80, 0x80, 0x80, 0x22], .invalidUTF8, at: 1),
    Refused([0x22, 0x61, 0xFE, 0x22], .invalidUTF8, at: 2),
    Refused([0x22, 0x61, 0xFF, 0x22], .invalidUTF8, at: 2),
  ]

  static let names: [Refused] = [
    Refused("{\"a\":1,\"a\":2}", .duplicateName, at: 7),
    Refused("{\"b\":1,\"a\":1,\"b\":2}", .duplicateName, at: 13),
    Refused("{\"a\":1,\"\\u0061\":2}", .duplicateName, at: 7),
    Refused("{\"\\u0061\":1,\"b\":1,\"a\":2}", .duplicateName, at: 18),
    Refused("{\"x\":{\"a\":[{}],\"\":0,\"a\":2}}", .duplicateName, at: 20),
    Refused("[{\"\":1,\"\":1}]", .duplicateName, at: 7),
  ]

  @Test(arguments: structure + numbers + strings + names) func refuses(text: Refused) {
    let error = #expect(throws: JSONError.self) { try JSONTape(parsing: text.bytes) }
    #expect(error?.code == text.code)
    #expect(error?.byteOffset == text.offset)
  }

  @Test func depthIsCountedFromTheOutermostBracket() throws {
    func nested(_ depth: Int) -> [UInt8] {
      Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
    }
    _ = try JSONTape(parsing: nested(128))
    let error = #expect(throws: JSONError.self) { try JSONTape(parsing: nested(129)) }
    #expect(error?.code == .tooDeep)
    #expect(error?.byteOffset == 128)
    _ = try JSONTape(parsing: Array("1".utf8), maximumDepth: 0)
    #expect(throws: JSONError.self) { try JSONTape(parsing: Array("{}".utf8), maximumDepth: 0) }
  }

  @Test func aMillionBracketsAreRefusedWithoutRecursion() {
    let bomb = [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)
    let error = #expect(throws: JSONError.self) { try JSONTape(parsing: bomb, maximumDepth: .max) }
    #expect(error?.code == .tooDeep)
    #expect(error?.byteOffset == JSONTape.depthLimit)
  }

  @Test(arguments: [2, 12, 13, 1000]) func duplicatesAreFoundAmongManyNames(count: Int) throws {
    // Descending names defeat the check of neighbors; the last name repeats the first.
    let names = (0..<count).reversed().map { "\"n\(10_000 + $0)\":0" }
    _ = try JSONTape(parsing: Array("{\(names.joined(separator: ","))}".utf8))
    let doubled = names + [names[0]]
    let text = Array("{\(doubled.joined(separator: ","))}".utf8)
    let error = #expect(throws: JSONError.self) { try JSONTape(parsing: text) }
    #expect(error?.code == .duplicateName)
    #expect(error?.byteOffset == 1 + count * 11)
  }

  @Test func everyCutOfATextIsRefused() {
    let text = Array("{\"a\":[1.5e3,\"é\\u00e9🦊\",{\"b\":null}],\"c\":true}".utf8)
    for end in 0..<text.count {
      let error = #expect(throws: JSONError.self) { try JSONTape(parsing: text[..<end]) }
      #expect((error?.byteOffset ?? .max) <= end)
    }
  }
}
