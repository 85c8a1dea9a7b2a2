import ActionLog
import EventSourcing
import JSONCoding
import TerminalUI
import TimeTravel

extension Command {
  static let whatIf = Command(
    "what-if",
    group: .question,
    effect: .readsLog,
    summary: "show the state if actions had been skipped or changed, or with another model",
    details: """
      \(HistoryEditParser.forms)
      Actions that the reducer refuses in the changed history are listed and skipped. Nothing is written: 'branch' writes the changed
      history as a log.
      """,
    examples: [
      .init("what-if my-log --skip 12", "the last state without action 12"),
      .init("what-if my-log --skip 5-8 --move 3=9 --to 20", "without actions 5 to 8, and 3 after 9, at revision 20"),
      .init("what-if my-log --insert '4=didTapIncrementButton'", "with another action after revision 4"),
    ],
    arguments: [.readLog],
    options: WhatIfCommand.changes + [.model, .projection],
    rules: [.oneOf([.projection, WhatIfCommand.with])],
    answer: .object,
    tool: ToolDeclaration(
      title: "What if",
      help:
        "Folds the log with actions skipped, replaced, inserted or moved, or with another model, and compares the states. The log is "
        + "not changed. An ACTION is TYPE, or TYPE {…data…}.",
      inputs: WhatIfCommand.changes),
    schema: WhatIfCommand.shape.schema,
    blocking: { context in try WhatIfCommand(context: context).run() }
  )
}

struct WhatIfCommand {
  static let with = CommandOption.value("with", "MODEL", kind: .model, "fold the changed history with this model")
  static let changes = HistoryEditParser.options + [with, .to]

  /// The number of listed refusals: a branch without its beginning can refuse every action.
  private static let refusalLimit = 20

  let context: CommandContext

  /// - Parameter target: The directory for a log of the changed history; `nil` to show only what is different.
  func run(branch target: String? = nil) throws -> ExitStatus {
    let history = try context.openHistory()
    let edits = try HistoryEditParser(context, reader: history.reader).edits()
    let other = try context.arguments.value(of: Self.with).map { name in try context.model(named: name) }
    guard !edits.isEmpty || other != nil || target != nil else {
      throw ToolFailure.usage(
        "'what-if' needs a change",
        advice: "Give \(option: HistoryEditParser.skip), \(option: HistoryEditParser.replace), "
          + "\(option: HistoryEditParser.insert), \(option: HistoryEditParser.move) or \(option: Self.with).")
    }
    let patched = RegisteredModel.patched.name
    guard other == nil || ![other?.name, history.reader.header.model].contains(patched) else {
      throw ToolFailure.usage(
        "\(option: Self.with) has no meaning for '\(patched)': the effects of its actions are in the log, not in a reducer"
      )
    }
    let question = WhatIfQuestion(
      edits: edits, last: try context.revision(of: .to, in: history.reader), target: target,
      environment: context.environment.logEnvironment)
    let result = try context.ask { options in
      try history.whatIf(question, foldedBy: other, options: options)
    }
    let answer = Answer(result: result, branch: result.branch)
    try context.answer(answer, target == nil ? Self.shape : Self.branchShape) { try print(result) }
    return try context.status(.success, of: history.reader, upTo: question.last)
  }

  private func print(_ result: WhatIfResult) throws {
    let style = context.output.style
    try context.output.line(
      style.bold(
        "revision \(result.counts.history) → the changed history after \(HumanText.count(result.counts.branch, "action"))"
      ))
    if result.difference.isEmpty {
      try context.output.line(result.firstDivergence == nil ? "no difference" : "no difference in the end")
    } else {
      try context.output.text(result.difference.rendered(style: style))
    }
    try printRefusals(result)
    if let branch = result.branch {
      try context.output.line(
        "\(TerminalText.escaping(branch.path)): \(HumanText.count(branch.revision, "action")), in common with "
          + "\(TerminalText.escaping(try context.logPath())) up to revision \(branch.parent.revision)")
    }
    try context.note(
      result.firstDivergence.map { revision in "the states differ first at revision \(revision)" }
        ?? "the states differ at no revision")
    try context.note(on: result.work)
  }

