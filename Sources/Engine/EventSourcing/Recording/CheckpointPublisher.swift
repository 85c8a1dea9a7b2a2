package import ActionLog
import Platform

/// When a recorder stores a checkpoint of its log.
///
/// A checkpoint names the root of the Merkle tree of the log's first lines; it is stored in `proofs`, in the log's directory. It
/// covers only what is synced, so at the levels that do not wait for a sync it can be behind. It is made in the background, and
/// reads only the lines since the one before. A failure affects nothing else: see ``RecordingNotice/checkpointFailed(_:log:)``.
///
/// A checkpoint next to the log does not prove anything to a person who does not trust the owner of the disk: copy it to a place
/// that others control.
///
/// The other policies are in the module `ActionLogMaintenance`.
public struct CheckpointPolicy: Sendable {
  package enum Schedule: Sendable {
    case atClose
    case interval(Duration)
    case actions(Int)
  }
  package typealias Store = @Sendable (_ log: String, any LogFileSystem) throws(LogError) -> Void

  package let schedule: Schedule?
  package let store: Store

  package init(_ schedule: Schedule?, _ store: @escaping Store) {
    self.schedule = schedule
    self.store = store
  }

  /// Never. This is the default.
  public static let never = CheckpointPolicy(nil) { _, _ in }
}

/// Stores checkpoints of a log that is being recorded, one at a time. A checkpoint can take as long as reading the log, so it does not
/// run on the threads of the writers.
final class CheckpointPublisher: Sendable {
  private struct Contents: Sendable {
    var recordedCount = 0
    var isPending = false
    var isFinished = false
    var cancel: (@Sendable () -> Void)?
    var lastError: (any Error)?
  }

  private let writer: LogWriter
  private let fileSystem: any LogFileSystem
  private let policy: CheckpointPolicy
  private let schedule: LogEnvironment.Schedule
  /// Called with the first error after a success.
  private let onError: @Sendable (any Error) -> Void
  private let contents = Locked(Contents())
  private let queue: SerialQueue

  /// Creates a publisher; `nil` for the policy ``CheckpointPolicy/never``.
  init?(
    _ policy: CheckpointPolicy, _ writer: LogWriter, schedule: @escaping LogEnvironment.Schedule,
    fileSystem: any LogFileSystem, onError: @escaping @Sendable (any Error) -> Void
  ) {
    guard policy.schedule != nil else { return nil }
    self.writer = writer
    self.fileSystem = fileSystem
    self.policy = policy
    self.schedule = schedule
    self.onError = onError
    queue = SerialQueue(on: writer.resources.readers)
  }

  /// The error of the last checkpoint; `nil` after a success.
  var lastError: (any Error)? { contents.withLock { contents in contents.lastError } }

  /// Counts actions that were written, and begins a checkpoint if one is due. Does not block.
  func noteRecorded(_ count: Int) {
    let delay = contents.withLock { contents -> Duration? in
      guard !contents.isFinished else { return nil }
      contents.recordedCount += count
      guard !contents.isPending else { return nil }
      switch policy.schedule {
      case nil, .atClose: return nil
      case .interval(let interval):
        contents.isPending = true
        return max(interval, .zero)
      case .actions(let limit):
        guard contents.recordedCount >= limit else { return nil }
        contents.isPending = true
        return .zero
      }
    }
    guard let delay else { return }
    guard delay > .zero else { return begin() }
    // A strong reference would keep a log that was abandoned for the length of the interval.
    let cancel = schedule(delay) { [weak self] in self?.begin() }
    let isWaiting = contents.withLock { contents in
      guard contents.isPending, !contents.isFinished else { return false }
      contents.cancel = cancel
      return true
    }
    // The call was made at once, or the log is being closed.
    if !isWaiting { cancel() }
  }

  private func begin() {
    queue.async { [self] in
      let isDue = contents.withLock { contents in
        defer { contents.isPending = false }
        guard contents.isPending, !contents.isFinished else { return false }
        (contents.recordedCount, contents.cancel) = (0, nil)
        return true
      }
      if isDue { storeNow(syncsFirst: writer.durability.waitsForSync) }
    }
  }

  private func storeNow(syncsFirst: Bool) {
    let failure: (any Error)?
    do throws(LogError) {
      if syncsFirst { try writer.syncNow() }
      try policy.store(writer.path, fileSystem)
      failure = nil
    } catch {
      failure = error
    }
    let isFirst = contents.withLock { contents in
      defer { contents.lastError = failure }
      return contents.lastError == nil
    }
    if let failure, isFirst { onError(failure) }
  }

  /// Returns when no checkpoint is being made. No other is made until ``resume()`` or ``storeLast()``.
  func finish() async {
    let cancel = contents.withLock { contents in
      defer { (contents.isFinished, contents.isPending, contents.cancel) = (true, false, nil) }
      return contents.cancel
    }
    cancel?()
    await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
  }

  /// Makes checkpoints again, after a log could not be closed.
  func resume() { contents.withLock { contents in contents.isFinished = false } }

  /// Stores a checkpoint of the closed log. It takes no lock of the log, which can belong to another writer.
  func storeLast() async {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        storeNow(syncsFirst: false)
        continuation.resume()
      }
    }
  }
}
