/// The sizes of a run's workloads.
package struct Sizes: Equatable, Sendable {
  /// `smoke` or `canonical`, as people read it.
  package var name: String
  /// Actions of the long log.
  package var logActions: Int
  /// Actions of the short one: what slow contenders are given.
  package var lineActions: Int
  /// Actions that are appended without a sync for each.
  package var appendedActions: Int
  /// Actions that are appended with a sync for each.
  package var syncedActions: Int
  /// Logs that are written to in turn, and logs that are open at the same time.
  package var manyLogs: Int
  package var openLogs: Int
  /// Rows of a small, a middling and a large table.
  package var fewEntities: Int
  package var someEntities: Int
  package var manyEntities: Int
  /// Updates that are folded.
  package var updates: Int
  /// Places that are looked for in a log.
  package var seeks: Int
  /// Actions whose way to a handler is timed, one by one.
  package var deliveredActions: Int
  /// Actions that are dispatched while a projection follows.
  package var liveActions: Int

  /// The sizes that the targets are about.
  package static let canonical = Sizes(
    name: "canonical", logActions: 1_000_000, lineActions: 100_000, appendedActions: 500_000, syncedActions: 2_000,
    manyLogs: 2_000, openLogs: 10_000,
    fewEntities: 1_000, someEntities: 3_000, manyEntities: 100_000, updates: 100_000, seeks: 500,
    deliveredActions: 300, liveActions: 500_000)

  /// Sizes at which everything runs within seconds: does it still work?
  package static let smoke = Sizes(
    name: "smoke", logActions: 2_000, lineActions: 500, appendedActions: 2_000, syncedActions: 20,
    manyLogs: 20, openLogs: 40,
    fewEntities: 50, someEntities: 100, manyEntities: 1_000, updates: 500, seeks: 20, deliveredActions: 20,
    liveActions: 2_000)
}
