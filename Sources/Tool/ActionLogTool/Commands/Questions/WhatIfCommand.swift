import ActionLog
import JSONCoding
import TextDisplay
import TimeTravel

extension Command {
  static let whatIf = Command(
    "what-if",
    group: .question,
    summary: "what would be, had actions not happened, or others, or with another model",
    details: """
      \(PointResolver.forms)
      \(HistoryEditParser.forms)
      Actions that the reducer refuses in the changed history are told and passed over. Nothing is written, except that --branch
      makes a log of its own, which names the one that it comes from. Without an edit, --branch makes a log that ends at --to.
      """,
    examples: [
      .init("what-if my-log --skip 12", "the last state, had action 12 not happened"),
      .init("what-if my-log --skip 5-8 --move 3=9 --to 20", "without actions 5 to 8, and 3 behind 9, at revision 20"),
      .init("what-if my-log --insert '4=didTapIncrementButton'", "had there been another action behind revision 4"),
      .init("what-if my-log --skip 12 --branch my-branch", "the same, and a log of it"),
    ],
    arguments: [.readLog],
    options: HistoryEditParser.options + [WhatIfCommand.with, .to, WhatIfCommand.branch, .model],
    blocking: { context in try WhatIfCommand(context: context).run() }
  )
}

/// `what-if`: two folds side by side, and what is different in the end.
private struct WhatIfCommand {
  static let with = CommandOption.value("with", letter: "w", "MODEL", "fold the changed history with this model")
  static let branch = CommandOption.value("branch", letter: "b", "DIR", "make a log of it; nothing may lie there")

  /// A branch that lost its beginning can refuse everything; people look at the first few.
  private static let refusalLimit = 20

  let context: CommandContext

  func run() throws -> ExitStatus {
    let history = try context.openHistory()
    let edits = try HistoryEditParser(context, reader: history.reader).edits()
    let other = try context.arguments.value(of: Self.with).map { name in try context.model(named: name) }
    let target = context.arguments.value(of: Self.branch)
    guard !edits.isEmpty || other != nil || target != nil else {
      throw ToolFailure.usage(
        "'what-if' needs something that would be otherwise",
        advice: "Give --skip, --replace, --insert, --move or --with.")
    }
    guard target != "" else { throw ToolFailure.usage("the path of the branch is empty") }
    let question = WhatIfQuestion(
      edits: edits, last: try context.revision(of: .to, in: history.reader), target: target,
      environment: context.environment.logEnvironment)
    let result = try context.ask { options in
      try history.whatIf(question, foldedBy: other, options: options)
    }
    if context.isJSON {
      try context.output.json(.object(json(result, target)))
    } else {
      try print(result, target)
    }
    return try context.status(.success, of: history.reader, upTo: question.last)
  }

  private func print(_ result: WhatIfResult, _ target: String?) throws {
    let style = context.output.style
    try context.output.line(
      style.bold(
        "revision \(result.counts.history) → as it would be after \(HumanText.count(result.counts.branch, "action"))"))
    if result.difference.isEmpty {
      try context.output.line(result.firstDivergence == nil ? "no difference" : "no difference in the end")
    } else {
      try context.output.text(result.difference.rendered(style: style.tree))
    }
    try printRefusals(result)
    if let target, let revision = result.branchRevision, let parent = result.parent {
      try context.output.line(
        "\(TerminalText.escaping(target)): \(HumanText.count(revision, "action")), in common with "
          + "\(TerminalText.escaping(try context.logPath())) up to revision \(parent.seq)")
    }
    try context.remark(
      result.firstDivergence.map { revision in "the states differ first at revision \(revision)" }
        ?? "the states differ at no revision")
    try context.remark(on: result.work)
  }

  private func printRefusals(_ result: WhatIfResult) throws {
    guard result.refusedCount > 0 else { return }
    let style = context.output.style
    try context.output.line(style.bold("refused and passed over: \(HumanText.count(result.refusedCount, "action"))"))
    var table = PagedTable([.right, .left, .left], printer: context.output, columns: context.outputColumns)
    for refusal in result.refusals.prefix(Self.refusalLimit) {
      try table.append([
        .init((refusal.isEdited ? "at " : "") + String(refusal.revision), paint: style.cyan),
        .init(TerminalText.escaping(refusal.type), paint: style.bold),
        .init(TerminalText.escaping(Self.reason(refusal))),
      ])
    }
    try table.flush()
    let more = result.refusedCount - min(result.refusals.count, Self.refusalLimit)
    if more > 0 { try context.output.line("and \(HumanText.count(more)) more") }
  }

  private static func reason(_ refusal: BranchRefusal) -> String { ToolFailure(any: refusal.error).message }

  private func json(_ result: WhatIfResult, _ target: String?) -> JSONObject {
    var object: JSONObject = [
      "revision": .integer(result.counts.history), "actions": .integer(result.counts.branch),
      "stem": .integer(result.stem),
    ]
    object["firstDivergence"] = result.firstDivergence.map(JSONValue.integer) ?? .null
    object["changes"] = result.difference.jsonPatch().document
    object["refused"] = .integer(result.refusedCount)
    object["refusals"] = .array(
      result.refusals.map { refusal in
        [
          "revision": .integer(refusal.revision), "type": .string(refusal.type), "isEdited": .bool(refusal.isEdited),
          "error": .string(Self.reason(refusal)),
        ]
      })
    if let target, let revision = result.branchRevision, let parent = result.parent {
      object["branch"] = [
        "path": .string(target), "lastSeq": .integer(revision),
        "parent": ["log": .string(parent.log), "seq": .integer(parent.seq)],
      ]
    }
    object["work"] = .object(result.work.json)
    return object
  }
}
