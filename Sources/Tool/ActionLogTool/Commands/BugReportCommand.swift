import ActionLog
import JSONCoding
import TerminalUI
import TimeTravel

extension Command {
  static let bugReport = Command(
    "bug-report",
    group: .question,
    summary: "write a range of a log to one file, for debugging, or open such a file",
    details: """
      The file has the state before A, the actions A to B, their marks, and the results of 'verify' and 'replay --verify' on the
      complete log. It is a log in JSON Lines, so every command that reads a log reads it. Its revision 0 is the state before A;
      if A is not the start, its actions have their old numbers in meta.was.
      From a damaged log it has the intact part of the range, with a note; the status is 1 if a part is missing.
      --open turns the file into a directory with its marks; without a directory it prints the summary.
      \(PointResolver.forms)
      \(PointRange.forms)
      """,
    examples: [
      .init("bug-report my-log 5 12 --output bug.jsonl", "actions 5 to 12, and the state before them"),
      .init("bug-report my-log start end -o all.jsonl --remark 'the dog eats leaves'", "everything, with a remark"),
      .init("state bug.jsonl --path /animals/data/Dog", "the file is a log"),
      .init("bug-report --open bug.jsonl", "print the summary of a file"),
      .init("bug-report --open bug.jsonl my-bug", "the same as a directory, with its marks"),
    ],
    arguments: [
      CommandArgument("LOG", arity: .optional, "a log's directory; with --open the directory to create"),
      CommandArgument("A", arity: .optional, "the first action"),
      CommandArgument("B", arity: .optional, "the last action"),
    ],
    options: [BugReportCommand.output, BugReportCommand.remark, BugReportCommand.open, .model],
    rules: [.excludes(BugReportCommand.open, [BugReportCommand.output, BugReportCommand.remark, .model])],
    schema: BugReportCommand.shape.schema,
    blocking: { context in try BugReportCommand(context: context).run() }
  )
}

private struct BugReportCommand {
  static let output = CommandOption.value("output", letter: "o", "FILE", "the new file")
  static let remark = CommandOption.value("remark", "TEXT", "a remark on it")
  static let open = CommandOption.value("open", "FILE", "open a bug report")

  static let shape = AnswerShape<(report: BugReport, path: String)>.object(
    "One object: the report that was written, or opened.",
    [
      .member("path", .file, \.path), .member("log", .text, \.report.log), .member("from", .revision, \.report.first),
      .member("to", .revision, \.report.last), .optional("remark", .text, \.report.remark),
      .member("marks", .array(of: .mark), \.report.marks), .member("verify", finding, \.report.verification),
      .member("replay", finding, \.report.replay),
    ])

  private static let finding = AnswerShape<BugReport.Finding>.object(
    nil,
    [
      .member("sound", .flag, \.isSound), .member("verdict", .text, \.verdict),
      .member("remarks", .texts, \.remarks),
    ])

  let context: CommandContext

  func run() throws -> ExitStatus {
    let arguments = context.arguments
    if let file = arguments.value(of: Self.open) {
      guard arguments.positionals.count <= 1 else { throw ToolFailure.usage("--open takes one directory") }
      return try open(file)
    }
    guard arguments.positionals.count == 3, let output = arguments.value(of: Self.output), !output.isEmpty else {
      throw ToolFailure.usage("'bug-report' needs LOG, A, B and --output FILE, or --open FILE")
    }
    return try make(output)
  }

  private func make(_ output: String) throws -> ExitStatus {
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
    let status = try printSummary(report, output)
    guard isDamaged else { return status }
    try context.warn(
      "the log is damaged after revision \(range.upperBound), where the report ends: later actions are not in it")
    try context.note("'\(context.tool.name) salvage \(ShellWord(path)) NEW' saves the intact ones.")
    return .negative
  }

  private func open(_ file: String) throws -> ExitStatus {
    do { return try openReport(file) } catch {
      var failure = ToolFailure(any: error)
      switch failure.codeName {
      case LogError.Code.notFound.rawValue: failure.message = "the file does not exist"
      case LogError.Code.notALog.rawValue, TimeTravelError.Code.invalidReport.rawValue: break
      default: throw error
      }
      failure.path = failure.path ?? file
      (failure.intact, failure.advice) = (nil, advice(on: file))
      throw failure
    }
  }

  private func advice(on file: String) -> MessageText {
    guard LogLocator(context).isLog(file) else {
      return
        "\(command: .bugReport, "LOG", "A", "B", .option(Self.output, "FILE")) writes a bug report, which is one file."
    }
    return "It is the directory of a log: \(command: .list, .path(file)) reads it, and "
      + "\(command: .bugReport, .path(file), "A", "B", .option(Self.output, "FILE")) writes a bug report of it."
  }

  private func openReport(_ file: String) throws -> ExitStatus {
    guard let target = context.arguments.positional(0) else {
      return try printSummary(try BugReport(reading: file, fileSystem: context.files), file)
    }
    guard !target.isEmpty else { throw ToolFailure.usage("the path of the directory is empty") }
    return try printSummary(try BugReport.unpack(file, to: target, fileSystem: context.files), target)
  }

  private func printSummary(_ report: BugReport, _ path: String) throws -> ExitStatus {
    try context.answer((report, path), Self.shape) {
      try context.output.lines(BugReportPage(report, path: path, style: context.output.style).lines)
    }
    return .success
  }
}

private struct BugReportPage {
  let lines: [String]

  init(_ report: BugReport, path: String, style: Style) {
    let count = HumanText.count(report.last - report.first, "action")
    var lines = [
      style.bold(TerminalText.escaping(path)) + ": \(count), from revision \(report.first) to \(report.last) of "
        + TerminalText.escaping(report.log)
    ]
    if let remark = report.remark { lines.append("  " + TerminalText.escaping(remark)) }
    var table = TextTable([.left, .left])
    table.append([.init("verify"), Self.cell(report.verification, style)])
    table.append([.init("replay"), Self.cell(report.replay, style)])
    for mark in report.marks {
      let remark = mark.remark.map { remark in ": " + TerminalText.escaping(remark) } ?? ""
      table.append(["mark", "\(mark.revision)  \(TerminalText.escaping(mark.name))\(remark)"])
    }
    lines += table.lines(indent: 2)
    for finding in [report.verification, report.replay] {
      lines += finding.remarks.map { remark in "  - " + TerminalText.escaping(remark) }
    }
    self.lines = lines
  }

  private static func cell(_ finding: BugReport.Finding, _ style: Style) -> TextTable.Cell {
    TextTable.Cell(finding.verdict, paint: finding.isSound ? style.green : style.red)
  }
}
