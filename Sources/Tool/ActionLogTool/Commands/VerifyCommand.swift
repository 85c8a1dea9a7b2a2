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
      \(CommandContext.manyLogsForm)
      With --checkpoint the log is compared with a checkpoint that was kept elsewhere: the status is 0 if it begins with the same
      lines. A bad signature of a trusted key refuses the checkpoint, and so does the lack of any trusted signature.
      --proof checks a proof of 'prove' without the log, and prints the proved line and the values in it that are not proved.
      With --old, it is a proof that the tree of an older checkpoint leads to that of a newer one. With --checkpoint, the proof must end
      with that checkpoint.
      """,
    examples: [
      .init("verify my-log", "check a log"),
      .init("verify customers", "each log in a directory"),
      .init("verify - < paths.txt", "logs that another program names"),
      .init("verify my-log --jobs 1", "one segment after the other, beside other work"),
      .init("verify my-log --checkpoint kept.checkpoint", "compare it with a checkpoint"),
      .init("verify --proof 12.tlog-proof", "check a proof, without a log"),
      .init("verify --proof 12.tlog-proof --checkpoint kept.checkpoint", "and that it ends with your checkpoint"),
    ],
    arguments: [CommandArgument("LOG", arity: .any, CommandArgument.mergedLogs.help)],
    options: [VerifyCommand.jobs] + CheckpointVerification.options + ProofVerification.options + NoteTrust.options,
    rules: [
      .needs([CheckpointVerification.origin, CheckpointVerification.proofs], [CheckpointVerification.checkpoint]),
      .needs([ProofVerification.old], [ProofVerification.proof]),
      .needs(NoteTrust.options, [CheckpointVerification.checkpoint, ProofVerification.proof]),
      .excludes(
        ProofVerification.proof, [CheckpointVerification.origin, CheckpointVerification.proofs, VerifyCommand.jobs]),
      .excludes(CheckpointVerification.checkpoint, [VerifyCommand.jobs]),
    ],
    answer: .object,
    schema: .anyOf(
      "One object for each log, or the verdict on a checkpoint or proof.",
      [
        AnswerShape<LogVerification>.verification.schema, CheckpointVerification.shape.schema,
        ProofVerification.shape.schema,
        AnswerShape.failure.schema, .end,
      ]),
    blocking: { context in try VerifyCommand(context: context).run() }
  )
}

/// `verify`: prints the report of the engine.
private struct VerifyCommand {
  static let jobs = CommandOption.value(
    "jobs", letter: "j", "N", "the number of segments, or of logs, checked at a time (default: one per processor)")

  /// More jobs than processors only help while they wait for a disk.
  private static let jobLimit = 256

  let context: CommandContext

  func run() throws -> ExitStatus {
    let arguments = context.arguments
    if let file = arguments.value(of: ProofVerification.proof) {
      return try ProofVerification(context: context).run(file)
    }
    guard !arguments.positionals.isEmpty else {
      var failure = ToolFailure.usage("'verify' needs LOG, or --proof FILE")
      failure.lacksLog = true
      throw failure
    }
    if let file = arguments.value(of: CheckpointVerification.checkpoint) {
      return try context.countingBytes { context in try CheckpointVerification(context: context).run(file) }
    }
    let jobs =
      try arguments.integer(of: Self.jobs, in: 1...Self.jobLimit) ?? OrderedWork<String, String>.usefulThreads
    if let logs = try context.manyLogs() { return try VerifiedLogs(context, logs, jobs: jobs).run() }
    let verification = try verify(context.logPath(), jobs)
    try context.answer(verification, .verification) {
      try context.output.lines(VerificationPage(verification, context).lines)
      try printAdvice(on: verification.report, path: verification.path)
      for advice in verification.sideFiles.advice(path: verification.path) {
        try context.note(advice)
      }
    }
    return verification.status
  }

  private func verify(_ path: String, _ jobs: Int) throws -> LogVerification {
    let report = try context.showing("verifying") { progress in
      try LogVerifier.verify(at: path, jobs: jobs, fileSystem: context.files, progress: progress)
    }
    context.begin("verifying snapshots and marks")
    return try LogVerification(path, checking: report, context.files)
  }

  /// Whether `HEAD` recorded the durable end of the log. A single segment has none.
  private func hasHead(_ report: LogReport, path: String) -> Bool {
    guard report.segments.first?.path != path else { return false }
    return !report.warnings.contains { warning in warning.kind == .missingHead || warning.kind == .unreadableHead }
  }

  private func printAdvice(on report: LogReport, path: String) throws {
    switch report.verdict {
    case .clean where report.warnings.contains(where: { warning in warning.kind == .unfinishedRedaction }):
      try context.note(
        LakeFileSystem.isShippedLog(path, context.files)
          ? "The redaction was not shipped completely. The next 'ship' completes it in the lake, and 'restore' in the log that it makes."
          : "Some of the values are still in the directory of the log. \(command: .redact, .path(path), .option("finish")) completes the "
            + "redaction, and so does the next writer.")
    case .clean: break
    case .torn:
      try context.note(
        (hasHead(report, path: path)
          ? "No synced action is lost."
          : "Without HEAD it is unknown whether the tail had been acknowledged.")
          + " The next writer truncates it; \(command: .repair, .path(path)) does so now.")
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
          + "Restore the directory 'proofs' from a copy, or put the archived segments back: \(command: .prune, .path(path), .option("restore", "DIR")). "
          + "If there is neither, the log has no more checkpoints; its actions and states are not affected."
      )
    case .damaged where report.problems.allSatisfy { problem in problem.isOfCheckpoint }:
      try context.note(
        "Every record is intact by itself, but the records are not those of a stored checkpoint. If the checkpoint was not "
          + "changed, the log was. \(command: .verify, .path(path), .option("checkpoint", "FILE")) compares the log with one that was "
          + "kept elsewhere.")
    case .damaged where report.problems.allSatisfy { problem in problem.kind == .unreadableSegment }:
      try context.note(
        "What cannot be read may be intact: make it readable for this user, or restore it from a copy, and verify again. Only "
          + "if the bytes are lost, \(command: .salvage, .path(path), "NEW") saves the other actions in a new log.")
    case .damaged where report.lastRevision <= report.firstRevision:
      try context.note(
        "No action before the damage is intact. \(command: .salvage, .path(path), "NEW") saves intact actions after "
          + "it, if any, in a new log.")
    case .damaged:
      try context.note(
        "Actions \(report.firstRevision + 1)…\(report.lastRevision) are intact and readable. "
          + "\(command: .salvage, .path(path), "NEW") saves them in a new log.")
    }
  }
}

extension ExitStatus: Comparable {
  package static func < (left: ExitStatus, right: ExitStatus) -> Bool { left.rawValue < right.rawValue }
}

extension LogVerification {
  /// Verifies what is stored next to the records of a verified log.
  ///
  /// - Throws: ``LogError`` for the report on a file that is no segment. In a log's directory, a file with the name of a segment is
  ///   one, however damaged.
  init(_ path: String, checking report: LogReport, _ fileSystem: any LogFileSystem) throws(LogError) {
    let name = path.split(separator: "/").last ?? ""
    guard
      report.header != nil || report.segments.count != 1 || report.segments.first?.path != path
        || SegmentName.first(of: String(name)) != nil
    else {
      throw LogError(.notALog, "the file has neither the name nor the header of a segment", path: path)
    }
    self.init(path, report, fileSystem)
  }
}

extension LogProblem {
  /// Whether the problem concerns stored checkpoints, and not the records themselves.
  fileprivate var isOfCheckpoint: Bool { [.wrongCheckpoint, .unusableCheckpoint, .missingTiles].contains(kind) }
}
