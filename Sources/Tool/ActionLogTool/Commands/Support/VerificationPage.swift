import ActionLog
import EventSourcing
import JSONCoding
import TerminalUI
import TimeTravel

/// The text report of `verify`.
struct VerificationPage {
  /// The number of listed problems; `--json` has all.
  private static let problemLimit = 20
  /// The number of listed schemas; `--json` has all.
  private static let schemaLimit = 5

  let lines: [String]

  init(_ report: LogReport, _ sideFiles: SideFileReport, path: String, style: Style) {
    var lines = [style.bold(TerminalText.escaping(path)) + ": " + Self.verdict(report, sideFiles, style)]
    lines += Self.facts(report, sideFiles).lines(indent: 2)
    lines += Self.list(report.problems, more: report.unlistedProblemCount, mark: style.red("  ! "))
    lines += Self.list(report.warnings, more: 0, mark: style.yellow("  - "))
    lines += Self.list(sideFiles.problems, more: 0, mark: style.red("  ! "))
    lines += Self.list(sideFiles.warnings, more: 0, mark: style.yellow("  - "))
    self.lines = lines
  }

  /// The verdict on the worst finding.
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
    var table = TextTable([.left, .left])
    if let header = report.header {
      table.append(["model", "\(TerminalText.escaping(header.model)), \(schemas(report, header))"])
    }
    if report.firstRevision > 0 { table.append(["begins", "at revision \(report.firstRevision): the log was pruned"]) }
    let revisions = report.lastRevision > report.firstRevision ? ", intact up to revision \(report.lastRevision)" : ""
    table.append(["actions", HumanText.count(report.actionCount) + revisions])
    table.append(["records", HumanText.count(report.recordCount)])
    table.append([
      "size", "\(HumanText.bytes(report.sizeBytes)) in \(HumanText.count(report.segments.count, "segment"))",
    ])
    table.append(["end", end(report)])
    if report.checkpointCount > 0 {
      table.append(["proofs", "the lines lead to \(HumanText.count(report.checkpointCount, "stored checkpoint"))"])
    }
    for row in sideFiles.rows { table.append(row) }
    return table
  }

  /// The schemas of the actions, with their revisions if there are several.
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

  private static func list(_ problems: [LogProblem], more: Int, mark: String) -> [String] {
    list(problems.map(\.description), more: more, mark: mark)
  }

  private static func list(_ problems: [String], more: Int, mark: String) -> [String] {
    var lines = problems.prefix(problemLimit).map { problem in mark + TerminalText.escaping(problem) }
    let hidden = problems.count - lines.count + more
    if hidden > 0 { lines.append("    … and \(HumanText.count(hidden)) more") }
    return lines
  }
}

extension LogReport {
  /// The change that was recorded and not carried out completely: a noun with its article; `nil` if there is none.
  var unfinishedChange: String? {
    if warnings.contains(where: { warning in warning.kind == .unfinishedRedaction }) { return "a redaction" }
    return warnings.contains { warning in warning.kind == .unfinishedPruning } ? "a pruning" : nil
  }

  /// The JSON report.
  func json(path: String) -> JSONObject {
    var object: JSONObject = [
      "path": .string(path), "verdict": .string(verdict.rawValue), "log": header.map { .string($0.log) } ?? .null,
      "model": header.map { .string($0.model) } ?? .null, "lastSeq": .integer(lastRevision),
      "actions": .integer(actionCount),
      "records": .integer(recordCount), "bytes": .integer(sizeBytes), "isClosed": .bool(isClosed),
      "tornBytes": .integer(tornBytes),
    ]
    if firstRevision > 0 { object["firstSeq"] = .integer(firstRevision) }
    object["schemas"] = .array(
      schemas.map { range in
        [
          "schema": .integer(range.schema), "first": .integer(range.revisions.lowerBound),
          "last": .integer(range.revisions.upperBound),
        ]
      })
    object["segments"] = .array(segments.map { segment in .object(segment.json) })
    object["problems"] = .array(problems.map(\.json))
    object["warnings"] = .array(warnings.map(\.json))
    if checkpointCount > 0 { object["checkpoints"] = .integer(checkpointCount) }
    if unlistedProblemCount > 0 { object["unlistedProblems"] = .integer(unlistedProblemCount) }
    return object
  }
}

