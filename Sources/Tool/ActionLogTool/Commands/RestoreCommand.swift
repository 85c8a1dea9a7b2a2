import ActionLog
import ActionLogMaintenance
import EventSourcing
import JSONCoding
import TerminalUI

extension Command {
  static let restore = Command(
    "restore",
    group: .care,
    summary: "make a log of one that was shipped to a lake",
    details: """
      SOURCE is the directory of the log in the lake, which ends with model=NAME/log=IDENTIFIER; from an object store it is fetched
      first, with the files in _logs. Its segments, the links between them and the manifest are verified. If a segment is missing or
      damaged, nothing is made and the status is 1; --partial restores the revisions before it.
      Snapshots and checkpoints that cannot be read are left out with a warning; without a checkpoint, the status is 1.
      Without a manifest, missing newest segments are not noticed, and a warning says so. A redaction that was not shipped completely
      is completed in LOG.
      The log continues in a new segment, so it can be shipped to the same lake. Do not write to the log on the old machine again:
      the lake accepts one of the two histories.
      A past point needs no restore: 'state SOURCE --at POINT' reads the lake, and 'branch SOURCE NEW --to POINT' makes a log that ends
      there.
      LOG appears when it is complete and durable. After an interruption, repeat the command.
      """,
    examples: [
      .init("restore lake/model=counter/log=… my-log", "after the loss of a machine"),
      .init("restore lake/model=counter/log=… my-log --dry-run", "verify, and print what can be restored"),
    ],
    arguments: [
      CommandArgument("SOURCE", "the log's directory in the lake"),
      CommandArgument("LOG", "the directory to create"),
    ],
    options: [RestoreCommand.partial, .dryRun],
    schema: RestoreCommand.shape.schema,
    blocking: { context in try RestoreCommand(context: context).run() }
  )
}

private struct RestoreCommand {
  static let partial = CommandOption.flag("partial", "restore the revisions before a missing or damaged segment")

  struct Answer {
    let source: String
    /// `nil` for a dry run.
    let target: String?
    let model: String
    let restoring: LakeRestoring
  }

  static let shape = AnswerShape<Answer>.object(
    "One object: what was restored, or with --dry-run can be; path is null then.",
    [
      .member("source", .file, \.source), .nullable("path", .file, \.target), .member("model", .text, \.model),
      .member("revision", .revision, \.restoring.lastRevision), .member("segments", .count, \.restoring.segmentCount),
      .member("bytes", .count, \.restoring.sizeBytes), .member("isComplete", .flag, \.restoring.isComplete),
      .member("problems", .texts) { answer in answer.restoring.report.problems.map(\.description) },
    ])

  let context: CommandContext

  func run() throws -> ExitStatus {
    let isDry = context.isDryRun
    let (source, target) = try (context.logPath(), context.logPath(1))
    let restoring = try context.showing("verifying") { progress in
      try LakeRestoring(from: source, fileSystem: context.files, progress: progress)
    }
    context.begin("restoring")
    if !isDry {
      context.onInterruption(
        "LOG exists only if it is complete, and SOURCE was not changed. Otherwise give the same command again.")
    }
    var leftOut: [BackupReport.LeftOut] = []
    let model = try context.openReader(source).header.model
    if !isDry {
      leftOut = try restoring.run(
        to: target, isPartial: context.arguments.has(Self.partial), environment: context.environment.logEnvironment)
    }
    let answer = Answer(
      source: source, target: isDry ? nil : target, model: model, restoring: restoring)
    try context.answer(answer, Self.shape) { try print(answer) }
    try context.warn(of: leftOut, in: source)
    // What --partial leaves out is an error for a script that does not read the answer.
    return restoring.isComplete && !leftOut.contains(where: \.isNeeded) ? .success : .negative
  }

  private func print(_ answer: Answer) throws {
    let done = answer.target == nil ? "can be restored" : "restored"
    try context.output.line(
      of: answer.target ?? answer.source,
      "\(TerminalText.escaping(answer.model)) \(done) up to revision \(answer.restoring.lastRevision)")
    let (report, style) = (answer.restoring.report, context.output.style)
    for problem in report.problems.prefix(Self.problemLimit) {
      try context.output.line(style.red("  ! ") + TerminalText.escaping(problem.description))
    }
    for warning in report.warnings where warning.kind == .missingManifest {
      try context.warn("\(warning.message): \(warning.path)")
    }
    if answer.target != nil {
      try context.note("Do not write to the log on the old machine again: the lake accepts one of the two histories.")
    }
  }

  /// 'verify' lists all.
  private static let problemLimit = 5
}
