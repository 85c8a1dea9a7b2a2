import ActionLog
import EventSourcing
import JSONCoding
import TerminalUI
import TimeTravel

/// The report of `verify` for people.
struct ReportPage {
  /// What a screen holds; `--json` has all.
  private static let problemLimit = 20
  /// What a line holds; `--json` has all.
  private static let schemaLimit = 5

  let lines: [String]

  init(_ report: LogReport, _ beside: BesideLog, path: String, style: Style) {
    let verdict =
      switch report.verdict {
      case .clean: style.green("clean")
      case .torn: style.yellow("torn tail")
      case .damaged: style.red("damaged")
      }
    var lines = [style.bold(TerminalText.escaping(path)) + ": " + verdict]
    lines += Self.facts(report, beside).lines(indent: 2)
    lines += Self.list(report.problems, more: report.unlistedProblemCount, mark: style.red("  ! "))
    lines += Self.list(report.warnings, more: 0, mark: style.yellow("  - "))
    lines += Self.list(beside.problems, more: 0, mark: style.red("  ! "))
    self.lines = lines
  }

  private static func facts(_ report: LogReport, _ beside: BesideLog) -> TextTable {
    var table = TextTable([.left, .left])
    if let header = report.header {
      table.append(["model", "\(TerminalText.escaping(header.model)), \(schemas(report, header))"])
    }
    let revisions = report.lastSeq > 0 ? ", intact up to revision \(report.lastSeq)" : ""
    table.append(["actions", HumanText.count(report.actionCount) + revisions])
    table.append(["records", HumanText.count(report.recordCount)])
    table.append([
      "size", "\(HumanText.bytes(report.sizeBytes)) in \(HumanText.count(report.segments.count, "segment"))",
    ])
    table.append(["end", end(report)])
    for row in beside.rows { table.append(row) }
    return table
  }

  /// The schemas of the actions, each with its revisions when there are several.
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
    case .clean: report.isClosed ? "closed" : "open: a writer is at work, or died without closing it"
    case .torn: "torn: \(HumanText.count(report.tornBytes, "byte")) that are no whole line"
    case .damaged: report.isClosed ? "closed" : "behind damage"
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
  /// The report for programs.
  func json(path: String) -> JSONObject {
    var object: JSONObject = [
      "path": .string(path), "verdict": .string(verdict.rawValue), "log": header.map { .string($0.log) } ?? .null,
      "model": header.map { .string($0.model) } ?? .null, "lastSeq": .integer(lastSeq),
      "actions": .integer(actionCount),
      "records": .integer(recordCount), "bytes": .integer(sizeBytes), "isClosed": .bool(isClosed),
      "tornBytes": .integer(tornBytes),
    ]
    object["schemas"] = .array(
      schemas.map { range in
        [
          "schema": .integer(range.schema), "first": .integer(range.revisions.lowerBound),
          "last": .integer(range.revisions.upperBound),
        ]
      })
    object["segments"] = .array(
      segments.map { segment in
        [
          "path": .string(segment.path), "first": .integer(segment.first), "bytes": .integer(segment.sizeBytes),
          "records": .integer(segment.recordCount), "actions": .integer(segment.actionCount),
        ]
      })
    object["problems"] = .array(problems.map(\.json))
    object["warnings"] = .array(warnings.map(\.json))
    if unlistedProblemCount > 0 { object["unlistedProblems"] = .integer(unlistedProblemCount) }
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
    object["seq"] = seq.map(JSONValue.integer)
    return .object(object)
  }
}

/// What lies in a log's directory beside its records and was checked against them: snapshots and marks.
struct BesideLog {
  private var snapshots = SnapshotExamination()
  /// Snapshots of actions that the log does not have.
  private var strayCount = 0
  /// Snapshots of other states than those whose digests are in the log.
  private var wrongCount = 0
  private var marks = MarkList()
  /// Marks of revisions that the log does not have.
  private var strayMarks: [Mark] = []
  private var marksPath = ""
  /// What could not be looked at, and why. What is known of the records stands all the same.
  private var unread: [LogError] = []

