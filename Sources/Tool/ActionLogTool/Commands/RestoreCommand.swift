import ActionLog
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
      --at makes a branch that ends at that point, with an identifier of its own and the shipped log as its parent. Reading a past
      state needs no restore: 'state SOURCE --at POINT' reads the lake.
      LOG appears when it is complete and durable. After an interruption, repeat the command.
      \(PointResolver.forms)
      """,
    examples: [
      .init("restore lake/model=counter/log=… my-log", "after the loss of a machine"),
      .init("restore lake/model=counter/log=… yesterday --at 2026-11-22", "a branch that ends with a day"),
      .init("restore lake/model=counter/log=… my-log --dry-run", "verify, and print what can be restored"),
    ],
    arguments: [
      CommandArgument("SOURCE", "the log's directory in the lake"),
      CommandArgument("LOG", "the directory to create"),
    ],
    options: [RestoreCommand.at, RestoreCommand.partial, RestoreCommand.dryRun],
    blocking: { context in try context.countingBytes { context in try RestoreCommand(context: context).run() } }
  )
}

/// `restore`: verifies a shipped log and makes one of it.
private struct RestoreCommand {
  static let at = CommandOption.value("at", "POINT", "make a branch that ends here")
  static let partial = CommandOption.flag("partial", "restore the revisions before a missing or damaged segment")
  static let dryRun = CommandOption.flag("dry-run", "verify, and make nothing")

  let context: CommandContext

  func run() throws -> ExitStatus {
    let arguments = context.arguments
    let (source, target) = try (context.logPath(), context.logPath(1))
    let isPartial = arguments.has(Self.partial)
    if isPartial, arguments.has(Self.at) {
      throw ToolFailure.usage("--at and --partial cannot be combined: --at names the end")
    }
    let progress = context.progress("verifying", unit: .bytes)
    let restoring = try LakeRestoring(from: source, fileSystem: context.files) { done, total in
      // A closed terminal is noticed when the result is printed.
      do { try progress.update(done: done, total: total) } catch {}
    }
    try progress.finish()
    context.showBytes("restoring")
    if !arguments.has(Self.dryRun) {
      context.onInterruption(
        "LOG exists only if it is complete, and SOURCE was not changed. Otherwise give the same command again.")
    }
    var revision = restoring.lastRevision
    var leftOut: [BackupReport.LeftOut] = []
    let reader = try context.openReader(source)
    let environment = context.environment.logEnvironment
    let isDry = arguments.has(Self.dryRun)
    if arguments.has(Self.at) {
      revision = try context.revision(of: Self.at, in: reader) ?? reader.extent().lastRevision
      guard restoring.isIntact(through: revision) else { throw restoring.incompleteness }
      if !isDry {
        try restoring.branch(
          at: revision, checksum: reader.anchor(at: revision).checksum, to: target, environment: environment)
      }
    } else if !isDry {
      leftOut = try restoring.run(to: target, isPartial: isPartial, environment: environment)
    }
    try report(restoring, reader, source, target, revision)
    try context.warn(of: leftOut, in: source)
    // What --partial leaves out is an error for a script that does not read the answer.
    let isComplete = restoring.isComplete && !leftOut.contains(where: \.isNeeded)
    return isComplete || arguments.has(Self.at) ? .success : .negative
  }

  private func report(
    _ restoring: LakeRestoring, _ reader: LogReader, _ source: String, _ target: String, _ revision: Int
  ) throws {
    let isDry = context.arguments.has(Self.dryRun)
    if context.isJSON {
      return try context.output.json([
        "source": .string(source), "path": isDry ? .null : .string(target), "model": .string(reader.header.model),
        "revision": .integer(revision), "segments": .integer(restoring.segmentCount),
        "bytes": .integer(restoring.sizeBytes), "isComplete": .bool(restoring.isComplete),
        "isBranch": .bool(context.arguments.has(Self.at)),
        "problems": .array(restoring.report.problems.map { problem in .string(problem.description) }),
      ])
    }
    let what = context.arguments.has(Self.at) ? "branch of \(reader.header.model)" : reader.header.model
    try context.output.line(
      "\(TerminalText.escaping(isDry ? source : target)): \(TerminalText.escaping(what)) \(isDry ? "can be restored" : "restored") "
        + "up to revision \(revision)")
    let style = context.output.style
    for problem in restoring.report.problems.prefix(Self.problemLimit) {
      try context.output.line(style.red("  ! ") + TerminalText.escaping(problem.description))
    }
    for warning in restoring.report.warnings where warning.kind == .missingManifest {
      try context.warn("\(warning.message): \(warning.path)")
    }
    if !isDry, !context.arguments.has(Self.at) {
      try context.note("Do not write to the log on the old machine again: the lake accepts one of the two histories.")
    }
  }

  /// 'verify' lists all.
  private static let problemLimit = 5
}
