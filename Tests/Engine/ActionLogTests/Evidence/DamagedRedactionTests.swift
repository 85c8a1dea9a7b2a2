import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import JSONCoding
import TestSupport
import Testing

/// Redactions of logs that are torn or damaged: what can be read of them is checked.
@Suite("Redactions in damaged logs", .timeLimit(.minutes(60)))
struct DamagedRedactionTests {
  /// The segments 1, 6 and 10; the record in the last one names the lines 3, 5 and 6 of the first and line 11 of the second.
  private func story(_ name: String = "redactable/after") throws -> LogStory { try EvidenceLogs.story(name) }

  private func kinds(_ story: LogStory) throws -> Set<LogProblem.Kind> {
    let report = try LogVerifier.verify(at: LogStory.path, fileSystem: story.files)
    return Set((report.problems + report.warnings).map(\.kind)).intersection([
      .unrecordedRedaction, .changedRedaction, .missingRedaction, .unfinishedRedaction,
    ])
  }

  /// Puts the lines of before into a segment.
  private func restore(_ story: LogStory, _ first: Int) throws {
    let before = try EvidenceLogs.story("redactable/before").lines(first)
    let lines = try before + story.lines(first).dropFirst(before.count)
    try story.files.setContents(Array((lines.joined(separator: "\n") + "\n").utf8), of: story.segment(first))
  }

  /// Replaces a value that a redaction put in place of another, and keeps the checksum of the line.
  private func forge(_ story: LogStory, _ line: Int, of first: Int) throws {
    let old = Array(try story.lines(first)[line].utf8)
    guard case .redacted(let redaction) = try old.withForm().kind else { return }
    var text = Array(old[..<redaction.fillStart])
    let place = try #require(String(decoding: text, as: UTF8.self).firstRange(of: "[redacted]"))
    let offset = String(decoding: text, as: UTF8.self)[..<place.lowerBound].utf8.count
    text[offset + 1] = UInt8(ascii: "R")
    text += ChecksumFill.letters(after: text, reaching: try RedactableStory.checksum(of: old))
    text += old[(redaction.fillStart + 8)...]
    let start = try story.lineOffsets(first)[line]
    let forged = text
    try story.change(first) { bytes in bytes.replaceSubrange(start..<start + forged.count, with: forged) }
  }

  @Test func soundRedactionsAreNoProblem() throws {
    // A fault before, among and after the redacted lines, in each segment, and at the end.
    for (first, line) in [(1, 1), (1, 4), (1, 8), (6, 1), (6, 2), (10, 1), (10, 2)] {
      let story = try story()
      try story.flipLine(line, of: first)
      #expect(try kinds(story) == [], "segment \(first), line \(line)")
      #expect(try LogVerifier.verify(at: LogStory.path, fileSystem: story.files).verdict != .clean)
    }
    for first in [1, 6] {
      let story = try story()
      try story.files.remove(story.segment(first))
      #expect(try kinds(story) == [], "segment \(first)")
    }
  }

  @Test func aTornTailHidesNothing() throws {
    for name in ["forged/unrecorded-redaction", "forged/changed-replacement"] {
      let story = try story(name)
      let last = try #require(try story.reader().segments.last?.first)
      try story.change(last) { bytes in bytes += Array(#"{"seq":9,"ti"#.utf8) }
      let kind: LogProblem.Kind = name.contains("changed") ? .changedRedaction : .unrecordedRedaction
      let report = try LogVerifier.verify(at: LogStory.path, fileSystem: story.files)
      #expect(report.tornBytes == 12 && report.problems.map(\.kind).contains(kind), "\(report.problems)")
    }
    // The record is the end of the log, whatever was torn after it.
    let interrupted = try story("redactable/interrupted")
    try interrupted.change(10) { bytes in bytes += Array(#"{"seq":9,"ti"#.utf8) }
    #expect(try kinds(interrupted) == [.unfinishedRedaction])
  }

  @Test func aForgeryIsFoundBesideDamage() throws {
    // Damage before the line, after it in its segment, and in the next segment.
    for (first, line) in [(1, 1), (1, 7), (6, 2)] {
      let story = try story()
      try forge(story, 3, of: 1)
      #expect(try kinds(story) == [.changedRedaction])
      try story.flipLine(line, of: first)
      #expect(try kinds(story) == [.changedRedaction], "segment \(first), line \(line)")
    }
  }

  @Test func aLostRecordIsNoForgery() throws {
    let story = try story()
    // The record itself is damaged: nothing says what the lines should be.
    let line = try #require(try story.lines(10).firstIndex { line in line.contains("@redact") })
    try story.flipLine(line, of: 10)
    #expect(try kinds(story) == [])
  }

  @Test func aSegmentOfBeforeIsFoundBesideDamage() throws {
    for (restored, damaged) in [(1, 6), (6, 1)] {
      let story = try story()
      try restore(story, restored)
      #expect(try kinds(story) == [.missingRedaction])
      try story.flipLine(2, of: damaged)
      #expect(try kinds(story) == [.missingRedaction], "segment \(restored), damage in \(damaged)")
    }
    // What is damaged itself cannot be checked.
    let story = try story()
    try restore(story, 1)
    try story.flipLine(1, of: 1)
    #expect(try kinds(story) == [])
  }

  @Test func linesWithoutDamageBeforeThemAreChecked() throws {
    // Line 3 is redacted, and its old form put back; damage is behind it in the same segment.
    let story = try story()
    try restore(story, 1)
    try story.flipLine(8, of: 1)
    #expect(try kinds(story) == [.missingRedaction])
  }
}
