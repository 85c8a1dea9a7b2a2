import ActionLog
import ActionLogMaintenance
import JSONCoding
import TerminalUI
import TimeTravel

extension Command {
  static let repair = Command(
    "repair",
    group: .care,
    summary: "truncate what a crash left at the end of a log",
    details: """
      The next writer repairs a log by itself; the command is for a log that is passed on to other readers. The torn bytes are
      kept in the log's directory quarantine/. Damage is never truncated: see 'salvage'. On a terminal the command asks before it
      changes anything; elsewhere it needs --yes. The status is 1 if the log is damaged elsewhere.
      """,
    examples: [
      .init("repair my-log --dry-run", "show what would be done"),
      .init("repair my-log --yes", "repair the log"),
    ],
    arguments: [.wholeLog],
    options: [.dryRun, .yes],
    schema: RepairCommand.shape.schema,
    blocking: { context in try RepairCommand(context: context).run() }
  )
}

private struct RepairCommand {
  static let shape = AnswerShape<(path: String, report: RepairReport)>.object(
    "One object: what was truncated, or with --dry-run would be.",
    [
      .member("path", .file, \.path), .member("isNeeded", .flag, \.report.isNeeded),
      .member("isDryRun", .flag, \.report.isDryRun), .member("lastSeq", .revision, \.report.lastRevision),
      .member("cutBytes", .count, \.report.truncatedBytes),
      .nullable("quarantineFile", .file, \.report.quarantineFile),
      .member("removedFiles", .files, \.report.removedFiles),
    ])

  let context: CommandContext

  func run() throws -> ExitStatus {
    let path = try context.logPath()
    let plan = try repair(path, dryRun: true)
    let isDone = !plan.isNeeded || context.isDryRun
    if isDone || !context.arguments.has(.yes) { try print(plan, path: path) }
    if isDone { return plan.isNeeded ? .success : try lookForDamage(path) }
    guard try context.confirm("Repair the log?") else { return .negative }
    try print(try repair(path, dryRun: false), path: path)
    return .success
  }

  /// Verifies the log: repair reads only its end, so a log with nothing to truncate may still be damaged.
  private func lookForDamage(_ path: String) throws -> ExitStatus {
    let report = try context.showing("verifying") { progress in
      try LogVerifier.verify(at: path, fileSystem: context.files, progress: progress)
    }
    guard report.verdict == .damaged, let problem = report.problems.first else { return .success }
    let name = TerminalText.escaping(path)
    try context.warn("damaged before its end, which is never truncated: \(problem.description)")
    try context.note("'\(context.tool.name) salvage \(name) NEW' saves the intact actions.")
    return .negative
  }

  private func repair(_ path: String, dryRun: Bool) throws -> RepairReport {
    try LogRepair.repair(
      at: path, fileSystem: context.files, environment: context.environment.logEnvironment, dryRun: dryRun)
  }

  private func print(_ report: RepairReport, path: String) throws {
    try context.answer((path, report), Self.shape) { try printText(report, path) }
  }

  private func printText(_ report: RepairReport, _ path: String) throws {
    guard report.isNeeded else { return try context.output.line(of: path, "nothing to truncate at the end") }
    let would = report.isDryRun ? "would be " : "were "
    if report.truncatedBytes > 0 {
      let kept = report.quarantineFile.map { file in ", and are kept in \(TerminalText.escaping(file))" } ?? ""
      let bytes = HumanText.count(report.truncatedBytes, "byte")
      try context.output.line(of: path, "\(bytes) \(would)truncated after revision \(report.lastRevision)\(kept)")
    }
    for file in report.removedFiles {
      try context.output.line(
        of: path, "\(TerminalText.escaping(file)) \(report.isDryRun ? "would be " : "was ")removed")
    }
  }
}