extension LogReport.Segment {
  fileprivate var json: JSONObject {
    var object: JSONObject = [
      "path": .string(path), "first": .integer(first), "bytes": .integer(sizeBytes),
      "records": .integer(recordCount), "actions": .integer(actionCount),
    ]
    guard let ends else { return object }
    object["last"] = .integer(ends.lastRevision)
    object["prev"] = .string(ChecksumDigits.text(ends.previousChecksum))
    object["crc"] = .string(ChecksumDigits.text(ends.lastChecksum))
    object["epoch"] = .integer(ends.epoch)
    object["schema"] = .integer(ends.schema)
    object["synced"] = .integer(ends.syncedRevision)
    return object
  }
}

extension LogProblem {
  fileprivate var json: JSONValue {
    var object: JSONObject = [
      "kind": .string(kind.rawValue), "message": .string(message), "path": .string(path),
    ]
    object["line"] = line.map(JSONValue.integer)
    object["byteOffset"] = byteOffset.map(JSONValue.integer)
    object["seq"] = revision.map(JSONValue.integer)
    return .object(object)
  }
}

/// The snapshots, projections and marks of a log, checked against its records.
struct SideFileReport {
  private var snapshots = SnapshotExamination()
  /// The snapshots of each projection, by name.
  private var projections: [(name: String, snapshots: SnapshotExamination)] = []
  /// The number of snapshots of actions that the log does not have.
  private var strayCount = 0
  /// The number of snapshots whose state differs from a digest in the log.
  private var wrongCount = 0
  private var marks = MarkList()
  /// Marks of revisions that the log does not have.
  private var strayMarks: [Mark] = []
  private var marksPath = ""
  /// The revisions whose states can be rebuilt.
  private var intactRevisions = 0...0
  /// The errors of unreadable files. The report on the records stays valid.
  private var unread: [LogError] = []

