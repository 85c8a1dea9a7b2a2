import ActionLog
import Platform

/// One state folded from the actions of all logs of a ``LogSet``.
///
/// ```swift
/// let sales = LogSetProjection<SalesPerDay>(of: shops)
/// try await sales.refresh()
/// let total = await sales.state
/// ```
///
/// The actions of one log are folded in their order. Across logs they are folded by time within a window: up to
/// ``windowLogs`` logs at a time, and up to ``windowActions`` actions of each. Beyond that, an action can be folded after a later one of
/// another log, and the order differs from one run to another. So a projection of a set must not depend on the order of actions of
/// different logs: sums, counts and sets do not.
///
/// Only durable actions are folded. The position is one revision for each log. No snapshots are kept: the first refresh folds all logs.
public actor LogSetProjection<P: Projection> {
  /// The number of logs whose actions are merged by time.
  public static var windowLogs: Int { 64 }
  /// The number of actions of a log that are merged at a time. The memory of a window is bounded by both limits.
  public static var windowActions: Int { 1_024 }

  /// The state after the last refresh.
  public private(set) var state = P.initialState
  /// The last folded revision of each log, by key.
  public var revisions: [String: Int] { positions.mapValues(\.revision) }
  /// The errors of the logs that could not be read by the last refresh, by key. Their later actions are not in the state; those of
  /// the other logs are.
  public private(set) var failures: [String: any Error] = [:]

  private let set: LogSet<P.Source>
  private var positions: [String: Position] = [:]
  /// The last call of ``refresh(_:)`` or ``rebuild()``, for which the next one waits.
  private var last: Task<Int, any Error>?

  private typealias Action = ProjectedAction<P.Source.Action>
  private typealias Reading = Projected<ActionsOnly<P.Source>>

  /// The position in a log.
  private struct Position: Sendable {
    /// The identifier of the log: another log with the key is not a continuation.
    var log: String
    var revision: Int
  }

  /// The next actions of a log.
  private struct Portion: Sendable {
    var key: String
    var position: Position
    var actions: [Action]
    /// Whether the log has more durable actions.
    var hasMore: Bool
  }

  /// Makes a projection of a set, in the initial state.
  public init(of set: LogSet<P.Source>) {
    self.set = set
  }

  /// Folds what was added to the logs since the last call.
  ///
  /// - Parameter keys: The logs to read; `nil` for all. Reading a log takes opening it, so name those that changed if they are known.
  /// - Returns: The number of folded actions.
  /// - Throws: `LogError` if the logs cannot be listed; `CancellationError`. The error of a single log is in ``failures``.
  /// - Complexity: O(number of logs + new actions).
  @discardableResult
  public func refresh(_ keys: [String]? = nil) async throws -> Int { try await fold(keys, fromBeginning: false) }

  private func fold(_ keys: [String]?, fromBeginning: Bool) async throws -> Int {
    let previous = last
    let task = Task {
      // One after the other: both would fold the same actions, and a fold in progress must not continue in another state.
      _ = await previous?.result
      if fromBeginning { (state, positions, failures) = (P.initialState, [:], [:]) }
      return try await fold(keys)
    }
    last = task
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Folds all logs again, from their first actions.
  ///
  /// - Returns: The number of folded actions.
  /// - Throws: As ``refresh(_:)``.
  @discardableResult
  public func rebuild() async throws -> Int { try await fold(nil, fromBeginning: true) }

  private func fold(_ keys: [String]?) async throws -> Int {
    let all: [String]
    if let keys { all = Array(Set(keys)).sorted() } else { all = try await set.keys() }
    var count = 0
    var rest = all[...]
    while !rest.isEmpty {
      var window = Array(rest.prefix(Self.windowLogs))
      rest = rest.dropFirst(Self.windowLogs)
      while !window.isEmpty {
        try Task.checkCancellation()
        var portions: [Portion] = []
        for key in window {
          do {
            portions.append(try await next(of: key))
            failures[key] = nil
          } catch let error as CancellationError {
            throw error
          } catch {
            failures[key] = error
          }
        }
        count += apply(portions)
        window = portions.filter(\.hasMore).map(\.key)
      }
    }
    return count
  }

  /// Reads the next durable actions of a log.
  private func next(of key: String) async throws -> Portion {
    let position = positions[key]
    let source = try await set.history(for: key)
    return try await BlockingWork.run {
      let history = try History<Reading>(source.reader, fileSystem: source.fileSystem, unknownTypes: nil)
      let log = history.reader.header.log
      let start = position?.revision ?? 0
      guard position == nil || position?.log == log else {
        throw LogError(
          .damaged, "the log of the key '\(key)' was replaced by another one", path: history.path,
          advice: "Rebuild the projection: it has folded actions of the old log.")
      }
      let durable = try history.reader.durableRevision()
      guard durable >= start else {
        throw LogError(
          .damaged, "the log of the key '\(key)' ends at revision \(durable), and revision \(start) was durable",
          path: history.path, advice: "Rebuild the projection: it has folded actions that the log does not have.")
      }
      guard durable > start else {
        return Portion(key: key, position: Position(log: log, revision: start), actions: [], hasMore: false)
      }
      let last = min(durable, start + Self.windowActions)
      let actions = try history.actions(in: start + 1...last).flatMap(\.actions)
      return Portion(
        key: key, position: Position(log: log, revision: last), actions: actions.map { action in action.of(key) },
        hasMore: last < durable)
    }
  }

  /// Folds the actions of several logs by time, those of each log in their order.
  private func apply(_ portions: [Portion]) -> Int {
    var merged: [(time: Int64, action: Action)] = []
    for portion in portions {
      positions[portion.key] = portion.position
      // A clock that was set back does not change the order of a log.
      var latest = Int64.min
      for action in portion.actions {
        latest = max(latest, action.time.microseconds)
        merged.append((latest, action))
      }
    }
    let order = merged.indices.sorted { first, second in
      // The index keeps the order of actions of a log with the same time.
      (merged[first].time, first) < (merged[second].time, second)
    }
    for index in order { P.apply(merged[index].action, to: &state) }
    return merged.count
  }
}
