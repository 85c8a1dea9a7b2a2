import ActionLog
import ActionLogMaintenance
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
        AnswerShape<LogVerification>.verification.schema, EvidenceAnswer.shape.schema, AnswerShape.failure.schema, .end,
      ]),
    blocking: { context in try VerifyCommand(context: context).run() }
  )
}

struct VerifyCommand {
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
      return try CheckpointVerification(context: context).run(file)
    }
    let jobs =
      try arguments.integer(of: Self.jobs, in: 1...Self.jobLimit) ?? OrderedWork<String, String>.usefulThreads
    let logs = try context.namedLogs()
    guard let path = logs.only else { return try verify(logs, jobs) }
    let verification = try verify(path, jobs)
    try context.answer(verification, .verification) {
      try context.output.lines(VerificationPage(verification, context).lines)
      for advice in verification.advice { try context.note("\(advice)") }
    }
    return verification.status
  }

  private func verify(_ path: String, _ jobs: Int) throws -> LogVerification {
    let report = try context.showing("verifying") { progress in
      try LogVerifier.verify(at: path, jobs: jobs, fileSystem: context.files, progress: progress)
    }
    context.begin("verifying snapshots and marks")
    return try LogVerification(path, checking: report, context)
  }
}

extension ExitStatus: Comparable {
  package static func < (left: ExitStatus, right: ExitStatus) -> Bool { left.rawValue < right.rawValue }
}
