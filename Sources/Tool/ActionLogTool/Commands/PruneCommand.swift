import ActionLog
import ActionLogMaintenance
import EventSourcing
import JSONCoding
import TerminalUI
import TimeTravel

extension Command {
  static let prune = Command(
    "prune",
    group: .care,
    summary: "remove the beginning of a log, and begin it with a state",
    details: """
      Removes the sealed segments that are completely before the point, with the snapshots before it. The log then begins with the
      state after them, in base.json; revisions keep their numbers. The segments are copied to the directory of --archive and
      compared, or deleted. The reason is recorded in the log. Tiles in proofs/ are kept, so that checkpoints of all ages still
      lead on and an archived line can still be proved.
      If DIR is a lake to which 'ship' has shipped the log, or the log's directory in it, nothing is copied: each segment is removed
      only if the manifest lists it and reading it back from the lake gives the same SHA-256. If 'ship --with' stored the segments
      elsewhere, fetch them into the lake first.
      --restore checks archived segments, or those in a lake, against the log and puts them back.
      On a terminal the command asks before it changes anything; elsewhere it needs --yes. No writer may hold the log. After an
      interruption the same command or the next writer finishes, or the log is as it was. The status is 1 if no sealed segment is before the point.
      """,
    examples: [
      .init(
        "prune my-log --before 10000 --reason 'kept for a year' --archive old --dry-run", "show what would be removed"),
      .init("prune my-log --before '365d ago' --reason 'kept for a year' --archive old --yes", "remove it"),
      .init("prune my-log --before 10000 --reason 'in the lake' --archive lake --yes", "remove what was shipped"),
      .init("prune my-log --restore old --yes", "put it back"),
    ],
    arguments: [.wholeLog],
    options: [
      PruneCommand.before, PruneCommand.reason, PruneCommand.archive, PruneCommand.delete, PruneCommand.actor,
      PruneCommand.restore, .dryRun, .yes, .model,
    ],
    rules: [
      .excludes(PruneCommand.restore, [PruneCommand.before, PruneCommand.archive, PruneCommand.delete]),
      .oneOf([PruneCommand.archive, PruneCommand.delete]),
    ],
    schema: .anyOf(
      "One object: the first revision of the pruned log, or what --restore restores.",
      [PruneCommand.shape.schema, PruneCommand.restored.schema]),
    blocking: { context in try PruneCommand(context: context).run() }
  )
}

private struct PruneCommand {
  static let before = CommandOption.value("before", "POINT", "the first point that stays in the log")
  static let reason = CommandOption.value("reason", "TEXT", "the reason, which is recorded in the log")
  static let archive = CommandOption.value(
    "archive", "DIR", "the directory to copy the segments to, or a lake that has them")
  static let delete = CommandOption.flag("delete", "delete the segments without a copy")
  static let actor = CommandOption.value("actor", "NAME", "who asked for it, which is recorded in the log")
  static let restore = CommandOption.value("restore", "DIR", "put the segments in this directory back")

  struct Answer {
    let path: String
    var report: PruneReport
    let archive: String?
    var isDone = false
    let isDryRun: Bool
  }

  static let shape = AnswerShape<Answer>.object([
    .member("path", .file, \.path), .member("begins", .revision, \.report.firstRevision),
    .member("segments", .array(of: .prunedSegment), \.report.segments), .nullable("archive", .file, \.archive),
    .member("isDryRun", .flag, \.isDryRun),
  ])

  struct Restored {
    let path: String
    let directory: String
    /// The first revision after which the log has its actions.
    var beginning = 0
    /// The first revisions of the restored segments; `nil` for a dry run.
    var segments: [Int]?
    let isDryRun: Bool
  }

  static let restored = AnswerShape<Restored>.object([
    .member("path", .file, \.path), .member("restoredFrom", .file, \.directory),
    .member("begins", .revision, \.beginning), .optional("segments", .array(of: .revision), \.segments),
    .member("isDryRun", .flag, \.isDryRun),
  ])

  let context: CommandContext

  func run() throws -> ExitStatus {
    if let directory = context.arguments.value(of: Self.restore) { return try restore(from: directory) }
    let arguments = context.arguments
    guard let point = arguments.value(of: Self.before) else {
      throw ToolFailure.usage("'prune' needs --before POINT, or --restore DIR")
    }
    guard let reason = arguments.value(of: Self.reason), !reason.isEmpty else {
      throw ToolFailure.usage("--reason TEXT is missing", advice: "It is recorded in the log.")
    }
    let archive = arguments.value(of: Self.archive)
    guard archive?.isEmpty == false || arguments.has(Self.delete) else {
      throw ToolFailure.usage("give --archive DIR to keep the segments, or --delete to delete them")
    }
    context.onInterruption("Nothing was changed.")
    context.begin("checking")
    guard let wasInterrupted = try finishInterrupted() else { return .negative }
    let history = try context.openHistory()
    let reader = history.reader
    let revision = try PointResolver(context, reader: reader).revision(point)
    // Refuses a wrong archive before a dry run or a question.
    let plan = try history.pruningPlan(before: revision, archive: archive)
    var answer = Answer(path: reader.path, report: plan, archive: archive, isDryRun: context.isDryRun)
    guard !plan.segments.isEmpty else {
      answer.isDone = true
      try context.answer(answer, Self.shape) { if wasInterrupted { try printBeginning(answer) } }
      if wasInterrupted { return .success }
      try context.note("no sealed segment is completely before revision \(revision). \(possiblePoints(of: reader))")
      return .negative
    }
    guard !context.isDryRun else { return try print(answer) }
    guard try context.confirm("Remove the segments from the log?", after: { try printPage(answer) }) else {
      return .negative
    }
    context.onInterruption(
      "The log can be read. If the pruning was recorded, the same command finishes it, and so does the next writer; otherwise the "
        + "log is as it was. '\(context.tool.name) verify LOG' shows which.")
    context.begin("pruning")
    answer.report = try history.prune(
      before: revision, reason: reason, actor: arguments.value(of: Self.actor), archive: archive,
      environment: context.environment.logEnvironment)
    answer.isDone = true
    return try print(answer)
  }

