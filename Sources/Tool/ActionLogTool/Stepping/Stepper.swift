import ActionLog
import Platform
import TextDisplay
import TimeTravel

/// A cursor, and the step that it shows.
@MainActor struct Stepper {
  private let cursor: any CursorHandle
  private let model: String
  /// The step where the cursor stands.
  private(set) var view: StepView

  init(_ history: any HistoryHandle, at revision: Int) throws {
    cursor = try history.cursor(at: revision)
    model = history.reader.header.model
    view = try Self.view(of: cursor, model: model)
  }

  /// Moves to a revision; one that does not exist leaves everything as it is.
  ///
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``, and what reading throws.
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

/// Where a stepper stands, and what is to be seen there.
struct StepView: Sendable {
  var model: String
  var revision: Int
  var lastRevision: Int
  /// The action that led here; `nil` at the start.
  var record: LogRecord?
  /// What it changed.
  var changes: StateDiff
  private let encodedState = Locked<StateTree?>(nil)

  init(model: String, revision: Int, lastRevision: Int, record: LogRecord?, changes: StateDiff) {
    self.model = model
    self.revision = revision
    self.lastRevision = lastRevision
    self.record = record
    self.changes = changes
  }

  /// The state here, encoded at the first call.
  var state: StateTree {
    if let known = encodedState.withLock({ state in state }) { return known }
    let state = changes.new
    encodedState.withLock { known in known = state }
    return state
  }
}

extension StepView {
  /// The heading of a step in a listing.
  func heading(_ style: Style) -> String {
    guard let record else { return style.bold("revision 0") + "  the start" }
    return style.bold("revision \(revision)") + "  " + style.dim(RecordText.time(record.time)) + "  "
      + style.bold(TerminalText.escaping(record.type))
  }

  /// What the action changed, as lines.
  func changeLines(_ style: Style) -> [String] {
    if record == nil { return [style.dim("the state before any action")] }
    if changes.isEmpty { return [style.dim("nothing changed")] }
    return Self.lines(changes.rendered(limits: .brief, style: style.tree))
  }

  /// The state, as lines.
  func stateLines(_ style: Style) -> [String] {
    Self.lines(state.rendered(limits: .brief, style: style.tree))
  }

  private static func lines(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }
}
