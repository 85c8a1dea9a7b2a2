import ActionLog
import ActionLogMaintenance
import JSONCoding
import TerminalUI
import TimeTravel

extension Command {
  static let salvage = Command(
    "salvage",
    group: .care,
    summary: "save the intact actions of a damaged log in a new one",
    details: """
      The damaged log is not changed. The new one has the actions before the damage; intact records after the damage are stored in
      its file after-gap.jsonl for inspection: 'record MODEL NEW < NEW/after-gap.jsonl' records their actions anew, at your own risk, with
      new numbers and times. Marks whose action is not in the new log are listed. Snapshots are not copied. The new log of a pruned log begins with
      the same state.
      The new log appears when it is complete: after an interruption there is none, and the command can be repeated.
      The status is 1 if something was lost and no action was saved.
      """,
    examples: [
      .init("salvage my-log saved-log", "the intact beginning")
    ],
    arguments: [.wholeLog, CommandArgument("NEW", "the directory of the new log, which must not exist")],
    options: [SalvageCommand.model],
    schema: SalvageCommand.shape.schema,
    blocking: { context in try SalvageCommand(context: context).run() }
  )
}

private struct SalvageCommand {
  static let model = CommandOption.value(
    "model", letter: "m", "MODEL", "the model, for a log without an intact segment header")

  struct Answer {
    let path: String
    let target: String
    let report: SalvageReport
    let marks: MarkCarryOver
  }

  static let shape = AnswerShape<Answer>.object(
    "One object: the new log, and what it lacks.",
    [
      .member("path", .file, \.path), .member("new", .file, \.target),
      .member("lastSeq", .revision, \.report.lastRevision),
      .member("afterGap", .count, \.report.afterGapCount), .nullable("afterGapPath", .file, \.report.afterGapPath),
      .member("skipped", .count, \.report.skippedCount), .member("marks", .carryOver, \.marks),
      .member("gaps", .array(of: .gap), \.report.gaps),
      .optional("firstSeq", .revision, \.report.firstRevision.ifPositive),
    ])

  let context: CommandContext

  func run() throws -> ExitStatus {
    let (path, target) = try (context.logPath(), context.logPath(1))
    try requireDirectory(path)
    context.onInterruption(
      "NEW exists only if it is complete, and LOG was not changed. Otherwise give the same command again.")
    context.begin("salvaging")
    let salvage = try LogSalvage.salvageWithMarks(
      at: path, to: target, model: context.arguments.value(of: Self.model),
      fileSystem: context.files, environment: context.environment.logEnvironment)
    let answer = Answer(path: path, target: target, report: salvage.report, marks: salvage.marks)
    try context.answer(answer, Self.shape) { try context.output.lines(page(answer)) }
    // The actions matter more, and are reported first.
    if let error = salvage.marksError { throw error }
    guard salvage.report.actionCount == 0, !salvage.report.gaps.isEmpty else { return .success }
    // The new log is empty although the old one is not, or may not be.
    let rest = salvage.report.afterGapPath.map { file in "; those after it are in \(file)" } ?? ""
    try context.warn("no action of \(path) is in the new log: none before the first gap is intact\(rest)")
    return .negative
  }

  private func requireDirectory(_ path: String) throws {
    guard try context.files.status(of: path)?.kind == .file else { return }
    let folder = LogLocator.folder(above: path)
    let log: MessageText.Operation.Word = LogLocator(context).isLog(folder) ? .path(folder) : "LOG"
    throw ToolFailure(
      "notALog", .usage, "a log is salvaged by its directory, and this is a file", path: path,
      advice: .sentences(
        "Run \(command: .salvage, log, "NEW").", "\(command: .verify, .path(path)) checks the file alone."))
  }

  private func page(_ answer: Answer) -> [String] {
    let (report, marks, style) = (answer.report, answer.marks, context.output.style)
    let (first, carried) = (report.firstRevision, marks.kept.count)
    let table = TextTable(facts: [
      "begins": first > 0 ? "at revision \(first), with the base of the pruned log" : nil,
      "intact": report.lastRevision > first ? "actions \(first + 1)…\(report.lastRevision)" : "none",
      "set aside": report.afterGapPath.map { file in
        "\(HumanText.count(report.afterGapCount, "record")) in \(TerminalText.escaping(file))"
      },
      "left out": report.skippedCount > 0
        ? HumanText.count(report.skippedCount, "control record") + " of unknown kinds" : nil,
      "marks": carried > 0 ? "\(HumanText.count(carried)) copied" : nil,
    ])
    let head = "\(HumanText.count(report.actionCount, "action")) of \(TerminalText.escaping(answer.path))"
    return ["\(style.bold(TerminalText.escaping(answer.target))): \(head)"] + table.lines(indent: 2)
      + descriptions(of: marks).map { text in style.yellow("  - ") + TerminalText.escaping(text) }
      + report.gaps.map { gap in style.red("  ! ") + TerminalText.escaping(description(of: gap)) }
  }

  private func descriptions(of marks: MarkCarryOver) -> [String] {
    marks.lost.map { mark in
      "the mark '\(mark.name)' is not copied: revision \(mark.revision) is not in the new log"
        + (mark.remark.map { remark in " (its text: \(remark))" } ?? "")
    }
      + marks.flaws.map { flaw in "line \(flaw.line) of \(LogFormat.marksName) is not copied: \(flaw.message)" }
  }

  private func description(of gap: SalvageReport.Gap) -> String {
    let beginning = "\(gap.message): \(gap.path), byte \(gap.byteOffset)"
    if let next = gap.firstRevisionAfter, next <= gap.lastRevisionBefore {
      // Lines past the gap repeat earlier revisions, so nothing is between the two.
      let size = gap.sizeBytes > 0 ? HumanText.count(gap.sizeBytes, "byte") + " " : ""
      return "\(beginning) (\(size)after revision \(gap.lastRevisionBefore))"
    }
    let size = gap.sizeBytes > 0 ? HumanText.count(gap.sizeBytes, "byte") : "lines are missing"
    let next = gap.firstRevisionAfter.map { revision in "revision \(revision)" } ?? "the end"
    return "\(beginning) (\(size) between revision \(gap.lastRevisionBefore) and \(next))"
  }
}

extension AnswerShape<SalvageReport.Gap> {
  fileprivate static let gap = object([
    .member("message", .text, \.message), .member("path", .file, \.path), .member("byteOffset", .count, \.byteOffset),
    .member("bytes", .count, \.sizeBytes), .member("lastSeqBefore", .revision, \.lastRevisionBefore),
    .nullable("firstSeqAfter", .revision, \.firstRevisionAfter),
  ])
}

extension AnswerShape<MarkCarryOver> {
  fileprivate static let carryOver = object([
    .member("kept", .count, \.kept.count), .member("lost", .array(of: .mark), \.lost),
    .member("damagedLines", .count) { marks in marks.flaws.reduce(0) { sum, flaw in sum + flaw.lineCount } },
  ])
}
