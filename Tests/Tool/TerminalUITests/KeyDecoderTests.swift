import TerminalUI
import Testing

@Suite("Keys")
struct KeyDecoderTests {
  /// Sequences as terminals send them.
  static let sequences: [(String, [Key])] = [
    ("a", ["a"]), ("ä日", ["ä", "日"]), ("e\u{301}", [.character("e\u{301}")]),
    ("👩‍👩‍👧", [.character("👩‍👩‍👧")]),
    ("\r", [.enter]), ("\n", [.enter]), ("\r\n", [.enter]), ("\t", [.tab]),
    ("\u{7F}", [.backspace]), ("\u{8}", [.backspace]),
    ("\u{1}", [.control("a")]), ("\u{15}", [.control("u")]), ("\u{0}", [.control(" ")]), ("\u{1F}", [.control("_")]),
    ("\u{1B}[A", [.up]), ("\u{1B}OA", [.up]),
    ("\u{1B}[B\u{1B}[C\u{1B}[D", [.down, .right, .left]),
    ("\u{1B}[H\u{1B}[F\u{1B}[1~\u{1B}[4~", [.home, .end, .home, .end]), ("\u{1B}[5~\u{1B}[6~", [.pageUp, .pageDown]),
    ("\u{1B}[2~\u{1B}[3~", [.delete]), ("\u{1B}[Z", [.backTab]), ("\u{1B}[1;5C", [.right]),
    // The function keys are no keys of a screen.
    ("\u{1B}OP\u{1B}[15~\u{1B}[24~\u{1B}[[Ax", ["x"]),
    ("\u{1B}[200~a\u{1B}[A\rb\u{1B}[201~c", [.paste("a\u{1B}[A\nb"), "c"]),

    // The mouse, if another program has left its reports on.
    ("\u{1B}[<0;1;1Mx", ["x"]), ("\u{1B}[<0;1;1mx", ["x"]), ("\u{1B}[<64;300;24Mx", ["x"]),
    ("\u{1B}[99~x", ["x"]), ("\u{1B}n", [.escape, "n"]),
    ("\u{1B}\u{1B}[A", [.escape, .up]),
    ("\u{85}x", ["x"]),
  ]

  @Test("sequences are decoded", arguments: sequences)
  func completeSequences(text: String, expected: [Key]) {
    var decoder = KeyDecoder()
    #expect(decoder.decode(Array(text.utf8)) + decoder.flush() == expected)
  }

  @Test("a sequence may be split anywhere", arguments: sequences)
  func splitSequences(text: String, expected: [Key]) {
    // A line feed that follows a carriage return later, and an accent that follows a letter later, are separate keys.
    guard text != "\r\n", expected != [.character("e\u{301}")], expected != [.character("👩‍👩‍👧")] else { return }
    let bytes = Array(text.utf8)
    for split in 1..<max(2, bytes.count) {
      var decoder = KeyDecoder()
      let keys = decoder.decode(bytes[..<split]) + decoder.decode(bytes[split...]) + decoder.flush()
      #expect(keys == expected, "split at \(split)")
    }
    var decoder = KeyDecoder()
    #expect(bytes.flatMap { byte in decoder.decode([byte]) } + decoder.flush() == expected)
  }

  @Test("Escape waits for the rest of a sequence for 50 ms; a paste waits for its end")
  func timeouts() {
    var decoder = KeyDecoder()
    #expect(decoder.timeout == nil)
    #expect(decoder.decode([0x1B]).isEmpty)
    #expect(decoder.timeout == .milliseconds(50))
    #expect(decoder.flush() == [.escape])
    #expect(decoder.timeout == nil)
    #expect(decoder.decode(Array("\u{1B}[1;".utf8)).isEmpty)
    #expect(decoder.timeout == .milliseconds(500))
    #expect(decoder.flush().isEmpty)
    #expect(decoder.decode(Array("\u{1B}[200~abc\u{1B}".utf8)).isEmpty)
    #expect(decoder.timeout == nil)
    #expect(decoder.flush().isEmpty)
    #expect(decoder.decode(Array("[201~".utf8)) == [.paste("abc")])
  }

  @Test("invalid bytes become replacement characters and do not affect the following ones")
  func invalidBytes() {
    var decoder = KeyDecoder()
    #expect(decoder.decode([0xFF, 0x61]) == [.character("\u{FFFD}"), "a"])
    #expect(decoder.decode([0xE6, 0x97]).isEmpty)
    #expect(decoder.flush() == [.character("\u{FFFD}")])
    #expect(decoder.decode([0x62]) == ["b"])
  }

  @Test("the buffer is limited for endless sequences and pastes")
  func limits() {
    var decoder = KeyDecoder()
    let endless = Array("\u{1B}[".utf8) + [UInt8](repeating: 0x31, count: 10_000) + Array("mx".utf8)
    #expect(decoder.decode(endless).suffix(1) == ["x"])
    let paste = Array("\u{1B}[200~".utf8) + [UInt8](repeating: 0x61, count: 3 << 20)
    #expect(decoder.decode(paste).count == 3)
    for byte in [0x80, 0xFF] as [UInt8] {
      var decoder = KeyDecoder()
      let noText = Array("\u{1B}[200~".utf8) + [UInt8](repeating: byte, count: 2 << 20)
      #expect(decoder.decode(noText).count >= 1, "invalid bytes are split, too")
    }
  }

  @Test("a long paste is split between characters")
  func longPaste() {
    var decoder = KeyDecoder()
    let text = "a" + String(repeating: "日", count: 400_000)
    let keys = decoder.decode(Array("\u{1B}[200~\(text)\u{1B}[201~".utf8))
    let pieces = keys.map { key -> String in
      guard case .paste(let piece) = key else { return "\(key)" }
      return piece
    }
    #expect(pieces.count == 2)
    #expect(pieces.joined() == text)
  }

  @Test("keys have names for help texts")
  func names() {
    let keys: [Key] = ["q", " ", .control("u"), .up, .enter, .escape]
    #expect(keys.map(\.description) == ["q", "Space", "Ctrl-U", "↑", "Enter", "Esc"])
  }
}
