import ActionLog
import JSONCoding
import TerminalUI
import TimeTravel

extension Command {
  static let verify = Command(
    "verify",
    group: .care,
    effect: .readsLog,
    summary: "check every byte, and report errors with their location",
    details: """
      Nothing is changed and no lock is taken. Records are checked first, then snapshots, those of projections, and marks, on which the log does not
      depend. The status is 0 if there is no error, and 1 for a torn tail, damage, or an unreadable file.
      HEAD is a hint: one that does not match the log is reported, and does not change the status.
      The lines must lead to each checkpoint that is stored in the log's directory, in proofs/.
      The segments of a log are checked on all processors, and so are several logs, or a directory of logs, each of which gets a row
      with its problems. --jobs sets how many are checked at a time; the report is the same.
      \(CommandContext.logRowsForm)
      With --checkpoint the log is compared with a checkpoint that was kept elsewhere: the status is 0 if it begins with the same
      lines. A bad signature of a trusted key refuses the checkpoint, and so does the lack of any trusted signature.
      --proof checks a proof of 'prove' without the log, and prints the proved line and the values in it that are not proved.
      With --old, it is a proof that the tree of an older checkpoint leads to that of a newer one. With --checkpoint, the proof must end
      with that checkpoint.
      """,
    examples: [
      .init("verify my-log", "check a log"),
      .init("verify customers", "each log in a directory"),
      .init("verify - < paths.txt", "many logs, one line of JSON for each"),
      .init("verify my-log --jobs 1", "one segment after the other, beside other work"),
      .init("verify my-log --checkpoint kept.checkpoint", "compare it with a checkpoint"),
      .init("verify --proof 12.tlog-proof", "check a proof, without a log"),
      .init("verify --proof 12.tlog-proof --checkpoint kept.checkpoint", "and that it ends with your checkpoint"),
    ],
    arguments: [CommandArgument("LOG", arity: .any, CommandArgument.mergedLogs.help)],
    options: [VerifyCommand.jobs] + CheckpointVerification.options + ProofVerification.options + NoteTrust.options,
    answer: .object,
    blocking: { context in try VerifyCommand(context: context).run() }
  )
}

/// `verify`: prints the report of the engine.
struct VerifyCommand {
  static let jobs = CommandOption.value(
    "jobs", letter: "j", "N", "the number of segments, or of logs, checked at a time (default: one per processor)")

  /// More jobs than processors only help while they wait for a disk.
  private static let jobLimit = 256

  let context: CommandContext

  func run() throws -> ExitStatus {
    let arguments = context.arguments
    let (checkpoint, proof) = (CheckpointVerification.checkpoint, ProofVerification.proof)
    try checkOptions()
    if let file = arguments.value(of: proof) { return try ProofVerification(context: context).run(file) }
    guard !arguments.positionals.isEmpty else {
      var failure = ToolFailure.usage("'verify' needs LOG, or --proof FILE")
      failure.lacksLog = true
      throw failure
    }
    if let file = arguments.value(of: checkpoint) {
      return try context.countingBytes { context in try CheckpointVerification(context: context).run(file) }
    }
    if context.isForManyLogs {
      let jobs = try jobs()
      return try context.forEachLog { subject in
        let path = subject.path
        let report = try self.report(path, jobs)
        let sideFiles = self.sideFiles(path, report)
        let status = report.verdict == .clean && sideFiles.isSound ? ExitStatus.success : .negative
        try context.output.json(.object(subject.row(status.rawValue, json(report, sideFiles, path))))
        return status
      }
    }
    let jobs = try jobs()
    if let logs = try context.manyLogs() { return try VerifiedLogs(context, logs, jobs: jobs).run() }
    let path = try context.logPath()
    let report = try report(path, jobs)
    let sideFiles = self.sideFiles(path, report)
    if context.isJSON {
      try context.output.json(.object(json(report, sideFiles, path)))
    } else {
      try context.output.lines(VerificationPage(report, sideFiles, path: path, style: context.output.style).lines)
      try printAdvice(on: report, path: path)
      for advice in sideFiles.advice(tool: context.tool.name, path: path) { try context.note(advice) }
    }
    return report.verdict == .clean && sideFiles.isSound ? .success : .negative
  }

  /// Refuses options that mean nothing without another one.
  private func checkOptions() throws(ToolFailure) {
    let arguments = context.arguments
    let (checkpoint, proof) = (CheckpointVerification.checkpoint, ProofVerification.proof)
    for option in CheckpointVerification.options where arguments.has(option) {
      guard arguments.has(checkpoint) else { throw .usage("--\(option.name) needs --checkpoint FILE") }
      guard option.name == checkpoint.name || !arguments.has(proof) else {
        throw .usage("--\(option.name) is for a log, and --proof is checked without one")
      }
    }
    for option in ProofVerification.options where arguments.has(option) && !arguments.has(proof) {
      throw .usage("--\(option.name) needs --proof FILE")
    }
    if arguments.has(Self.jobs), arguments.has(checkpoint) || arguments.has(proof) {
      throw .usage(
        "--jobs is for the segments of logs: leave it out with --\(arguments.has(proof) ? "proof" : "checkpoint")")
    }
    for option in NoteTrust.options
    where arguments.has(option) && !arguments.has(checkpoint) && !arguments.has(proof) {
      throw .usage("--\(option.name) needs --checkpoint FILE or --proof FILE")
    }
  }

  func json(_ report: LogReport, _ sideFiles: SideFileReport, _ path: String) -> JSONObject {
    var object = report.json(path: path)
    for (name, value) in sideFiles.json { object[name] = value }
    return object
  }

