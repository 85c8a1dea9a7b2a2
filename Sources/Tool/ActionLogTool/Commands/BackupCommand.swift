import ActionLog
import JSONCoding
import TerminalUI
import TimeTravel

extension Command {
  static let backup = Command(
    "backup",
    group: .care,
    summary: "copy a log, also while it is being written",
    details: """
      HEAD is copied first, then proofs, snapshots, subscriptions and segments, so that the copy has everything that was known to be
      durable at the start, and every line that its checkpoints cover. An incomplete last line and the quarantine are left out, and
      so are unreadable snapshots, positions, proofs, marks and HEAD, and snapshots from before a redaction, which are listed. If
      values are redacted during the copy, their segments are copied again. Projections are rebuilt from the copy and not copied.
      Damage is copied unchanged. Every byte of the copy is read again and verified. The status is 1 if the copy has an error, or if
      anything but snapshots and a malformed HEAD was left out; the copy is kept.
      """,
    examples: [.init("backup my-log /backup/my-log-monday", "a copy that opens like the original")],
    arguments: [.wholeLog, CommandArgument("DEST", "the directory of the copy, which must not exist")],
    blocking: { context in try context.countingBytes { context in try BackupCommand(context: context).run() } }
  )
}

extension CommandContext {
  /// Warns of files that were left out of a copy.
  func warn(of leftOut: [BackupReport.LeftOut], in source: String) throws {
    for file in leftOut { try warn("\(source)/\(file.path) was left out of the copy: \(file.message)") }
  }
}

/// `backup`: copies the log and prints the report.
private struct BackupCommand {
  let context: CommandContext

  func run() throws -> ExitStatus {
    let source = try context.logPath()
    let target = try context.logPath(1)
    context.onInterruption(
      "DEST exists only if it is complete, and LOG was not changed. Otherwise give the same command again.")
    context.showBytes("copying")
    let report = try LogBackup.backup(at: source, to: target, fileSystem: context.files)
    let sideFiles = SideFileReport(target, report.verification, context.files)
    if context.isJSON {
      try context.output.json(json(report, sideFiles, target))
    } else {
      let files = HumanText.count(report.files.count, "file")
      try context.output.line("\(TerminalText.escaping(target)): \(files), \(HumanText.bytes(report.sizeBytes))")
    }
    if report.unfinishedBytes > 0 {
      try context.note(
        "left out \(HumanText.count(report.unfinishedBytes, "byte")) of an incomplete line at the end")
    }
    try context.warn(of: report.leftOut, in: source)
    let isSound = report.verification.verdict == .clean && sideFiles.isSound
    if !isSound { try printErrors(report.verification, sideFiles, target) }
    return isSound && !report.leftOut.contains(where: \.isNeeded) ? .success : .negative
  }

  /// Prints the errors of the copy in the form of `verify`.
  private func printErrors(_ report: LogReport, _ sideFiles: SideFileReport, _ target: String) throws {
    let page = VerificationPage(report, sideFiles, path: target, style: context.output.style)
    if !context.isJSON { try context.output.lines(page.lines) }
    let first = (report.problems.map(\.description) + sideFiles.problems).first.map { text in ": " + text } ?? ""
    try context.warn(
      "the copy is kept, but it has errors\(first). If '\(context.tool.name) verify' reports the same for the log, the errors were "
        + "copied; if not, copy it again")
  }

  private func json(_ report: BackupReport, _ sideFiles: SideFileReport, _ target: String) -> JSONValue {
    var verification = report.verification.json(path: target)
    for (name, value) in sideFiles.json { verification[name] = value }
    return [
      "path": .string(target), "files": .array(report.files.map(JSONValue.string)),
      "bytes": .integer(report.sizeBytes), "unfinishedBytes": .integer(report.unfinishedBytes),
      "leftOut": .array(
        report.leftOut.map { file in ["path": .string(file.path), "message": .string(file.message)] }),
      "verification": .object(verification),
    ]
  }
}
