import ActionLog
import JSONCoding
import Platform
import TerminalUI

/// `verify` on many logs: a row for each, and the problems of those that have some.
///
/// Several logs are checked at a time; the rows are in the order of the logs.
struct VerifiedLogs {
  /// The number of problems to list for a log; `verify` on that log, or `--json`, has all.
  private static let problemLimit = 5

  private let context: CommandContext
  private let logs: NamedLogs
  private let jobs: Int

  /// - Parameter jobs: The number of logs to check at a time.
  init(_ context: CommandContext, _ logs: NamedLogs, jobs: Int) {
    (self.context, self.logs, self.jobs) = (context, logs, jobs)
  }

  /// The result of a log, ready to print.
  private struct Checked: Sendable {
    var path: String
    var verdict: LogReport.Verdict = .clean
    var isSound = false
    var actionCount = 0
    var sizeBytes = 0
    var problems: [String] = []
    var json: [UInt8] = []
    var failure: ToolFailure?
  }

  func run() throws -> ExitStatus {
    try context.noteSkippedLinks(logs)
    try context.output.countAnswerLines()
    var status = ExitStatus.success
    for (path, failure) in logs.failures { status = max(status, try context.reportUnread(path, failure)) }
    var counts: [String: Int] = ["unreadable": logs.failures.count]
    let style = context.output.style
    var table = PagedTable([.left, .left, .right, .right], printer: context.output, columns: context.outputColumns)
    let progress = context.progress("verifying", unit: .logs)
    var count = 0
    let paths = Locked(logs.paths[...])
    let work = OrderedWork<String, Checked>(
      isOrdered: true, source: { paths.withLock { paths in paths.popFirst() } },
      size: { checked in checked.json.count + checked.problems.reduce(0) { sum, problem in sum + problem.utf8.count } })
    try work.run(
      threads: min(jobs, max(1, logs.paths.count)),
      makeJob: { [context] in { path in Self.check(path, context) } },
      consume: { checked in
        count += 1
        try progress.update(done: count, total: logs.paths.count)
        if let failure = checked.failure {
          try table.flush()
          counts["unreadable", default: 0] += 1
          status = max(status, try context.reportUnread(checked.path, failure))
          return
        }
        counts[checked.isSound ? "clean" : checked.verdict == .torn ? "torn" : "damaged", default: 0] += 1
        if !checked.isSound { status = max(status, .negative) }
        if context.isJSON { return try context.output.json(encoded: checked.json) }
        try table.append([
          .init(checked.path), Self.word(checked, style), .init(HumanText.count(checked.actionCount, "action")),
          .init(HumanText.bytes(checked.sizeBytes)),
        ])
        guard !checked.problems.isEmpty else { return }
        try table.flush()
        for problem in checked.problems.prefix(Self.problemLimit) {
          try context.output.line(style.red("  ! ") + TerminalText.escaping(problem))
        }
        let hidden = checked.problems.count - Self.problemLimit
        if hidden > 0 { try context.output.line("    … and \(HumanText.count(hidden)) more") }
      })
    try progress.finish()
    guard !context.isJSON else { return status }
    try table.flush()
    let parts = ["clean", "torn", "damaged", "unreadable"].compactMap { word in
      counts[word].flatMap { count in count > 0 ? "\(HumanText.count(count)) \(word)" : nil }
    }
    let total = logs.paths.count + logs.failures.count
    try context.output.line("\(HumanText.count(total, "log")): \(parts.joined(separator: ", "))")
    if status != .success { try context.note("'\(context.tool.name) verify LOG' has the full report on a log.") }
    return status
  }

  private static func check(_ path: String, _ context: CommandContext) -> Checked {
    var checked = Checked(path: path)
    do {
      let command = VerifyCommand(context: context)
      let report = try command.checked(LogVerifier.verify(at: path, fileSystem: context.files), path)
      let sideFiles = SideFileReport(path, report, context.files)
      checked.verdict = report.verdict
      checked.isSound = report.verdict == .clean && sideFiles.isSound
      checked.actionCount = report.actionCount
      checked.sizeBytes = report.sizeBytes
      checked.problems = report.problems.map(\.description) + sideFiles.problems
      if report.verdict == .torn, checked.problems.isEmpty {
        checked.problems = ["torn tail of \(HumanText.count(report.tornBytes, "byte")), which was never acknowledged"]
      }
      if context.isJSON { checked.json = JSONValue.object(command.json(report, sideFiles, path)).bytes() }
    } catch {
      checked.failure = ToolFailure(any: error)
    }
    return checked
  }

  private static func word(_ checked: Checked, _ style: Style) -> TextTable.Cell {
    if checked.isSound { return .init("clean", paint: style.green) }
    return checked.verdict == .torn ? .init("torn tail", paint: style.yellow) : .init("damaged", paint: style.red)
  }
}
