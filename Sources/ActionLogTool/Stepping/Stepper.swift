import ActionLog
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
    view = try Self.view(of: cursor, model: model, before: nil)
  }

  /// Moves to a revision; one that does not exist leaves everything as it is.
  ///
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``, and what reading throws.
  mutating func jump(to revision: Int) throws {
    if revision > cursor.revisions.upperBound { try cursor.refresh() }
    let before = revision == cursor.revision + 1 ? view.state : nil
    try cursor.jump(to: revision)
    view = try Self.view(of: cursor, model: model, before: before)
  }

  /// Looks at where a cursor stands.
  ///
  /// - Parameter before: The state one revision earlier, if it is at hand.
  private static func view(of cursor: any CursorHandle, model: String, before: StateTree?) throws -> StepView {
    let state = try cursor.tree()
    return StepView(
      model: model,
      revision: cursor.revision,
      lastRevision: cursor.revisions.upperBound,
      record: try cursor.lastRecord(),
      changes: StateDiff(from: try before ?? stateBefore(cursor), to: state),
      state: state
    )
  }

  private static func stateBefore(_ cursor: any CursorHandle) throws -> StateTree {
    let here = cursor.revision
    guard here > 0 else { return try cursor.tree() }
    try cursor.jump(to: here - 1)
    let state = try cursor.tree()
    try cursor.jump(to: here)
    return state
  }
}
