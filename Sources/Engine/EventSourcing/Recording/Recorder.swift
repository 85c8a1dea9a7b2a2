public import ActionLog
import Platform

/// The listener that appends every action that a store accepts to a log.
///
/// ```swift
/// let recorder = try await Recorder<AnimalsModel>.open(at: "my-log")
/// let store = try recorder.makeStore()  // the state of the log's last revision, recorded from here on
/// try store.dispatch(action: .ui(.categoryList(.onAppear)))
/// try await recorder.close()  // everything dispatched is on disk
/// ```
///
/// - Dispatching never waits for the disk. Actions wait in the store's stream, which is unbounded and counted (``status``), and are
///   written in batches with one sync each.
/// - The recorder reads only the stream's pairs of the state before and the action. The `oldState` of record *n* **is** revision
///   *n* − 1, so ``listen(to:)`` refuses a store whose state is not the log's last revision.
/// - If the log cannot be written because the disk is full, the recorder keeps the waiting actions, stops, reports
///   ``RecorderStatus/Phase/stopped(_:)``, and continues after ``resume()``. If an action cannot be recorded at all, or a sync
///   fails, the recorder has failed: it records nothing later, because a log with a gap replays to a wrong state.
/// - A store whose recorder has failed, was closed or listens to another store refuses actions: `dispatch` throws, and the state
///   stays the same. A notice of a failure goes to standard error unless ``RecordingConfiguration/onNotice`` takes it.
/// - A debug build checks that each action decodes to itself. A release build checks the first action of each type and every
///   1,024th action. An action that does not cannot be recorded.
/// - Actions that the reducer refuses never reach a listener; see ``recordRefusal(of:error:meta:)``.
///
/// While the recorder listens, its own task keeps it alive until the store is released. ``close()`` ends the task as well.
public final class Recorder<M: Model>: Sendable {
  let session: RecordingSession<M>
  let contents: Locked<RecorderContents<M>>
  let statusChanges: OrderedCalls<RecorderStatus.Phase>
  /// The metadata of dispatched actions that no batch contains yet, by the number of the action in the attached store.
  let dispatchedMeta = Locked<[Int: RecordMeta]>([:])

  init(session: RecordingSession<M>) {
    self.session = session
    contents = Locked(RecorderContents(at: session.restored.revision, session.takeRestoredState()))
    statusChanges = OrderedCalls(session.configuration.onStatusChange)
  }

  /// Opens or creates a log for recording and rebuilds its state. Blocks while it reads and syncs.
  ///
  /// - Parameters:
  ///   - path: The log's directory. Its parent must exist.
  ///   - base: The initial state of a **new** log, for an application that already has data. It is written into the log. An
  ///     existing log keeps its own initial state.
  ///   - configuration: The configuration of the recording.
  ///   - fileSystem: The file system that holds the log.
  /// - Throws: `LogError`, for instance `LogError.Code.locked` if another writer holds the log, or `LogError.Code.damaged`;
  ///   ``EventSourcingError`` if the log's actions do not fit the model.
  public convenience init(
    at path: String,
    startingAt base: M.State? = nil,
    configuration: RecordingConfiguration<M> = RecordingConfiguration(),
    fileSystem: any LogFileSystem = POSIXFileSystem()
  ) throws {
    self.init(
      session: try RecordingSession.open(path, base: base, configuration: configuration, fileSystem: fileSystem))
  }

  /// Opens or creates a log for recording and rebuilds its state, on a thread that may block.
  ///
  /// - Parameters:
  ///   - path: The log's directory. Its parent must exist.
  ///   - base: The initial state of a **new** log. An existing log keeps its own initial state.
  ///   - configuration: The configuration of the recording.
  ///   - fileSystem: The file system that holds the log.
  /// - Throws: As ``init(at:startingAt:configuration:fileSystem:)``.
  public static func open(
    at path: String,
    startingAt base: M.State? = nil,
    configuration: RecordingConfiguration<M> = RecordingConfiguration(),
    fileSystem: any LogFileSystem = POSIXFileSystem()
  ) async throws -> Recorder {
    try await BlockingWork.run {
      try Recorder(at: path, startingAt: base, configuration: configuration, fileSystem: fileSystem)
    }
  }
}

extension Recorder {
  /// The path of the log.
  public var path: String { session.path }

  package var fileSystem: any LogFileSystem { session.fileSystem }

  package var configuration: RecordingConfiguration<M> { session.configuration }

  /// The log's last revision when it was opened, and a report of the replay.
  public var restored: Restoration { session.restored }

  /// The outcome of opening the log: what was found and recovered.
  public var opening: LogOpening { session.writer.opening }

  /// The status of the log's writer.
  public var logStatus: LogStatus { session.writer.status }

  /// The status of the recorder.
  public var status: RecorderStatus {
    contents.withLock { contents in
      RecorderStatus(
        phase: contents.phase, revision: contents.revision, waiting: contents.unrecorded, lost: contents.lost,
        snapshotError: session.snapshotError, checkpointError: session.checkpointError)
    }
  }
}

/// The status of a recorder.
public struct RecorderStatus: Sendable {
  /// The phase of a recorder's life.
  public enum Phase: Sendable {
    /// It listens to no store: either it never did, or the last store was released.
    case idle
    /// It records what its store accepts.
    case recording
    /// The log accepted nothing of the last batch, for instance because the disk is full. The waiting actions are kept;
    /// ``Recorder/resume()`` tries again.
    case stopped(any Error)
    /// An action cannot be recorded, or a sync failed. Nothing later is recorded, and the store refuses actions.
    case failed(any Error)
    /// It was closed.
    case closed

    /// The error that keeps the recorder from recording, if there is one.
    public var failure: (any Error)? {
      switch self {
      case .stopped(let error), .failed(let error): error
      case .idle, .recording, .closed: nil
      }
    }
  }

  /// The present phase.
  public var phase: Phase
  /// The last revision that was acknowledged at the configured durability.
  public var revision: Int
  /// The number of accepted actions that are not acknowledged, including ``lost`` ones. Each of the others keeps the state before
  /// it alive.
  public var waiting: Int
  /// The number of accepted actions that will never be recorded: they were waiting when the recorder failed or was abandoned.
  public var lost: Int
  /// The error of the last snapshot or digest that could not be taken, or of a snapshot that could not be removed; `nil` after a
  /// success. The log is not affected.
  public var snapshotError: (any Error)?
  /// The error of the last checkpoint that could not be stored; `nil` after a success. The log is not affected.
  public var checkpointError: (any Error)?
}
