import ActionLog
import JSONCoding
import TerminalUI
import TimeTravel

extension Command {
  static let diff = Command(
    "diff",
    group: .travel,
    summary: "compare the states at two points",
    details: """
      With one point: the changes of the action at that point. The status is 0 if the states are equal, and 1 if they differ.
      Applied to the first state, json-patch (RFC 6902) results in exactly the second one.
      With --json the patch is the member "changes" of an object with the revisions "from" and "to".
      """,
    examples: [
      .init("diff my-log 11 12", "what changed from revision 11 to 12"),
      .init("diff my-log 12", "the same: what action 12 changed"),
      .init("diff my-log start end --format json-patch", "everything, as a JSON Patch"),
    ],
    arguments: [
      .readLog,
      CommandArgument("A", input: "from", kind: .point, "the first point; alone, the action that changed the state"),
      CommandArgument("B", arity: .optional, input: "to", kind: .point, "the second point"),
    ],
    options: [Difference.format, .model, .projection],
    tool: ToolDeclaration(
      title: "Compare two states",
      help:
        "Compares the states at two points, as a JSON Patch. Without to: what the action at from changed. old has the replaced or "
        + "removed value, up to 1 KiB."),
    shape: Difference.shape,
    ask: Difference.ask,
    print: { difference, context in try difference.print(context) }
  )
}

/// The answer of `diff`: the difference of two states.
private struct Difference {
  static let format = CommandOption.choice(
    "format", of: ["tree", "json-patch"],
    "the format of the changes (default: tree)")

  let from: Int
  let to: Int
  let format: String
  let difference: StateDiff
  let reader: LogReader

  static let shape = AnswerShape<Difference>.object(
    "One object: the changes from one revision to another, as a JSON Patch (RFC 6902).",
    isBounded: true,
    [
      .member("from", .revision, \.from), .member("to", .revision, \.to),
      .member("changes", .patch, \.difference.patchWithOldValues),
    ])

  static func ask(_ context: CommandContext) throws -> (Difference?, status: () throws -> ExitStatus) {
    let format = context.arguments.value(of: format) ?? (context.isJSON ? "json-patch" : "tree")
    guard !context.isJSON || format == "json-patch" else {
      throw ToolFailure.usage(
        "\(option: Self.format, "\(format)") is not JSON: omit \(option: .json), or use json-patch")
    }
    let history = try context.openHistory()
    let (from, to) = try points(context, history.reader)
    let countsFromEnd = context.arguments.positionals.dropFirst().contains { point in
      point == "end" || point.hasPrefix("-")
    }
    // If damage ends the log before the first point, 'end' silently means an earlier revision.
    if countsFromEnd, to < from { try context.requireReadable(from, in: history.reader) }
    let progress = context.progress("replaying", unit: .actions)
    let difference = try history.difference(from: from, to: to, options: context.replayOptions(progress))
    context.begin("printing")
    return (
      Difference(from: from, to: to, format: format, difference: difference, reader: history.reader),
      status: {
        try context.status(
          difference.isEmpty ? .success : .negative, of: history.reader, upTo: countsFromEnd ? nil : to)
      }
    )
  }

  private static func points(_ context: CommandContext, _ reader: LogReader) throws -> (Int, Int) {
    let resolver = PointResolver(context, reader: reader)
    let first = try resolver.revision(context.arguments.positionals[1])
    if let text = context.arguments.positional(2) { return (first, try resolver.revision(text)) }
    guard first > reader.firstRevision else {
      if reader.base != nil { throw reader.pruned(first) }
      throw ToolFailure.usage("revision 0 has no action", advice: "Give two points to compare.")
    }
    return (first - 1, first)
  }

  /// Prints a patch alone, for programs that apply patches.
  func print(_ context: CommandContext) throws {
    let style = context.output.style
    guard format == "tree" else {
      return try context.output.text(StateTree(difference.jsonPatch().document).rendered(style: style))
    }
    let text = difference.isEmpty ? "no difference\n" : difference.rendered(style: style)
    let heading = "revision \(from) → \(to)"
    try context.output.line(
      style.bold(heading) + action(columns: context.outputColumns.map { columns in columns - TextWidth.of(heading) }))
    try context.output.text(text)
  }

  /// - Parameter columns: The room, if it is limited: the last part of the type is kept.
  private func action(columns: Int?) throws -> String {
    guard to == from + 1 else { return "" }
    let record = try reader.record(at: to)
    let time = "  " + RecordText.time(record.time) + "  "
    let type = columns.map { columns in ShortName.type(record.type, columns: max(8, columns - TextWidth.of(time))) }
    return time + (type ?? TerminalText.escaping(record.type))
  }
}

extension StateDiff {
  /// A larger value is not repeated next to the one that replaces it: `state` prints it.
  private static let oldValueLimitBytes = 1_024

  /// A JSON Patch whose operations have the value that they replace or remove as `old`, unless it is large. RFC 6902 has readers
  /// ignore further members.
  var patchWithOldValues: JSONValue {
    guard case .array(let elements) = jsonPatch(includingTests: true).document else { return [] }
    var operations: [JSONValue] = []
    var old: JSONValue?
    for case .object(var operation) in elements {
      // The test of a value is directly before the operation on it.
      if operation["op"] == "test" {
        old = operation["value"]
      } else {
        if let old, old.bytes().count <= Self.oldValueLimitBytes { operation["old"] = old }
        old = nil
        operations.append(.object(operation))
      }
    }
    return .array(operations)
  }
}
