import ActionLog
import EventSourcing
import JSONCoding
import TerminalUI
import TimeTravel

extension Command {
  static let compat = Command(
    "compat",
    group: .care,
    effect: .readsLog,
    summary: "check whether the model can read a log, and print the missing upcasters",
    details: """
      fine: every action is read completely. risky: some recorded values are ignored. impossible: an action cannot be read, or
      the reducer refuses it. The status is 0 if every type is fine, and 1 otherwise; --allow-risky accepts risky ones. The printed
      code has editor placeholders: <#value#>.
      """,
    examples: [
      .init("compat my-log", "before shipping a new version"),
      .init("compat my-log --allow-risky -q", "in an automatic check"),
    ],
    arguments: [.readLog],
    options: [CompatCommand.allowRisky, .model],
    blocking: { context in try CompatCommand(context: context).run() }
  )
}

/// `compat`: reads every record and prints the report.
private struct CompatCommand {
  static let allowRisky = CommandOption.flag("allow-risky", "exit with status 0 if nothing is impossible")

  let context: CommandContext

  func run() throws -> ExitStatus {
    let history = try context.openHistory()
    let stop = context.environment.stop
    try context.warnOfBeginning(of: history.reader)
    let progress = context.progress("examining", unit: .actions)
    var options = context.replayOptions(progress)
    options.isCancelled = { stop.isRequested }
    let report = try history.compatibility(options: options)
    try progress.finish()
    if context.isJSON {
      try context.output.json(json(report, path: history.reader.path))
    } else {
      try context.output.lines(page(report, path: history.reader.path))
    }
    let limit: CompatibilityReport.Grade = context.arguments.has(Self.allowRisky) ? .risky : .fine
    return report.grade <= limit ? .success : .negative
  }

  private func page(_ report: CompatibilityReport, path: String) -> [String] {
    let style = context.output.style
    let words = Dictionary(
      uniqueKeysWithValues: CompatibilityReport.Grade.allCases.map { grade in (grade.word, grade) })
    let form = ReportForm(number: HumanText.count, text: TerminalText.escaping) { rows, indent in
      var table = TextTable(rows.first?.count == 5 ? [.left, .left, .left, .right, .left] : [.left, .left])
      for row in rows {
        let grade = words[row[0]].map { grade in paint(grade, style) }
        table.append([.init(row[0], paint: row.count == 5 ? grade : nil)] + row.dropFirst().map { text in .init(text) })
      }
      return table.lines(indent: indent)
    }
    let head = "\(style.bold(TerminalText.escaping(path))) with '\(report.model)', schema \(report.schema): "
    return [head + paint(report.grade, style)(report.grade.word)] + report.lines(in: form)
  }

  private func paint(_ grade: CompatibilityReport.Grade, _ style: Style) -> @Sendable (String) -> String {
    switch grade {
    case .fine: style.green
    case .risky: style.yellow
    case .impossible: style.red
    }
  }

  private func json(_ report: CompatibilityReport, path: String) -> JSONValue {
    [
      "path": .string(path), "model": .string(report.model), "schema": .integer(report.schema),
      "grade": .string(report.grade.word),
      "types": .array(
        report.entries.map { entry in
          [
            "type": .string(entry.type), "schema": .integer(entry.schema), "count": .integer(entry.count),
            "grade": .string(entry.grade.word), "reason": .string(entry.reason), "seq": .integer(entry.revision),
          ]
        }),
      "unused": .array(
        report.unusedUpcasters.map { upcaster in
          ["type": .string(upcaster.type), "from": .integer(upcaster.from), "to": .integer(upcaster.to)]
        }),
      "recursive": .array(report.recursiveTypes.map(JSONValue.string)),
      "skeleton": .array(report.skeleton.map(JSONValue.string)),
    ]
  }
}

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
