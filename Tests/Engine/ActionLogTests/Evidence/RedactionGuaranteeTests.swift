import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import Foundation
import JSONCoding
import Platform
import TestSupport
import Testing

/// The promises P20 to P23 about redactions, tried on random logs.
@Suite("What holds after a redaction", .timeLimit(.minutes(60)))
struct RedactionGuaranteeTests {
  // MARK: P20, P21

  /// Redacts random values twice. Everything that was computed from the log before still holds, and nothing that was erased is left.
  @Test(arguments: 100..<140 as Range<UInt64>)
  func earlierEvidenceHolds(seed: UInt64) throws {
    var log = try RedactableStory(seed: seed)
    let store = EvidenceStore(log: LogStory.path, fileSystem: log.story.files)
    _ = try store.update()
    let before = log.lines
    let leaves = try RedactableStory.leaves(before)
    let checkpoint = try log.checkpoint()
    let proofs = try before.map { line in
      try store.proof(ofLine: line.bytes, index: line.index, checkpoint: SignedCheckpoint(checkpoint))
    }
    let (first, removed) = try log.targets()
    let old = log.story.files.copy()
    try log.redact(first)
    try expectErased(removed, log.story.files, "seed \(seed)")
    let after = try log.readLines()
    // The same leaves, checksums and links.
    #expect(try RedactableStory.leaves(after).starts(with: leaves), "seed \(seed)")
    for (line, redacted) in zip(before, after) {
      #expect(line.bytes.suffix(11) == redacted.bytes.suffix(11), "seed \(seed), line \(line.index)")
      let isNamed = first.contains { target in target.index == line.index }
      #expect((line.bytes == redacted.bytes) != isNamed, "seed \(seed), line \(line.index)")
      // The path of the old line proves the redacted one.
      let proof = LineProof(
        line: redacted.bytes, index: line.index, path: proofs[line.index].path, checkpoint: SignedCheckpoint(checkpoint)
      )
      #expect(throws: Never.self, "seed \(seed), line \(line.index)") { _ = try proof.verify() }
    }
    try expectExtended(checkpoint, log.story.files, "seed \(seed)")
    try mix(old, log, before.count, leaves, checkpoint, "seed \(seed)")
    // Again, with other values of the same lines among others.
    let (second, more) = try log.targets(6)
    let middle = try log.checkpoint()
    do {
      try log.redact(second)
    } catch let error as LogError {
      // A value in one that is already gone cannot be named.
      #expect(
        error.code == .invalidArgument && error.message.hasPrefix("there is no value at"), "seed \(seed): \(error)")
      return
    }
    try expectErased(more, log.story.files, "seed \(seed)")
    try expectErased(removed, log.story.files, "seed \(seed)")
    try expectExtended(middle, log.story.files, "seed \(seed)")
    let report = try log.verify()
    #expect(report.verdict == .clean && report.warnings.isEmpty, "seed \(seed): \(report.problems)")
  }

  /// Every mixture of old and new segments is a log that checks.
  private func mix(
    _ old: MemoryFileSystem, _ log: RedactableStory, _ count: Int, _ leaves: [SHA256Digest], _ checkpoint: Checkpoint,
    _ note: Comment
  ) throws {
    let paths = try old.filePaths.filter { path in
      try path.hasSuffix(".jsonl") && old.contents(of: path) != log.story.files.contents(of: path)
    }
    let all = (1 << paths.count) - 1
    for mask in 0..<all {
      let mixed = log.story.files.copy()
      for (bit, path) in paths.enumerated() where mask >> bit & 1 == 0 {
        try mixed.setContents(try old.contents(of: path), of: path)
      }
      let lines = try log.readLines(mixed)
      #expect(try RedactableStory.leaves(lines).starts(with: leaves), note)
      let report = try log.verify(mixed)
      // All lines are valid. That the record is not carried out is the only finding.
      #expect(Set(report.problems.map(\.kind)) == [.missingRedaction], note)
      try expectExtended(checkpoint, mixed, note)
    }
  }

  private func expectExtended(_ checkpoint: Checkpoint, _ files: MemoryFileSystem, _ note: Comment) throws {
    let verdict = try CheckpointComparison(log: LogStory.path, fileSystem: files).verdict(on: checkpoint)
    #expect(verdict.isGood, note)
  }

  private func expectErased(_ removed: RedactableStory.Removed, _ files: MemoryFileSystem, _ note: Comment) throws {
    let contents = try files.filePaths.map { path in try files.contents(of: path) }
    for text in removed.texts + removed.salts {
      let bytes = Array(text.utf8)
      #expect(!contents.contains { file in Data(file).range(of: Data(bytes)) != nil }, "\(note): \(text)")
    }
  }

  // MARK: P22

  /// A line with another value, whose letters give it the checksum that it had.
  private func forged(_ line: [UInt8], _ range: Range<Int>, _ json: String) throws -> [UInt8] {
    let form = try line.withForm()
    guard case .redacted(let redaction) = form.kind else { return line }
    var text = Array(line[..<redaction.fillStart])
    text.replaceSubrange(range, with: Array(json.utf8))
    text += ChecksumFill.letters(after: text, reaching: try RedactableStory.checksum(of: line))
    return text + line[(redaction.fillStart + 8)...]
  }

  /// Each scalar in the content of a redacted line, and each commitment and salt in it, with another value in its place.
  private func forgeries(_ line: [UInt8]) throws -> [(pointer: JSONPointer, line: [UInt8])] {
    let root = try JSONTape(parsing: line).root
    var found: [(pointer: JSONPointer, line: [UInt8])] = []
    func visit(_ node: JSONTape.Node, _ pointer: JSONPointer) throws {
      switch node.kind {
      case .object where node.members.contains { _ in true }:
        for (name, value) in node.members { try visit(value, pointer.appending(name.string() ?? "")) }
      case .array where node.count > 0:
        for (number, value) in node.elements.enumerated() { try visit(value, pointer.appending(number)) }
      default:
        var json = String(decoding: node.bytes, as: UTF8.self)
        switch node.kind {
        case .string:
          // The second character: the last ones of a salt have fixed bits.
          let text = node.string() ?? ""
          let changed = text.enumerated().map { offset, letter in offset == 1 ? (letter == "A" ? "B" : "A") : letter }
          json = text.count < 2 ? "\"xy\"" : "\"" + String(changed) + "\""
        case .number: json = json == "7" ? "8" : "7"
        case .bool: json = json == "true" ? "false" : "true"
        case .null: json = "0"
        case .array: json = "[1]"
        case .object: json = #"{"a":1}"#
        }
        found.append((pointer, try forged(line, node.byteRange, json)))
      }
    }
    for name in ["data", "meta", "redacted"] {
      if let node = root[name] { try visit(node, JSONPointer([name])) }
    }
    return found
  }

  @Test(arguments: 20..<32 as Range<UInt64>)
  func changesOfARedactedLineAreFound(seed: UInt64) throws {
    var log = try RedactableStory(seed: seed, count: 8)
    let (targets, _) = try log.targets(3)
    try log.redact(targets)
    var kinds: Set<LogProblem.Kind> = []
    for line in try log.readLines() where targets.contains(where: { target in target.index == line.index }) {
      guard case .redacted(let redaction) = try line.bytes.withForm().kind else {
        Issue.record("line \(line.index) is not redacted")
        continue
      }
      let gone = redaction.parts.gone.map(\.pointer)
      for (pointer, bytes) in try forgeries(line.bytes) where bytes != line.bytes {
        let copy = log.story.files.copy()
        let path = log.story.segment(line.segment)
        let text = String(decoding: try copy.contents(of: path), as: UTF8.self)
        let changed = text.replacingOccurrences(
          of: String(decoding: line.bytes, as: UTF8.self), with: String(decoding: bytes, as: UTF8.self))
        try copy.setContents(Array(changed.utf8), of: path)
        let report = try log.verify(copy)
        let problem = report.problems.first { problem in problem.path == path }
        #expect(report.verdict == .damaged, "seed \(seed), line \(line.index), \(pointer)")
        // The checksum is good.
        #expect(problem?.kind != .checksumMismatch, "seed \(seed), line \(line.index), \(pointer)")
        if let kind = problem?.kind { kinds.insert(kind) }
        if gone.contains(where: { outer in pointer.isWithin(outer) }) {
          #expect(problem?.kind == .changedRedaction, "seed \(seed), line \(line.index), \(pointer)")
        }
      }
    }
    #expect(kinds.contains(.changedRedaction) && kinds.count > 1)
  }

  // MARK: P23

  /// Expects that all records can be read, whatever a power cut or a fault left.
  private func expectReadable(_ disk: MemoryFileSystem, _ log: RedactableStory, _ note: Comment) throws {
    let lines = try log.readLines(disk)
    #expect(try RedactableStory.leaves(lines).starts(with: RedactableStory.leaves(log.lines)), note)
    #expect(try log.verify(disk).verdict != .damaged, note)
  }

  /// A redaction is cut at each call, and what the next writer does is cut again.
  @Test(arguments: 30..<32 as Range<UInt64>)
  func twoPowerCutsLoseNothing(seed: UInt64) throws {
    var log = try RedactableStory(seed: seed, count: 6)
    let (targets, removed) = try log.targets(3)
    try log.story.files.setContents(Array("{}\n".utf8), of: LogStory.path + "/snapshots/0000000000000006.json")
    let original = log.story.files
    var random = SeededGenerator(seed: seed)
    var outcomes: Set<Bool> = []
    let started = log
    for number in try log.changingCalls({ files in try started.redact(targets, on: files) }) {
      let files = original.copy()
      let door = FaultyFileSystem(files)
      door.add(number % 3 > 0 ? .stop(atCall: number) : FileFault(number: number, code: .noSpace))
      do { try log.redact(targets, on: door) } catch {}
      let disk = files.crash(CrashModel(seed: UInt64(number)))
      let note: Comment = "seed \(seed), call \(number)"
      try expectReadable(disk, log, note)
      // The next writer is cut, too, at a random call.
      let again = FaultyFileSystem(disk)
      again.add(.stop(atCall: Int.random(in: 1...60, using: &random)))
      var story = LogStory(disk)
      story.configuration.redactable = true
      story.door = again
      do { try story.open().closeNow() } catch {}
      let left = disk.crash(CrashModel(seed: UInt64(number) + 1_000))
      try expectReadable(left, log, note)
      story = LogStory(left)
      story.configuration.redactable = true
      try story.open().closeNow()
      let report = try log.verify(left)
      #expect(report.verdict == .clean, note)
      #expect(!report.warnings.contains { warning in warning.kind == .unfinishedRedaction }, note)
      let isRedacted = try !story.reader().redactions().isEmpty
      outcomes.insert(isRedacted)
      if isRedacted { try expectErased(removed, left, note) }
      #expect(!left.filePaths.contains { path in path.hasSuffix(".new") }, note)
    }
    #expect(outcomes.count == 2)
  }
}
