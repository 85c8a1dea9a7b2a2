import ActionLog
import ActionLogMaintenance
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
    schema: Backup.shape.schema,
    blocking: Backup.run
  )
}

extension CommandContext {
  func warn(of leftOut: [BackupReport.LeftOut], in source: String) throws {
    for file in leftOut { try warn("\(source)/\(file.path) was left out of the copy: \(file.message)") }
  }
}

private struct Backup {
  let report: BackupReport
  let verification: LogVerification

  static let shape = AnswerShape<Backup>.object(
    "One object: the copy, and its verification.",
    [
      .member("path", .file, \.verification.path), .member("files", .files, \.report.files),
      .member("bytes", .count, \.report.sizeBytes), .member("unfinishedBytes", .count, \.report.unfinishedBytes),
      .member("leftOut", .array(of: .leftOut), \.report.leftOut),
      .member("verification", .verification, \.verification),
    ])

  static func run(_ context: CommandContext) throws -> ExitStatus {
    let (source, target) = try (context.logPath(), context.logPath(1))
    context.onInterruption(
      "DEST exists only if it is complete, and LOG was not changed. Otherwise give the same command again.")
    context.begin("copying")
    let report = try LogBackup.backup(at: source, to: target, fileSystem: context.files)
    let backup = Backup(
      report: report, verification: LogVerification(target, report.verification, context.files))
    try context.answer(backup, shape) {
      let files = HumanText.count(report.files.count, "file")
      try context.output.line(of: target, "\(files), \(HumanText.bytes(report.sizeBytes))")
    }
    if report.unfinishedBytes > 0 {
      try context.note(
        "left out \(HumanText.count(report.unfinishedBytes, "byte")) of an incomplete line at the end")
    }
    try context.warn(of: report.leftOut, in: source)
    if !backup.verification.isSound { try backup.printErrors(context) }
    return report.leftOut.contains(where: \.isNeeded) ? .negative : backup.verification.status
  }

  private func printErrors(_ context: CommandContext) throws {
    if !context.isJSON { try context.output.lines(VerificationPage(verification, context).lines) }
    let first = verification.problems.first.map { text in ": " + text } ?? ""
    try context.warn(
      "the copy is kept, but it has errors\(first). If '\(context.tool.name) verify' reports the same for the log, the errors were "
        + "copied; if not, copy it again")
  }
}

extension AnswerShape<BackupReport.LeftOut> {
  fileprivate static let leftOut = object([.member("path", .file, \.path), .member("message", .text, \.message)])
}
