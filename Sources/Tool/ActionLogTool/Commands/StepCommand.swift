import ActionLog
import JSONCoding
import Platform
import TerminalUI
import TimeTravel

extension Command {
  static let step = Command(
    "step",
    group: .travel,
    summary: "step through the log action by action, forward and back",
    details: """
      On a terminal it shows the screen of 'tui'. Elsewhere, and with --to or --json, it prints each step with its changes.
      \(PointResolver.forms)
      """,
    examples: [
      .init("step my-log", "walk from the start"),
      .init("step my-log --at end", "walk back from the end"),
      .init("step my-log --at 10 --to 12 | cat", "print three steps"),
    ],
    arguments: [.readLog],
    options: [TUICommand.at, .to, .model, .projection],
    schema: .anyOf(
      "A line for each revision, with what its action changed. The first revision may be a state without an action.",
      [StepCommand.shape.schema]),
    asynchronous: { context in try await StepCommand(context: context).run() }
  )
}

/// `step`: prints the steps, or shows the screen of `tui`.
private struct StepCommand {
  static let shape = AnswerShape<StepView>.object(
    nil,
    [
      .member("seq", .revision, \.revision), .optional("time", .time, \.record?.time),
      .optional("type", .text, \.record?.type),
      .optional("data", .container) { view in try view.record.map { record in try JSONValue(parsing: record.dataBytes) }
      },
      .optional("meta", .meta) { view in try view.record?.meta.map { meta in try JSONValue(parsing: meta) } },
      .member("changes", .patch) { view in view.record == nil ? .array([]) : view.changes.jsonPatch().document },
    ])

  let context: CommandContext

  func run() async throws -> ExitStatus {
    let context = context
    if context.environment.terminal != nil, !context.isJSON, !context.arguments.has(.to) {
      return try await TUICommand(context: context).run()
    }
    let (history, steps, end) = try await BlockingWork.run {
      let history = try context.openHistory()
      let (reader, resolver) = (history.reader, PointResolver(context, reader: history.reader))
      let last = try reader.extent().lastRevision
      let first = try context.revision(of: TUICommand.at, in: reader) ?? min(reader.firstRevision + 1, last)
      let end = try context.arguments.value(of: .to).map(resolver.lastAction)
      guard first <= end ?? last else {
        throw ToolFailure.usage("--at (revision \(first)) is after --to (\(end ?? last))")
      }
      return (history, first...(end ?? last), end)
    }
    return try await BlockingWork.run {
      var walk = try history.walk(at: steps.lowerBound)
      var window = RecordWindow(history.reader)
      for revision in steps {
        let view = StepView(
          revision: revision,
          record: revision == walk.revisions.lowerBound ? nil : try window.record(at: revision, last: steps.upperBound),
          changes: try walk.move(to: revision, comparedWith: max(walk.revisions.lowerBound, revision - 1)))
        try print(view, isFirst: revision == steps.lowerBound)
      }
      return try context.status(.success, of: history.reader, upTo: end)
    }
  }

  private func print(_ view: StepView, isFirst: Bool) throws {
    try context.answer(view, Self.shape) {
      if !isFirst { try context.output.line() }
      try context.output.line(view.heading(context.output.style))
      try context.output.lines(view.changeLines(context.output.style).map { line in "  " + line })
    }
  }
}

/// A revision with its action and its changes.
struct StepView: Sendable {
  var revision: Int
  /// The action of the revision; `nil` at the first revision.
  var record: LogRecord?
  /// The changes of the action.
  var changes: StateDiff
}

extension StepView {
  /// The heading of the step in a list.
  func heading(_ style: Style) -> String {
    guard let record else { return style.bold("revision \(revision)") + "  the start" }
    return style.bold("revision \(revision)") + "  " + style.dim(RecordText.time(record.time)) + "  "
      + style.bold(TerminalText.escaping(record.type))
  }

  /// The changes as lines of text.
  func changeLines(_ style: Style) -> [String] {
    if record == nil { return [style.dim(Self.beginning(at: revision))] }
    if changes.isEmpty { return [style.dim("nothing changed")] }
    return Self.lines(changes.rendered(limits: .brief, style: style))
  }

  /// The description of the first state of a log.
  static func beginning(at revision: Int) -> String {
    revision == 0 ? "the state before any action" : "the state that the log begins with"
  }

  private static func lines(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }
}
