import JSONCoding
import TestSupport
import Testing

@Suite("Fast check of objects", .timeLimit(.minutes(60)))
struct CompactObjectTests {
  /// Returns the end of an object by the fast check, with bytes after it as in a line.
  private func end(_ text: [UInt8], maximumDepth: Int = 127) -> Int? {
    (text + Array(#","crc":"00000000"}"#.utf8)).withUnsafeBytes { bytes in
      CompactObject.end(of: bytes, from: 0, maximumDepth: maximumDepth)
    }
  }

  @Test(arguments: [
    "{}", #"{"animalId":"Dog"}"#, #"{"a":[],"b":{},"c":[{},[1,-2.5e+3,0,true,false,null]]}"#,
    #"{"s":"quote \" backslash \\ solidus \/ \b\f\n\r\t","name":"größer 🦊 日本"}"#,
    #"{"result":{"success":{"animal":{"animalId":"Dog","name":"Dog","diet":"Carnivore","categoryId":"Mammal"}}}}"#,
    #"{"a":{"a":{"a":{"a":1}}},"aaaaaaaaaaaaaaaaaaaa":0,"aaaaaaaaaaaaaaaaaaab":0,"":1}"#,
  ])
  func acceptsTheOutputOfEncoders(text: String) {
    #expect(end(Array(text.utf8)) == text.utf8.count)
  }

  @Test(arguments: [
    #"{"a":1,"a":2}"#, #"{"a":{"b":1},"c":[{"d":1,"d":2}]}"#, #"{"a":1,"\u0061":2}"#, #"{"s":"\ud800"}"#,
    #"{"a":01}"#, #"{"a":1.}"#, #"{"a":1e}"#, #"{"a":-}"#, #"{"a":+1}"#, #"{"a":tru}"#, #"{"a":nulls}"#, #"{"a":1,}"#,
    #"{"a"}"#, #"{"a":}"#, #"{,}"#, #"{"a":[1,]}"#, #"{"a":[}"#, #"{"a":1]"#, #"{"a":"\x"}"#, "{\"a\":\"\n\"}", "{",
    "[]", "", #"{"a":"unfinished}"#, #"{"\n":1}"#, #"{"a" :1}"#,
  ])
  func leavesFaultsAndRareFormsToTheTape(text: String) {
    #expect(end(Array(text.utf8)) == nil)
  }

  @Test func manyNamesAndDeepNestingAreLeftToTheTape() {
    let wide = (0..<40).map { number in #""n\#(number)":0"# }.joined(separator: ",")
    #expect(end(Array("{\(wide)}".utf8)) == nil)
    let deep = String(repeating: #"{"a":"#, count: 20) + "1" + String(repeating: "}", count: 20)
    #expect(end(Array(deep.utf8)) == nil)
    #expect(end(Array(#"{"a":{"b":{}}}"#.utf8), maximumDepth: 2) == nil)
    #expect(end(Array(#"{"a":{"b":{}}}"#.utf8), maximumDepth: 3) == 14)
  }

  @Test(arguments: [UInt64(1), 2, 3, 4, 5])
  func neverSaysYesWhereTheTapeSaysNo(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let pieces = [
      "{", "}", "[", "]", ",", ":", #""a""#, #""b""#, #""longer name""#, "1", "-0", "1.5", "1e9", "01", "true", "null",
      #""x\n""#, #""\u0041""#, #""é""#, " ", "\"",
    ].map { text in Array(text.utf8) }
    var agreements = 0
    for round in 0..<30_000 {
      var text: [UInt8] = Array(#"{"a":"#.utf8)
      if round % 2 == 0 {
        text = Array(#"{"id":"a1","result":{"success":[{"n":-12.5e3,"s":"é\t","t":true},{"n":1}]},"z":null}"#.utf8)
        for _ in 0..<Int.random(in: 0...2, using: &generator) {
          let index = Int.random(in: 0..<text.count, using: &generator)
          switch Int.random(in: 0..<3, using: &generator) {
          case 0: text[index] = UInt8.random(in: 0...255, using: &generator)
          case 1: text.remove(at: index)
          default: text.insert(contentsOf: pieces.randomElement(using: &generator)!, at: index)
          }
        }
      } else {
        for _ in 0..<Int.random(in: 1...12, using: &generator) { text += pieces.randomElement(using: &generator)! }
      }
      guard let end = end(text), end <= text.count else { continue }
      agreements += 1
      do {
        let tape = try JSONTape(parsing: text[..<end], maximumDepth: 127)
        #expect(tape.root.kind == .object && tape.root.byteRange == 0..<end)
      } catch {
        Issue.record("seed \(seed): \(String(decoding: text, as: UTF8.self)): \(error)")
      }
    }
    #expect(agreements > 3_000)
  }
}
