public import ActionLog
import Platform

/// Keeps the state of a projection up to date with a log.
///
/// ```swift
/// let sales = try await ProjectionGroup.open(on: recorder).run(SalesPerDay.self)
/// for await state in sales.states { … }
/// ```
///
/// It starts with the newest usable snapshot in `LOG/projections/NAME`, folds the actions after it, and then reads new ones: when a
/// recorder in the same process has synced them, or at each polling interval.
///
/// A projection sees an action only once it is durable, so it is never ahead of the log that is left after a crash. It is derived data:
/// no error of a projection affects the log, or other projections.
public final class ProjectionRunner<P: Projection>: Sendable {
  /// The projections that share the reading of the log.
  public let group: ProjectionGroup<P.Source>
  let member: ProjectionMember<P>

  init(group: ProjectionGroup<P.Source>, member: ProjectionMember<P>) {
    self.group = group
    self.member = member
  }

  /// Ends the projection and finishes its snapshots. The other projections of its group continue. A second call does nothing.
  public func close() async { await group.close(member) }

  package func settleSnapshots() async {
    // The policy is evaluated on the group's thread.
    await group.onThread {}
    await member.settleSnapshots()
  }
}

extension ProjectionRunner {
  /// The path of the log.
  public var path: String { group.path }

  /// The status. Does not wait for a fold in progress.
  public var status: ProjectionStatus {
    let revision = member.revision
    return ProjectionStatus(
      projection: P.identity, revision: revision, lag: max(0, group.knownRevision - revision), phase: group.phase,
      takesSnapshots: member.takesSnapshots, snapshotError: member.snapshotError)
  }

  /// The current state and its revision.
  public func current() async -> (state: P.State, revision: Int) {
    await group.onThread { [member] in member.current }
  }

  /// Rebuilds the state at a revision, from the newest snapshot before it.
  ///
  /// - Throws: As `History.state(at:options:)`.
  /// - Complexity: O(distance to the nearest snapshot at or before the revision).
  public func state(at revision: Int) async throws -> P.State { try await member.state(at: revision) }

  /// Waits until a revision is folded, for instance that of a receipt: then the projection includes the caller's own action.
  ///
  /// ```swift
  /// let receipt = try await store.dispatch(action: .placed(order), awaiting: .synced)
  /// try await sales.caughtUp(to: receipt.revision)
  /// ```
  ///
  /// - Parameter revision: The revision, which may not exist yet; `nil` is everything in the log that has reached the level of
  ///   ``ProjectionOptions/level`` at the time of the call.
  /// - Throws: The failure of the projection; `LogError.Code.closed` if it is closed; `CancellationError`.
  public func caughtUp(to revision: Int? = nil) async throws {
    let target: Int
    if let revision { target = revision } else { target = try await group.reachedRevision() }
    group.scheduleStep()
    try await member.reach(target)
  }

  /// The latest states, from the current one on. A consumer that is slower than the projection misses states, and never gets an older
  /// one. While the projection is catching up, there are none.
  ///
  /// The sequence ends when the runner is closed or has failed; see ``status``. Each iteration is independent.
  public var states: ProjectionStates<P> { ProjectionStates { revision in await self.next(after: revision) } }

  /// Waits for a state after a revision; `nil` at the end, or if the task is canceled.
  func next(after revision: Int) async -> (state: P.State, revision: Int)? {
    await member.state(after: revision, on: group)
  }
}

/// The latest states of a projection: see ``ProjectionRunner/states``.
public struct ProjectionStates<P: Projection>: AsyncSequence, Sendable {
  /// Waits for a state after a revision; `nil` at the end.
  let next: @Sendable (Int) async -> (state: P.State, revision: Int)?

  /// Begins with the current state.
  public func makeAsyncIterator() -> Iterator { Iterator(next: next) }

  /// An iterator over states.
  public struct Iterator: AsyncIteratorProtocol {
    let next: @Sendable (Int) async -> (state: P.State, revision: Int)?
    /// The revision of the last state; `nil` before the first.
    public private(set) var revision: Int?

