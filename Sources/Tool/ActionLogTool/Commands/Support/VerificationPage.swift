import ActionLog
import ActionLogMaintenance
import EventSourcing
import JSONCoding
import TerminalUI
import TimeTravel

/// The report on a log, and on what is stored next to its records.
struct LogVerification: Sendable {
  let path: String
  let report: LogReport
  let sideFiles: SideFileReport
  private(set) var advice: [String] = []

  init(_ path: String, _ report: LogReport, _ fileSystem: any LogFileSystem) {
    (self.path, self.report, sideFiles) = (path, report, SideFileReport(path, report, fileSystem))
  }

  var isSound: Bool { report.verdict == .clean && sideFiles.isSound }
  var status: ExitStatus { isSound ? .success : .negative }

  var problems: [String] { report.problems.map(\.description) + sideFiles.problems }
}

extension LogVerification {
  /// - Throws: ``LogError`` for the report on a file that is no segment. In a log's directory, a file with the name of a segment is
  ///   one, however damaged.
  init(_ path: String, checking report: LogReport, _ context: CommandContext) throws(LogError) {
    let name = path.split(separator: "/").last ?? ""
    guard
      report.header != nil || report.segments.count != 1 || report.segments.first?.path != path
        || SegmentName.first(of: String(name)) != nil
    else {
      throw LogError(.notALog, "the file has neither the name nor the header of a segment", path: path)
    }
    self.init(path, report, context.files)
    advice = try ([report.advice(at: path, context.files)].compactMap(\.self) + sideFiles.advice(path: path))
      .map(context.wording.message)
  }
}

extension AnswerShape<LogVerification> {
  static let verification = object(
    "The report on one log.", name: "verification", isBounded: true,
    [
      .member("path", .file, \.path),
      .member("verdict", .word("clean", "torn", "damaged"), \.report.verdict.rawValue),
      .nullable("log", .text, \.report.header?.log), .nullable("model", .text, \.report.header?.model),
      .member("lastSeq", .revision, \.report.lastRevision), .member("actions", .count, \.report.actionCount),
      .member("records", .count, \.report.recordCount), .member("bytes", .count, \.report.sizeBytes),
      .member("isClosed", .flag, \.report.isClosed), .member("tornBytes", .count, \.report.tornBytes),
      .optional("firstSeq", .revision, \.report.firstRevision.ifPositive),
      .member("schemas", .array(of: .schemaRange), \.report.schemas),
      .member("segments", .array(of: .verifiedSegment), \.report.segments),
      .member("problems", .array(of: .problem), \.report.problems),
      .member("warnings", .array(of: .problem), \.report.warnings),
      .optional("checkpoints", .count, \.report.checkpointCount.ifPositive),
      .optional("unlistedProblems", .count, \.report.unlistedProblemCount.ifPositive),
      .optional("snapshots", .snapshots, \.sideFiles.snapshots), .optional("marks", .markReport, \.sideFiles),
      .optional("unread", .texts, \.sideFiles.unreadTexts),
      .optional("advice", .texts, { verification in verification.advice.isEmpty ? nil : verification.advice }),
      .optional("projections", .dictionary(of: .snapshots)) { verification in
        verification.sideFiles.projections.isEmpty ? nil : verification.sideFiles.projections
      },
    ])
}

extension Int {
  var ifPositive: Int? { self > 0 ? self : nil }
}

extension AnswerShape<LogReport.SchemaRange> {
  fileprivate static let schemaRange = object([
    .member("schema", .integer, \.schema), .member("first", .revision, \.revisions.lowerBound),
    .member("last", .revision, \.revisions.upperBound),
  ])
}

extension AnswerShape<LogReport.Segment> {
  fileprivate static let verifiedSegment = object([
    .member("path", .file, \.path), .member("first", .revision, \.first), .member("bytes", .count, \.sizeBytes),
    .member("records", .count, \.recordCount), .member("actions", .count, \.actionCount),
    .optional("last", .revision, \.ends?.lastRevision),
    .optional("prev", .crc) { segment in segment.ends.map { ends in ChecksumDigits.text(ends.previousChecksum) } },
    .optional("crc", .crc) { segment in segment.ends.map { ends in ChecksumDigits.text(ends.lastChecksum) } },
    .optional("epoch", .count, \.ends?.epoch), .optional("schema", .integer, \.ends?.schema),
    .optional("synced", .revision, \.ends?.syncedRevision),
  ])
}

