import ActionLog
import EventSourcing
import JSONCoding
import TerminalUI
import TimeTravel

extension Command {
  static let freeze = Command(
    "freeze",
    group: .care,
    summary: "go on from what people saw, in a new log, after the reducer was changed",
    details: """
      When a digest shows that the reducer of now folds another state than the one of then, the state of then is taken from
      the newest snapshot that a digest proves, and the actions behind it are folded on it; where the newest digest of all
      agrees with the reducer of now, it is the fold. The new log begins with that state and names the old one as its parent. The old log is not touched. Where no digest differs, the state is the fold.
      Where no snapshot of then is left and a digest denies the state, nothing is made, and the error says what can be frozen.
      """,
    examples: [
      .init("freeze my-log my-next-log", "of the end"),
      .init("freeze my-log my-next-log --at 100", "of an earlier point"),
    ],
    arguments: [.wholeLog, CommandArgument("NEW", "the directory of the new log")],
    options: [FreezeCommand.at, .model],
    blocking: { context in try FreezeCommand(context: context).run() }
  )
}

/// `freeze`: the engine's, and its report.
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
        "the state that was recorded at revision \(frozen), and \(HumanText.count(last - frozen, "action")) folded on it"
      }
      try context.output.line(
        context.output.style.bold(TerminalText.escaping(target)) + ": begins with revision \(last) of "
          + TerminalText.escaping(history.reader.path) + ", " + (origin ?? "the fold, since no digest differs"))
    }
    return .success
  }
}