  private func printRefusals(_ result: WhatIfResult) throws {
    guard result.refusedCount > 0 else { return }
    let style = context.output.style
    try context.output.line(style.bold("refused and skipped: \(HumanText.count(result.refusedCount, "action"))"))
    var table = PagedTable([.right, .left, .left], printer: context.output, columns: context.outputColumns)
    for refusal in result.refusals.prefix(Self.refusalLimit) {
      try table.append([
        .init((refusal.isEdited ? "at " : "") + String(refusal.revision), paint: style.cyan),
        .init(TerminalText.escaping(refusal.type), paint: style.bold),
        .init(TerminalText.escaping(refusal.reason)),
      ])
    }
    try table.flush()
    let more = result.refusedCount - min(result.refusals.count, Self.refusalLimit)
    if more > 0 { try context.output.line("and \(HumanText.count(more)) more") }
  }
}

extension WhatIfCommand {
  /// The answer, and the branch as its reader knows it.
  struct Answer<Branch> {
    let result: WhatIfResult
    var branch: Branch?
  }

  static let shape = shape(changes: [difference])
  static let branchShape = shape(changes: [difference], branch: [writtenBranch])

  private static let difference = AnswerMember<Answer<WrittenBranch>>.member("changes", .patch) { answer in
    answer.result.difference.patchWithOldValues
  }

  static func shape<Branch>(
    changes: [AnswerMember<Answer<Branch>>] = [], branch: [AnswerMember<Answer<Branch>>] = []
  ) -> AnswerShape<Answer<Branch>> {
    .object(
      "One object: the difference between the recorded history and the changed one. stem is the last common revision, actions the length of the changed history.",
      isBounded: true,
      [
        .member("revision", .revision, \.result.counts.history), .member("actions", .count, \.result.counts.branch),
        .member("stem", .revision, \.result.stem),
        .nullable("firstDivergence", .revision, \.result.firstDivergence),
      ] + changes + [
        .member("refused", .count, \.result.refusedCount),
        .member("refusals", .array(of: refusal), \.result.refusals),
      ] + branch + [.member("work", .work, \.result.work)])
  }

  private static let refusal = AnswerShape<BranchRefusal>.object([
    .member("revision", .revision, \.revision), .member("type", .text, \.type),
    .member("isEdited", .flag, \.isEdited),
    .member("error", .text, \.reason),
  ])

  private static let writtenBranch = AnswerMember<Answer<WrittenBranch>>.optional(
    "branch",
    .object([
      .member("path", .file, \.path), .member("lastSeq", .revision, \.revision),
      .member("parent", parent, \.parent),
    ]), \.branch)

  private static let parent = AnswerShape<LogHeader.Parent>.object([
    .member("log", .text, \.log), .member("seq", .revision, \.revision),
  ])
}

struct WrittenBranch: Sendable {
  let path: String
  let revision: Int
  let parent: LogHeader.Parent
}

extension BranchRefusal {
  /// The message, and for an error of the reducer what is intact: the state of the branch.
  fileprivate var reason: String {
    let failure = ToolFailure(any: error)
    return error is any ReportedError ? failure.message : failure.description
  }
}

/// Parses the edits of a history: `--skip 5-8`, `--replace 5=ACTION`, `--insert 5=ACTION`, `--move 5=9`.
struct HistoryEditParser {
  static let skip = CommandOption.value("skip", "N[-M]", isRepeatable: true, "skip these actions")
  static let replace = CommandOption.value(
    "replace", "N=ACTION", isRepeatable: true, "replace action N with this one")
  static let insert = CommandOption.value(
    "insert", "N=ACTION", isRepeatable: true, "insert this action after revision N (0: before any)")
  static let move = CommandOption.value(
    "move", "N=M", isRepeatable: true, "move action N to after revision M")

  static let options = [skip, replace, insert, move]

  static let forms = """
    N and M are points of the unchanged log: edits do not shift each other. Several actions after one revision are ordered
    --insert first, then --move, each as typed. An ACTION is a type, followed by a space and its data if it has some
    ('5=rename {"id":3}'), or a line of input of 'record' ('5={"type":"rename","data":{"id":3}}').
    """

  private let arguments: ParsedArguments
  private let resolver: PointResolver

  init(_ context: CommandContext, reader: LogReader) {
    arguments = context.arguments
    resolver = PointResolver(context, reader: reader)
  }

  func edits() throws -> [HistoryEdit] {
    try Self.options.flatMap { option in try arguments.values(of: option).map { text in try edit(text, of: option) } }
  }

