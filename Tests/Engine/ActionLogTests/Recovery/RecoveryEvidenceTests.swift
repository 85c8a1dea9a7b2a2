import ActionLog
import Testing

/// What tells of an end that is missing although no line of the file is bad: `HEAD`, and the other segments.
@Suite("Evidence beside the active segment", .timeLimit(.minutes(60)))
struct RecoveryEvidenceTests {
  @Test func anEndThatHeadSaysWasDurableIsDamage() throws {
    let story = LogStory()
    try story.record(5)
    try story.change { bytes in bytes.removeLast(7) }
    try story.expectDamage(after: 5)
  }

  @Test func aWholeFileThatIsShorterThanHeadSaysIsDamage() throws {
    let story = LogStory()
    try story.record(5)
    let offsets = try story.lineOffsets()
    try story.change { bytes in bytes.removeLast(bytes.count - offsets[4]) }
    try story.expectDamage(after: 2)
    try story.removeHead()
    #expect(try story.open().opening.lastSeq == 2, "only HEAD could know")
  }

  @Test func aHeadOfALaterSegmentSaysThatItIsMissing() throws {
    let story = LogStory(segmentLimitBytes: 600)
    try story.record(5)
    let last = try #require(try story.reader().segments.last)
    try story.files.remove(last.path)
    try story.expectDamage(after: last.first - 1)
    try story.removeHead()
    #expect(try story.open().opening.lastSeq == last.first - 1, "only HEAD could know")
  }

  @Test func anOlderHeadIsNoEvidence() throws {
    let story = LogStory()
    let writer = try story.open()
    try writer.commit([.numbered(1)])
    let head = try story.files.contents(of: story.head)
    try writer.commit([.numbered(2)])
    writer.abandon()
    try story.files.setContents(head, of: story.head)
    try story.change { bytes in bytes.removeLast(3) }
    try story.expectTorn(after: 1)
  }

  @Test func aSegmentThatANewerOneFollowsIsNeverTorn() throws {
    let story = LogStory(segmentLimitBytes: 600)
    try story.record(5)
    try story.removeHead()
    let first = try story.lineOffsets(1)
    let lastSeq = try story.reader().segments[1].first - 1
    // Cut in the middle of its last line: nothing but the newer segment says that it was durable.
    try story.change(1) { bytes in bytes.removeLast(5) }
    try story.expectDamage(after: lastSeq - 1)
    #expect(try story.reader().extent().ending.damage?.line == first.count - 1)
  }

  @Test func damageInsideASealedSegmentIsFoundByWhoeverReadsIt() throws {
    let story = LogStory(segmentLimitBytes: 600)
    try story.record(5)
    try story.flipLine(2)
    let read = try story.read()
    #expect(read.actions.isEmpty)
    #expect(read.ending?.damage?.seq == 1)
    #expect(try LogVerifier.verify(LogStory.path, fileSystem: story.files).problems.map(\.kind) == [.checksumMismatch])
    // Opening looks at the seams only.
    #expect(try story.open().opening.lastSeq == 5)
  }

  @Test func aMissingSegmentIsDamage() throws {
    let story = LogStory(segmentLimitBytes: 600)
    try story.record(7)
    let segments = try story.reader().segments
    try story.files.remove(segments[1].path)
    try story.expectDamage(after: segments[1].first - 1)
  }

  @Test func aMissingFirstSegmentIsDamage() throws {
    let story = LogStory(segmentLimitBytes: 600)
    try story.record(5)
    try story.files.remove(story.segment(1))
    #expect(#expect(throws: LogError.self) { try story.open() }?.code == .damaged)
    #expect(#expect(throws: LogError.self) { try story.reader() }?.code == .damaged)
    #expect(try LogVerifier.verify(LogStory.path, fileSystem: story.files).verdict == .damaged)
  }

  @Test func aSegmentUnderAnotherNameIsDamage() throws {
    let story = LogStory(segmentLimitBytes: 600)
    try story.record(5)
    let last = try #require(try story.reader().segments.last)
    try story.files.rename(last.path, to: story.segment(last.first + 1))
    try story.removeHead()
    try story.expectDamage(after: last.first - 1)
  }
}
