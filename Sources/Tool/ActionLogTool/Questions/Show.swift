import ActionLog
import EventSourcing
import JSONCoding
import TerminalUI
import TimeTravel

extension Command {
  static let show = Command(
    "show",
    group: .read,
    summary: "show one action in full, and its changes",
    details: """
      The changes are shown if the tool knows the log's model. Strings are cut to 10 000 characters; --json prints all of them.
      """,
    examples: [
      .init("show my-log 12", "action 12"),
      .init("show my-log end", "the last one"),
    ],
    arguments: [
      .readLog, CommandArgument("POINT", input: "at", kind: .point, "the action that led to this point"),
    ],
    options: [.model, .projection],
    tool: ToolDeclaration(
      title: "Show an action",
      help:
        "Shows one action, its place, and a JSON Patch of what it changed in the state; old is what was replaced or removed, up to 1 KiB."
    ),
    shape: ShownAction.shape,
    ask: ShownAction.ask,
    print: { action, context in try action.print(context) }
  )
}

/// The answer of `show`: an action, its place, and what it changed.
private struct ShownAction {
  let record: LogRecord
  let line: Int
  /// The revisions that were decided together; `nil` if the action was decided alone.
  let decision: ClosedRange<Int>?
  /// The actions that the program reads the record as; `nil` if they are the recorded action, or the model is unknown.
  var reading: RecordReading?
  /// `nil` if the model is unknown.
  var difference: StateDiff?

  static let shape = AnswerShape<ShownAction>.object(
    "One object: the record, its place, and what it changed.", isBounded: true,
    [
      .member("seq", .revision, \.record.revision), .member("time", .time, \.record.time),
      .member("type", .text, \.record.type),
      .member("data", .container) { action in try JSONValue(parsing: action.record.dataBytes) },
      .optional("meta", .meta) { action in try action.record.meta.map { meta in try JSONValue(parsing: meta) } },
      .member("synced", .revision, \.record.synced), .member("path", .file, \.record.place.path),
      .member("line", .count, \.line), .member("byteOffset", .count, \.record.place.byteOffset),
      .optional(
        "decision", range, \.decision,
        "Decided together."),
      .optional(
        "readAs", .array(of: form), \.reading?.actions,
        "The actions that the model reads the record as, if they differ from it."),
      .optional("changes", .patch, \.difference?.patchWithOldValues),
    ])

  private static let range = AnswerShape<ClosedRange<Int>>.object([
    .member("first", .revision, \.lowerBound), .member("last", .revision, \.upperBound),
  ])

  private static let form = AnswerShape<StoredAction>.object([
    .member("type", .text, \.type), .member("data", .container) { action in .object(action.data) },
  ])

  static func ask(_ context: CommandContext) throws -> (ShownAction?, status: () throws -> ExitStatus) {
    let reader = try context.openReader()
    let point = context.arguments.positionals[1]
    let revision = try PointResolver(context, reader: reader).revision(point)
    guard revision != 0 else {
      throw LogError(
        .revisionOutOfRange, "revision 0 has no action", path: reader.path,
        advice: "It is the state at the start; \(command: .state, .path(reader.path), .option("at", "0")) shows it.")
    }
    let record = try reader.record(at: revision)
    var action = ShownAction(
      record: record, line: try reader.lineNumber(of: record.place),
      decision: try reader.decision(of: revision))
    if let history = try history(of: reader, context) {
      do {
        action.reading = try reading(of: record, in: history)
        action.difference = try difference(at: revision, of: history, context)
      } catch let error as EventSourcingError {
        // The record itself is intact, and what is in it may explain why the model cannot read it.
        try context.note("the changes are not shown: \(error.message)")
      }
    }
    // The end of a damaged log is not its last action.
    return (
      action,
      status: {
        try context.status(.success, of: reader, upTo: point == "end" || point.hasPrefix("-") ? nil : revision)
      }
    )
  }

  func print(_ context: CommandContext) throws {
    try printPage(context)
    if let difference { try printChanges(difference, context) }
  }

