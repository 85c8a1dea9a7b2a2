import ActionLog
import EventSourcing
import JSONCoding
import TerminalUI
import TimeTravel

extension Command {
  static let branch = Command(
    "branch",
    group: .care,
    summary: "continue in a new log, from the state that users saw or from a changed history",
    details: """
      The new log names the old one as its parent. The old log is not changed.
      Without a change, the new log begins with the state at --at. If a digest shows that the current reducer folds another state than
      the former one, it is the state that users saw: it is taken from the newest snapshot that matches a digest, and the actions after
      it are folded on that state. If no digest differs, or the newest one matches the current reducer, the state is the fold. If a digest
      differs and no matching snapshot is left, no log is created, and the error names the revisions to begin with.
      With an edit, --with or --to, the new log has the actions of the changed history, up to --to.
      \(HistoryEditParser.forms)
      Actions that the reducer refuses in the changed history are listed and skipped.
      """,
    examples: [
      .init("branch my-log my-next-log", "begin with the last state, after a change of the reducer"),
      .init("branch my-log my-next-log --at 100", "begin with an earlier one"),
      .init("branch my-log my-branch --skip 12", "the history without action 12"),
      .init("branch my-log my-branch --to 100", "the first 100 actions"),
    ],
    arguments: [.wholeLog, CommandArgument("NEW", "the directory of the new log, which must not exist")],
    options: [FrozenLog.at] + WhatIfCommand.changes + [.model],
    rules: [.excludes(FrozenLog.at, WhatIfCommand.changes)],
    schema: .anyOf("One object: the new log.", [FrozenLog.shape.schema, WhatIfCommand.branchShape.schema]),
    blocking: { context in
      guard WhatIfCommand.changes.contains(where: context.arguments.has) else { return try FrozenLog.run(context) }
      return try WhatIfCommand(context: context).run(branch: context.logPath(1))
    }
  )
}

/// The answer of `branch` without changes: a log that begins with a state.
private struct FrozenLog {
  static let at = CommandOption.value(
    "at", letter: "a", "POINT", "begin with the state at this point (default: the end)")

  let path: String
  let parentPath: String
  let revision: Int
  let report: ReplayReport

  static let shape = AnswerShape<FrozenLog>.object(
    "A log that begins with a state.",
    [
      .member("path", .file, \.path), .member("parentPath", .file, \.parentPath),
      .member("revision", .revision, \.revision), .nullable("frozenRevision", .revision, \.report.frozenRevision),
      .member("actionsFolded", .count, \.report.actionsFolded),
    ])

  static func run(_ context: CommandContext) throws -> ExitStatus {
    let history = try context.openHistory()
    let target = try context.logPath(1)
    let report = try history.freezeBase(
      into: target, at: context.revision(of: at, in: history.reader),
      configuration: LogConfiguration(environment: context.environment.logEnvironment))
    let last = report.startRevision + report.actionsFolded
    let log = FrozenLog(path: target, parentPath: history.reader.path, revision: last, report: report)
    try context.answer(log, shape) {
      let origin = report.frozenRevision.map { frozen in
        "the recorded state of revision \(frozen), with \(HumanText.count(last - frozen, "action")) folded on it"
      }
      try context.output.line(
        context.output.style.bold(TerminalText.escaping(target)) + ": begins with revision \(last) of "
          + TerminalText.escaping(log.parentPath) + ", " + (origin ?? "the fold, because no digest differs"))
    }
    return .success
  }
}
