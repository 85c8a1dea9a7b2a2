import ActionLog
import Platform
import TerminalUI
import TimeTravel

/// A cursor and the view of its current revision.
@MainActor struct Stepper {
  private let cursor: any CursorHandle
  private let model: String
  /// The view of the current revision.
  private(set) var view: StepView

  init(_ history: any HistoryHandle, at revision: Int) throws {
    cursor = try history.cursor(at: revision)
    model = history.reader.header.model
    view = try Self.view(of: cursor, model: model)
  }

  /// Moves to a revision.
  ///
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``, or an error of reading. The position is then unchanged.
  mutating func jump(to revision: Int) throws {
    if revision > cursor.revisions.upperBound { try cursor.refresh() }
    try cursor.jump(to: revision)
    view = try Self.view(of: cursor, model: model)
  }

  private static func view(of cursor: any CursorHandle, model: String) throws -> StepView {
    StepView(
      model: model,
      revision: cursor.revision,
      lastRevision: cursor.revisions.upperBound,
      record: try cursor.lastRecord(),
      changes: try cursor.difference(from: max(0, cursor.revision - 1))
    )
  }
}

/// A revision with its action, its changes and its state.
struct StepView: Sendable {
  var model: String
  var revision: Int
  var lastRevision: Int
  /// The action of the revision; `nil` at revision 0.
  var record: LogRecord?
  /// The changes of the action.
  var changes: StateDiff
  private let encodedState = Locked<StateTree?>(nil)

  init(model: String, revision: Int, lastRevision: Int, record: LogRecord?, changes: StateDiff) {
    self.model = model
    self.revision = revision
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
    guard let record else { return style.bold("revision 0") + "  the start" }
    return style.bold("revision \(revision)") + "  " + style.dim(RecordText.time(record.time)) + "  "
      + style.bold(TerminalText.escaping(record.type))
  }

  /// The changes as lines of text.
  func changeLines(_ style: Style) -> [String] {
    if record == nil { return [style.dim("the state before any action")] }
    if changes.isEmpty { return [style.dim("nothing changed")] }
    return Self.lines(changes.rendered(limits: .brief, style: style.tree))
  }

  /// The state as lines of text.
  func stateLines(_ style: Style) -> [String] {
    Self.lines(state.rendered(limits: .brief, style: style.tree))
  }

  private static func lines(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }
}
