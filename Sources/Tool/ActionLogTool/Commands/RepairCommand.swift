import ActionLog
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
    options: [RepairCommand.dryRun, RepairCommand.yes],
    schema: RepairCommand.shape.schema,
    blocking: { context in try RepairCommand(context: context).run() }
  )
}

/// `repair`: plans the repair, asks, and performs it.
private struct RepairCommand {
  static let dryRun = CommandOption.flag("dry-run", "show what would be done, and change nothing")
  static let yes = CommandOption.flag("yes", letter: "y", "repair without asking")

  static let shape = AnswerShape<(path: String, report: RepairReport)>.object(
    "One object: what was truncated, or with --dry-run would be.",
    [
      .member("path", .file, \.path), .member("isNeeded", .flag, \.report.isNeeded),
      .member("isDryRun", .flag, \.report.isDryRun), .member("lastSeq", .revision, \.report.lastRevision),
      .member("cutBytes", .count, \.report.truncatedBytes),
      .nullable("quarantineFile", .file, \.report.quarantineFile),
      .member("removedFiles", .array(of: .file), \.report.removedFiles),
    ])

  let context: CommandContext

  func run() throws -> ExitStatus {
    let path = try context.logPath()
    let plan = try repair(path, dryRun: true)
    if !plan.isNeeded || context.arguments.has(Self.dryRun) {
      try print(plan, path: path)
      return plan.isNeeded ? .success : try lookForDamage(path)
    }
    if !context.arguments.has(Self.yes) {
      try print(plan, path: path)
      guard try context.confirm("Repair the log?", orGive: Self.yes) else { return .negative }
    }
    try print(try repair(path, dryRun: false), path: path)
    return .success
  }

  /// Verifies the log: repair reads only its end, so a log with nothing to truncate may still be damaged.
  private func lookForDamage(_ path: String) throws -> ExitStatus {
    let progress = context.progress("verifying", unit: .bytes)
    let report = try LogVerifier.verify(at: path, fileSystem: context.files) { done, total in
      // A closed terminal is noticed when the report is printed.
      do { try progress.update(done: done, total: total) } catch {}
    }
    try progress.finish()
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
    let name = TerminalText.escaping(path)
    guard report.isNeeded else {
      try context.output.line("\(name): nothing to truncate at the end")
      return
    }
    let would = report.isDryRun ? "would be " : "were "
    if report.truncatedBytes > 0 {
      let kept = report.quarantineFile.map { file in ", and are kept in \(TerminalText.escaping(file))" } ?? ""
      let bytes = HumanText.count(report.truncatedBytes, "byte")
      try context.output.line("\(name): \(bytes) \(would)truncated after revision \(report.lastRevision)\(kept)")
    }
    for file in report.removedFiles {
      try context.output.line(
        "\(name): \(TerminalText.escaping(file)) \(report.isDryRun ? "would be " : "was ")removed")
    }
  }
}

extension CommandContext {
  /// Asks the user at the terminal.
  ///
  /// - Throws: A usage error that names the option if there is no terminal.
  func confirm(_ question: String, orGive option: CommandOption) throws -> Bool {
    guard environment.inputIsTerminal, !isJSON else {
      throw ToolFailure.usage(
        "nothing was changed: there is no terminal for the question", advice: "Give --\(option.name).")
    }
    try output.flush()
    try messages.write(Array("\(question) [y/N] ".utf8))
    var lines = LineReader(environment.standardInput, stop: environment.stop)
    guard case .bytes(let bytes)? = try lines.next()?.first else { return false }
    return ["y", "yes"].contains(String(decoding: bytes, as: UTF8.self).lowercased())
  }
}
