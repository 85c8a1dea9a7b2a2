import ActionLog
import JSONCoding
import TextDisplay
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
