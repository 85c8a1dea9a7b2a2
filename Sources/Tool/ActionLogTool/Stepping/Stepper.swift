import ActionLog
import Platform
import TerminalUI
import TimeTravel

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
