import ActionLog
import EventSourcing
import ImmutableData
import JSONCoding
import Platform

enum LineOutcome: Sendable {
  /// Accepted by the reducer as this revision, which is not durable before a flush. Its type lacks the `ignored` members of the data.
  case accepted(revision: Int, ignored: [String])
  case refused(LineRefusal)
}

struct WorkloadPlan: Sendable {
  var seed: UInt64
  var count: Int
}

struct WorkloadResult: Sendable {
  var accepted = 0
  var refused = 0
}

/// The type-erased interface of a live store whose actions are recorded.
protocol RecordingHandle: Sendable {
  var opening: LogOpening { get }
  var restored: ReplayReport { get }
  /// The last revision known to have reached the log's durability.
  var acknowledgedRevision: Int { get }

  func stateDigest() async throws -> StateDigest

  /// Dispatches actions in order. There is an outcome for each of them, or for those before an error, which ends the recording.
  func submit(_ lines: [ActionLine], outcomes: inout [LineOutcome]) async throws

  /// Dispatches a generated history, and flushes periodically. `progress` gets the number of actions, and returns whether to continue.
  func submitWorkload(_ plan: WorkloadPlan, progress: @Sendable (Int) throws -> Bool) async throws -> WorkloadResult

  /// Waits until all accepted actions have the log's durability.
  func receipt() async throws -> LogReceipt

  /// Waits until the due snapshots are written.
  func settleSnapshots() async

  func close() async throws

  /// Releases the log without writing pending actions.
  func abandon() async
}

struct RecordingSettings: Sendable {
  var configuration: LogConfiguration
  var fileSystem: any LogFileSystem
  /// The number of actions between snapshots; `nil` for the engine's default.
  var snapshotEvery: Int?
  var notices: RecordingNotices
  var onDivergence = RecordingDivergencePolicy.useFold
}

struct GenericRecordingHandle<M: Model>: RecordingHandle {
  /// Changes the form of an action before it is dispatched to a state.
  typealias Preparation = @Sendable (inout M.Action, M.State) -> Void

  private let store: Store<M.State, M.Action>
  private let recorder: Recorder<M>
  private let metas: MetaQueue
  private let workload: (@Sendable (_ seed: UInt64, _ count: Int) -> AnySequence<M.Action>)?
  private let prepare: Preparation?

  /// The number of generated actions to dispatch before the main actor and the disk get their turn.
  private static var workloadBatch: Int { 1_024 }

  static func open(
    _ path: String, settings: RecordingSettings,
    workload: (@Sendable (_ seed: UInt64, _ count: Int) -> AnySequence<M.Action>)?, preparing prepare: Preparation?
  ) async throws -> GenericRecordingHandle {
    let metas = MetaQueue()
    var configuration = RecordingConfiguration<M>(
      log: settings.configuration, metaOfAction: { _ in metas.next() })
    configuration.onDivergence = settings.onDivergence
    if let count = settings.snapshotEvery { configuration.snapshots = .every(count) }
    let recorder = try await Recorder<M>.open(
      at: path, configuration: settings.notices.watching(configuration, answersActions: true),
      fileSystem: settings.fileSystem)
    return GenericRecordingHandle(
      store: try await recorder.makeStore(), recorder: recorder, metas: metas, workload: workload,
      prepare: prepare)
  }

  var opening: LogOpening { recorder.opening }
  var restored: ReplayReport { recorder.restored.report }
  var acknowledgedRevision: Int { recorder.status.revision }

  func stateDigest() async throws -> StateDigest {
    let state = await store.state
    return try StateDigest(of: state)
  }

  func receipt() async throws -> LogReceipt { try await recorder.receipt() }
  func settleSnapshots() async { await recorder.settleSnapshots() }
  func close() async throws { try await recorder.close() }
  func abandon() async { await recorder.abandon() }
}

// MARK: - Lines

extension GenericRecordingHandle {
  private typealias Submission = ActionSubmission<M>