extension AnswerShape<LogProblem> {
  fileprivate static let problem = object([
    .member("kind", .text, \.kind.rawValue), .member("message", .text, \.message), .member("path", .file, \.path),
    .optional("line", .count, \.line), .optional("byteOffset", .count, \.byteOffset),
    .optional("seq", .revision, \.revision),
  ])
}

extension AnswerShape<SnapshotExamination> {
  fileprivate static let snapshots = object([
    .member("count", .count, \.count), .member("sound", .count, \.sound.count),
    .member("problems", .array(of: .refusal), \.refusals),
    .optional(
      "outdated", .array(of: .refusal), { snapshots in snapshots.outdated.isEmpty ? nil : snapshots.outdated },
      "Those that the next writer removes, after an interrupted pruning or redaction."),
  ])
}

extension AnswerShape<SnapshotRefusal> {
  fileprivate static let refusal = object([
    .member("seq", .revision, \.revision), .member("path", .file, \.path),
    .member("reason", .text, \.code.rawValue), .member("message", .text, \.message),
  ])
}

extension AnswerShape<SideFileReport> {
  fileprivate static let markReport = object([
    .member("count", .count, \.marks.marks.count), .member("problems", .array(of: .markProblem), \.markProblems),
  ])
}

extension AnswerShape<SideFileReport.MarkProblem> {
  fileprivate static let markProblem = object([
    .optional("path", .file, \.path), .optional("line", .count, \.line), .optional("name", .text, \.name),
    .optional("seq", .revision, \.revision), .member("message", .text, \.message),
  ])
}

struct VerificationPage {
  /// The number of listed problems; `--json` has all.
  static let problemLimit = 20
  private static let schemaLimit = 5

  let lines: [String]

  init(_ verification: LogVerification, _ context: CommandContext) {
    let style = context.output.style
    let (report, sideFiles) = (verification.report, verification.sideFiles)
    var lines = [style.bold(TerminalText.escaping(verification.path)) + ": " + Self.verdict(report, sideFiles, style)]
    lines += Self.facts(report, sideFiles).lines(indent: 2)
    let (error, warning) = (style.red("  ! "), style.yellow("  - "))
    lines += Self.list(
      report.problems.map(\.text).map(context.wording.message), more: report.unlistedProblemCount, mark: error)
    lines += Self.list(report.warnings.map(\.text).map(context.wording.message), mark: warning)
    lines += Self.list(sideFiles.problems, mark: error) + Self.list(sideFiles.warnings, mark: warning)
    self.lines = lines
  }

  private static func verdict(_ report: LogReport, _ sideFiles: SideFileReport, _ style: Style) -> String {
    switch report.verdict {
    case .damaged: return style.red("damaged")
    case .torn: return style.yellow("torn tail")
    case .clean where !sideFiles.isSound: return style.red("the records are clean, and \(sideFiles.summary) not")
    case .clean:
      guard let unfinished = report.unfinishedChange ?? sideFiles.unfinishedChange else { return style.green("clean") }
      return style.yellow("clean, and \(unfinished) is not complete")
    }
  }

  private static func facts(_ report: LogReport, _ sideFiles: SideFileReport) -> TextTable {
    let revisions = report.lastRevision > report.firstRevision ? ", intact up to revision \(report.lastRevision)" : ""
    var table = TextTable(facts: [
      "model": report.header.map { header in "\(TerminalText.escaping(header.model)), \(schemas(report, header))" },
      "begins": report.firstRevision > 0 ? "at revision \(report.firstRevision): the log was pruned" : nil,
      "actions": HumanText.count(report.actionCount) + revisions, "records": HumanText.count(report.recordCount),
      "size": "\(HumanText.bytes(report.sizeBytes)) in \(HumanText.count(report.segments.count, "segment"))",
      "end": end(report),
      "proofs": report.checkpointCount > 0
        ? "the lines lead to \(HumanText.count(report.checkpointCount, "stored checkpoint"))" : nil,
    ])
    for row in sideFiles.rows { table.append(row) }
    return table
  }