  /// The history; `nil` with a note if the model is unknown.
  private static func history(of reader: LogReader, _ context: CommandContext) throws -> (any HistoryHandle)? {
    let isKnown = context.tool.models.contains { model in model.name == reader.header.model }
    guard isKnown || context.arguments.value(of: .model) != nil else {
      try context.note("the changes are not shown: this tool does not know the model '\(reader.header.model)'")
      return nil
    }
    return try context.history(of: reader)
  }

  /// The actions that the program reads a record as; `nil` if they are the recorded action.
  private static func reading(of record: LogRecord, in history: any HistoryHandle) throws -> RecordReading? {
    let (actions, isOpaque) = try history.reading(of: record)
    let forms = try actions.map { form in
      StoredAction(type: form.type, data: try JSONObject(parsing: form.data[...]))
    }
    let stored = StoredAction(type: record.type, data: try JSONObject(parsing: record.dataBytes))
    return forms == [stored] ? nil : RecordReading(actions: forms, isOpaque: isOpaque)
  }

  private static func difference(
    at revision: Int, of history: any HistoryHandle, _ context: CommandContext
  ) throws -> StateDiff {
    let progress = context.progress("replaying", unit: .actions)
    let difference = try history.difference(
      from: revision - 1, to: revision, options: context.replayOptions(progress))
    try progress.finish()
    return difference
  }

  private func printPage(_ context: CommandContext) throws {
    let style = context.output.style
    try context.output.line(
      style.bold("revision \(record.revision)") + "  " + style.bold(TerminalText.escaping(record.type)))
    var table = TextTable([.left, .left])
    table.append(["time", RecordText.time(record.time)])
    try append("data", Array(record.dataBytes), to: &table)
    if let reading {
      if reading.isOpaque {
        table.append(["read as", "nothing: the model does not know the type, and keeps the record"])
      }
      if record.isSkipped {
        table.append(["read as", "nothing: a redaction excludes it from replays"])
      } else if reading.actions.isEmpty, !reading.isOpaque {
        table.append(["read as", "nothing: an upcaster drops it"])
      }
      for action in reading.actions {
        let data = TerminalText.beginning(of: JSONValue.object(action.data).description, characters: 10_000)
        table.append(["read as", TerminalText.escaping("\(action.type) \(data.text)\(data.isComplete ? "" : "…")")])
      }
    }
    if let meta = record.meta { try append("meta", meta, to: &table) }
    if let decision {
      table.append([
        "decided", "together with the revisions \(decision.lowerBound)…\(decision.upperBound): all or none",
      ])
    }
    table.append([
      "place", "\(TerminalText.escaping(record.place.path)):\(line), byte \(record.place.byteOffset)",
    ])
    try context.output.lines(table.lines(indent: 2))
  }

  /// The length of a value next to its name; a longer value gets a row for each line of its rendering.
  private static let lineCharacters = 90

  private func append(_ name: String, _ bytes: [UInt8], to table: inout TextTable) throws {
    let value = try JSONValue(parsing: bytes)
    let short = TerminalText.beginning(of: value.description, characters: Self.lineCharacters)
    let line = TerminalText.escaping(String(short.text))
    let isShort = short.isComplete && line.count <= Self.lineCharacters
    let text = isShort ? line : StateTree(value).rendered(characterLimit: JSONRenderer.pageCharacters)
    for (index, line) in text.split(separator: "\n").enumerated() {
      table.append([index == 0 ? name : "", String(line)])
    }
  }

  private func printChanges(_ difference: StateDiff, _ context: CommandContext) throws {
    try context.output.line()
    if difference.isEmpty {
      try context.output.line(context.output.style.dim("It changed nothing."))
    } else {
      try context.output.text(
        difference.rendered(characterLimit: JSONRenderer.pageCharacters, style: context.output.style))
    }
  }
}

/// The actions that a program reads a record as, if they differ from the recorded one.
private struct RecordReading {
  var actions: [StoredAction]
  var isOpaque: Bool
}

extension JSONObject {
  /// The values of an action.
  fileprivate init(parsing bytes: ArraySlice<UInt8>) throws(JSONError) {
    if case .object(let object) = try JSONValue(parsing: bytes) { self = object } else { self.init() }
  }
}
