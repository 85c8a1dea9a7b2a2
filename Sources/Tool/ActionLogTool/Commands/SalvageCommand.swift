import ActionLog
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
      its file after-gap.jsonl for inspection. With --join they get new numbers and are appended, at your own risk: each keeps its
      old number in meta.was, and may mean something else in its new position; a meta.cause is renumbered. Marks move with their
      actions; those whose action is not in the new log are listed. Snapshots are not copied. The new log of a pruned log begins with
      the same state.
      The new log appears when it is complete: after an interruption there is none, and the command can be repeated.
      The status is 1 if something was lost and no action was saved.
      """,
    examples: [
      .init("salvage my-log saved-log", "the intact beginning"),
      .init("salvage my-log saved-log --join", "and the actions after the damage"),
    ],
    arguments: [.wholeLog, CommandArgument("NEW", "the directory of the new log, which must not exist")],
    options: [SalvageCommand.join, SalvageCommand.model],
    blocking: { context in try context.countingBytes { context in try SalvageCommand(context: context).run() } }
  )
}

/// `salvage`: creates the new log and prints the report.
private struct SalvageCommand {
  static let join = CommandOption.flag("join", "append the actions after the damage, with new numbers")
  static let model = CommandOption.value(
    "model", letter: "m", "MODEL", "the model, for a log without an intact segment header")

  let context: CommandContext

  func run() throws -> ExitStatus {
    let path = try context.logPath()
    let target = try context.logPath(1)
    try requireDirectory(path)
    context.onInterruption(
      "NEW exists only if it is complete, and LOG was not changed. Otherwise give the same command again.")
    context.showBytes("salvaging")
    let salvage = try LogSalvage.salvageWithMarks(
      at: path, to: target, join: context.arguments.has(Self.join), model: context.arguments.value(of: Self.model),
      fileSystem: context.files, environment: context.environment.logEnvironment)
    if context.isJSON {
      try context.output.json(json(salvage.report, salvage.marks, path: path, target: target))
    } else {
      try context.output.lines(page(salvage.report, salvage.marks, path: path, target: target))
    }
    // The actions matter more, and are reported first.
    if let error = salvage.marksError { throw error }
    guard salvage.report.actionCount == 0, !salvage.report.gaps.isEmpty else { return .success }
    try context.warn(warning(salvage.report, path: path))
    return .negative
  }

  /// The warning that the new log is empty although the old one is not, or may not be.
  private func warning(_ report: SalvageReport, path: String) -> String {
    let text = "no action of \(path) is in the new log: none before the first gap is intact"
    guard let file = report.afterGapPath else { return text }
    let repeated = "'\(context.tool.name) salvage \(ShellWord(path)) OTHER --join'"
    return text + ". \(repeated) makes a log with those after it, which are in \(file)"
  }

  /// Rejects a segment file: a log is salvaged by its directory.
  private func requireDirectory(_ path: String) throws {
    guard try context.files.status(of: path)?.kind == .file else { return }
    let folder = LogLocator.folder(above: path)
    let log = LogLocator(context).isLog(folder) ? "\(ShellWord(folder))" : "LOG"
    throw ToolFailure(
      "notALog", .usage, "a log is salvaged by its directory, and this is a file", path: path,
      advice:
        "Run '\(context.tool.name) salvage \(log) NEW'. '\(context.tool.name) verify \(ShellWord(path))' checks "
        + "the file alone.")
  }

  private func page(
    _ report: SalvageReport, _ marks: MarkCarryOver, path: String, target: String
  ) -> [String] {
    let style = context.output.style
    var lines = [
      style.bold(TerminalText.escaping(target)) + ": \(HumanText.count(report.actionCount, "action")) of "
        + TerminalText.escaping(path)
    ]
    var table = TextTable([.left, .left])
    let first = report.firstRevision
    if first > 0 { table.append(["begins", "at revision \(first), with the base of the pruned log"]) }
    table.append(["intact", report.intactRevision > first ? "actions \(first + 1)…\(report.intactRevision)" : "none"])
    if report.joinedCount > 0 {
      table.append([
        "joined", "\(HumanText.count(report.joinedCount, "action")) after the damage, with new numbers",
      ])
    }
    if report.unjoinedCount > 0 {
      table.append([
        "not joined",
        "\(HumanText.count(report.unjoinedCount, "action")) that follow later ones, or have an older schema",
      ])
    }
    if let file = report.afterGapPath {
      table.append([
        "set aside", "\(HumanText.count(report.afterGapCount, "record")) in \(TerminalText.escaping(file))",
      ])
    }
    if report.skippedCount > 0 {
      table.append([
        "left out", "\(HumanText.count(report.skippedCount, "control record")) of unknown kinds",
      ])
    }
    let carried = marks.kept.count + marks.moved.count
    if carried > 0 { table.append(["marks", "\(HumanText.count(carried)) copied"]) }
    lines += table.lines(indent: 2)
    lines += descriptions(of: marks).map { text in style.yellow("  - ") + TerminalText.escaping(text) }
    lines += report.gaps.map { gap in style.red("  ! ") + TerminalText.escaping(description(of: gap)) }
    return lines
  }

  private func descriptions(of marks: MarkCarryOver) -> [String] {
    marks.moved.map { move in
      "the mark '\(move.mark.name)' of revision \(move.oldRevision) is at revision \(move.mark.revision) now, with its action"
    }
      + marks.lost.map { mark in
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

  private func json(
    _ report: SalvageReport, _ marks: MarkCarryOver, path: String, target: String
  ) throws -> JSONValue {
    var object: JSONObject = [
      "path": .string(path), "new": .string(target), "lastSeq": .integer(report.lastRevision),
      "intactSeq": .integer(report.intactRevision), "joined": .integer(report.joinedCount),
      "notJoined": .integer(report.unjoinedCount),
      "afterGap": .integer(report.afterGapCount), "afterGapPath": report.afterGapPath.map(JSONValue.string) ?? .null,
      "skipped": .integer(report.skippedCount),
      "marks": [
        "kept": .integer(marks.kept.count),
        "moved": .array(
          marks.moved.map { move in
            [
              "name": .string(move.mark.name), "was": .integer(move.oldRevision), "seq": .integer(move.mark.revision),
            ]
          }),
        "lost": try AnswerShape.array(of: .mark).json(marks.lost),
        "damagedLines": .integer(marks.flaws.reduce(0) { sum, flaw in sum + flaw.lineCount }),
      ],
      "gaps": .array(
        report.gaps.map { gap in
          [
            "message": .string(gap.message), "path": .string(gap.path), "byteOffset": .integer(gap.byteOffset),
            "bytes": .integer(gap.sizeBytes), "lastSeqBefore": .integer(gap.lastRevisionBefore),
            "firstSeqAfter": gap.firstRevisionAfter.map(JSONValue.integer) ?? .null,
          ]
        }),
    ]
    if report.firstRevision > 0 { object["firstSeq"] = .integer(report.firstRevision) }
    return .object(object)
  }
}
