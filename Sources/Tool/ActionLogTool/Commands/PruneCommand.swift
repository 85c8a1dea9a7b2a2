import ActionLog
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
      lead on and an archived line can still be proved; --thin removes the tiles of single lines before the point, and the entries
      that 'checkpoint --entries' has written of them. It can be given again later.
      If DIR is a lake to which 'ship' has shipped the log, or the log's directory in it, nothing is copied: each segment is removed
      only if the manifest lists it and reading it back from the lake gives the same SHA-256. If 'ship --with' stored the segments
      elsewhere, --check names a command, run through the shell for each segment, that prints the SHA-256 of the stored one. It gets
      the environment variables ACTIONLOG_NAME (the path within the lake) and ACTIONLOG_SHA256 (the expected digest).
      --restore checks archived segments, or those in a lake, against the log and puts them back.
      On a terminal the command asks before it changes anything; elsewhere it needs --yes. No writer may hold the log. After an
      interruption the same command or the next writer finishes, or the log is as it was. The status is 1 if no sealed segment is before the point.
      \(PointResolver.forms)
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
      PruneCommand.before, PruneCommand.reason, PruneCommand.archive, PruneCommand.check, PruneCommand.delete,
      PruneCommand.actor,
      PruneCommand.thin, PruneCommand.restore, PruneCommand.dryRun, PruneCommand.yes, .model,
    ],
    blocking: { context in try context.countingBytes { context in try PruneCommand(context: context).run() } }
  )
}

/// `prune`: plans the removal, asks, and performs it; or puts the segments back.
private struct PruneCommand {
  static let before = CommandOption.value("before", "POINT", "the first point that stays in the log")
  static let reason = CommandOption.value("reason", "TEXT", "the reason, which is recorded in the log")
  static let archive = CommandOption.value(
    "archive", "DIR", "the directory to copy the segments to, or a lake that has them")
  static let check = CommandOption.value(
    "check", "COMMAND", "with a lake as archive, prints the SHA-256 of a segment that another program stored")
  static let delete = CommandOption.flag("delete", "delete the segments without a copy")
  static let actor = CommandOption.value("actor", "NAME", "who asked for it, which is recorded in the log")
  static let thin = CommandOption.flag("thin", "also remove the tiles of single lines before the point")
  static let restore = CommandOption.value("restore", "DIR", "put the segments in this directory back")
  static let dryRun = CommandOption.flag("dry-run", "show what would be done, and change nothing")
  static let yes = CommandOption.flag("yes", letter: "y", "do it without asking")

  let context: CommandContext

