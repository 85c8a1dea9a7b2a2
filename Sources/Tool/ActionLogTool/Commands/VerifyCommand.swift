import ActionLog
import JSONCoding
import TerminalUI
import TimeTravel

extension Command {
  static let verify = Command(
    "verify",
    group: .care,
    summary: "read every byte, and say what is wrong and where",
    details: """
      Nothing is changed and no lock is taken. Records are checked first, then the snapshots and marks beside them, which the log
      does not depend on. The status is 0 when everything checks, 1 for a torn tail, damage, or what cannot be read, wherever it is.
      HEAD is a hint and no record: one that does not match the log is noted, and does not change the status.
      \(CommandContext.manyLogsForm) Each log gets one line of JSON.
      """,
    examples: [
      .init("verify my-log", "is it whole?"),
      .init("verify - < paths.txt", "many logs, one line of JSON for each"),
    ],
    arguments: [.readLogs],
    blocking: { context in try VerifyCommand(context: context).run() }
  )
}

/// `verify`: the engine's report, laid out.
private struct VerifyCommand {
  let context: CommandContext

  func run() throws -> ExitStatus {
    if context.isForManyLogs {
      return try context.forEachPath { path in
        let report = try self.report(path)
        let beside = BesideLog(path, report, context.files)
        try context.output.json(json(report, beside, path))
        return report.verdict == .clean && beside.isSound ? .success : .negative
      }
    }
    let path = try context.logPath()
    let report = try report(path)
    let beside = BesideLog(path, report, context.files)
    if context.isJSON {
      try context.output.json(json(report, beside, path))
    } else {
      try context.output.lines(ReportPage(report, beside, path: path, style: context.output.style).lines)
      try advise(on: report, path: path)
      for advice in beside.advice(tool: context.tool.name, path: path) { try context.note(advice) }
    }
    return report.verdict == .clean && beside.isSound ? .success : .negative
  }

  private func json(_ report: LogReport, _ beside: BesideLog, _ path: String) -> JSONValue {
    var object = report.json(path: path)
    for (name, value) in beside.json { object[name] = value }
    return .object(object)
  }

  private func report(_ path: String) throws -> LogReport {
    let progress = context.progress("verifying", unit: .bytes)
    let report = try LogVerifier.verify(path, fileSystem: context.files) { done, total in
      // A terminal that went away is noticed when the report is printed.
      do { try progress.update(done: done, total: total) } catch {}
    }
    try progress.finish()
    guard !isForeign(report, path: path) else {
      throw LogError(
        .notALog, "the file is not named like a segment and does not begin like one", path: path)
    }
    return report
  }

  /// Whether a single file has neither the name nor the beginning of a segment. What a log's directory holds under the
  /// name of a segment is a segment, however damaged.
  private func isForeign(_ report: LogReport, path: String) -> Bool {
    guard report.header == nil, report.segments.count == 1, report.segments.first?.path == path else { return false }
    let name = path.split(separator: "/").last ?? ""
    return SegmentName.first(of: String(name)) == nil
  }

  /// Whether `HEAD` was there to say how far the log was durable: it is no part of a single segment.
  private func hasEvidence(_ report: LogReport, path: String) -> Bool {
    guard report.segments.first?.path != path else { return false }
    return !report.warnings.contains { warning in warning.kind == .missingHead || warning.kind == .unreadableHead }
  }

  private func advise(on report: LogReport, path: String) throws {
    let shown = TerminalText.escaping(path)
    switch report.verdict {
    case .clean: break
    case .torn:
      try context.note(
        (hasEvidence(report, path: path)
          ? "Nothing that was synchronised is lost."
          : "Without HEAD nothing tells whether what was cut off had been acknowledged.")
          + " The next writer cuts the tail off; '\(context.tool.name) repair \(shown)' does so now.")
    case .damaged where report.problems.allSatisfy { problem in problem.kind == .inaccessibleHead }:
      try context.note(
        "Every record checks. HEAD says how far the log is durable, and no writer goes on without knowing; readers do. "
          + "Let it be a file that can be read, or, if it is lost, move it away: nothing tells then whether the end is missing."
      )
    case .damaged where report.lastSeq == 0:
      try context.note(
        "No action before the damage can be rebuilt. '\(context.tool.name) salvage \(shown) NEW' makes a new log of what is "
          + "good behind it, if anything is.")
    case .damaged:
      try context.note(
        "Actions 1…\(report.lastSeq) are intact; the log opens for reading up to there. "
          + "'\(context.tool.name) salvage \(shown) NEW' makes a new log of them.")
    }
  }
}

extension ExitStatus: Comparable {
  package static func < (left: ExitStatus, right: ExitStatus) -> Bool { left.rawValue < right.rawValue }
}
