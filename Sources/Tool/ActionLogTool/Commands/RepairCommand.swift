import ActionLog
import JSONCoding
import TerminalUI
import TimeTravel

extension Command {
  static let repair = Command(
    "repair",
    group: .care,
    summary: "cut off what a crash left at the end of a log",
    details: """
      The next writer does the same by itself; repair is for handing a log to other readers. The torn bytes are kept in
      the log's directory quarantine/. Damage is never cut: see 'salvage'. On a terminal it asks before it changes
      anything; elsewhere it needs --yes. The status is 1 when the log is damaged elsewhere.
      """,
    examples: [
      .init("repair my-log --dry-run", "what would be done?"),
      .init("repair my-log --yes", "do it"),
    ],
    arguments: [.wholeLog],
    options: [RepairCommand.dryRun, RepairCommand.yes],
    blocking: { context in try RepairCommand(context: context).run() }
  )
}

/// `repair`: looks first, asks, then does it.
private struct RepairCommand {
  static let dryRun = CommandOption.flag("dry-run", letter: "n", "say what would be done, and change nothing")
  static let yes = CommandOption.flag("yes", letter: "y", "do it without asking")

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
      guard try context.confirm("Do it?", orGive: Self.yes) else { return .negative }
    }
    try print(try repair(path, dryRun: false), path: path)
    return .success
  }

  /// Only the end of a log is read for repair; that there is nothing to cut does not say that all is well.
  private func lookForDamage(_ path: String) throws -> ExitStatus {
    let progress = context.progress("verifying", unit: .bytes)
    let report = try LogVerifier.verify(path, fileSystem: context.files) { done, total in
      // A terminal that went away is noticed when the report is printed.
      do { try progress.update(done: done, total: total) } catch {}
    }
    try progress.finish()
    guard report.verdict == .damaged, let problem = report.problems.first else { return .success }
    let name = TerminalText.escaping(path)
    try context.warn("damaged before its end, which is never cut: \(problem.description)")
    try context.note("'\(context.tool.name) salvage \(name) NEW' saves what is good of it.")
    return .negative
  }

  private func repair(_ path: String, dryRun: Bool) throws -> RepairReport {
    try LogRepair.repair(
      path, fileSystem: context.files, environment: context.environment.logEnvironment, dryRun: dryRun)
  }

  private func print(_ report: RepairReport, path: String) throws {
    if context.isJSON {
      try context.output.json([
        "path": .string(path), "isNeeded": .bool(report.isNeeded), "isDryRun": .bool(report.isDryRun),
        "lastSeq": .integer(report.lastSeq), "cutBytes": .integer(report.cutBytes),
        "quarantineFile": report.quarantineFile.map(JSONValue.string) ?? .null,
        "removedFiles": .array(report.removedFiles.map(JSONValue.string)),
      ])
      return
    }
    let name = TerminalText.escaping(path)
    guard report.isNeeded else {
      try context.output.line("\(name): nothing to cut off at the end")
      return
    }
    let would = report.isDryRun ? "would be " : "were "
    if report.cutBytes > 0 {
      let kept = report.quarantineFile.map { file in ", and are kept in \(TerminalText.escaping(file))" } ?? ""
      let bytes = HumanText.count(report.cutBytes, "byte")
      try context.output.line("\(name): \(bytes) \(would)cut off behind revision \(report.lastSeq)\(kept)")
    }
    for file in report.removedFiles {
      try context.output.line(
        "\(name): \(TerminalText.escaping(file)) \(report.isDryRun ? "would be " : "was ")removed")
    }
  }
}

extension CommandContext {
  /// Asks the person at the terminal.
  ///
  /// - Throws: A usage error that names the option when there is nobody to ask.
  func confirm(_ question: String, orGive option: CommandOption) throws -> Bool {
    guard environment.inputIsTerminal, !isJSON else {
      throw ToolFailure.usage("nothing was changed: there is no terminal to ask at", advice: "Give --\(option.name).")
    }
    try output.flush()
    try messages.write(Array("\(question) [y/N] ".utf8))
    var lines = LineReader(environment.standardInput, stop: environment.stop)
    guard case .bytes(let bytes)? = try lines.next()?.first else { return false }
    return ["y", "yes"].contains(String(decoding: bytes, as: UTF8.self).lowercased())
  }
}
