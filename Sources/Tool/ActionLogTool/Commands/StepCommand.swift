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
      On a terminal it is interactive: n and p (or the arrow keys) step, g goes to a point, s shows the entire state,
      ? shows help, q quits. Elsewhere it prints each step with its changes.
      \(PointResolver.forms)
      """,
    examples: [
      .init("step my-log", "walk from the start"),
      .init("step my-log --at end", "walk back from the end"),
      .init("step my-log --at 10 --to 12 | cat", "print three steps"),
    ],
    arguments: [.readLog],
    options: [StepCommand.at, .to, .model, .projection],
    asynchronous: { context in try await StepCommand(context: context).run() }
  )
}

/// `step`: steps through the log on a screen, or prints the steps.
private struct StepCommand {
  static let at = CommandOption.value("at", letter: "a", "POINT", "the first point (default: the start)")

  let context: CommandContext

  func run() async throws -> ExitStatus {
    let context = context
    let (history, last, resolver, first, end) = try await BlockingWork.run {
      let history = try context.openHistory()
      let resolver = PointResolver(context, reader: history.reader)
      return (
        history, try history.reader.extent().lastRevision, resolver,
        try context.arguments.value(of: Self.at).map(resolver.revision),
        try context.arguments.value(of: .to).map(resolver.lastAction)
      )
    }
    if let terminal = context.environment.terminal, !context.isJSON, end == nil {
      try await walk(history, from: first ?? history.reader.firstRevision, on: terminal, resolver)
    } else {
      try await printSteps(history, from: first ?? min(history.reader.firstRevision + 1, last), through: end ?? last)
      return try await BlockingWork.run { try context.status(.success, of: history.reader, upTo: end) }
    }
    return .success
  }

  @MainActor private func walk(
    _ history: any HistoryHandle, from revision: Int, on terminal: any ToolTerminal, _ resolver: PointResolver
  ) async throws {
    let stepper = try await BlockingWork.run { try Stepper(history, at: revision) }
    let view = try await stepper.jump(to: revision)
    try await InteractiveStepper(stepper, at: view, context: context, terminal: terminal, resolver: resolver).run()
  }

  @MainActor private func printSteps(
    _ history: any HistoryHandle, from first: Int, through last: Int
  ) async throws {
    let stepper = try await BlockingWork.run { try Stepper(history, at: first) }
    guard first <= last else { throw ToolFailure.usage("--at (revision \(first)) is after --to (\(last))") }
    for revision in first...last {
      try print(try await stepper.jump(to: revision), isFirst: revision == first)
    }
  }

  private func print(_ view: StepView, isFirst: Bool) throws {
    if context.isJSON {
      var object: JSONObject = try view.record.map(RecordText.json) ?? ["seq": .integer(view.revision)]
      object["changes"] = view.record == nil ? .array([]) : view.changes.jsonPatch().document
      try context.output.json(.object(object))
      return
    }
    if !isFirst { try context.output.line() }
    try context.output.line(view.heading(context.output.style))
    try context.output.lines(view.changeLines(context.output.style).map { line in "  " + line })
  }
}

/// A cursor of `step`, with the title of its views.
struct Stepper: Sendable {
  /// The name of the log's model.
  let model: String
  private let cursor: any CursorHandle

  /// Creates a stepper at a revision. Blocks.
  init(_ history: any HistoryHandle, at revision: Int) throws {
    model = history.reader.header.model
    cursor = try history.cursor(at: revision)
  }

  /// Moves to a revision, and returns its view.
  ///
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``, or an error of reading; `CancellationError`. The position is then
  ///   unchanged.
  func jump(to revision: Int) async throws -> StepView { try await cursor.step(to: revision) }
}

/// A revision with its action, its changes and its state.
struct StepView: Sendable {
  var revision: Int
  var firstRevision: Int
  var lastRevision: Int
  /// The action of the revision; `nil` at the first revision.
  var record: LogRecord?
  /// The changes of the action.
  var changes: StateDiff
  private let encodedState = Locked<StateTree?>(nil)

  init(revision: Int, firstRevision: Int = 0, lastRevision: Int, record: LogRecord?, changes: StateDiff) {
    self.revision = revision
    self.firstRevision = firstRevision
    self.lastRevision = lastRevision
    self.record = record
    self.changes = changes
  }

  /// The state, encoded at the first call.
  var state: StateTree {
    if let known = encodedState.withLock({ state in state }) { return known }
    let state = changes.new
    encodedState.withLock { known in known = state }
    return state
  }
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
    return Self.lines(changes.rendered(limits: .brief, style: style.tree))
  }

  /// The description of the first state of a log.
  static func beginning(at revision: Int) -> String {
    revision == 0 ? "the state before any action" : "the state that the log begins with"
  }

  /// The state as lines of text.
  func stateLines(_ style: Style) -> [String] {
    Self.lines(state.rendered(limits: .brief, style: style.tree))
  }

  private static func lines(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }
}