  private static func schemas(_ report: LogReport, _ header: LogHeader) -> String {
    guard report.schemas.count > 1 else { return "schema \(report.schemas.first?.schema ?? header.schema)" }
    var shown = report.schemas.prefix(schemaLimit).map { range in
      let (first, last) = (range.revisions.lowerBound, range.revisions.upperBound)
      return "\(range.schema) (\(first == last ? "action \(first)" : "actions \(first)…\(last)"))"
    }
    let hidden = report.schemas.count - shown.count
    if hidden > 0 { shown.append("and \(HumanText.count(hidden)) more") }
    return "schemas " + shown.joined(separator: ", ")
  }

  private static func end(_ report: LogReport) -> String {
    switch report.verdict {
    case .clean: report.isClosed ? "closed" : "open: a writer is active, or ended without closing it"
    case .torn: "torn: \(HumanText.count(report.tornBytes, "byte")) of an incomplete line"
    case .damaged: report.isClosed ? "closed" : "after damage"
    }
  }

  static func list(
    _ problems: [String], limit: Int = problemLimit, more: Int = 0, mark: String
  ) -> [String] {
    let hidden = max(0, problems.count - limit) + more
    return problems.prefix(limit).map { problem in mark + TerminalText.escaping(problem) }
      + (hidden > 0 ? ["    … and \(HumanText.count(hidden)) more"] : [])
  }
}

extension LogReport {
  /// The change that was recorded and not carried out completely: a noun with its article; `nil` if there is none.
  var unfinishedChange: String? {
    if warnings.contains(where: { warning in warning.kind == .unfinishedRedaction }) { return "a redaction" }
    return warnings.contains { warning in warning.kind == .unfinishedPruning } ? "a pruning" : nil
  }

  /// Whether `HEAD` recorded the durable end of the log. A single segment has none.
  private func hasHead(at path: String) -> Bool {
    guard segments.first?.path != path else { return false }
    return !warnings.contains { warning in warning.kind == .missingHead || warning.kind == .unreadableHead }
  }

  fileprivate func advice(at path: String, _ files: any LogFileSystem) throws(LogError) -> MessageText? {
    switch verdict {
    case .clean where warnings.contains(where: { warning in warning.kind == .unfinishedRedaction }):
      try LakeFileSystem.isShippedLog(path, files)
        ? "The redaction was not shipped completely. The next 'ship' completes it in the lake, and 'restore' in the log that it makes."
        : "Some of the values are still in the directory of the log. \(command: .redact, .path(path), .option("finish")) completes the "
          + "redaction, and so does the next writer."
    case .clean: nil
    case .torn:
      (hasHead(at: path)
        ? "No synced action is lost."
        : "Without HEAD it is unknown whether the tail had been acknowledged.")
        + " The next writer truncates it; \(command: .repair, .path(path)) does so now."
    case .damaged where problems.allSatisfy { problem in problem.kind == .inaccessibleHead }:
      "Every record is intact. HEAD records how far the log is durable, and a writer needs it; readers do not. "
        + "Make it readable, or, if it is lost, move it away: it is then unknown whether the end of the log is missing."
    case .damaged where problems.allSatisfy { problem in problem.kind == .unusableCheckpoint }:
      "Every record is intact. The records were not compared with a checkpoint that cannot be read: make it readable, or move "
        + "away what is in its place."
    case .damaged
    where problems.contains { problem in problem.kind == .missingTiles }
      && problems.allSatisfy { problem in problem.isOfCheckpoint }:
      "Every record is intact, but the tiles of the removed lines are lost, and without them no checkpoint and no proof can be made. "
        + "Restore the directory 'proofs' from a copy, or put the archived segments back: \(command: .prune, .path(path), .option("restore", "DIR")). "
        + "If there is neither, the log has no more checkpoints; its actions and states are not affected."
    case .damaged where problems.allSatisfy { problem in problem.isOfCheckpoint }:
      "Every record is intact by itself, but the records are not those of a stored checkpoint. If the checkpoint was not "
        + "changed, the log was. \(command: .verify, .path(path), .option("checkpoint", "FILE")) compares the log with one that was "
        + "kept elsewhere."
    case .damaged where problems.allSatisfy { problem in problem.kind == .unreadableSegment }:
      "What cannot be read may be intact: make it readable for this user, or restore it from a copy, and verify again. Only "
        + "if the bytes are lost, \(command: .salvage, .path(path), "NEW") saves the other actions in a new log."
    case .damaged where lastRevision <= firstRevision:
      "No action before the damage is intact. \(command: .salvage, .path(path), "NEW") saves intact actions after "
        + "it, if any, in a new log."
    case .damaged:
      "Actions \(firstRevision + 1)…\(lastRevision) are intact and readable. "
        + "\(command: .salvage, .path(path), "NEW") saves them in a new log."
    }
  }
}

