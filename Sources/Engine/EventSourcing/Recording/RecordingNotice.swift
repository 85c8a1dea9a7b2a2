public import ActionLog

/// What a recorder tells besides its status: nothing that keeps it from recording, and nothing that should be kept from the person
/// whose log it is.
public enum RecordingNotice: Sendable {
  /// The writer before was cut off within a line, and opening moved what it left of that out of the log.
  ///
  /// - Parameters:
  ///   - recovered: How much, and the file that keeps it.
  ///   - log: The path of the log.
  case tornTailCut(_ recovered: LogOpening.Recovered, log: String)
  /// A snapshot or digest could not be taken, or a snapshot not be removed. It is told once for each opening of the log, and
  /// tried again with each snapshot that falls due; ``RecorderStatus/snapshotError`` has the last one.
  ///
  /// - Parameters:
  ///   - error: Why.
  ///   - log: The path of the log, which is not affected: only the next opening takes longer.
  case snapshotFailed(_ error: any Error, log: String)
  /// A detached store has accepted an action, which is not recorded: the recorder was closed, or listens to another store. It is
  /// sent once for each time that a store is detached, on the thread of the dispatch or of the recorder.
  ///
  /// - Parameter log: The path of the log, which lacks the action.
  case actionNotRecorded(log: String)
}
