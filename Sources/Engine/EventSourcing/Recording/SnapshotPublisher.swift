import ActionLog
import Platform

/// A state to be published as a snapshot when its revision is durable.
struct SnapshotPoint: Sendable {
  var revision: Int
  /// The length of the encoded state, if it is known.
  var sizeBytes: Int?
  /// Returns the state in canonical form. If it is not encoded yet, this encodes it, on the publisher's thread.
  var canonicalState: @Sendable () throws -> [UInt8]
}

/// Writes the snapshots of a log that is being recorded, one at a time, on a thread of its own. A failure is kept in ``lastError``
/// and does not affect the log.
///
/// If snapshots become due faster than they are written, the number of waiting ones is bounded, and the newest are kept, because an
/// opening uses the newest.
final class SnapshotPublisher: Sendable {
  /// The log whose snapshots are written.
  struct LogKeeper: Sendable {
    var path: String
    /// Makes a revision durable.
    var makeDurable: @Sendable (Int) throws -> Void
    /// Throws if another log has replaced this one at its path.
    var confirm: @Sendable () throws -> Void

    /// The log of a writer.
    init(_ writer: LogWriter) {
      self.init(
        path: writer.path,
        makeDurable: { revision in if writer.status.syncedRevision < revision { _ = try writer.syncNow() } },
        confirm: { try writer.confirmNotStale() })
    }

    init(
      path: String, makeDurable: @escaping @Sendable (Int) throws -> Void,
      confirm: @escaping @Sendable () throws -> Void
    ) {
      self.path = path
      self.makeDurable = makeDurable
      self.confirm = confirm
    }
  }

  /// The identity of the code that takes the snapshots.
  struct Identity: Sendable {
    var model: String
    var schema: Int
    var projection: ProjectionIdentity?
    /// Returns the identity of the code for a snapshot at a revision.
    var reducer: @Sendable (Int) throws -> String
  }

  /// A snapshot that waits to be written.
  private struct Waiting: Sendable {
    var point: SnapshotPoint
    var onEncoding: @Sendable (Int) -> Void
  }

  private struct Contents: Sendable {
    var isFinished = false
    var lastError: (any Error)?
    var hasReportedError = false
    var waiting: [Waiting] = []
    /// Whether the thread is writing the waiting snapshots, or will be.
    var isWriting = false
    /// The length of the last encoded state.
    var lastSizeBytes = 0

    /// The estimated size of the waiting states.
    var waitingBytes: Int {
      waiting.reduce(0) { sum, waiting in sum + (waiting.point.sizeBytes ?? lastSizeBytes) }
    }
  }

  /// The limit on the encoded size of the waiting states, in addition to the newest one: 64 MiB.
  private static let waitingLimitBytes = 1 << 26
  /// The limit on the number of waiting states.
  private static let waitingLimit = 256

  private let keeper: LogKeeper
  private let snapshots: SnapshotStore
  private let retention: SnapshotRetention
  private let fileSystem: any LogFileSystem
  private let identity: Identity
  /// Called with the first error.
  private let onFirstError: @Sendable (any Error) -> Void
  private let contents = Locked(Contents())
  private let thread = SerialThread()

  init(
    keeper: LogKeeper, snapshots: SnapshotStore, retention: SnapshotRetention, fileSystem: any LogFileSystem,
    identity: Identity, onFirstError: @escaping @Sendable (any Error) -> Void
  ) {
    self.keeper = keeper
    self.snapshots = snapshots
    self.retention = retention
    self.fileSystem = fileSystem
    self.identity = identity
    self.onFirstError = onFirstError
  }

  /// The error of the last snapshot that could not be taken.
  var lastError: (any Error)? { contents.withLock { contents in contents.lastError } }

  /// Keeps the error of a snapshot that could not be taken.
  func note(_ error: any Error) {
    let isFirst = contents.withLock { contents in
      contents.lastError = error
      defer { contents.hasReportedError = true }
      return !contents.hasReportedError
    }
    if isFirst { onFirstError(error) }
  }

  /// Removes incomplete snapshots of processes that ended. Blocks.
  func removeUnfinished() {
    do throws(LogError) { try snapshots.removeUnfinished() } catch { note(error) }
  }

  /// Returns the size of the snapshot at a revision; `nil` if it cannot be read. Blocks.
  func size(at revision: Int) -> Int? {
    do throws(FileSystemError) { return try fileSystem.status(of: snapshots.path(at: revision))?.sizeBytes } catch {
      note(error)
      return nil
    }
  }

  /// Writes a snapshot in the background, unless the log is released before, or newer waiting snapshots displace it.
  ///
  /// - Parameter onEncoding: Called with the size of the encoded state.
  func publish(_ point: SnapshotPoint, onEncoding: @escaping @Sendable (Int) -> Void) {
    let mustStart = contents.withLock { contents in
      contents.waiting.append(Waiting(point: point, onEncoding: onEncoding))
      while contents.waiting.count > 1,
        contents.waiting.count > Self.waitingLimit || contents.waitingBytes > Self.waitingLimitBytes
      {
        contents.waiting.removeFirst()
      }
      defer { contents.isWriting = true }
      return !contents.isWriting
    }
    if mustStart { thread.async { [self] in writeWaiting() } }
  }

  /// Writes waiting snapshots until there are none.
  private func writeWaiting() {
    while let next = next() {
      do {
        let state = try next.point.canonicalState()
        next.onEncoding(state.count)
        contents.withLock { contents in contents.lastSizeBytes = state.count }
        try publishNow(state, at: next.point.revision)
        contents.withLock { contents in contents.lastError = nil }
      } catch {
        note(error)
      }
    }
  }

  private func next() -> Waiting? {
    contents.withLock { contents in
      if contents.isFinished { contents.waiting = [] }
      guard !contents.waiting.isEmpty else {
        contents.isWriting = false
        return nil
      }
      return contents.waiting.removeFirst()
    }
  }

  /// Returns when every snapshot requested so far is written or has failed. Later ones are not written, because the log may belong
  /// to another writer.
  func finish() async {
    await withCheckedContinuation { continuation in
      thread.async { [self] in
        contents.withLock { contents in contents.isFinished = true }
        continuation.resume()
      }
    }
  }

  /// Returns when every snapshot requested so far is written or has failed.
  func settle() async {
    await withCheckedContinuation { continuation in
      thread.async { continuation.resume() }
    }
  }

  /// Accepts snapshots again, after a log could not be released.
  func resume() {
    contents.withLock { contents in contents.isFinished = false }
  }

  private func publishNow(_ state: [UInt8], at revision: Int) throws {
    try keeper.makeDurable(revision)
    let reader = try LogReader.open(at: keeper.path, fileSystem: fileSystem)
    let (time, checksum) = try reader.anchor(at: revision)
    // The checksum ties the state to its past. It must not come from another log that has replaced this one at the path.
    try keeper.confirm()
    try snapshots.publish(
      Snapshot(
        revision: revision,
        time: time,
        log: reader.header.log,
        model: identity.model,
        schema: identity.schema,
        reducer: try identity.reducer(revision),
        checksum: checksum,
        state: state,
        projection: identity.projection
      ))
    try snapshots.prune(retention, through: revision)
  }
}
