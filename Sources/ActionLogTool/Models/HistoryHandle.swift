import ActionLog
import EventSourcing
import TimeTravel

/// A state that was rebuilt, as a tree that needs no type.
struct RebuiltState: Sendable {
  var tree: StateTree
  var digest: StateDigest
  var revision: Int
  var report: ReplayReport
}

/// A history without its model's type. All calls block.
protocol HistoryHandle: Sendable {
  var reader: LogReader { get }
  /// The snapshots beside the log; `nil` for a single segment file.
  var snapshots: SnapshotStore? { get }

  /// Rebuilds the state at a revision, `nil` for the last that can be read.
  func state(at revision: Int?, options: ReplayOptions) throws -> RebuiltState

  /// Compares the states at two revisions, in any order.
  func difference(from first: Int, to second: Int, options: ReplayOptions) throws -> StateDiff
}

struct GenericHistoryHandle<M: Model>: HistoryHandle {
  let history: History<M>

  var reader: LogReader { history.reader }
  var snapshots: SnapshotStore? { history.snapshots }

  func state(at revision: Int?, options: ReplayOptions) throws -> RebuiltState {
    let replayed = try history.state(at: revision, options: options)
    return RebuiltState(
      tree: try StateTree(encoding: replayed.state), digest: try StateDigest(of: replayed.state),
      revision: replayed.revision, report: replayed.report)
  }

  func difference(from first: Int, to second: Int, options: ReplayOptions) throws -> StateDiff {
    let earlier = try history.state(at: min(first, second), options: options)
    let later = try history.state(at: max(first, second), options: options)
    let (old, new) = first <= second ? (earlier, later) : (later, earlier)
    return try StateDiff(encoding: old.state, to: new.state)
  }
}
