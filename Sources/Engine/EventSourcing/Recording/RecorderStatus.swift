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
