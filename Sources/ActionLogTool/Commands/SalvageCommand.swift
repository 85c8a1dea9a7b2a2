import ActionLog
import JSONCoding
import TextDisplay
import TimeTravel

extension Command {
  static let salvage = Command(
    "salvage",
    group: .care,
    summary: "save what is good of a damaged log, in a new one",
    details: """
      The damaged log is not touched. The new one has the actions before the damage; good records from behind it are put
      into its file after-gap.jsonl, to be looked at. With --join they are given new numbers and folded all the same, at
      your own risk: each keeps its old number in meta.was, and may mean something else where it now stands.
      """,
    examples: [
      .init("salvage my-log saved-log", "the intact beginning"),
      .init("salvage my-log saved-log --join", "and what comes behind the damage"),
    ],
    arguments: [.wholeLog, CommandArgument("NEW", "the directory of the new log; nothing may lie there")],
    options: [SalvageCommand.join, SalvageCommand.model],
    blocking: { context in try SalvageCommand(context: context).run() }
  )
}

/// `salvage`: the engine's, and its report.
private struct SalvageCommand {
  static let join = CommandOption.flag("join", "fold the actions from behind the damage as well, with new numbers")
  static let model = CommandOption.value(
    "model", letter: "m", "MODEL", "the model, for a log of which no segment begins well")

  let context: CommandContext

  func run() throws -> ExitStatus {
    let path = try context.logPath()
    let target = try context.logPath(1)
    let report = try LogSalvage.salvage(
      path, to: target, join: context.arguments.has(Self.join), model: context.arguments.value(of: Self.model),
      fileSystem: context.files, environment: context.environment.logEnvironment)
    if context.isJSON {
      try context.output.json(json(report, path: path, target: target))
    } else {
      try context.output.lines(page(report, path: path, target: target))
    }
    return .success
  }

  private func page(_ report: SalvageReport, path: String, target: String) -> [String] {
    let style = context.output.style
    var lines = [
      style.bold(TerminalText.escaping(target)) + ": \(HumanText.count(report.lastSeq, "action")) of "
        + TerminalText.escaping(path)
    ]
    var table = TextTable([.left, .left])
    table.append(["intact", report.intactSeq > 0 ? "actions 1…\(report.intactSeq)" : "none"])
    if report.joinedCount > 0 {
      table.append([
        "joined", "\(HumanText.count(report.joinedCount, "action")) from behind the damage, with new numbers",
      ])
    }
    if let file = report.afterGapPath {
      table.append([
        "set aside", "\(HumanText.count(report.afterGapCount, "record")) in \(TerminalText.escaping(file))",
      ])
    }
    if report.skippedCount > 0 {
      table.append([
        "left out", "\(HumanText.count(report.skippedCount, "control record")) of kinds that are not known",
      ])
    }
    lines += table.lines(indent: 2)
    lines += report.gaps.map { gap in style.red("  ! ") + TerminalText.escaping(description(of: gap)) }
    return lines
  }

  private func description(of gap: SalvageReport.Gap) -> String {
    let size = gap.sizeBytes > 0 ? HumanText.count(gap.sizeBytes, "byte") : "lines are missing"
    let next = gap.firstSeqAfter.map { seq in "revision \(seq)" } ?? "the end"
    return
      "\(gap.message): \(gap.path), byte \(gap.byteOffset) (\(size) between revision \(gap.lastSeqBefore) and \(next))"
  }

  private func json(_ report: SalvageReport, path: String, target: String) -> JSONValue {
    [
      "path": .string(path), "new": .string(target), "lastSeq": .integer(report.lastSeq),
      "intactSeq": .integer(report.intactSeq), "joined": .integer(report.joinedCount),
      "afterGap": .integer(report.afterGapCount), "afterGapPath": report.afterGapPath.map(JSONValue.string) ?? .null,
      "skipped": .integer(report.skippedCount),
      "gaps": .array(
        report.gaps.map { gap in
          [
            "message": .string(gap.message), "path": .string(gap.path), "byteOffset": .integer(gap.byteOffset),
            "bytes": .integer(gap.sizeBytes), "lastSeqBefore": .integer(gap.lastSeqBefore),
            "firstSeqAfter": gap.firstSeqAfter.map(JSONValue.integer) ?? .null,
          ]
        }),
    ]
  }
}
