import ActionLog
import JSONCoding
import TerminalUI
import TimeTravel

extension Command {
  static let mark = Command(
    "mark",
    group: .read,
    summary: "give a point a name, which can be written wherever a point is asked for",
    details: """
      \(PointResolver.forms)
      Marks are kept in the log's directory, in marks.jsonl beside the records; the records are not touched, and a log can be
      marked while it is written to. 'marks' lists them. A crash can cut a line of that file; --remove-damaged takes out what cannot
      be read, and keeps it in the log's quarantine/.
      """,
    examples: [
      .init("mark my-log 12 'wrong diet'", "name a revision"),
      .init("mark my-log '5m ago' crash 'what Ann saw'", "name a moment, with a remark"),
      .init("state my-log --at 'wrong diet'", "use the name"),
      .init("mark my-log --remove 'wrong diet'", "take it away again"),
      .init("mark my-log --remove-damaged", "take lines out of marks.jsonl that cannot be read"),
    ],
    arguments: [
      .wholeLog, CommandArgument("POINT", arity: .optional, "the point to name"),
      CommandArgument("NAME", arity: .optional, "its name: no number, time or '='"),
      CommandArgument("REMARK", arity: .optional, "what is to be said of it"),
    ],
    options: [MarkCommand.remove, MarkCommand.removeDamaged],
    blocking: { context in try MarkCommand(context: context).run() }
  )

  static let marks = Command(
    "marks",
    group: .read,
    summary: "the points that have names",
    details: """
      Columns: revision, when it was marked (UTC), name, remark. The status is 1 when there are none. With --names there are
      names alone, one a line: what completions propose.
      """,
    examples: [
      .init("marks my-log", "every mark"),
      .init("marks my-log --json", "the same, for a program"),
    ],
    arguments: [CommandArgument("LOG", "a log's directory, or a bug report")],
    options: [MarksCommand.names],
    blocking: { context in try MarksCommand(context: context).run() }
  )
}

/// `mark`: one line more in the log's marks.
private struct MarkCommand {
  static let remove = CommandOption.value("remove", "MARK", "take the mark of this name away")
  static let removeDamaged = CommandOption.flag("remove-damaged", "take lines away that cannot be read")

  let context: CommandContext

  func run() throws -> ExitStatus {
    let reader = try context.openReader()
    let store = try context.markStore(of: reader)
    if context.arguments.has(Self.removeDamaged) { return try clean(store) }
    try context.warnOfMarkFlaws(store.read(), of: reader)
    let now = context.environment.logEnvironment.now()
    if let name = context.arguments.value(of: Self.remove) {
      guard context.arguments.positionals.count == 1 else {
        throw ToolFailure.usage("--remove takes the name alone: give no point")
      }
      return try tell(try context.unmark(name, of: reader, time: now), isRemoved: true)
    }
    guard let point = context.arguments.positional(1), let name = context.arguments.positional(2) else {
      throw ToolFailure.usage("'mark' needs POINT and NAME, --remove NAME or --remove-damaged")
    }
    let revision = try PointResolver(context, reader: reader).revision(point)
    let mark = try context.mark(name, at: revision, remark: context.arguments.positional(3), of: reader, time: now)
    return try tell(mark, isRemoved: false)
  }

  private func clean(_ store: MarkStore) throws -> ExitStatus {
    guard context.arguments.positionals.count == 1, !context.arguments.has(Self.remove) else {
      throw ToolFailure.usage("--remove-damaged stands alone: give the log, and nothing else")
    }
    let cleaning = try store.removeFlaws()
    if context.isJSON {
      try context.output.json([
        "path": .string(store.path), "removed": .integer(cleaning.lineCount),
        "quarantineFile": cleaning.keptPath.map(JSONValue.string) ?? .null,
      ])
    } else {
      let what =
        cleaning.flaws.isEmpty
        ? "no line that cannot be read" : HumanText.count(cleaning.lineCount, "line") + " taken out"
      let kept = cleaning.keptPath.map { path in ", and kept in \(TerminalText.escaping(path))" } ?? ""
      try context.output.line("\(TerminalText.escaping(store.path)): \(what)\(kept)")
    }
    return .success
  }

  private func tell(_ mark: Mark, isRemoved: Bool) throws -> ExitStatus {
    if context.isJSON {
      var object = mark.json
      if isRemoved { object["removed"] = true }
      try context.output.json(.object(object))
    } else {
      let end = isRemoved ? ", no longer marked" : ""
      try context.output.line("revision \(mark.revision): \(TerminalText.escaping(mark.name))\(end)")
    }
    return .success
  }
}

/// `marks`: a line for each.
private struct MarksCommand {
  static let names = CommandOption.flag("names", "print the names alone")

  let context: CommandContext

