import ActionLog
import JSONCoding
import TerminalUI
import TimeTravel

extension Command {
  static let backup = Command(
    "backup",
    group: .care,
    summary: "copy a log, also while it is written to",
    details: """
      HEAD is copied first, then snapshots and segments, so that the copy holds everything that was known durable when
      the copying began. An unfinished line at the end and the quarantine are left out, and so are HEAD, marks and snapshots
      that cannot be read: each is named. Damage is copied as it is. Every byte of the copy is read again and verified; the status
      is 1 when not all of it checks, or when more than snapshots was left out. The copy is kept then, too.
      """,
    examples: [.init("backup my-log /backup/my-log-monday", "a copy that opens like the original")],
    arguments: [.wholeLog, CommandArgument("DEST", "the directory of the copy; nothing may lie there")],
    blocking: { context in try BackupCommand(context: context).run() }
  )
}

/// `backup`: the engine's, and its report.
private struct BackupCommand {
  let context: CommandContext

  func run() throws -> ExitStatus {
    let source = try context.logPath()
    let target = try context.logPath(1)
    let report = try LogBackup.backup(source, to: target, fileSystem: context.files)
    let beside = BesideLog(target, report.verification, context.files)
    if context.isJSON {
      try context.output.json(json(report, beside, target))
    } else {
      let files = HumanText.count(report.files.count, "file")
      try context.output.line("\(TerminalText.escaping(target)): \(files), \(HumanText.bytes(report.sizeBytes))")
    }
    if report.unfinishedBytes > 0 {
      try context.note(
        "\(HumanText.count(report.unfinishedBytes, "byte")) at the end were no whole line and were left out")
    }
    for file in report.leftOut {
      try context.warn("\(source)/\(file.path) was left out of the copy: \(file.message)")
    }
    let isSound = report.verification.verdict == .clean && beside.isSound
    if !isSound { try complain(report.verification, beside, target) }
    let isWhole = report.leftOut.allSatisfy { file in file.path.hasPrefix(LogFormat.snapshotsName) }
    return isSound && isWhole ? .success : .negative
  }

  /// Says what is wrong with the copy, in the words of `verify`.
  private func complain(_ report: LogReport, _ beside: BesideLog, _ target: String) throws {
    let page = ReportPage(report, beside, path: target, style: context.output.style)
    if !context.isJSON { try context.output.lines(page.lines) }
    let first = (report.problems.map(\.description) + beside.problems).first.map { text in ": " + text } ?? ""
    try context.warn(
      "the copy is kept, but not all of it checks\(first). If '\(context.tool.name) verify' says the same of the log, it was copied with "
        + "what is wrong with it; if not, copy it again")
  }

  private func json(_ report: BackupReport, _ beside: BesideLog, _ target: String) -> JSONValue {
    var verification = report.verification.json(path: target)
    for (name, value) in beside.json { verification[name] = value }
    return [
      "path": .string(target), "files": .array(report.files.map(JSONValue.string)),
      "bytes": .integer(report.sizeBytes), "unfinishedBytes": .integer(report.unfinishedBytes),
      "leftOut": .array(
        report.leftOut.map { file in ["path": .string(file.path), "message": .string(file.message)] }),
      "verification": .object(verification),
    ]
  }
}
