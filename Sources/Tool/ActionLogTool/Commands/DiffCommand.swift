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
      \(PointResolver.forms)
      With one point: the changes of the action at that point. The status is 0 if the states are equal, and 1 if they differ.
      Applied to the first state, json-patch (RFC 6902) results in exactly the second one; merge-patch is RFC 7396.
      With --json the patch is the member "changes" or "mergePatch" of an object with the revisions "from" and "to".
      """,
    examples: [
      .init("diff my-log 11 12", "what changed from revision 11 to 12"),
      .init("diff my-log 12", "the same: what action 12 changed"),
      .init("diff my-log start end --format json-patch", "everything, as a JSON Patch"),
    ],
    arguments: [
      .readLog, CommandArgument("A", "the first point"), CommandArgument("B", arity: .optional, "the second point"),
    ],
    options: [DiffCommand.format, .model, .projection],
    answer: .object,
    blocking: { context in try DiffCommand(context: context).run() }
  )
}

/// `diff`: compares the states of two replays.
private struct DiffCommand {
  static let format = CommandOption.choice(
    "format", formerLetter: "f", of: ["tree", "json-patch", "merge-patch", "unified"],
    "the format of the changes (default: tree)")

  let context: CommandContext

  func run() throws -> ExitStatus {
    let format = context.arguments.value(of: Self.format) ?? (context.isJSON ? "json-patch" : "tree")
    guard !context.isJSON || format.hasSuffix("-patch") else {
      throw ToolFailure.usage("--format \(format) is not JSON: omit --json, or use json-patch or merge-patch")
    }
    let history = try context.openHistory()
    let (first, second) = try points(history.reader)
    // If damage ends the log before the first point, 'end' silently means an earlier revision.
    if countsFromEnd, second < first { try context.requireReadable(first, in: history.reader) }
    let progress = context.progress("replaying", unit: .actions)
    let difference = try history.difference(from: first, to: second, options: context.replayOptions(progress))
    context.begin("printing")
    switch format {
    case "json-patch":
      try print(
        context.isJSON ? difference.patchWithOldValues : difference.jsonPatch().document, as: "changes", from: first,
        to: second)
    case "merge-patch": try print(difference.mergePatch().document, as: "mergePatch", from: first, to: second)
    case "unified":
      try context.output.text(difference.unified(oldName: "revision \(first)", newName: "revision \(second)"))
    default: try printTree(difference, from: first, to: second, of: history.reader)
    }
    return try context.status(
      difference.isEmpty ? .success : .negative, of: history.reader, upTo: countsFromEnd ? nil : second)
  }

  private var countsFromEnd: Bool {
    context.arguments.positionals.dropFirst().contains { point in point == "end" || point.hasPrefix("-") }
  }

  private func points(_ reader: LogReader) throws -> (Int, Int) {
    let resolver = PointResolver(context, reader: reader)
    let first = try resolver.revision(context.arguments.positionals[1])
    if let text = context.arguments.positional(2) { return (first, try resolver.revision(text)) }
    guard first > reader.firstRevision else {
      if reader.base != nil { throw reader.pruned(first) }
      throw ToolFailure.usage("revision 0 has no action", advice: "Give two points to compare.")
    }
    return (first - 1, first)
  }

  /// Prints a patch: alone, for programs that apply patches, or with `--json` as a member of an object.
  private func print(_ document: JSONValue, as name: String, from first: Int, to second: Int) throws {
    if context.isJSON {
      try context.output.json(["from": .integer(first), "to": .integer(second), name: document])
    } else {
      try context.output.text(StateTree(document).rendered(style: context.output.style.tree))
    }
  }

  private func printTree(_ difference: StateDiff, from first: Int, to second: Int, of reader: LogReader) throws {
    let style = context.output.style
    let text = difference.isEmpty ? "no difference\n" : difference.rendered(style: style.tree)
    try context.output.line(style.bold("revision \(first) → \(second)") + (try action(second, after: first, reader)))
    try context.output.text(text)
  }

  /// The action between two consecutive revisions.
  private func action(_ second: Int, after first: Int, _ reader: LogReader) throws -> String {
    guard second == first + 1 else { return "" }
    let record = try reader.record(at: second)
    return "  " + RecordText.time(record.time) + "  " + TerminalText.escaping(record.type)
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
