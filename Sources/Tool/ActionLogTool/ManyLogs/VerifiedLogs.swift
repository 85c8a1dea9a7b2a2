import ActionLog
import ActionLogMaintenance
import JSONCoding
import Platform
import TerminalUI

// `verify` on many logs.
extension VerifyCommand {
  /// The number of problems to list for a log; `verify` on that log, or `--json`, has all.
  private static let problemLimit = 5
  /// About the size of a problem or a segment in memory.
  private static let problemBytes = 256

  private static let row = AnswerRow<LogVerification>(
    help: "One object for each log.", shape: .verification, columns: [.left, .left, .right, .right]
  ) { verification, table, context in
    let (report, style) = (verification.report, context.output.style)
    let word = word(verification)
    let paint = word == "clean" ? style.green : word == "torn" ? style.yellow : style.red
    try table.append([
      .init(verification.path), .init(word == "torn" ? "torn tail" : word, paint: paint),
      .init(HumanText.count(report.actionCount, "action")), .init(HumanText.bytes(report.sizeBytes)),
    ])
    guard case let problems = verification.problems, !problems.isEmpty else { return }
    try table.flush()
    try context.output.lines(VerificationPage.list(problems, limit: problemLimit, mark: style.red("  ! ")))
  }

  private static func word(_ verification: LogVerification) -> String {
    verification.isSound ? "clean" : verification.report.verdict == .torn ? "torn" : "damaged"
  }

  /// Prints a row for each log, in their order, and the problems of those that have some. Several are checked at a time.
  func verify(_ logs: NamedLogs, _ jobs: Int) throws -> ExitStatus {
    try context.output.countAnswerLines()
    var status = try context.reportUnfound(logs)
    var counts: [String: Int] = ["unreadable": logs.failures.count]
    var rows = AnswerRows(Self.row, context)
    let progress = context.progress("verifying", unit: .logs)
    var count = 0
    try logs.run(
      threads: jobs,
      size: { (checked: (path: String, result: Result<LogVerification, ToolFailure>)) in
        guard case .success(let verification) = checked.result else { return 0 }
        return Self.problemBytes * (verification.report.problems.count + verification.report.segments.count)
      },
      { [context] path in
        do {
          let report = try LogVerifier.verify(at: path, fileSystem: context.files)
          return (path, .success(try LogVerification(path, checking: report, context)))
        } catch {
          return (path, .failure(ToolFailure(any: error)))
        }
      },
      consume: { path, result in
        count += 1
        try progress.update(done: count, total: logs.paths.count)
        switch result {
        case .failure(let failure):
          try rows.finish()
          counts["unreadable", default: 0] += 1
          status = max(status, try context.reportUnread(path, failure))
        case .success(let verification):
          counts[Self.word(verification), default: 0] += 1
          status = max(status, verification.status)
          _ = try rows.add(verification)
        }
      })
    try progress.finish()
    guard !context.isJSON else { return status }
    try rows.finish()
    let parts = ["clean", "torn", "damaged", "unreadable"].compactMap { word in
      counts[word].flatMap { count in count > 0 ? "\(HumanText.count(count)) \(word)" : nil }
    }
    let total = logs.paths.count + logs.failures.count
    try context.output.line(
      ([HumanText.count(total, "log")] + [parts.joined(separator: ", ")].filter { text in !text.isEmpty }).joined(
        separator: ": "))
    if status != .success { try context.note("'\(context.tool.name) verify LOG' has the full report on a log.") }
    return status
  }
}
