import ActionLog
import TestSupport
import Testing

/// What later lines alone tell of damage: `HEAD` is gone, as in a copy of the segments.
@Suite("Evidence of later lines", .timeLimit(.minutes(60)))
struct LaterLineTests {
  /// Five actions, each a batch, a `@close` that says that they are durable, and no `HEAD`.
  private func story() throws -> LogStory {
    let story = LogStory()
    try story.record(5)
    try story.removeHead()
    return story
  }

  @Test func noBitBeforeTheLastLineCanBeWrongUnseen() throws {
    let story = try story()
    let bytes = try story.bytes()
    let lastLine = try #require(try story.lineOffsets().dropLast().last)
    for index in 0..<lastLine {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[index] ^= 1 << bit
        try story.files.setContents(damaged, of: story.segment(1))
        let error = #expect(throws: LogError.self, "byte \(index), bit \(bit)") { try story.open() }
        guard error?.code == .damaged || error?.code == .unsupportedFormat || error?.code == .wrongModel else {
          Issue.record("byte \(index), bit \(bit): \(String(describing: error))")
          return
        }
        #expect(try story.bytes() == damaged, "nothing is cut")
      }
    }
  }

  /// The line feed is what no checksum covers: without it two lines are one that is neither.
  @Test(arguments: 1...4) func damagedLineFeedsHideNoLine(count: Int) throws {
    let story = try story()
    let offsets = try story.lineOffsets().dropLast()
    try story.change { bytes in
      for offset in offsets.suffix(count) { bytes[offset - 1] = UInt8(ascii: "x") }
    }
    try story.expectDamage(after: 5 - count)
  }

  /// What only looks like the end of a line, in the values of an action, is none.
  @Test func aMarkWithinAValueIsNoLine() throws {
    let story = LogStory()
    let writer = try story.open()
    try writer.commit([.numbered(1)])
    let head = try story.files.contents(of: story.head)
    let text = #"{"a":{"crc":"00000000"},"b":[{"x":1,"crc":"00000000"},{"seq":1}]}"#
    _ = try writer.write([LogDraft(type: "t", data: Array(text.utf8))])
    writer.abandon()
    try story.files.setContents(head, of: story.head)
    try story.change { bytes in bytes[bytes.count - 5] ^= 1 }
    try story.expectTorn(after: 1)
  }
}
