import ActionLogTool
import Testing

@Suite("Lines of input")
struct LineReaderTests {
  @Test("lines that arrive together are returned together, however the input is split")
  func chunks() throws {
    var reader = LineReader(MemoryInput(["a\nbc\nd", "e\n", "f", "\n\n", "last"]), stop: StopRequest())
    #expect(try texts(reader.next()) == ["a", "bc"])
    #expect(try texts(reader.next()) == ["de"])
    #expect(try texts(reader.next()) == ["f", ""])
    #expect(try texts(reader.next()) == ["last"])
    #expect(try reader.next() == nil)
    #expect(try reader.next() == nil)
  }

  @Test("only LF ends a line")
  func separators() throws {
    var reader = LineReader(MemoryInput(["a\r\u{2028}b\u{85}c\n"]), stop: StopRequest())
    #expect(try texts(reader.next()) == ["a\r\u{2028}b\u{85}c"])
  }

  @Test("a line beyond the limit is skipped, and the next one is read")
  func tooLong() throws {
    let limit = LineReader.lineLimitBytes
    let longest = String(repeating: "x", count: limit)
    var reader = LineReader(MemoryInput([longest + "\n" + longest + "y\nz\n" + longest + "y"]), stop: StopRequest())
    var lines: [LineReader.Line] = []
    while let next = try reader.next() { lines += next }
    #expect(lines.count == 4)
    #expect(lines[0] == .bytes(Array(longest.utf8)[...]))
    #expect(lines[1] == .tooLong)
    #expect(lines[2] == .bytes([UInt8(ascii: "z")]))
    #expect(lines[3] == .tooLong)
  }

  @Test("an incomplete line does not count after a stop request")
  func stopped() throws {
    let stop = StopRequest()
    var reader = LineReader(MemoryInput(["a\nhalf"]), stop: stop)
    #expect(try texts(reader.next()) == ["a"])
    stop.request()
    #expect(try reader.next() == nil)
  }

  private func texts(_ lines: [LineReader.Line]?) -> [String]? {
    lines?.map { line in
      switch line {
      case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
      case .tooLong: "too long"
      }
    }
  }
}