  /// The number of segments or logs to check at a time.
  private func jobs() throws(ToolFailure) -> Int {
    try context.arguments.integer(of: Self.jobs, in: 1...Self.jobLimit) ?? OrderedWork<String, String>.usefulThreads
  }

  private func report(_ path: String, _ jobs: Int) throws -> LogReport {
    let progress = context.progress("verifying", unit: .bytes)
    let report = try LogVerifier.verify(at: path, jobs: jobs, fileSystem: context.files) { done, total in
      // A closed terminal is noticed when the report is printed.
      do { try progress.update(done: done, total: total) } catch {}
    }
    try progress.finish()
    return try checked(report, path)
  }

  private func sideFiles(_ path: String, _ report: LogReport) -> SideFileReport {
    context.begin("verifying snapshots and marks")
    return SideFileReport(path, report, context.files)
  }

  /// Returns the report of a log.
  ///
  /// - Throws: ``LogError`` for the report of any other file.
  func checked(_ report: LogReport, _ path: String) throws(LogError) -> LogReport {
    guard !isForeign(report, path: path) else {
      throw LogError(
        .notALog, "the file has neither the name nor the header of a segment", path: path)
    }
    return report
  }

  /// Whether a single file has neither the name nor the header of a segment. In a log's directory, a file with the
  /// name of a segment is one, however damaged.
  private func isForeign(_ report: LogReport, path: String) -> Bool {
    guard report.header == nil, report.segments.count == 1, report.segments.first?.path == path else { return false }
    let name = path.split(separator: "/").last ?? ""
    return SegmentName.first(of: String(name)) == nil
  }

  /// Whether `HEAD` recorded the durable end of the log. A single segment has none.
  private func hasHead(_ report: LogReport, path: String) -> Bool {
    guard report.segments.first?.path != path else { return false }
    return !report.warnings.contains { warning in warning.kind == .missingHead || warning.kind == .unreadableHead }
  }

  private func printAdvice(on report: LogReport, path: String) throws {
    let shown = TerminalText.escaping(path)
    switch report.verdict {
    case .clean where report.warnings.contains(where: { warning in warning.kind == .unfinishedRedaction }):
      try context.note(
        LakeFileSystem.isShippedLog(path, context.files)
          ? "The redaction was not shipped completely. The next 'ship' completes it in the lake, and 'restore' in the log that it makes."
          : "Some of the values are still in the directory of the log. '\(context.tool.name) redact \(shown) --finish' completes the "
            + "redaction, and so does the next writer.")
    case .clean: break
    case .torn:
      try context.note(
        (hasHead(report, path: path)
          ? "No synced action is lost."
          : "Without HEAD it is unknown whether the tail had been acknowledged.")
          + " The next writer truncates it; '\(context.tool.name) repair \(shown)' does so now.")
    case .damaged where report.problems.allSatisfy { problem in problem.kind == .inaccessibleHead }:
      try context.note(
        "Every record is intact. HEAD records how far the log is durable, and a writer needs it; readers do not. "
          + "Make it readable, or, if it is lost, move it away: it is then unknown whether the end of the log is missing."
      )
    case .damaged where report.problems.allSatisfy { problem in problem.kind == .unusableCheckpoint }:
      try context.note(
        "Every record is intact. The records were not compared with a checkpoint that cannot be read: make it readable, or move "
          + "away what is in its place.")
    case .damaged
    where report.problems.contains { problem in problem.kind == .missingTiles }
      && report.problems.allSatisfy { problem in problem.isOfCheckpoint }:
      try context.note(
        "Every record is intact, but the tiles of the removed lines are lost, and without them no checkpoint and no proof can be made. "
          + "Restore the directory 'proofs' from a copy, or put the archived segments back: '\(context.tool.name) prune \(shown) "
          + "--restore DIR'. If there is neither, the log has no more checkpoints; its actions and states are not affected."
      )
    case .damaged where report.problems.allSatisfy { problem in problem.isOfCheckpoint }:
      try context.note(
        "Every record is intact by itself, but the records are not those of a stored checkpoint. If the checkpoint was not "
          + "changed, the log was. '\(context.tool.name) verify \(shown) --checkpoint FILE' compares the log with one that was "
          + "kept elsewhere.")
    case .damaged where report.problems.allSatisfy { problem in problem.kind == .unreadableSegment }:
      try context.note(
        "What cannot be read may be intact: make it readable for this user, or restore it from a copy, and verify again. Only "
          + "if the bytes are lost, '\(context.tool.name) salvage \(shown) NEW' saves the other actions in a new log.")
    case .damaged where report.lastRevision <= report.firstRevision:
      try context.note(
        "No action before the damage is intact. '\(context.tool.name) salvage \(shown) NEW' saves intact actions after "
          + "it, if any, in a new log.")
    case .damaged:
      try context.note(
        "Actions \(report.firstRevision + 1)…\(report.lastRevision) are intact and readable. "
          + "'\(context.tool.name) salvage \(shown) NEW' saves them in a new log.")
    }
  }
}

extension ExitStatus: Comparable {
  package static func < (left: ExitStatus, right: ExitStatus) -> Bool { left.rawValue < right.rawValue }
}

extension LogProblem {
  /// Whether the problem concerns stored checkpoints, and not the records themselves.
  fileprivate var isOfCheckpoint: Bool { [.wrongCheckpoint, .unusableCheckpoint, .missingTiles].contains(kind) }
}