extension LogProblem {
  fileprivate var isOfCheckpoint: Bool { [.wrongCheckpoint, .unusableCheckpoint, .missingTiles].contains(kind) }
}

/// The snapshots, projections and marks of a log, checked against its records.
struct SideFileReport: Sendable {
  fileprivate var snapshots = SnapshotExamination()
  fileprivate var projections: [(name: String, value: SnapshotExamination)] = []
  fileprivate var marks = MarkList()
  /// Marks of revisions that the log does not have.
  private var strayMarks: [Mark] = []
  private var marksPath = ""
  private var intactRevisions = 0...0
  /// The errors of unreadable files. The report on the records stays valid.
  private var unread: [LogError] = []

  /// A single file has neither, and a log with a damaged header has nothing to compare with.
  init(_ path: String, _ report: LogReport, _ fileSystem: any LogFileSystem) {
    guard report.header != nil, report.segments.first?.path != path else { return }
    intactRevisions = report.firstRevision...max(report.firstRevision, report.lastRevision)
    defer {
      // Errors in the report on the records are not repeated.
      unread.removeAll { error in
        report.problems.contains { problem in problem.message == error.message && problem.path == error.path }
      }
    }
    let store = MarkStore(at: path, fileSystem: fileSystem)
    marksPath = store.path
    let reader: LogReader
    do throws(LogError) { reader = try LogReader.open(at: path, fileSystem: fileSystem) } catch {
      if error.code != .damaged { unread.append(error) }
      return
    }
    let intact = report.verdict == .damaged ? report.lastRevision : nil
    read { files throws(LogError) in
      files.snapshots = try SnapshotStore(at: path, fileSystem: fileSystem)
        .examine(against: reader, intactThrough: intact)
    }
    read { files throws(LogError) in
      files.unread += try SnapshotStore.obstacles(at: path, fileSystem: fileSystem)
      for (name, snapshots) in try SnapshotStore.projections(at: path, fileSystem: fileSystem) {
        files.projections.append((name, try snapshots.examine(against: reader, intactThrough: intact)))
      }
    }
    read { files throws(LogError) in
      files.marks = try store.read()
      // After damage there may be later actions, and a live writer may have added some.
      let last = try reader.extent().lastRevision
      if report.verdict != .damaged { files.strayMarks = files.marks.marks.filter { mark in mark.revision > last } }
    }
  }

  private mutating func read(_ part: (inout SideFileReport) throws(LogError) -> Void) {
    do throws(LogError) { try part(&self) } catch { unread.append(error) }
  }

  private var refusals: [SnapshotRefusal] { snapshots.refusals + projections.flatMap(\.value.refusals) }

  var isSound: Bool {
    refusals.isEmpty && marks.flaws.isEmpty && strayMarks.isEmpty && unread.isEmpty
  }

  /// What has errors, and a verb: `2 snapshots and 1 mark are`.
  var summary: String {
    let counts = [
      (refusals.count, "snapshot"), (marks.flaws.count + strayMarks.count, "mark"), (unread.count, "unreadable file"),
    ].filter { count, _ in count > 0 }
    let isOne = counts.reduce(0) { sum, count in sum + count.0 } == 1
    return counts.map { count, name in HumanText.count(count, name) }.joined(separator: " and ")
      + (isOne ? " is" : " are")
  }

  var rows: [[String]] {
    var rows: [[String]] = []
    for (name, snapshots) in [("snapshots", snapshots)] + projections where snapshots.count > 0 {
      let unreachable =
        snapshots.unreachable.isEmpty ? "" : ", \(HumanText.count(snapshots.unreachable.count)) after the damage"
      // A projection can have any name.
      let noun = name == "snapshots" ? "" : "snapshots "
      rows.append([
        name,
        "\(HumanText.count(snapshots.sound.count)) of \(HumanText.count(snapshots.count)) \(noun)match the log\(unreachable)",
      ])
    }
    let lines = marks.marks.count + marks.flaws.count
    if lines > 0 { rows.append(["marks", HumanText.count(marks.marks.count)]) }
    return rows
  }

