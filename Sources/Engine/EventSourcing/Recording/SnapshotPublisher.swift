import ActionLog
import Platform

/// A state to be kept as a snapshot as soon as its revision is durable.
struct SnapshotPoint: Sendable {
  var revision: Int
  /// The length of the encoded state, if it is known.
  var sizeBytes: Int?
  /// The state in canonical form. What is not encoded yet is encoded where the snapshot is written.
  var canonicalState: @Sendable () throws -> [UInt8]
}

/// Writes the snapshots of a log that is being recorded, one after the other: neither on the dispatch path nor on the
/// cooperative pool. Snapshots are a cache, so what goes wrong is remembered and does not touch the log.
///
/// Where they fall due faster than they are written, those that wait are bounded, and the newest are kept: the one that an opening
/// would use.
final class SnapshotPublisher: Sendable {
  /// What a snapshot says of the code that folded it.
  struct Identity: Sendable {
    var model: String
    var schema: Int
    /// The identity of the code, as a snapshot at a revision says it.
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
    var hasToldError = false
    var waiting: [Waiting] = []
    /// Whether the thread is at them, or will be.
    var isWriting = false
    /// The length of the state that was encoded last.
    var lastSizeBytes = 0

    /// What the states that wait take, about.
    var waitingBytes: Int {
      waiting.reduce(0) { sum, waiting in sum + (waiting.point.sizeBytes ?? lastSizeBytes) }
    }
  }

  /// 64 MiB: what states that wait may take, in encoded form, beside the newest one.
  private static let waitingLimitBytes = 1 << 26
  /// More small states than this need not wait either.
  private static let waitingLimit = 256

  private let writer: LogWriter
  private let snapshots: SnapshotStore
  private let retention: SnapshotRetention
  private let fileSystem: any LogFileSystem
  private let identity: Identity
  /// Told the first time that something goes wrong.
  private let onFirstError: @Sendable (any Error) -> Void
  private let contents = Locked(Contents())
  private let thread = SerialThread()

  init(
    writer: LogWriter, snapshots: SnapshotStore, retention: SnapshotRetention, fileSystem: any LogFileSystem,
    identity: Identity, onFirstError: @escaping @Sendable (any Error) -> Void
  ) {
    self.writer = writer
    self.snapshots = snapshots
    self.retention = retention
    self.fileSystem = fileSystem
    self.identity = identity
    self.onFirstError = onFirstError
  }

  /// Why the last snapshot could not be taken.
  var lastError: (any Error)? { contents.withLock { contents in contents.lastError } }

  /// Remembers why a snapshot could not be taken.
  func note(_ error: any Error) {
    let isFirst = contents.withLock { contents in
      contents.lastError = error
      defer { contents.hasToldError = true }
      return !contents.hasToldError
    }
    if isFirst { onFirstError(error) }
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

  /// Writes a snapshot soon, unless the log has been given back until then, or so many newer ones wait that it is dropped.
  ///
  /// - Parameter onEncoding: Told the size of the encoded state.
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

  /// Writes what waits until nothing does.
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

  /// Returns when every snapshot asked for so far is written or has failed. Later ones are not written: the log may
  /// belong to another writer.
  func finish() async {
    await withCheckedContinuation { continuation in
      thread.async { [self] in
        contents.withLock { contents in contents.isFinished = true }
        continuation.resume()
      }
    }
  }

  /// Returns when every snapshot asked for so far is written or has failed.
  func settle() async {
    await withCheckedContinuation { continuation in
      thread.async { continuation.resume() }
    }
  }

  /// Takes snapshots again, after a log that could not be given back.
  func goOn() {
    contents.withLock { contents in contents.isFinished = false }
  }

  private func publishNow(_ state: [UInt8], at revision: Int) throws {
    if writer.status.syncedSeq < revision { _ = try writer.sync() }
    let reader = try LogReader.open(writer.path, fileSystem: fileSystem)
    let (time, checksum) = try reader.anchor(at: revision)
    // The checksum ties the state to its past: it must not be that of another log, which lies at the path by now.
    try writer.confirmNotStale()
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
