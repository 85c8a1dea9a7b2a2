import ActionLog
import JSONCoding
import TerminalUI
import TimeTravel

extension Command {
  static let mark = Command(
    "mark",
    group: .read,
    effect: .readsLog,
    summary: "name a point, for use wherever a point is expected, or list the names",
    details: """
      Marks are stored in the log's directory, in marks.jsonl next to the records. The records are not changed, and a log can be
      marked while it is being written. Without POINT, the marks are listed: revision, time of marking (UTC), name, remark; the status is
      1 if there are none. A crash can truncate a line of that file, which is then ignored and reported.
      """,
    examples: [
      .init("mark my-log", "every mark"),
      .init("mark my-log 12 'wrong diet'", "name a revision"),
      .init("mark my-log '5m ago' crash 'what Ann saw'", "name a time, with a remark"),
      .init("state my-log --at 'wrong diet'", "use the name"),
      .init("mark my-log --remove 'wrong diet'", "remove the mark"),
    ],
    arguments: [
      CommandArgument("LOG", "a log's directory; to list the marks, also a bug report"),
      CommandArgument("POINT", arity: .optional, "the point to name").writing,
      CommandArgument("NAME", arity: .optional, "its name: not a number or a time, and without '='"),
      CommandArgument("REMARK", arity: .optional, "a remark on it"),
    ],
    options: [MarkCommand.remove],
    answer: .lines,
    schema: .anyOf(
      "The mark that was made or removed; without a point, a line for each mark.", [MarkCommand.shape.schema, .end]),
    blocking: { context in try MarkCommand(context: context).run() }
  )
}

private struct MarkCommand {
  static let remove = CommandOption.value("remove", "MARK", "remove the mark with this name").writing

  private static let row = AnswerRow<Mark>(
    help: "A line for each mark.", shape: .mark, columns: [.right, .left, .left, .left]
  ) { mark, table, context in
    let style = context.output.style
    try table.append([
      .init(String(mark.revision), paint: style.cyan), .init(RecordText.time(mark.time), paint: style.dim),
      .init(mark.name, paint: style.bold), .init(mark.remark ?? ""),
    ])
  }
  static let shape = AnswerShape<(mark: Mark, isRemoved: Bool)>.object(
    nil, AnswerShape.members(\.mark) + [.optional("removed", .always) { answer in answer.isRemoved ? true : nil }])

  let context: CommandContext

  func run() throws -> ExitStatus {
    let reader = try context.openReader()
    if context.arguments.positionals.count == 1, !context.arguments.has(Self.remove) { return try list(reader) }
    let store = try context.markStore(of: reader)
    try context.warnOfMarkFlaws(store.read(), of: reader)
    let now = context.environment.logEnvironment.now()
    if let name = context.arguments.value(of: Self.remove) {
      guard context.arguments.positionals.count == 1 else {
        throw ToolFailure.usage("--remove takes only the name: give no point")
      }
      let mark = try context.unmark(name, of: reader, time: now)
      // The removal is durable. Its lines go, too, because the name or the remark may be private.
      do throws(LogError) { try store.eraseRemovedMarks() } catch {
        try context.warn("the mark is removed, but its name and remark are still in the file: \(error)")
      }
      return try printMark(mark, isRemoved: true)
    }
    guard let point = context.arguments.positional(1), let name = context.arguments.positional(2) else {
      throw ToolFailure.usage("'mark' needs a NAME for the point")
    }
    let revision = try PointResolver(context, reader: reader).revision(point)
    let mark = try context.mark(name, at: revision, remark: context.arguments.positional(3), of: reader, time: now)
    return try printMark(mark, isRemoved: false)
  }

  private func list(_ reader: LogReader) throws -> ExitStatus {
    let list = try context.markList(of: reader)
    try context.output.countAnswerLines()
    let status = try context.print(list.marks, as: Self.row, noneText: "no marks")
    try context.warnOfMarkFlaws(list, of: reader)
    return status
  }

  private func printMark(_ mark: Mark, isRemoved: Bool) throws -> ExitStatus {
    try context.answer((mark, isRemoved), Self.shape) {
      let end = isRemoved ? ", no longer marked" : ""
      try context.output.line("revision \(mark.revision): \(TerminalText.escaping(mark.name))\(end)")
    }
    return .success
  }
}

extension CommandContext {
  func markStore(of reader: LogReader) throws(LogError) -> MarkStore {
    try requireCompleteLog(reader, toRead: "marks")
    return MarkStore(at: reader.path, fileSystem: files)
  }

  func mark(
    _ name: String, at revision: Int, remark: String?, of reader: LogReader, time: LogTime
  ) throws -> Mark {
    let store = try markStore(of: reader)
    let last = try reader.extent().lastRevision
    guard let known = reader.revisions(upTo: last), known.contains(revision) else {
      let missing = MissingRevision(revision, of: reader.revisions(upTo: last))
      throw missing.isPruned ? reader.pruned(revision) : missing.error(in: reader.path)
    }
    let mark = try Mark(name, at: revision, remark: remark, time: time)
    do { try store.add(mark) } catch let error as TimeTravelError where error.code == .markExists {
      var failure = error.failure
      failure.advice =
        "\(command: .mark, .path(reader.path), .option("remove", "\(ShellWord(mark.name))")) removes the other one."
      throw failure
    }
    return mark
  }

  func unmark(_ name: String, of reader: LogReader, time: LogTime) throws -> Mark {
    let store = try markStore(of: reader)
    do { return try store.remove(name, time: time) } catch let error as TimeTravelError
      where error.code == .unknownMark
    {
      var failure = error.failure
      failure.advice = sentence(naming: try store.read().marks, of: reader)
      throw failure
    }
  }

  /// The marks of a log, or those of a bug report.
  func markList(of reader: LogReader) throws -> MarkList {
    guard reader.isSingleSegment else { return try MarkStore(at: reader.path, fileSystem: files).read() }
    do {
      return MarkList(try BugReport(reading: reader.path, fileSystem: files).marks)
    } catch let error as TimeTravelError where error.code == .invalidReport {
      return MarkList([])
    }
  }

  /// The marks of a log; if they are unreadable, none and the error. Commands that only read the log continue without
  /// marks.
  func readableMarks(of reader: LogReader) throws -> (list: MarkList, failure: ToolFailure?) {
    do {
      return (try markList(of: reader), nil)
    } catch let error as LogError {
      return (MarkList(), error.failure)
    }
  }

  func sentence(onFlawsOf list: MarkList, of reader: LogReader) -> MessageText? {
    guard let flaw = list.flaws.first else { return nil }
    let more = list.flawedLineCount - flaw.lineCount
    let others = more > 0 ? ", and \(HumanText.count(more, "line")) more" : ""
    return "\(reader.path)/\(LogFormat.marksName):\(flaw.line) is ignored: \(flaw.message)\(others)."
  }

  func warnOfMarkFlaws(_ list: MarkList, of reader: LogReader) throws(ToolStreamError) {
    for flaw in list.flaws {
      try warn(
        "\(reader.path)/\(LogFormat.marksName):\(flaw.line) is ignored: \(flaw.message). The other marks and the log are not affected."
      )
    }
  }
}
