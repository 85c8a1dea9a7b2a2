internal import Platform

/// The one writer of a log: appends records, and says how safe they are.
///
/// Drafts become lines at once, in the order in which they are taken, and wait in a buffer. A thread of the writer's own
/// (or, in ``write(_:)``, ``synchronize()`` and ``closeNow()``, the caller's) writes the whole buffer with one append
/// while the next one fills, and makes one synchronisation for everything that was written since the last one. So the
/// cost of a synchronisation is shared by all that arrived during the one before.
///
/// A batch has one of three outcomes. *Reached*: it is as safe as the level says. *Rejected*
/// (``LogError/Code/noSpace``, ``LogError/Code/rejected``): nothing of it is in the log, and the writer works on.
/// *Unknown* (``LogError/Code/failed``): a synchronisation failed, nobody can say what the device holds, and the writer
/// takes nothing more; opening the log anew reads what is there.
///
/// A writer that is not closed leaves a log that opens just as well; only the `@close` record is missing.
public final class LogWriter: Sendable {
  /// What was found when the log was opened.
  public let opening: LogOpening
  /// The directory of the log.
  public let path: String
  /// When appends are acknowledged.
  public let durability: Durability

  let fileSystem: any LogFileSystem
  let environment: LogEnvironment
  let directoryLock: any DirectoryLock
  let worker = SerialThread()

  // Locks are taken in this order and never in another: ending, closing, writing, syncing, state. Only the last one is held for
  // moments; the others are held during calls to the disk. A synchronisation does not keep others from writing.

  /// The right to close, and why the log was not closed cleanly, for whoever closes it once more.
  let ending = Locked<LogError?>(nil)
  /// Whether the writer gave back what it held.
  let closing = Locked(false)
  /// The right to write, and the memory of a batch that was written, for the next one but one.
  let writing = Locked<[UInt8]>([])
  /// The right to synchronise, and `HEAD` if it could be opened.
  let syncing: Locked<(any LogFile)?>
  let state: Locked<WriterState>

  init(
    path: String,
    opening: LogOpening,
    state: WriterState,
    head: (any LogFile)?,
    directoryLock: any DirectoryLock,
    fileSystem: any LogFileSystem,
    configuration: LogConfiguration
  ) {
    self.path = path
    self.opening = opening
    self.state = Locked(state)
    self.directoryLock = directoryLock
    self.fileSystem = fileSystem
    syncing = Locked(head)
    durability = configuration.durability
    environment = configuration.environment
  }

  /// Gives the lock and the files back without writing anything, as the death of the process would.
  deinit { release() }

  /// How the writer stands.
  ///
  /// - Complexity: O(1).
  public var status: LogStatus {
    state.withLock { state in
      LogStatus(
        lastSeq: state.queue.encoded.seq,
        lastCRC: state.queue.encoded.crc,
        writtenSeq: state.written.seq,
        syncedSeq: state.synced.seq,
        pendingBytes: state.queue.pendingBytes,
        syncCount: state.syncCount,
        batchCount: state.batchCount,
        rejectionCount: state.generation,
        failure: state.failure,
        headFailure: state.headFailure,
        isClosed: state.phase == .closed,
        segmentPath: state.path
      )
    }
  }

  /// Closes the files and gives the lock back, once.
  func release() {
    closing.withLock { isReleased in
      guard !isReleased else { return }
      isReleased = true
      writing.withLock { _ in
        syncing.withLock { head in
          let (file, cancelInterval) = state.withLock { state in
            state.phase = .closed
            return (state.file, state.interval.withdraw())
          }
          cancelInterval?()
          file.close()
          head?.close()
          head = nil
        }
      }
      directoryLock.unlock()
    }
  }
}