  func run() throws -> ExitStatus {
    let isForNames = context.arguments.has(Self.names)
    guard !isForNames || !context.isJSON else {
      throw ToolFailure.usage("--names prints names alone, --json all that is known: give one of them")
    }
    let reader = try context.openReader()
    let list = try context.markList(of: reader)
    if isForNames {
      try context.output.lines(list.marks.map { mark in TerminalText.escaping(mark.name) })
    } else if context.isJSON {
      for mark in list.marks { try context.output.json(.object(mark.json)) }
    } else {
      let style = context.output.style
      var table = PagedTable([.right, .left, .left, .left], printer: context.output, columns: context.outputColumns)
      for mark in list.marks {
        try table.append([
          .init(String(mark.revision), paint: style.cyan), .init(RecordText.time(mark.time), paint: style.dim),
          .init(TerminalText.escaping(mark.name), paint: style.bold), .init(TerminalText.escaping(mark.remark ?? "")),
        ])
      }
      try table.flush()
    }
    try context.warnOfMarkFlaws(list, of: reader)
    if list.marks.isEmpty { try context.note("no marks") }
    return list.marks.isEmpty ? .negative : .success
  }
}

extension Mark {
  /// What programs get of a mark.
  var json: JSONObject {
    var object: JSONObject = ["name": .string(name), "seq": .integer(revision), "time": .string(time.description)]
    object["remark"] = remark.map(JSONValue.string)
    return object
  }
}

extension CommandContext {
  /// The marks of a log, which is to be a directory.
  func markStore(of reader: LogReader) throws(LogError) -> MarkStore {
    guard !reader.isSingleSegment else {
      throw LogError(
        .invalidArgument, "marks are kept in a log's directory, not in a single segment", path: reader.path,
        advice: "Give the directory of the whole log.")
    }
    return MarkStore(log: reader.path, fileSystem: files)
  }

  /// Gives a revision of a log a name.
  func mark(
    _ name: String, at revision: Int, remark: String?, of reader: LogReader, time: LogTime
  ) throws -> Mark {
    let store = try markStore(of: reader)
    let last = try reader.extent().lastSeq
    guard (0...last).contains(revision) else { throw MissingRevision(revision, of: 0...last).error(in: reader.path) }
    let mark = try Mark(name, at: revision, remark: remark, time: time)
    do { try store.add(mark) } catch let error as TimeTravelError where error.code == .markExists {
      var failure = ToolFailure(error)
      failure.advice =
        "'\(tool.name) mark \(ShellWord(reader.path)) --remove \(ShellWord(mark.name))' takes the other one away."
      throw failure
    }
    return mark
  }

  /// Takes a mark away.
  fileprivate func unmark(_ name: String, of reader: LogReader, time: LogTime) throws -> Mark {
    let store = try markStore(of: reader)
    do { return try store.remove(name, time: time) } catch let error as TimeTravelError
      where error.code == .unknownMark
    {
      var failure = ToolFailure(error)
      failure.advice = sentence(naming: try store.read().marks, of: reader)
      throw failure
    }
  }

  /// The marks that can be named in a log: those beside it, or those in a bug report.
  func markList(of reader: LogReader) throws -> MarkList {
    guard reader.isSingleSegment else { return try MarkStore(log: reader.path, fileSystem: files).read() }
    do {
      return MarkList(try BugReport(reading: reader.path, fileSystem: files).marks)
    } catch let error as TimeTravelError where error.code == .invalidReport {
      return MarkList([])
    }
  }

  /// The marks of a log, and why there are none where they cannot be read: whoever looks at the log goes on without them.
  func readableMarks(of reader: LogReader) throws -> (list: MarkList, failure: ToolFailure?) {
    do {
      return (try markList(of: reader), nil)
    } catch let error as LogError {
      var failure = ToolFailure(error)
      failure.advice = [failure.advice, "Make the file readable, or move it away."].compactMap(\.self).joined(
        separator: " ")
      return (MarkList(), failure)
    }
  }

  /// Which lines of the marks' file cannot be read, for those who have one line to tell it; `nil` when all can.
  func sentence(onFlawsOf list: MarkList, of reader: LogReader) -> String? {
    guard let flaw = list.flaws.first else { return nil }
    let more = list.flawedLineCount - flaw.lineCount
    let others = more > 0 ? ", and \(HumanText.count(more, "line")) more" : ""
    return "\(reader.path)/\(LogFormat.marksName):\(flaw.line) is passed over: \(flaw.message)\(others). "
      + "'\(tool.name) mark \(ShellWord(reader.path)) --remove-damaged' takes out what cannot be read."
  }

  /// Tells of lines of the marks' file that cannot be read.
  func warnOfMarkFlaws(_ list: MarkList, of reader: LogReader) throws(ToolStreamError) {
    for flaw in list.flaws {
      try warn(
        "\(reader.path)/\(LogFormat.marksName):\(flaw.line) is passed over: \(flaw.message). The other marks and the log are not affected."
      )
    }
    guard !list.flaws.isEmpty else { return }
    try note("'\(tool.name) mark \(ShellWord(reader.path)) --remove-damaged' takes out what cannot be read.")
  }
}
