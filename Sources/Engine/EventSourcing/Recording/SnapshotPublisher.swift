import ActionLog
import Platform

/// A state to be published as a snapshot when its revision is durable.
struct SnapshotPoint: Sendable {
  var revision: Int
  var sizeBytes: Int?
  /// Returns the state in canonical form. If it is not encoded yet, this encodes it, on the publisher's thread.
  var canonicalState: @Sendable () throws -> [UInt8]
}

/// Writes the snapshots of a log that is being recorded, one at a time, on the threads that all writers share. A failure is kept in
/// ``lastError`` and does not affect the log.
///
/// If snapshots become due faster than they are written, the number of waiting ones is bounded, and the newest are kept, because an
/// opening uses the newest.
final class SnapshotPublisher: Sendable {
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
    /// Whether a thread is writing the waiting snapshots, or will be.
    var isWriting = false
    /// Tasks that wait until no snapshot is waiting.
    var settling: [CheckedContinuation<Void, Never>] = []
    /// Whether the next time that no snapshot is waiting is the end.
    var isFinishing = false
    var lastSizeBytes = 0

    var waitingBytes: Int {
      waiting.reduce(0) { sum, waiting in sum + (waiting.point.sizeBytes ?? lastSizeBytes) }
    }
  }

  /// The limit on the encoded size of the waiting states, in addition to the newest one: 64 MiB.
  private static let waitingLimitBytes = 1 << 26
  private static let waitingLimit = 256

  private let path: String
  /// The writer of the log, if it is in this process: it holds the lock of the log, so that no other process can redact its values.
  /// Without one, the revisions of the snapshots are durable already.
  private let writer: LogWriter?
  private let snapshots: SnapshotStore
  private let retention: SnapshotRetention
  private let template: Snapshot
  private let events: LogEvents?
  /// Called with the first error.
  private let onFirstError: @Sendable (any Error) -> Void
  private let contents = Locked(Contents())
  private let queue: SerialQueue

  init(
    of path: String, _ writer: LogWriter?, snapshots: SnapshotStore, retention: SnapshotRetention, template: Snapshot,
    events: LogEvents? = nil, onFirstError: @escaping @Sendable (any Error) -> Void
  ) {
    (self.path, self.writer) = (path, writer)
    self.snapshots = snapshots
    self.retention = retention
    self.template = template
    self.events = events
    self.onFirstError = onFirstError
    queue = SerialQueue(on: (writer?.resources ?? .shared).threads, priority: .utility)
  }

  var lastError: (any Error)? { contents.withLock { contents in contents.lastError } }

  func note(_ error: any Error) {
    let isFirst = contents.withLock { contents in
      contents.lastError = error
      defer { contents.hasReportedError = true }
      return !contents.hasReportedError
    }
    events?.send(.snapshotFailed(error))
    if isFirst { onFirstError(error) }
  }

  /// Removes incomplete snapshots of processes that ended. Blocks.
  func removeUnfinished() {
    do throws(LogError) { try snapshots.removeUnfinished() } catch { note(error) }
  }

  /// Returns the size of the snapshot at a revision; `nil` if it cannot be read. Blocks.
  func size(at revision: Int) -> Int? {
    do throws(FileSystemError) {
      return try snapshots.fileSystem.status(of: snapshots.path(at: revision))?.sizeBytes
    } catch {
      note(error)
      return nil
    }
  }

  /// Writes a snapshot in the background, unless the log is released before, or newer waiting snapshots displace it.
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
    if mustStart { queue.async { [self] in writeNext() } }
  }

  private func writeNext() {
    guard let next = next() else { return }
    let begin = events?.uptime()
    do {
      let state = try next.point.canonicalState()
      next.onEncoding(state.count)
      contents.withLock { contents in contents.lastSizeBytes = state.count }
      try publishNow(state, at: next.point.revision)
      contents.withLock { contents in contents.lastError = nil }
      events?.add(since: begin) { duration in
        .snapshotWritten(revision: next.point.revision, bytes: state.count, duration: duration)
      }
      events?.deliver()
    } catch {
      note(error)
    }
    queue.async { [self] in writeNext() }
  }

  /// Removes and returns the first waiting snapshot. If there is none, resumes the tasks that wait for that.
  private func next() -> Waiting? {
    let (next, settled) = contents.withLock { contents -> (Waiting?, [CheckedContinuation<Void, Never>]) in
      if contents.isFinished { contents.waiting = [] }
      guard contents.waiting.isEmpty else { return (contents.waiting.removeFirst(), []) }
      contents.isWriting = false
      contents.isFinished = contents.isFinished || contents.isFinishing
      contents.isFinishing = false
      defer { contents.settling = [] }
      return (nil, contents.settling)
    }
    for continuation in settled { continuation.resume() }
    return next
  }

  /// Returns when every snapshot requested so far is written or has failed. Later ones are not written, because the log may belong
  /// to another writer.
  func finish() async { await settle(finishes: true) }

  func settle() async { await settle(finishes: false) }

  private func settle(finishes: Bool) async {
    await withCheckedContinuation { continuation in
      let isIdle = contents.withLock { contents in
        if contents.isWriting {
          contents.settling.append(continuation)
          contents.isFinishing = contents.isFinishing || finishes
        } else {
          contents.isFinished = contents.isFinished || finishes
        }
        return !contents.isWriting
      }
      if isIdle { continuation.resume() }
    }
  }

  /// Accepts snapshots again, after a log could not be released.
  func resume() {
    contents.withLock { contents in contents.isFinished = false }
  }

  private func publishNow(_ state: [UInt8], at revision: Int) throws {
    if let writer, writer.status.syncedRevision < revision { _ = try writer.syncNow() }
    let reader = try LogReader.open(at: path, fileSystem: snapshots.fileSystem)
    let (time, checksum) = try reader.anchor(at: revision)
    // The checksum ties the state to its past. It must not come from another log that has replaced this one at the path.
    try writer?.confirmNotStale()
    try snapshots.publish(template.of(state, at: revision, time, checksum))
    try checkRedactions(at: revision)
    try snapshots.prune(retention, through: revision)
  }

  /// Removes a new snapshot if values were redacted since the fold began. The writer of a log excludes that.
  private func checkRedactions(at revision: Int) throws(LogError) {
    guard writer == nil else { return }
    let reader = try LogReader.open(at: path, fileSystem: snapshots.fileSystem)
    let redactions = try reader.redactionList()
    let newest = try redactions.newestFinishedIndex()
    guard redactions.hasUnfinished || newest != template.redaction else { return }
    try snapshots.remove(at: revision)
    throw LogError(
      .rejected, "values of the log were redacted since the fold began, so no snapshot is taken of it",
      path: path,
      revision: revision, advice: "Open the log again.")
  }
}