  private var isDryRun: Bool { context.arguments.has(Self.dryRun) }

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
    guard (archive == nil) == arguments.has(Self.delete), archive?.isEmpty != true else {
      throw ToolFailure.usage("give --archive DIR to keep the segments, or --delete to delete them")
    }
    guard archive != nil || !arguments.has(Self.check) else { throw ToolFailure.usage("--check needs --archive LAKE") }
    let storedDigest = try storedDigest()
    context.onInterruption("Nothing was changed.")
    context.showBytes("checking")
    guard let wasInterrupted = try finishInterrupted() else { return .negative }
    let history = try context.openHistory()
    let revision = try PointResolver(context, reader: history.reader).revision(point)
    // Refuses a wrong archive before a dry run or a question.
    let plan = try history.pruningPlan(before: revision, archive: archive, storedDigest: storedDigest)
    guard !plan.segments.isEmpty else {
      if arguments.has(Self.thin), history.reader.base != nil { return try thin(plan, of: history.reader) }
      if context.isJSON { try context.output.json(.object(json(plan, archive, of: history.reader))) }
      if wasInterrupted {
        if !context.isJSON { try printBeginning(plan) }
        return .success
      }
      try context.note(
        "no sealed segment is completely before revision \(revision). \(possiblePoints(of: history.reader))")
      return .negative
    }
    if isDryRun {
      try print(plan, archive, of: history.reader, isDone: false)
      return .success
    }
    if !arguments.has(Self.yes) {
      if !context.isJSON { try printPage(plan, archive, of: history.reader, isDone: false) }
      guard try context.confirm("Remove the segments from the log?", orGive: Self.yes) else { return .negative }
    }
    context.onInterruption(
      "The log can be read. If the pruning was recorded, the same command finishes it, and so does the next writer; otherwise the "
        + "log is as it was. '\(context.tool.name) verify LOG' shows which.")
    context.showBytes("pruning")
    let report = try history.prune(
      before: revision, reason: reason, actor: arguments.value(of: Self.actor), archive: archive,
      storedDigest: storedDigest, environment: context.environment.logEnvironment)
    var tileCount: Int?
    if arguments.has(Self.thin) {
      do throws(LogError) { tileCount = try removeTiles(before: report, of: history.reader) } catch {
        var failure = error
        failure.intact = "The segments were removed, and the log can be read."
        failure.advice = "Give the same command again: it removes the tiles that are left."
        throw failure
      }
    }
    try print(report, archive, of: history.reader, isDone: true, tileCount: tileCount)
    return .success
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
    if !isDryRun {
      if !context.arguments.has(Self.yes) {
        guard try context.confirm("Finish the pruning that was interrupted?", orGive: Self.yes) else { return nil }
      }
      context.onInterruption("The log can be read. The same command finishes the pruning, and so does the next writer.")
      _ = try finish(isDry: false)
    }
    if !context.isJSON {
      try context.output.line(
        "\(TerminalText.escaping(path)): an interrupted pruning \(isDryRun ? "would be" : "was") finished")
    }
    return true
  }

  /// The command of `--check` as a function.
  private func storedDigest() throws -> LogPruning.StoredDigest? {
    guard let command = context.arguments.value(of: Self.check) else { return nil }
    guard !command.isEmpty else { throw ToolFailure.usage("--check needs a command") }
    guard let start = context.environment.startCommand else {
      throw ToolFailure("noProgram", .environment, "this program cannot start other programs")
    }
    let progress = context.byteProgress
    let mayWait = { @Sendable (_: Duration) in
      progress?.add(0)
      return true
    }
    return { name, sha256 in
      let process = try start(
        ToolCommandLine(
          ["/bin/sh", "-c", command], variables: ["ACTIONLOG_NAME": name, "ACTIONLOG_SHA256": sha256],
          readsOutput: true))
      process.closeInput()
      var digest: String?
      // All of its output is read, so that it can end.
      _ = try process.exchange([], mayWait: mayWait) { line, _ in
        digest = digest ?? Self.digest(in: line)
        return true
      }
      guard process.wait(mayWait: mayWait) == .status(0), let digest else {
        throw ToolFailure(
          "notChecked", .environment, "the command of --check printed no SHA-256, or failed", path: name,
          intact: "Nothing was removed.",
          advice:
            "It has to print 64 hexadecimal digits first, as 'sha256sum' and 'rclone hashsum sha256' do, and exit with "
            + "status 0.")
      }
      return digest
    }
  }

  /// The first word of a line, if it is a SHA-256.
  private static func digest(in line: ArraySlice<UInt8>) -> String? {
    let word = String(decoding: line.prefix { byte in byte != UInt8(ascii: " ") }, as: UTF8.self)
    return word.utf8.count == 64 && word.allSatisfy(\.isHexDigit) ? word.lowercased() : nil
  }

  /// Removes the tiles before the base of a log that was pruned before.
  private func thin(_ plan: PruneReport, of reader: LogReader) throws -> ExitStatus {
    let text = "the tiles of single lines before revision \(plan.firstRevision)"
    if isDryRun {
      if context.isJSON {
        try context.output.json(.object(json(plan, nil, of: reader)))
      } else {
        try context.output.line("\(TerminalText.escaping(reader.path)): \(text) would be removed")
      }
      return .success
    }
    if !context.arguments.has(Self.yes) {
      guard try context.confirm("Remove \(text)?", orGive: Self.yes) else { return .negative }
    }
    let count = try removeTiles(before: plan, of: reader)
    if context.isJSON {
      var object = json(plan, nil, of: reader)
      object["removedTiles"] = .integer(count)
      try context.output.json(.object(object))
    } else {
      try context.output.line(
        "\(TerminalText.escaping(reader.path)): no segment and \(HumanText.count(count, "tile")) removed")
    }
    return .success
  }

  private func removeTiles(before report: PruneReport, of reader: LogReader) throws(LogError) -> Int {
    try LogPruning.removeLeafTiles(at: reader.path, before: report.lineCount, fileSystem: context.files)
  }

  /// A sentence on the points at which the log can be pruned.
  private func possiblePoints(of reader: LogReader) -> String {
    guard reader.segments.count > 1 else {
      return "The log has one segment, and only complete ones are removed: a writer begins the next one at its "
        + "--segment-size"
    }
    return "The first possible point is \(reader.segments[1].first)"
  }

  private func restore(from directory: String) throws -> ExitStatus {
    let arguments = context.arguments
    for option in [Self.before, Self.archive, Self.check, Self.delete, Self.thin] where arguments.has(option) {
      throw ToolFailure.usage("--restore and --\(option.name) cannot be combined")
    }
    let path = try context.logPath()
    context.showBytes("checking")
    // The log itself need not be readable: its base may be lost.
    guard let firstKept = try LogPruning.checkRestoring(at: path, from: directory, fileSystem: context.files) else {
      return try printRestored([], path, directory, "\(TerminalText.escaping(path)): there is nothing to restore")
    }
    let first = firstKept - 1
    // After an interrupted attempt only the record is missing.
    let isComplete = first == 0
    let text =
      TerminalText.escaping(path)
      + (isComplete
        ? ": the log has its first action again, and a record of that" : ": the segments before revision \(first + 1)")
    let fate = isComplete ? "added" : "put back from \(TerminalText.escaping(directory))"
    let one = isComplete ? "was" : "were"
    if isDryRun {
      if context.isJSON {
        try context.output.json([
          "path": .string(path), "restoredFrom": .string(directory), "begins": .integer(first),
          "isDryRun": .bool(true),
        ])
      } else {
        try context.output.line("\(text) would be \(fate)")
      }
      return .success
    }
    if !arguments.has(Self.yes) {
      let question =
        isComplete ? "Record that the log has its first action?" : "Put the segments before revision \(first + 1) back?"
      guard try context.confirm(question, orGive: Self.yes) else { return .negative }
    }
    context.onInterruption("No segment is lost. The same command continues.")
    context.showBytes("restoring")
    let record = try LogPruning.restore(
      at: path, from: directory, reason: arguments.value(of: Self.reason) ?? "restored",
      actor: arguments.value(of: Self.actor), environment: context.environment.logEnvironment,
      fileSystem: context.files)
    return try printRestored(record.segments, path, directory, "\(text) \(one) \(fate)")
  }

  private func printRestored(
    _ segments: [PruneRecord.Segment], _ path: String, _ directory: String, _ text: String
  ) throws -> ExitStatus {
    if context.isJSON {
      try context.output.json([
        "path": .string(path), "restoredFrom": .string(directory), "begins": .integer(0),
        "segments": .array(segments.map { segment in .integer(segment.first) }), "isDryRun": .bool(isDryRun),
      ])
    } else {
      try context.output.line(text)
    }
    return .success
  }

  private func print(
    _ report: PruneReport, _ archive: String?, of reader: LogReader, isDone: Bool, tileCount: Int? = nil
  ) throws {
    if context.isJSON {
      var object = json(report, archive, of: reader)
      object["removedTiles"] = tileCount.map(JSONValue.integer)
      try context.output.json(.object(object))
    } else {
      try printPage(report, archive, of: reader, isDone: isDone, tileCount: tileCount)
    }
  }

  private func printPage(
    _ report: PruneReport, _ archive: String?, of reader: LogReader, isDone: Bool, tileCount: Int? = nil
  ) throws {
    let bytes = report.segments.reduce(0) { sum, segment in sum + segment.sizeBytes }
    let verb = !isDone ? "would be" : report.segments.count == 1 ? "was" : "were"
    let fate = archive.map { archive in "archived to \(TerminalText.escaping(archive)) and removed" } ?? "deleted"
    try context.output.line(
      "\(TerminalText.escaping(reader.path)): \(HumanText.count(report.segments.count, "segment")) "
        + "(\(HumanText.bytes(bytes))) \(verb) \(fate)")
    try printBeginning(report, isDone: isDone)
    if let tileCount { try context.output.line("\(HumanText.count(tileCount, "tile")) removed") }
  }

  private func printBeginning(_ report: PruneReport, isDone: Bool = true) throws(ToolStreamError) {
    try context.output.line("the log \(isDone ? "begins" : "would begin") at revision \(report.firstRevision)")
  }

  private func json(_ report: PruneReport, _ archive: String?, of reader: LogReader) -> JSONObject {
    [
      "path": .string(reader.path), "begins": .integer(report.firstRevision),
      "segments": .array(
        report.segments.map { segment in
          ["first": .integer(segment.first), "bytes": .integer(segment.sizeBytes)]
        }),
      "archive": archive.map(JSONValue.string) ?? .null, "isDryRun": .bool(isDryRun),
    ]
  }
}