    init(next: @escaping @Sendable (Int) async -> (state: P.State, revision: Int)?) { self.next = next }

    /// Waits for a state that is newer than the last one.
    ///
    /// - Returns: The latest state; `nil` if the projection was closed or has failed, or the task was canceled.
    public mutating func next() async -> P.State? {
      guard let (state, revision) = await next(revision ?? -1) else { return nil }
      self.revision = revision
      return state
    }
  }
}

/// The status of a projection.
public struct ProjectionStatus: Sendable {
  /// The phase of a runner's life. The projections of a group share it.
  public enum Phase: Sendable {
    /// Its group was not started.
    case waiting
    /// It reads actions from the log that exist already.
    case catchingUp
    /// It has folded everything that has reached the level.
    case live
    /// An action does not decode, or the log cannot be read. The state is that of the last revision before.
    case failed(any Error)
    /// It was closed.
    case closed

    /// The error that ended it; `nil` while it works.
    public var failure: (any Error)? {
      switch self {
      case .waiting, .catchingUp, .live: nil
      case .failed(let error): error
      case .closed: LogError(.closed, "the projections were closed", advice: "Open them again.")
      }
    }
  }

  /// The name and version.
  public var projection: ProjectionIdentity
  /// The last folded revision.
  public var revision: Int
  /// The number of actions that are known and not folded yet. Some of them may not be durable.
  public var lag: Int
  /// The phase.
  public var phase: Phase
  /// Whether this runner takes snapshots. Only one runner of a projection does, whatever the number of processes.
  package var takesSnapshots: Bool
  /// The error of the last snapshot that could not be taken; `nil` after a success. The projection is not affected, and is folded
  /// from an older snapshot the next time.
  public var snapshotError: (any Error)?
}

/// The policies for taking and keeping the snapshots of a projection.
public struct ProjectionConfiguration<State: Sendable>: Sendable {
  /// The policy for taking snapshots, evaluated after each new action, and after each batch of actions while catching up. They are
  /// written in the background.
  public var snapshots: SnapshotPolicy<State>
  /// The rule for keeping snapshots.
  public var retention: SnapshotRetention

  /// Makes a configuration. Every argument has a default.
  public init(
    snapshots: SnapshotPolicy<State> = .logGrowth(), retention: SnapshotRetention = .exponential()
  ) {
    self.snapshots = snapshots
    self.retention = retention
  }
}

/// Options for reading the actions of projections.
public struct ProjectionOptions: Sendable {
  /// The level that an action must have reached. With `written`, a power cut can take actions from the log that a projection has
  /// folded; its snapshots are always of durable revisions.
  public var level: AwaitedDurability
  /// The time between two reads of a log that another process writes. Not used with a recorder in this process.
  public var pollingInterval: Duration
  /// The policy for actions whose type the model does not have; `nil` is the model's.
  public var unknownTypes: UnknownTypePolicy?
  /// Called while actions are read that exist already, once for each batch, on the group's thread. It must not block.
  public var progress: (@Sendable (ReplayProgress) -> Void)?
  /// The timer of the polling interval.
  public var schedule: LogEnvironment.Schedule

  /// Makes options. Every argument has a default.
  public init(
    level: AwaitedDurability = .synced, pollingInterval: Duration = .milliseconds(100),
    unknownTypes: UnknownTypePolicy? = nil, progress: (@Sendable (ReplayProgress) -> Void)? = nil,
    schedule: @escaping LogEnvironment.Schedule = LogEnvironment.timerSchedule
  ) {
    self.level = level
    self.pollingInterval = pollingInterval
    self.unknownTypes = unknownTypes
    self.progress = progress
    self.schedule = schedule
  }
}

/// The work of a group of projections.
package struct ProjectionWork: Sendable, Equatable {
  package var bytesRead = 0
  package var actionsDecoded = 0

  package init() {}
}
