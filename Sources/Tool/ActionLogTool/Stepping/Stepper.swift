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
