import ActionLog
import Platform
import TextDisplay
import TimeTravel

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
