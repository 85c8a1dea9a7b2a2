import ActionLog

extension History {
  /// Reads every action of the log, and says of each type how well the model reads it.
  ///
  /// An action is *fine* when it decodes and encodes again to what was recorded, or to what upcasters made of it. The log is
  /// folded as well, since a reducer that refuses an old action is no better than a type that is gone.
  ///
  /// - Parameter isCancelled: Asked about every 1 024 actions.
  /// - Throws: `LogError` when the log cannot be read; `CancellationError`. What the model cannot read is no error.
  /// - Complexity: O(length of the log).
  public func compatibility(isCancelled: @Sendable () -> Bool = { Task.isCancelled }) throws -> CompatibilityReport {
    var examination = CompatibilityExamination<M>(meaning: meaning)
    var batches = try reader.batches(from: 1)
    var seen = 0
    while let batch = try batches.next() {
      for (index, entry) in batch.entries.enumerated() where !entry.isControl {
        examination.examine(
          StoredRecord(
            seq: entry.seq, type: batch.type(at: index), data: batch.data(at: index), schema: entry.schema))
        seen += 1
        if seen & 1_023 == 0, isCancelled() { throw CancellationError() }
      }
      batches.recycle(batch)
    }
    examination.finish()
    if examination.report.grade != .impossible, seen > 0 { try examination.fold(self) }
    return examination.report
  }
}