  /// Parses the value of one of the options.
  func edit(_ text: String, of option: CommandOption) throws -> HistoryEdit {
    if option.name == Self.skip.name { return .skip(try range(text)) }
    let (revision, rest) = try parts(text, of: option)
    switch option.name {
    case Self.move.name: return .move(revision, after: try resolver.revision(String(rest)))
    case Self.insert.name: return .insert(try Self.form(rest, of: option), after: revision)
    default: return .replace(revision, with: try Self.form(rest, of: option))
    }
  }

  static func action(_ text: String, of option: CommandOption) throws(ToolFailure) -> ActionForm {
    try form(text[...], of: option)
  }

  /// `5`, `5-8`, or any other point.
  private func range(_ text: String) throws -> ClosedRange<Int> {
    let bounds = text.split(separator: "-", omittingEmptySubsequences: false)
    guard bounds.count == 2, let first = Self.number(bounds[0]), let last = Self.number(bounds[1]) else {
      let revision = try resolver.revision(text)
      return revision...revision
    }
    guard first <= last else {
      throw ToolFailure.usage(
        "\(option: Self.skip, "\(text)") ends before it begins",
        advice: "Write \(option: Self.skip, "\(last)-\(first)").")
    }
    return try resolver.revision(String(bounds[0]))...resolver.revision(String(bounds[1]))
  }

  private static func number(_ text: Substring) -> Int? {
    text.allSatisfy { character in character.isASCIIDigit } ? Int(text) : nil
  }

  private func parts(_ text: String, of option: CommandOption) throws -> (revision: Int, rest: Substring) {
    guard let sign = text.firstIndex(of: "="), sign > text.startIndex else {
      throw ToolFailure.usage("\(option: option) takes \(option.value ?? ""), not '\(JSONPointer.excerpt(of: text))'")
    }
    return (try resolver.revision(String(text[..<sign])), text[text.index(after: sign)...])
  }

  private static func form(_ text: Substring, of option: CommandOption) throws(ToolFailure) -> ActionForm {
    do throws(LineRefusal) {
      return try text.hasPrefix("{") ? line(text) : short(text)
    } catch {
      let place = error.byteOffset.map { offset in " (byte \(offset))" } ?? ""
      throw .usage("\(option: option): \(error.message)\(place): \(JSONPointer.excerpt(of: String(text)))")
    }
  }

  /// A line of input of `record`.
  private static func line(_ text: Substring) throws(LineRefusal) -> ActionForm {
    let line = try ActionLine(number: 1, parsing: Array(text.utf8)[...])
    guard line.meta == nil else {
      throw LineRefusal(.notAnAction, "\"meta\" is not allowed: a branch records the origin of its actions there")
    }
    return line.form
  }

  private static func short(_ text: Substring) throws(LineRefusal) -> ActionForm {
    let parts = text.split(separator: " ", maxSplits: 1)
    guard let type = parts.first, type.utf8.first != ControlType.prefix else {
      throw LineRefusal(.notAnAction, "an action has a type, which does not begin with '@'")
    }
    guard parts.count == 2 else { return ActionForm(type: String(type), data: Array("{}".utf8)) }
    let data = Array(parts[1].utf8)
    let tape: JSONTape
    do throws(JSONError) { tape = try JSONTape(parsing: data) } catch {
      throw LineRefusal(.notJSON, "the data is not JSON: \(error.message)", byteOffset: error.byteOffset)
    }
    guard tape.root.kind == .object else { throw LineRefusal(.notAnAction, "the data must be an object") }
    return ActionForm(type: String(type), data: data)
  }
}

struct WhatIfQuestion: Sendable {
  var edits: [HistoryEdit]
  var last: Int?
  var target: String?
  var environment: LogEnvironment
}

/// A `WhatIfAnswer` without the model's type.
struct WhatIfResult: Sendable {
  var difference: StateDiff
  var firstDivergence: Int?
  var refusals: [BranchRefusal]
  var refusedCount: Int
  var stem: Int
  var counts: (history: Int, branch: Int)
  var work: QuestionWork
  var branch: WrittenBranch?

  init<State>(_ answer: WhatIfAnswer<State>) {
    difference = answer.difference
    firstDivergence = answer.firstDivergence
    refusals = answer.refusals
    refusedCount = answer.refusedCount
    stem = answer.stem
    counts = answer.counts
    work = answer.work
  }

  init<State>(_ report: BranchReport<State>, _ path: String) {
    self.init(report.answer)
    branch = WrittenBranch(path: path, revision: report.lastRevision, parent: report.parent)
  }
}
