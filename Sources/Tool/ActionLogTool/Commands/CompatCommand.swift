import ActionLog
import EventSourcing
import JSONCoding
import TerminalUI
import TimeTravel

extension Command {
  static let compat = Command(
    "compat",
    group: .care,
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
    let report = try history.compatibility { stop.isRequested }
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
    let verdict = paint(report.grade, style)(report.grade.word)
    var lines = [
      "\(style.bold(TerminalText.escaping(path))) with '\(report.model)', schema \(report.schema): \(verdict)"
    ]
    var table = TextTable([.left, .left, .left, .right, .left])
    let worstFirst = CompatibilityReport.Grade.allCases.reversed().flatMap { grade in
      report.entries.filter { entry in entry.grade == grade }
    }
    for entry in worstFirst {
      let place = entry.grade == .fine ? "" : "first at seq \(entry.revision)" + (entry.reason.isEmpty ? "" : ": ")
      table.append([
        .init(entry.grade.word, paint: paint(entry.grade, style)), .init(entry.type), .init("schema \(entry.schema)"),
        .init(HumanText.count(entry.count, "action")), .init(place + entry.reason),
      ])
    }
    lines += table.lines(indent: 2) + notes(on: report)
    let skeleton = report.skeleton
    guard !skeleton.isEmpty else { return lines }
    let raise = report.raisedSchema.map { schema in ", and raise its schema to \(schema)" } ?? ""
    lines += ["", "Add to the evolution of '\(report.model)'\(raise):", ""]
    return lines + skeleton.map { line in "    " + TerminalText.escaping(line) }
  }

  /// Findings about the entire log, which do not change the grade.
  private func notes(on report: CompatibilityReport) -> [String] {
    var lines: [String] = []
    if !report.unusedUpcasters.isEmpty {
      lines += ["", "These upcasters apply to no action of the log. Check the spelling of their types:", ""]
      var table = TextTable([.left, .left])
      for upcaster in report.unusedUpcasters {
        table.append([TerminalText.escaping(upcaster.type), "schema \(upcaster.from) to \(upcaster.to)"])
      }
      lines += table.lines(indent: 4)
    }
    if let example = report.recursiveTypes.first {
      lines += [
        "",
        "\(HumanText.count(report.recursiveTypes.count, "type")) with a case twice, such as "
          + "'\(TerminalText.escaping(example))': a payload that contains itself.",
        "Conform its enum to ActionPayload to exclude it from the type.",
      ]
    }
    return lines
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
