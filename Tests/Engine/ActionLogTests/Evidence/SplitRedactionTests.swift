import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import JSONCoding
import Platform
import TestSupport
import Testing

/// Redactions that need several `@redact` records.
@Suite("Redactions in several records", .timeLimit(.minutes(60)))
struct SplitRedactionTests {
  /// A log whose last actions are followed by digests of states.
  private func story() throws -> RedactableStory {
    var log = try RedactableStory(seed: 11, count: 6)
    let writer = try log.story.open()
    for number in 1...2 {
      try writer.appendNow([
        LogDraft(DigestRecord(state: String(repeating: "\(number)", count: 64), reducer: "r"))
      ])
    }
    try writer.appendNow([.numbered(7)])
    try writer.closeNow()
    try log.reread()
    return log
  }

  /// The random targets, and a new value for each digest.
  private func targets(_ log: inout RedactableStory) throws -> (
    targets: [RedactionTarget], removed: RedactableStory.Removed
  ) {
    var (targets, removed) = try log.targets(5, excluding: "@digest")
    for line in log.lines where line.type == "@digest" {
      let json = Array("\"\(String(repeating: "f", count: 64))\"".utf8)
      targets.append(
        RedactionTarget(
          index: line.index, replacements: [ValueReplacement(JSONPointer(["data", "state"]), with: json)]))
    }
    return (targets, removed)
  }

  @Test func eachRecordFitsAndIsComplete() throws {
    var log = try story()
    let (targets, removed) = try targets(&log)
    let checkpoint = try log.checkpoint()
    let outcome = try log.redact(targets, recordLimitBytes: 500)
    #expect(outcome.indices.count > 2)
    let redactions = try log.story.reader().redactions()
    #expect(redactions.map(\.index) == outcome.indices && redactions.allSatisfy(\.isFinished))
    for line in try log.readLines() where line.type == "@redact" { #expect(line.bytes.count <= 500) }
    // All values are named once. The digests are withdrawn first.
    let digests = Set(log.lines.filter { line in line.type == "@digest" }.map(\.index))
    let named = redactions.flatMap(\.record.lines)
    #expect(named.map(\.index).sorted() == targets.map { target in target.index ?? -1 }.sorted())
    #expect(Set(named.prefix(digests.count).map(\.index)) == digests)
    for line in named where digests.contains(line.index) {
      #expect(line.replacements == [ValueReplacement(JSONPointer(["data", "state"]), with: Array("null".utf8))])
    }
    #expect(outcome.record.lines.map(\.index) == named.map(\.index).sorted())
    let report = try log.verify()
    #expect(report.verdict == .clean && report.warnings.isEmpty, "\(report.problems)")
    for text in removed.texts + removed.salts {
      #expect(try RedactableStory.paths(having: text, in: log.story.files).isEmpty)
    }
    let verdict = try CheckpointComparison(log: LogStory.path, fileSystem: log.story.files).verdict(on: checkpoint)
    #expect(verdict.isGood)
  }

  @Test func oneRecordIsTheRule() throws {
    var log = try story()
    let (targets, _) = try targets(&log)
    #expect(try log.redact(targets).indices.count == 1)
  }

  @Test func aLineThatFitsInNoRecordIsRefused() throws {
    var log = try story()
    let (targets, _) = try targets(&log)
    let before = log.story.files.copy()
    let error = #expect(throws: LogError.self) { try log.redact(targets, recordLimitBytes: 350) }
    #expect(error?.code == .beyondLimit && error?.intact == "Nothing was changed.")
    #expect(log.story.files.filePaths == before.filePaths)
  }

  /// Wherever it is interrupted, each record is carried out or not made, no digest is left of a state that a later record changes, and the
  /// same redaction can be repeated.
  @Test func aPowerCutAtEachCallLeavesWholeRecords() throws {
    var log = try story()
    let (targets, removed) = try targets(&log)
    let original = log.story.files
    var counts: Set<Int> = []
    let started = log
    for number in try log.changingCalls({ files in try started.redact(targets, recordLimitBytes: 500, on: files) }) {
      // Every other call: each record takes some forty.
      guard number % 2 == 0 else { continue }
      let files = original.copy()
      let door = FaultyFileSystem(files)
      door.add(.stop(atCall: number))
      do { try log.redact(targets, recordLimitBytes: 500, on: door) } catch {}
      let disk = files.crash(CrashModel(seed: UInt64(number)))
      var story = LogStory(disk)
      story.configuration.redactable = true
      try story.open().closeNow()
      let report = try log.verify(disk)
      #expect(
        report.verdict == .clean && !report.warnings.contains { $0.kind == .unfinishedRedaction }, "call \(number)")
      let redactions = try story.reader().redactions()
      counts.insert(redactions.count)
      if redactions.count > 0 {
        for line in try log.readLines(disk) where line.type == "@digest" {
          #expect(!line.bytes.contains(text: #""state":"1111"#), "call \(number)")
        }
      }
      // Its records also name those of the first attempt, whose digests are out of date.
      try log.redact(targets, recordLimitBytes: 1_000, on: disk)
      for text in removed.texts + removed.salts {
        #expect(try RedactableStory.paths(having: text, in: disk).isEmpty, "call \(number)")
      }
    }
    #expect(counts.count > 3)
  }
}
