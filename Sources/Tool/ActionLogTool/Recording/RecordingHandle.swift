import ActionLog
import EventSourcing

/// What became of a line that was handed to the store.
enum LineOutcome: Sendable {
  /// The reducer accepted it, as this revision. It is not durable before a flush.
  case accepted(seq: Int)
  case refused(LineRefusal)
}

/// Which made-up history is wanted.
struct WorkloadPlan: Sendable {
  var seed: UInt64
  var count: Int
}

/// What became of a made-up history.
struct WorkloadResult: Sendable {
  var accepted = 0
  var refused = 0
}

/// A live store whose actions are recorded, without its model's type.
protocol RecordingHandle: Sendable {
  /// The path of the log that is recorded into: another one than was opened where its state was frozen.
  var path: String { get }
  /// What opening the log found and did.
  var opening: LogOpening { get }
  /// The work that rebuilding the state took.
  var restored: ReplayReport { get }
  /// The last revision that is known to have reached the log's durability.
  var acknowledgedRevision: Int { get }

  /// The digest of the live state.
  func stateDigest() async throws -> StateDigest

  /// Dispatches actions in order.
  ///
  /// - Parameter outcomes: Gets one outcome for each; when nothing more can be recorded, for those that came so far.
  /// - Throws: Why nothing more can be recorded.
  func submit(_ lines: [ActionLine], outcomes: inout [LineOutcome]) async throws

  /// Dispatches a made-up history, and flushes as it goes.
  ///
  /// - Parameters:
  ///   - plan: Which history.
  ///   - progress: Told how many were dispatched; answers whether to go on.
  /// - Precondition: The model has workloads.
  func submitWorkload(_ plan: WorkloadPlan, progress: @Sendable (Int) throws -> Bool) async throws -> WorkloadResult

  /// Waits until everything accepted is as durable as the log's level says.
  func flush() async throws -> LogReceipt

  /// Waits until the snapshots that are due are written.
  func settleSnapshots() async

  /// Closes the log cleanly.
  func close() async throws

  /// Gives the log back without writing what is waiting.
  func abandon() async
}
