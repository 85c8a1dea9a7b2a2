import ActionLog
import EventSourcing
import JSONCoding
import TerminalUI
import TimeTravel

extension Command {
  static let freeze = Command(
    "freeze",
    group: .care,
    summary: "continue in a new log from the state that users saw, after a change of the reducer",
    details: """
      If a digest shows that the current reducer folds another state than the former one, the state is taken from the newest
      snapshot that matches a digest, and the actions after it are folded on that state. If no digest differs, or the newest one
      matches the current reducer, the state is the fold. The new log begins with that state and names the old log as its parent.
      The old log is not changed.
      If a digest differs and no matching snapshot is left, no log is created, and the error names the revisions that can be frozen.
      """,
    examples: [
      .init("freeze my-log my-next-log", "freeze the last state"),
      .init("freeze my-log my-next-log --at 100", "freeze an earlier one"),
    ],
    arguments: [.wholeLog, CommandArgument("NEW", "the directory of the new log")],
    options: [FreezeCommand.at, .model],
    blocking: { context in try FreezeCommand(context: context).run() }
  )
}

/// `freeze`: creates the new log and prints the report.
private struct FreezeCommand {
  static let at = CommandOption.value("at", letter: "a", "POINT", "the point to freeze (default: the end)")

  let context: CommandContext

  func run() throws -> ExitStatus {
    let history = try context.openHistory()
    let target = try context.logPath(1)
    let revision = try context.revision(of: Self.at, in: history.reader)
    let report = try history.freezeBase(
      into: target, at: revision,
      configuration: LogConfiguration(environment: context.environment.logEnvironment))
    let last = report.startRevision + report.actionsFolded
    if context.isJSON {
      try context.output.json([
        "path": .string(target), "parentPath": .string(history.reader.path), "revision": .integer(last),
        "frozenRevision": report.frozenRevision.map(JSONValue.integer) ?? .null,
        "actionsFolded": .integer(report.actionsFolded),
      ])
    } else {
      let origin = report.frozenRevision.map { frozen in
        "the recorded state of revision \(frozen), with \(HumanText.count(last - frozen, "action")) folded on it"
      }
      try context.output.line(
        context.output.style.bold(TerminalText.escaping(target)) + ": begins with revision \(last) of "
          + TerminalText.escaping(history.reader.path) + ", " + (origin ?? "the fold, because no digest differs"))
    }
    return .success
  }
}
