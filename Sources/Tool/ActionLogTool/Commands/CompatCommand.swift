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
    schema: CompatCommand.shape.schema,
    blocking: { context in try CompatCommand(context: context).run() }
  )
}

/// `compat`: reads every record and prints the report.
private struct CompatCommand {
  static let allowRisky = CommandOption.flag("allow-risky", "exit with status 0 if nothing is impossible")

  static let shape = AnswerShape<(path: String, report: CompatibilityReport)>.object(
    "One object: how the model reads each type.",
    [
      .member("path", .file, \.path), .member("model", .text, \.report.model),
      .member("schema", .integer, \.report.schema), .member("grade", .text, \.report.grade.word),
      .member("types", .array(of: .entry), \.report.entries),
      .member("unused", .array(of: .upcaster), \.report.unusedUpcasters),
      .member("recursive", .texts, \.report.recursiveTypes), .member("skeleton", .texts, \.report.skeleton),
    ])

  let context: CommandContext

  func run() throws -> ExitStatus {
    let history = try context.openHistory()
    let stop = context.environment.stop
    try context.warnOfBeginning(of: history.reader)
    let report = try context.ask(as: "examining") { options in
      var options = options
      options.isCancelled = { stop.isRequested }
      return try history.compatibility(options: options)
    }
    try context.answer((history.reader.path, report), Self.shape) {
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
}

extension AnswerShape<CompatibilityReport.Entry> {
  fileprivate static let entry = object([
    .member("type", .text, \.type), .member("schema", .integer, \.schema), .member("count", .count, \.count),
    .member("grade", .text, \.grade.word), .member("reason", .text, \.reason),
    .member("seq", .revision, \.revision),
  ])
}

extension AnswerShape<CompatibilityReport.UnusedUpcaster> {
  fileprivate static let upcaster = object([
    .member("type", .text, \.type), .member("from", .integer, \.from), .member("to", .integer, \.to),
  ])
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
    options: [FrozenLog.at, .model],
    schema: FrozenLog.shape.schema,
    blocking: FrozenLog.run
  )
}

/// The answer of `freeze`: the new log.
private struct FrozenLog {
  static let at = CommandOption.value("at", letter: "a", "POINT", "the point to freeze (default: the end)")

  let path: String
  let parentPath: String
  /// The revision that the new log begins with.
  let revision: Int
  let report: ReplayReport

  static let shape = AnswerShape<FrozenLog>.object(
    "One object: the new log.",
    [
      .member("path", .file, \.path), .member("parentPath", .file, \.parentPath),
      .member("revision", .revision, \.revision), .nullable("frozenRevision", .revision, \.report.frozenRevision),
      .member("actionsFolded", .count, \.report.actionsFolded),
    ])

  @Sendable static func run(_ context: CommandContext) throws -> ExitStatus {
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
