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
