public import ActionLog
import Platform

/// The listener that appends every action a store accepts to a log.
///
/// ```swift
/// let recorder = try await Recorder<AnimalsModel>.open("my-log")
/// let store = try recorder.makeStore()  // the state of the log's last revision, recorded from here on
/// try store.dispatch(action: .ui(.categoryList(.onAppear)))
/// try await recorder.close()  // everything dispatched is on disk
/// ```
///
/// - Dispatching never waits for the disk: actions wait in the store's stream, which is unbounded and counted
///   (``status``), and are written in batches, one sync for each.
/// - The recorder uses nothing but the stream's pair of the state before and the action. `oldState` at record *n* **is**
///   revision *n* − 1, so ``listen(to:)`` refuses a store whose state is not the log's last revision.
/// - When the log takes nothing because the disk is full, the recorder keeps what is waiting, stops, tells, and goes on
///   with ``resume()``. When an action cannot be recorded at all, or a sync fails, it has failed: nothing later is
///   recorded, because a log with a hole rebuilds a state that never was.
/// - Actions that the reducer refuses never reach a listener; see ``recordRefusal(of:error:meta:)``.
///
/// While it listens, the recorder is kept alive by its own task, until the store goes away; ``close()`` ends that too.
public final class Recorder<M: Model>: Sendable {
  let session: RecordingSession<M>
  let contents: Locked<RecorderContents<M>>
  let statusChanges: StatusChanges

  private init(session: RecordingSession<M>) {
    self.session = session
    contents = Locked(RecorderContents(at: session.restored))
    statusChanges = StatusChanges(session.configuration.onStatusChange)
  }

  /// Opens a log for recording, or makes one, and rebuilds its state. Blocks while it reads and syncs.
  ///
  /// - Parameters:
  ///   - path: The log's directory. Its parent must exist.
  ///   - base: The state to begin a **new** log at, for an application that already has data. It is written into the
  ///     log. A log that has a beginning keeps it.
  ///   - configuration: How to record.
  ///   - fileSystem: Where the log lies.
  /// - Throws: `LogError`, for instance `LogError.Code.locked` when another writer holds the log, or
  ///   `LogError.Code.damaged`; ``EventSourcingError`` when the log's actions do not fit the model.
  public convenience init(
    opening path: String,
    startingAt base: M.State? = nil,
    configuration: RecordingConfiguration<M> = RecordingConfiguration(),
    fileSystem: any LogFileSystem = POSIXFileSystem()
  ) throws {
    self.init(
      session: try RecordingSession.open(path, base: base, configuration: configuration, fileSystem: fileSystem))
  }

  /// Opens a log for recording, or makes one, and rebuilds its state, on a thread that may block.
  ///
  /// - Parameters:
  ///   - path: The log's directory. Its parent must exist.
  ///   - base: The state to begin a **new** log at. A log that has a beginning keeps it.
  ///   - configuration: How to record.
  ///   - fileSystem: Where the log lies.
  /// - Throws: As ``init(opening:startingAt:configuration:fileSystem:)``.
  /// - Complexity: That of rebuilding the last state: O(distance to the newest usable snapshot).
  public static func open(
    _ path: String,
    startingAt base: M.State? = nil,
    configuration: RecordingConfiguration<M> = RecordingConfiguration(),
    fileSystem: any LogFileSystem = POSIXFileSystem()
  ) async throws -> Recorder {
    try await OffPool.run {
      try Recorder(opening: path, startingAt: base, configuration: configuration, fileSystem: fileSystem)
    }
  }
}

extension Recorder {
  /// The path of the log.
  public var path: String { session.path }

  /// The state that the log stood at when it was opened, and the work that rebuilding it took.
  public var restored: Replayed<M.State> { session.restored }

  /// What opening the log found and did.
  public var opening: LogOpening { session.writer.opening }

  /// How the log's writer is doing.
  public var logStatus: LogStatus { session.writer.status }

  /// How the recorder is doing.
  public var status: RecorderStatus {
    contents.withLock { contents in
      RecorderStatus(
        phase: contents.phase, revision: contents.revision, waiting: contents.unrecorded, lost: contents.lost,
        snapshotError: session.snapshotError)
    }
  }
}

/// How a recorder is doing.
public struct RecorderStatus: Sendable {
  /// What a recorder is about.
  public enum Phase: Sendable {
    /// It listens to no store: none yet, or the last one is gone.
    case idle
    /// It records what its store accepts.
    case recording
    /// The log took nothing of the last batch, for instance because the disk is full. What is waiting is kept;
    /// ``Recorder/resume()`` tries again.
    case stopped(any Error)
    /// An action cannot be recorded, or a sync failed. Nothing later is recorded.
    case failed(any Error)
    /// It was closed.
    case closed

    /// What keeps the recorder from recording; `nil` while all is well.
    public var failure: (any Error)? {
      switch self {
      case .stopped(let error), .failed(let error): error
      case .idle, .recording, .closed: nil
      }
    }
  }

  /// What the recorder is about.
  public var phase: Phase
  /// The last revision in the log that was acknowledged at the configured durability.
  public var revision: Int
  /// Accepted actions that are not acknowledged, ``lost`` ones included. Each of the others keeps the state before it alive.
  public var waiting: Int
  /// Accepted actions that will never be recorded: their store was detached, or the recorder failed or was closed.
  public var lost: Int
  /// Why the last snapshot or digest could not be taken, or a snapshot not be removed; `nil` when all is well. The log
  /// is not affected.
  public var snapshotError: (any Error)?
}

/// Tells of changes one after the other, in the order in which they were made, whatever threads made them, and holds no
/// lock while it does: whoever is told may call the recorder.
final class StatusChanges: Sendable {
  private struct Contents: Sendable {
    var waiting: [RecorderStatus.Phase] = []
    var isTelling = false
  }

  private let tell: (@Sendable (RecorderStatus.Phase) -> Void)?
  private let contents = Locked(Contents())

  init(_ tell: (@Sendable (RecorderStatus.Phase) -> Void)?) {
    self.tell = tell
  }

  /// Puts a change in line. Called under the lock that guards what changes, which decides the order.
  func add(_ phase: RecorderStatus.Phase) {
    guard tell != nil else { return }
    contents.withLock { contents in contents.waiting.append(phase) }
  }

  /// Tells of what is in line, unless another thread is at it. Called with no lock held.
  func deliver() {
    guard let tell else { return }
    var isFirst = true
    while let phase = next(isFirst) {
      isFirst = false
      tell(phase)
    }
  }

  private func next(_ isFirst: Bool) -> RecorderStatus.Phase? {
    contents.withLock { contents in
      if isFirst, contents.isTelling { return nil }
      contents.isTelling = !contents.waiting.isEmpty
      return contents.isTelling ? contents.waiting.removeFirst() : nil
    }
  }
}