  /// A run of dispatches that ended with a refusal, or with the last submission.
  private struct DispatchRun: Sendable {
    var acceptedCount = 0
    var refusal: (any Error)?
  }

  func submit(_ lines: [ActionLine], outcomes: inout [LineOutcome]) async throws {
    var revision = await dispatchedRevision()
    var pending: [Submission] = []
    for line in lines {
      do throws(LineRefusal) {
        pending.append(try Submission(line, isRedactable: recorder.opening.isRedactable))
      } catch {
        try await dispatch(pending, after: &revision, outcomes: &outcomes)
        pending = []
        outcomes.append(.refused(error))
      }
    }
    try await dispatch(pending, after: &revision, outcomes: &outcomes)
  }

  /// The revision of the live state, recorded or not.
  private func dispatchedRevision() async -> Int {
    let status = recorder.status
    return status.revision + status.waiting
  }

  /// Dispatches all actions, and records each refusal in its position among them.
  private func dispatch(
    _ submissions: [Submission], after revision: inout Int, outcomes: inout [LineOutcome]
  ) async throws {
    var rest = submissions[...]
    while !rest.isEmpty {
      let run = await dispatchRun(rest)
      for submission in rest.prefix(run.acceptedCount) {
        revision += 1
        outcomes.append(.accepted(revision: revision, ignored: submission.ignored))
      }
      rest = rest.dropFirst(run.acceptedCount)
      if let error = run.refusal, let refused = rest.popFirst() {
        outcomes.append(.refused(LineRefusal(.refusedByReducer, "\(error)")))
        _ = try await recorder.recordRefusal(of: refused.action, error: error, meta: refused.meta)
      }
    }
  }

  @MainActor private func dispatchRun(_ submissions: ArraySlice<Submission>) -> DispatchRun {
    var run = DispatchRun()
    for submission in submissions {
      metas.append(submission.meta)
      do {
        var action = submission.action
        prepare?(&action, store.state)
        try store.dispatch(action: action)
        run.acceptedCount += 1
      } catch {
        metas.removeLast()
        run.refusal = error
        break
      }
    }
    return run
  }
}

// MARK: - Generated histories

extension GenericRecordingHandle {
  func submitWorkload(_ plan: WorkloadPlan, progress: @Sendable (Int) throws -> Bool) async throws -> WorkloadResult {
    guard let workload else { preconditionFailure("the model has no workload") }
    var result = WorkloadResult()
    let actions = workload(plan.seed, plan.count).makeIterator()
    while true {
      var batch: [Submission] = []
      while batch.count < Self.workloadBatch, let action = actions.next() {
        batch.append(Submission(action: action, meta: nil))
      }
      guard !batch.isEmpty else { return result }
      var revision = 0
      var outcomes: [LineOutcome] = []
      try await dispatch(batch, after: &revision, outcomes: &outcomes)
      for outcome in outcomes {
        if case .accepted = outcome { result.accepted += 1 } else { result.refused += 1 }
      }
      _ = try await recorder.receipt()
      guard try progress(result.accepted + result.refused) else { return result }
    }
  }
}

/// The metadata of actions on their way from the store to the recorder.
///
/// The recorder asks once for each accepted action, in order, so a queue is enough. The metadata of a refused action
/// is removed before the recorder can reach it.
private final class MetaQueue: Sendable {
  private let contents = Locked((metas: [RecordMeta?](), head: 0))

  func append(_ meta: RecordMeta?) {
    contents.withLock { contents in contents.metas.append(meta) }
  }

  func removeLast() {
    contents.withLock { contents in _ = contents.metas.popLast() }
  }

  func next() -> RecordMeta? {
    contents.withLock { contents in
      guard contents.head < contents.metas.count else { return nil }
      defer {
        contents.head += 1
        if contents.head == contents.metas.count { contents = ([], 0) }
      }
      return contents.metas[contents.head]
    }
  }
}
