import ActionLog
import Dispatch
import Locking

/// A state to be kept as a snapshot as soon as its revision is durable.
struct SnapshotPoint: Sendable {
  var revision: Int
  /// The state in canonical form. What is not encoded yet is encoded where the snapshot is written.
  var canonicalState: @Sendable () throws -> [UInt8]
}

/// Writes the snapshots of a log that is being recorded, one after the other: neither on the dispatch path nor on the
/// cooperative pool. Snapshots are a cache, so what goes wrong is remembered and does not touch the log.
final class SnapshotPublisher: Sendable {
  /// What a snapshot says of the code that folded it.
  struct Identity: Sendable {
    var model: String
    var schema: Int
    /// The identity of the code, as a snapshot at a revision says it.
    var reducer: @Sendable (Int) throws -> String
  }

  private struct Contents: Sendable {
    var isFinished = false
    var lastError: (any Error)?
  }

  private let writer: LogWriter
  private let snapshots: SnapshotStore
  private let retention: SnapshotRetention
  private let fileSystem: any LogFileSystem
  private let identity: Identity
  private let contents = Locked(Contents())
  private let queue = DispatchQueue(label: "EventSourcing.snapshots", qos: .utility)

  init(
    writer: LogWriter, snapshots: SnapshotStore, retention: SnapshotRetention, fileSystem: any LogFileSystem,
    identity: Identity
  ) {
    self.writer = writer
    self.snapshots = snapshots
    self.retention = retention
    self.fileSystem = fileSystem
    self.identity = identity
  }

  /// Why the last snapshot could not be taken.
  var lastError: (any Error)? { contents.withLock { contents in contents.lastError } }

  /// Remembers why a snapshot could not be taken.
  func note(_ error: any Error) {
    contents.withLock { contents in contents.lastError = error }
  }

  /// Removes what a process that ended left half-written. Blocks.
  func removeUnfinished() {
    do throws(LogError) { try snapshots.removeUnfinished() } catch { note(error) }
  }

  /// The size of the snapshot at a revision; `nil` when it cannot be had. Blocks.
  func size(at revision: Int) -> Int? {
    do throws(FileSystemError) { return try fileSystem.status(of: snapshots.path(at: revision))?.sizeBytes } catch {
      note(error)
      return nil
    }
  }

  /// Writes a snapshot soon, unless the log has been given back until then.
  ///
  /// - Parameter onEncoding: Told the size of the encoded state.
  func publish(_ point: SnapshotPoint, onEncoding: @escaping @Sendable (Int) -> Void) {
    queue.async { [self] in
      guard !contents.withLock({ contents in contents.isFinished }) else { return }
      do {
        let state = try point.canonicalState()
        onEncoding(state.count)
        try publishNow(state, at: point.revision)
        contents.withLock { contents in contents.lastError = nil }
      } catch {
        note(error)
      }
    }
  }

  /// Returns when every snapshot asked for so far is written or has failed. Later ones are not written: the log may
  /// belong to another writer.
  func finish() async {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        contents.withLock { contents in contents.isFinished = true }
        continuation.resume()
      }
    }
  }

  /// Takes snapshots again, after a log that could not be given back.
  func goOn() {
    contents.withLock { contents in contents.isFinished = false }
  }

  private func publishNow(_ state: [UInt8], at revision: Int) throws {
    if writer.status.syncedSeq < revision { _ = try writer.synchronize() }
    let reader = try LogReader.open(writer.path, fileSystem: fileSystem)
    let (time, checksum) = try reader.anchor(at: revision)
    try snapshots.publish(
      Snapshot(
        revision: revision,
        time: time,
        log: reader.header.log,
        model: identity.model,
        schema: identity.schema,
        reducer: try identity.reducer(revision),
        checksum: checksum,
        state: state
      ))
    try snapshots.prune(retention, through: revision)
  }
}