  var problems: [String] {
    refusals.map(\.description)
      + marks.flaws.map { flaw in "mark ignored: \(marksPath):\(flaw.line): \(flaw.message)" }
      + strayMarks.map { mark in
        "the mark '\(mark.name)' names revision \(mark.revision), which is not in the log:  \(marksPath)"
      } + unreadTexts
  }

  fileprivate struct MarkProblem: Sendable {
    var path: String?
    var line: Int?
    var name: String?
    var revision: Int?
    var message: String
  }

  fileprivate var markProblems: [MarkProblem] {
    marks.flaws.map { flaw in MarkProblem(path: marksPath, line: flaw.line, message: flaw.message) }
      + strayMarks.map { mark in
        MarkProblem(name: mark.name, revision: mark.revision, message: "the log has no such revision")
      }
  }

  /// The snapshots that an interrupted pruning or redaction would have removed, a line each. They are no error: nothing uses them.
  var warnings: [String] { outdated.map(\.description) }

  /// The change that has not removed its snapshots yet: a noun with its article; `nil` if there is none.
  var unfinishedChange: String? {
    guard !outdated.isEmpty else { return nil }
    return outdated.contains { refusal in refusal.code == .redacted } ? "a redaction" : "a pruning"
  }

  private var outdated: [SnapshotRefusal] { snapshots.outdated + projections.flatMap(\.value.outdated) }

  fileprivate var unreadTexts: [String] {
    unread.map { error in error.path.map { path in "\(error.message): \(path)" } ?? error.message }
  }

  fileprivate func advice(path: String) -> [MessageText] {
    var advice: [MessageText] = []
    // Snapshots of actions that the log does not have, and those whose state differs from a digest in the log.
    let strayCount = snapshots.refusals.count { refusal in refusal.code == .otherHistory }
    let wrongCount = snapshots.refusals.count { refusal in refusal.code == .otherState }
    if strayCount > 0 {
      let what = strayCount == 1 ? "A snapshot was" : "\(HumanText.count(strayCount)) snapshots were"
      advice.append(
        "\(what) taken of actions that the log does not have: some are missing, or were replaced. "
          + "Keep it, and restore a backup.")
    }
    if wrongCount > 0 {
      advice.append(
        "Replays trust a snapshot with a valid checksum, whatever its state: move the wrong one away. "
          + "\(command: .snapshot, .path(path)) then takes a new one, and \(command: .replay, .path(path), .option("verify")) compares "
          + "all of them."
      )
    }
    let others = snapshots.refusals.filter { refusal in refusal.code != .otherHistory && refusal.code != .otherState }
    if let first = others.first {
      let (what, it) = others.count == 1 ? ("the snapshot", "it") : ("these snapshots", "them")
      let replaceable = others.first { refusal in
        refusal.code != .unreadable && intactRevisions.contains(refusal.revision)
      }
      let replacing: MessageText? = replaceable.map { refusal in
        "\(command: .snapshot, .path(path), .option("at", "\(refusal.revision)")) replaces \(others.count == 1 ? it : "one")."
      }
      advice.append(
        .sentences(
          "The log does not depend on \(what), and replays ignore \(it).",
          replacing ?? (first.code == .unreadable ? "Make \(it) readable, or move \(it) away." : "Move \(it) away.")))
    }
    for (name, snapshots) in projections where !snapshots.refusals.isEmpty {
      advice.append(
        "Snapshots of a projection can be deleted; "
          + "\(command: .projections, .path(path), .option("rebuild", "\(ShellWord(name))")) replaces them."
      )
    }
    if !outdated.isEmpty {
      let what = outdated.count == 1 ? "a snapshot" : "\(HumanText.count(outdated.count)) snapshots"
      var text: MessageText =
        "A pruning or redaction was interrupted before it removed \(what). The next writer that opens the log completes it"
      if outdated.contains(where: { refusal in refusal.code == .redacted }) {
        text = "\(text); \(command: .redact, .path(path), .option("finish")) does so now"
      }
      advice.append(text + ".")
    }
    if !marks.flaws.isEmpty {
      advice.append("No mark depends on an unreadable line: remove it from \(marksPath) with an editor.")
    }
    if !strayMarks.isEmpty {
      advice.append("\(command: .mark, .path(path), .option("remove", "NAME")) removes a mark.")
    }
    return advice + unread.compactMap(\.advice)
  }
}
