import ActionLog
import JSONCoding
import TerminalUI
import TimeTravel

extension Command {
  static let bugReport = Command(
    "bug-report",
    group: .question,
    summary: "write a range of a log to one file, for debugging",
    details: """
      The file has the state before A, the actions A to B, their marks, and the results of 'verify' and 'replay --verify' on the
      complete log. It is a log in JSON Lines, so every command that reads a log reads it. Its revision 0 is the state before A;
      if A is not the start, its actions have their old numbers in meta.was.
      From a damaged log it has the intact part of the range, with a note; the status is 1 if a part is missing.
      \(PointRange.forms)
      """,
    examples: [
      .init("bug-report my-log 5 12 --output bug.jsonl", "actions 5 to 12, and the state before them"),
      .init("bug-report my-log start end -o all.jsonl --remark 'the dog eats leaves'", "everything, with a remark"),
      .init("state bug.jsonl --path /animals/data/Dog", "the file is a log"),
    ],
    arguments: [
      .readLog, CommandArgument("A", "the first action"), CommandArgument("B", "the last action"),
    ],
    options: [BugReportCommand.output, BugReportCommand.remark, .model],
    rules: [.requires(BugReportCommand.output)],
    schema: BugReportCommand.shape.schema,
    blocking: { context in try BugReportCommand(context: context).run() }
  )
}

private struct BugReportCommand {
  static let output = CommandOption.value("output", letter: "o", "FILE", "the new file")
  static let remark = CommandOption.value("remark", "TEXT", "a remark on it")

  static let shape = AnswerShape<(report: BugReport, path: String)>.object(
    "One object: the report that was written.",
    [
      .member("path", .file, \.path), .member("log", .text, \.report.log), .member("from", .revision, \.report.first),
      .member("to", .revision, \.report.last), .optional("remark", .text, \.report.remark),
      .member("marks", .array(of: .mark), \.report.marks), .member("verify", finding, \.report.verification),
      .member("replay", finding, \.report.replay),
    ])

  private static let finding = AnswerShape<BugReport.Finding>.object([
    .member("sound", .flag, \.isSound), .member("verdict", .text, \.verdict),
    .member("remarks", .texts, \.remarks),
  ])

  let context: CommandContext

  func run() throws -> ExitStatus {
    let output = context.arguments.value(of: Self.output) ?? ""
    guard !output.isEmpty else { throw ToolFailure.usage("\(option: Self.output) needs a file") }
    let path = try context.logPath()
    let history = try context.openHistory(path)
    var actions = try PointRange(context, reader: history.reader, fromArgument: 1)
    let extent = try history.reader.extent()
    // From a damaged log, the readable part of the range is reported.
    var isDamaged = actions.last > extent.lastRevision && extent.ending.damage != nil
    if isDamaged { actions = actions.toTheEnd }
    var range = try actions.states(upTo: extent)
    func write(_ range: ClosedRange<Int>) throws -> BugReport {
      try context.ask { options in
        try history.writeBugReport(
          of: range, to: output, on: context.files, remark: context.arguments.value(of: Self.remark),
          against: context.witness(path), environment: context.environment.logEnvironment, options: options)
      }
    }
    let report: BugReport
    do { report = try write(range) } catch let error as LogError where error.code == .damaged {
      // Damage before the last segment is found when the range is read.
      guard let revision = error.revision, range.contains(revision - 1) else { throw error }
      (range, isDamaged) = (range.lowerBound...revision - 1, true)
      report = try write(range)
    }
    try context.answer((report, output), Self.shape) {
      try context.output.lines(report.page(path: output, style: context.output.style))
    }
    guard isDamaged else { return .success }
    try context.warn(
      "the log is damaged after revision \(range.upperBound), where the report ends: later actions are not in it")
    try context.note("'\(context.tool.name) salvage \(ShellWord(path)) NEW' saves the intact ones.")
    return .negative
  }
}

extension BugReport {
  fileprivate func page(path: String, style: Style) -> [String] {
    var lines = [
      style.bold(TerminalText.escaping(path))
        + ": \(HumanText.count(last - first, "action")), from revision \(first) to \(last) of "
        + TerminalText.escaping(log)
    ]
    if let remark { lines.append("  " + TerminalText.escaping(remark)) }
    var table = TextTable([.left, .left])
    for (name, finding) in [("verify", verification), ("replay", replay)] {
      table.append([.init(name), .init(finding.verdict, paint: finding.isSound ? style.green : style.red)])
    }
    for mark in marks {
      let remark = mark.remark.map { remark in ": " + TerminalText.escaping(remark) } ?? ""
      table.append(["mark", "\(mark.revision)  \(TerminalText.escaping(mark.name))\(remark)"])
    }
    lines += table.lines(indent: 2)
    for finding in [verification, replay] {
      lines += finding.remarks.map { remark in "  - " + TerminalText.escaping(remark) }
    }
    return lines
  }
}
