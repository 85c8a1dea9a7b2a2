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
}
