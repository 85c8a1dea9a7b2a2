import ActionLog
import JSONCoding
import TextDisplay
import TimeTravel

extension Command {
  static let show = Command(
    "show",
    group: .read,
    summary: "one action in full, and what it changed",
    details: """
      \(PointResolver.forms)
      What changed is shown when the tool knows the log's model.
      """,
    examples: [
      .init("show my-log 12", "action 12"),
      .init("show my-log end", "the last one"),
    ],
    arguments: [.readLog, CommandArgument("POINT", "the action that led to this point")],
    options: [.model],
    blocking: { context in try ShowCommand(context: context).run() }
  )
}

/// `show`: one record, one diff.
private struct ShowCommand {
  let context: CommandContext

  func run() throws -> ExitStatus {
    let reader = try context.openReader()
    let revision = try PointResolver(context, reader: reader).revision(context.arguments.positionals[1])
    guard revision != 0 else {
      throw LogError(
        .revisionOutOfRange, "no action leads to revision 0", path: reader.path,
        advice: "It is the state at the start; 'state --at 0' shows it.")
    }
    let record = try reader.record(at: revision)
    let difference = try difference(at: revision, of: reader)
    if context.isJSON {
      var object = try RecordText.json(record)
      object["synced"] = .integer(record.synced)
      object["path"] = .string(record.place.path)
      object["byteOffset"] = .integer(record.place.byteOffset)
      object["changes"] = difference.map { difference in difference.jsonPatch().document }
      try context.output.json(.object(object))
    } else {
      try printPage(record)
      if let difference { try printChanges(difference) }
    }
    return .success
  }

  /// What the action changed, if the model is known; a log can be looked at without.
  private func difference(at revision: Int, of reader: LogReader) throws -> StateDiff? {
    let isKnown = context.tool.models.contains { model in model.name == reader.header.model }
    guard isKnown || context.arguments.value(of: .model) != nil else {
      try context.remark("what it changed is not shown: the model '\(reader.header.model)' is not known here")
      return nil
    }
    let model = try context.model(of: reader)
    let history = try model.history(reader.path, fileSystem: context.files)
    let progress = context.progress("replaying", unit: .actions)
    let difference = try history.difference(
      from: revision - 1, to: revision, options: context.replayOptions(progress))
    try progress.finish()
    return difference
  }

  private func printPage(_ record: LogRecord) throws {
    let style = context.output.style
    try context.output.line(
      style.bold("revision \(record.seq)") + "  " + style.bold(TerminalText.escaping(record.type)))
    var table = TextTable([.left, .left])
    table.append(["time", RecordText.time(record.time)])
    try append("data", Array(record.dataBytes), to: &table)
    if let meta = record.meta { try append("meta", meta, to: &table) }
    let line = record.place.line.map { line in ":\(line)" } ?? ""
    table.append(["place", TerminalText.escaping(record.place.path) + line + ", byte \(record.place.byteOffset)"])
    try context.output.lines(table.lines(indent: 2))
  }

  /// What fits beside the name stands there; anything longer gets as many rows as its rendering has lines.
  private static let lineCharacters = 90

  private func append(_ name: String, _ bytes: [UInt8], to table: inout TextTable) throws {
    let value = try JSONValue(parsing: bytes)
    let short = TerminalText.escaping(value.description)
    let text = short.count <= Self.lineCharacters ? short : StateTree(value).rendered()
    for (index, line) in text.split(separator: "\n").enumerated() {
      table.append([index == 0 ? name : "", String(line)])
    }
  }

  private func printChanges(_ difference: StateDiff) throws {
    try context.output.line()
    if difference.isEmpty {
      try context.output.line(context.output.style.dim("It changed nothing."))
    } else {
      try context.output.text(difference.rendered(style: context.output.style.tree))
    }
  }
}