  /// Checks the snapshots and marks of a log.
  ///
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
    do throws(LogError) {
      snapshots = try SnapshotStore(at: path, fileSystem: fileSystem).examine(against: reader, intactThrough: intact)
      strayCount = snapshots.refusals.count { refusal in refusal.code == .otherHistory }
      wrongCount = snapshots.refusals.count { refusal in refusal.code == .otherState }
    } catch {
      unread.append(error)
    }
    do throws(LogError) {
      unread += try ProjectionFolder.obstacles(at: path, fileSystem: fileSystem)
      for folder in try ProjectionFolder.all(at: path, fileSystem: fileSystem) {
        projections.append((folder.name, try folder.snapshots.examine(against: reader, intactThrough: intact)))
      }
    } catch {
      unread.append(error)
    }
    do throws(LogError) {
      marks = try store.read()
      // After damage there may be later actions, and a live writer may have added some.
      let last = try reader.extent().lastRevision
      if report.verdict != .damaged { strayMarks = marks.marks.filter { mark in mark.revision > last } }
    } catch {
      unread.append(error)
    }
  }

  /// The snapshots of projections that would not be used.
  private var projectionRefusals: [SnapshotRefusal] { projections.flatMap(\.snapshots.refusals) }

  /// Whether there is no error.
  var isSound: Bool {
    snapshots.refusals.isEmpty && projectionRefusals.isEmpty && marks.flaws.isEmpty && strayMarks.isEmpty
      && unread.isEmpty
  }

  /// What has errors, and a verb: `2 snapshots and 1 mark are`.
  var summary: String {
    let (snapshots, marks) = (snapshots.refusals.count + projectionRefusals.count, marks.flaws.count + strayMarks.count)
    var parts = [(snapshots, "snapshot"), (marks, "mark")].filter { count, _ in count > 0 }.map { count, name in
      HumanText.count(count, name)
    }
    if !unread.isEmpty { parts.append(HumanText.count(unread.count, "unreadable file")) }
    return parts.joined(separator: " and ") + (snapshots + marks + unread.count == 1 ? " is" : " are")
  }

  /// The rows of the text report.
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

  /// The errors, a line each.
  var problems: [String] {
    (snapshots.refusals + projectionRefusals).map(\.description)
      + marks.flaws.map { flaw in "mark ignored: \(marksPath):\(flaw.line): \(flaw.message)" }
      + strayMarks.map { mark in
        "the mark '\(mark.name)' names revision \(mark.revision), which is not in the log:  \(marksPath)"
      } + unread.map(Self.text)
  }

  /// The snapshots that an interrupted pruning or redaction would have removed, a line each. They are no error: nothing uses them.
  var warnings: [String] { outdated.map(\.description) }

  /// The change that has not removed its snapshots yet: a noun with its article; `nil` if there is none.
  var unfinishedChange: String? {
    guard !outdated.isEmpty else { return nil }
    return outdated.contains { refusal in refusal.code == .redacted } ? "a redaction" : "a pruning"
  }

  private var outdated: [SnapshotRefusal] { snapshots.outdated + projections.flatMap(\.snapshots.outdated) }

  /// The text of an error, on one line.
  private static func text(_ error: LogError) -> String {
    error.path.map { path in "\(error.message): \(path)" } ?? error.message
  }

  /// Advice on the errors.
  func advice(tool: String, path: String) -> [String] {
    let path = ShellWord(path)
    var advice: [String] = []
    if strayCount > 0 {
      let what = strayCount == 1 ? "A snapshot was" : "\(HumanText.count(strayCount)) snapshots were"
      advice.append(
        "\(what) taken of actions that the log does not have: some are missing, or were replaced. "
          + "Keep it, and restore a backup.")
    }
    if wrongCount > 0 {
      advice.append(
        "Replays trust a snapshot with a valid checksum, whatever its state: move the wrong one away. "
          + "'\(tool) snapshot \(path)' then takes a new one, and '\(tool) replay \(path) --verify' compares all of them."
      )
    }
    let others = snapshots.refusals.filter { refusal in refusal.code != .otherHistory && refusal.code != .otherState }
    if let first = others.first {
      let (what, it) = others.count == 1 ? ("the snapshot", "it") : ("these snapshots", "them")
      let replaceable = others.first { refusal in
        refusal.code != .unreadable && intactRevisions.contains(refusal.revision)
      }
      let replacing = replaceable.map { refusal in
        " '\(tool) snapshot \(path) --at \(refusal.revision)' replaces \(others.count == 1 ? it : "one")."
      }
      advice.append(
        "The log does not depend on \(what), and replays ignore \(it)."
          + (replacing
            ?? (first.code == .unreadable ? " Make \(it) readable, or move \(it) away." : " Move \(it) away.")))
    }
    for (name, snapshots) in projections where !snapshots.refusals.isEmpty {
      advice.append(
        "Snapshots of a projection can be deleted; '\(tool) projections \(path) --rebuild \(ShellWord(name))' replaces them."
      )
    }
    if !outdated.isEmpty {
      let what = outdated.count == 1 ? "a snapshot" : "\(HumanText.count(outdated.count)) snapshots"
      var text =
        "A pruning or redaction was interrupted before it removed \(what). The next writer that opens the log completes it"
      if outdated.contains(where: { refusal in refusal.code == .redacted }) {
        text += "; '\(tool) redact \(path) --finish' does so now"
      }
      advice.append(text + ".")
    }
    if !marks.flaws.isEmpty {
      advice.append("'\(tool) mark \(path) --remove-damaged' removes unreadable lines of the marks.")
    }
    if !strayMarks.isEmpty { advice.append("'\(tool) mark \(path) --remove NAME' removes a mark.") }
    return advice + unread.compactMap(\.advice)
  }

  /// The members of the report for programs.
  var json: JSONObject {
    var object: JSONObject = [
      "snapshots": Self.json(snapshots),
      "marks": [
        "count": .integer(marks.marks.count),
        "problems": .array(
          marks.flaws.map { flaw in
            ["path": .string(marksPath), "line": .integer(flaw.line), "message": .string(flaw.message)]
          }
            + strayMarks.map { mark in
              ["name": .string(mark.name), "seq": .integer(mark.revision), "message": "the log has no such revision"]
            }),
      ],
      "unread": .array(unread.map { error in .string(Self.text(error)) }),
    ]
    if !projections.isEmpty {
      object["projections"] = .object(
        JSONObject(projections.map { name, snapshots in (name: name, value: Self.json(snapshots)) }))
    }
    return object
  }

  private static func json(_ snapshots: SnapshotExamination) -> JSONValue {
    var object: JSONObject = [
      "count": .integer(snapshots.count), "sound": .integer(snapshots.sound.count),
      "problems": .array(snapshots.refusals.map(json)),
    ]
    if !snapshots.outdated.isEmpty { object["outdated"] = .array(snapshots.outdated.map(json)) }
    return .object(object)
  }

  private static func json(_ refusal: SnapshotRefusal) -> JSONValue {
    [
      "seq": .integer(refusal.revision), "path": .string(refusal.path), "reason": .string(refusal.code.rawValue),
      "message": .string(refusal.message),
    ]
  }
}