  /// Looks at what lies beside a log.
  ///
  /// Nothing lies beside a single file, and nothing can be compared with a log whose first line is damaged.
  init(_ path: String, _ report: LogReport, _ fileSystem: any LogFileSystem) {
    guard report.header != nil, report.segments.first?.path != path else { return }
    defer {
      // What was said of the records need not be said again.
      unread.removeAll { error in
        report.problems.contains { problem in problem.message == error.message && problem.path == error.path }
      }
    }
    let store = MarkStore(log: path, fileSystem: fileSystem)
    marksPath = store.path
    let reader: LogReader
    do throws(LogError) { reader = try LogReader.open(path, fileSystem: fileSystem) } catch {
      if error.code != .damaged { unread.append(error) }
      return
    }
    do throws(LogError) {
      snapshots = try SnapshotStore(log: path, fileSystem: fileSystem).examine(against: reader)
      strayCount = snapshots.refusals.count { refusal in refusal.reason == .otherHistory }
      wrongCount = snapshots.refusals.count { refusal in refusal.reason == .otherState }
    } catch {
      unread.append(error)
    }
    do throws(LogError) {
      marks = try store.read()
      // Behind damage there may be more; and a live writer has perhaps gone on.
      let last = try reader.extent().lastSeq
      if report.verdict != .damaged { strayMarks = marks.marks.filter { mark in mark.revision > last } }
    } catch {
      unread.append(error)
    }
  }

  /// Whether all of it checks.
  var isSound: Bool { snapshots.refusals.isEmpty && marks.flaws.isEmpty && strayMarks.isEmpty && unread.isEmpty }

  /// Rows of the page, for what there is.
  var rows: [[String]] {
    var rows: [[String]] = []
    if snapshots.count > 0 {
      let behind =
        snapshots.unreachable.isEmpty ? "" : ", \(HumanText.count(snapshots.unreachable.count)) behind the damage"
      rows.append([
        "snapshots",
        "\(HumanText.count(snapshots.sound.count)) of \(HumanText.count(snapshots.count)) fit the log\(behind)",
      ])
    }
    let lines = marks.marks.count + marks.flaws.count
    if lines > 0 { rows.append(["marks", HumanText.count(marks.marks.count)]) }
    return rows
  }

  /// What does not check, in a line each.
  var problems: [String] {
    snapshots.refusals.map(\.description)
      + marks.flaws.map { flaw in "mark passed over: \(marksPath):\(flaw.line): \(flaw.message)" }
      + strayMarks.map { mark in
        "the mark '\(mark.name)' names revision \(mark.revision), which is not in the log: \(marksPath)"
      } + unread.map(Self.text)
  }

  /// What could not be looked at, in a line.
  private static func text(_ error: LogError) -> String {
    error.path.map { path in "\(error.message): \(path)" } ?? error.message
  }

  /// What to do about it, for people.
  func advice(tool: String, path: String) -> [String] {
    let path = ShellWord(path)
    var advice: [String] = []
    if strayCount > 0 {
      let what = strayCount == 1 ? "A snapshot was" : "\(HumanText.count(strayCount)) snapshots were"
      advice.append(
        "\(what) taken of actions that the log does not hold: evidence that some are missing, or were replaced. "
          + "Keep it, and look for a backup.")
    }
    if wrongCount > 0 {
      advice.append(
        "Replays believe a snapshot whose checksum is right, whatever state it holds: move the wrong one away. "
          + "'\(tool) snapshot \(path)' takes a new one then, and '\(tool) replay \(path) --verify' compares all of them."
      )
    }
    if snapshots.refusals.count > strayCount + wrongCount {
      advice.append(
        "What is wrong with \(strayCount + wrongCount > 0 ? "the other snapshots" : "a snapshot") is not wrong with the log, and "
          + "replays pass it over; '\(tool) snapshot \(path)' takes a new one.")
    }
    if !marks.flaws.isEmpty {
      advice.append("'\(tool) mark \(path) --remove-damaged' takes out what cannot be read of the marks.")
    }
    if !strayMarks.isEmpty { advice.append("'\(tool) mark \(path) --remove NAME' takes a mark away.") }
    return advice
  }

  /// The members of the report for programs.
  var json: JSONObject {
    [
      "snapshots": [
        "count": .integer(snapshots.count), "sound": .integer(snapshots.sound.count),
        "problems": .array(
          snapshots.refusals.map { refusal in
            [
              "seq": .integer(refusal.revision), "path": .string(refusal.path),
              "reason": .string(refusal.reason.rawValue),
              "message": .string(refusal.message),
            ]
          }),
      ],
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
  }
}