  /// Finishes a pruning that was interrupted before: what is left of it would be no part of the plan.
  ///
  /// - Returns: Whether there is one; `nil` if the user does not want it to be finished.
  private func finishInterrupted() throws -> Bool? {
    let path = try context.logPath()
    func finish(isDry: Bool) throws -> Bool {
      try LogPruning.finish(
        at: path, isDry: isDry, environment: context.environment.logEnvironment, fileSystem: context.files)
    }
    guard try finish(isDry: true) else { return false }
    if !context.isDryRun {
      guard try context.confirm("Finish the pruning that was interrupted?") else { return nil }
      context.onInterruption("The log can be read. The same command finishes the pruning, and so does the next writer.")
      _ = try finish(isDry: false)
    }
    if !context.isJSON {
      try context.output.line(
        of: path, "an interrupted pruning \(context.isDryRun ? "would be" : "was") finished")
    }
    return true
  }

  private func possiblePoints(of reader: LogReader) -> String {
    guard reader.segments.count > 1 else {
      return "The log has one segment, and only complete ones are removed: a writer begins the next one at its "
        + "--segment-size"
    }
    return "The first possible point is \(reader.segments[1].first)"
  }

  private func restore(from directory: String) throws -> ExitStatus {
    let (arguments, isDryRun) = (context.arguments, context.isDryRun)
    let path = try context.logPath()
    context.begin("checking")
    // The log itself need not be readable: its base may be lost.
    guard let firstKept = try LogPruning.checkRestoring(at: path, from: directory, fileSystem: context.files) else {
      return try print(
        Restored(path: path, directory: directory, segments: [], isDryRun: isDryRun), "there is nothing to restore")
    }
    let first = firstKept - 1
    // After an interrupted attempt only the record is missing.
    let isComplete = first == 0
    let text =
      isComplete
      ? "the log has its first action again, and a record of that" : "the segments before revision \(first + 1)"
    let fate = isComplete ? "added" : "put back from \(TerminalText.escaping(directory))"
    if isDryRun {
      return try print(
        Restored(path: path, directory: directory, beginning: first, isDryRun: true), "\(text) would be \(fate)")
    }
    let question =
      isComplete ? "Record that the log has its first action?" : "Put the segments before revision \(first + 1) back?"
    guard try context.confirm(question) else { return .negative }
    context.onInterruption("No segment is lost. The same command continues.")
    context.begin("restoring")
    let record = try LogPruning.restore(
      at: path, from: directory, reason: arguments.value(of: Self.reason) ?? "restored",
      actor: arguments.value(of: Self.actor), environment: context.environment.logEnvironment,
      fileSystem: context.files)
    return try print(
      Restored(path: path, directory: directory, segments: record.segments.map(\.first), isDryRun: false),
      "\(text) \(isComplete ? "was" : "were") \(fate)")
  }

  private func print(_ restored: Restored, _ text: String) throws -> ExitStatus {
    try context.answer(restored, Self.restored) { try context.output.line(of: restored.path, text) }
    return .success
  }

  private func print(_ answer: Answer) throws -> ExitStatus {
    try context.answer(answer, Self.shape) { try printPage(answer) }
    return .success
  }

  private func printPage(_ answer: Answer) throws {
    let segments = answer.report.segments
    let bytes = segments.reduce(0) { sum, segment in sum + segment.sizeBytes }
    let verb = !answer.isDone ? "would be" : segments.count == 1 ? "was" : "were"
    let fate =
      answer.archive.map { archive in "archived to \(TerminalText.escaping(archive)) and removed" } ?? "deleted"
    try context.output.line(
      of: answer.path, "\(HumanText.count(segments.count, "segment")) (\(HumanText.bytes(bytes))) \(verb) \(fate)")
    try printBeginning(answer)
  }

  private func printBeginning(_ answer: Answer) throws(ToolStreamError) {
    try context.output.line(
      "the log \(answer.isDone ? "begins" : "would begin") at revision \(answer.report.firstRevision)")
  }
}

extension AnswerShape<LogSegment> {
  fileprivate static let prunedSegment = object([
    .member("first", .revision, \.first), .member("bytes", .count, \.sizeBytes),
  ])
}
