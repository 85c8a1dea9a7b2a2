import JSONCoding
import Testing

@Suite struct JSONPointerTests {
  /// The table of RFC 6901, section 5, and what it implies.
  @Test(
    arguments: [
      ("", []), ("/foo", ["foo"]), ("/foo/0", ["foo", "0"]), ("/", [""]), ("/a~1b", ["a/b"]), ("/c%d", ["c%d"]),
      ("/e^f", ["e^f"]), ("/g|h", ["g|h"]), ("/i\\j", ["i\\j"]), ("/k\"l", ["k\"l"]), ("/ ", [" "]), ("/m~0n", ["m~n"]),
      ("/~01", ["~1"]), ("//", ["", ""]), ("/a/\u{301}b", ["a", "\u{301}b"]),
    ] as [(String, [String])])
  func readsAndWrites(text: String, tokens: [String]) throws {
    let pointer = try JSONPointer(parsing: text)
    #expect(pointer == JSONPointer(tokens))
    #expect(pointer.description.utf8.elementsEqual(text.utf8))
  }

  @Test(arguments: ["a", "a/b", " /a", "/~", "/~2", "/a~/b"]) func refuses(text: String) {
    #expect(JSONPointer(text) == nil)
    let error = #expect(throws: JSONError.self) { try JSONPointer(parsing: text) }
    #expect(error?.code == .invalidPointer)
  }

  @Test func appendsAndGoesUp() {
    let pointer = JSONPointer.root.appending("items").appending(3)
    #expect(pointer.description == "/items/3")
    #expect(pointer.parent == JSONPointer(["items"]))
    #expect(JSONPointer.root.parent == nil)
    #expect(JSONPointer(["é"]) != JSONPointer(["e\u{301}"]))
  }

  @Test func indicesHaveNoLeadingZeros() {
    #expect(JSONPointer.index(of: "0") == 0)
    #expect(JSONPointer.index(of: "12") == 12)
    for token in ["", "-", "01", "-1", "+1", "1e0", "٣", "99999999999999999999"] {
      #expect(JSONPointer.index(of: token) == nil)
    }
  }

  @Test(arguments: ["a", "é", "\u{1F69A}"])
  func excerptHasAtMostAHundredBytes(letter: String) {
    for count in 0..<120 {
      let pointer = JSONPointer([String(repeating: letter, count: count)])
      let excerpt = pointer.excerpt
      #expect(excerpt.utf8.count <= 100)
      #expect(pointer.description.utf8.count > 100 ? excerpt.contains("…") : excerpt == pointer.description)
      #expect(!excerpt.contains("\u{FFFD}"))
    }
  }

  @Test func nestingErrorQuotesAnExcerptOfItsPointer() throws {
    indirect enum Rule: Codable {
      case always
      case not(Rule)
    }
    var rule = Rule.always
    for _ in 0..<200 { rule = .not(rule) }
    let encoding = #expect(throws: (any Error).self) { try StrictJSONEncoder().encode(rule) }
    let text = String(repeating: #"{"not":{"_0":"#, count: 200) + "{}" + String(repeating: "}}", count: 200)
    let parsing = #expect(throws: JSONError.self) { try JSONTape(parsing: Array(text.utf8)) }
    for error: (any Error)? in [encoding, parsing] {
      let description = String(describing: try #require(error))
      #expect(description.contains("the nesting is deeper than") && description.contains("/not/_0/not"))
      #expect(description.utf8.count < 250, "\(description)")
    }
  }
}
