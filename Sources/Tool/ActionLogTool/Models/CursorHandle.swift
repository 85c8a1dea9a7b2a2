import ActionLog
import EventSourcing
import ImmutableData
import TimeTravel

/// A cursor without its model's type.
@MainActor protocol CursorHandle: Sendable {
  /// Where it stands.
  var revision: Int { get }
  /// Where it can go.
  var revisions: ClosedRange<Int> { get }

  func jump(to revision: Int) throws

  /// Looks for actions that were recorded since it was made.
  func refresh() throws

  /// The state where it stands.
  func tree() throws -> StateTree

  /// What makes the state where it stands of the one at another revision.
  func difference(from revision: Int) throws -> StateDiff

  /// The record of the action that led there; `nil` at revision 0.
  func lastRecord() throws -> LogRecord?
}

struct GenericCursorHandle<M: Model>: CursorHandle {
  let cursor: HistoryCursor<M>

  var revision: Int { cursor.revision }
  var revisions: ClosedRange<Int> { cursor.revisions }

  func jump(to revision: Int) throws { try cursor.jump(to: revision) }
  func refresh() throws { try cursor.refresh() }
  func tree() throws -> StateTree { try StateTree(encoding: cursor.state) }
  func difference(from revision: Int) throws -> StateDiff { try cursor.difference(from: revision) }
  func lastRecord() throws -> LogRecord? { try cursor.lastAction()?.record }
}
