public import ActionLog

/// An action of the past: what happened, at which revision, when, and by whom.
public struct RecordedAction<Action: Sendable>: Sendable {
  /// The revision that the action led to.
  public var seq: Int
  /// When it was recorded. The order of actions is ``seq``, never the time.
  public var time: LogTime
  /// What happened, as the present schema says it: usually one action. An upcaster may have made several of it, which are
  /// folded together, or none; of an unknown type that is kept there are none.
  public var actions: [Action]
  /// Whether the model does not know the type, and keeps it as an opaque record.
  public var isOpaque: Bool
  /// Who caused it, and in what connection.
  public var meta: RecordMeta
  /// The line of the log.
  public var record: LogRecord

  /// Makes a recorded action from its parts.
  public init(
    seq: Int, time: LogTime, actions: [Action], isOpaque: Bool = false, meta: RecordMeta, record: LogRecord
  ) {
    self.seq = seq
    self.time = time
    self.actions = actions
    self.isOpaque = isOpaque
    self.meta = meta
    self.record = record
  }

  /// What happened, if it is one action; `nil` if it is none or several.
  public var action: Action? { actions.count == 1 ? actions[0] : nil }
}

extension History {
  /// The actions of a range of revisions, decoded.
  ///
  /// - Parameter range: Revisions from 1; parts of the range that the log does not hold are an error.
  /// - Returns: The actions in order, one for each revision.
  /// - Throws: `LogError` with code `revisionOutOfRange` for a range that the log does not hold, `damaged` for one that cannot be
  ///   read, `schemaTooNew`; ``EventSourcingError`` for an action that the model cannot decode.
  /// - Complexity: O(length of the range).
  public func actions(in range: ClosedRange<Int>) throws -> [RecordedAction<M.Action>] {
    guard range.lowerBound >= 1 else { throw try outOfRange(range.lowerBound) }
    var actions: [RecordedAction<M.Action>] = []
    var batches = try reader.batches(from: range.lowerBound)
    while actions.last?.seq ?? 0 < range.upperBound, let batch = try batches.next() {
      for (index, entry) in batch.entries.enumerated() where !entry.isControl && entry.seq <= range.upperBound {
        actions.append(try recordedAction(in: batch, at: index))
      }
      if let seq = batch.entries.last?.seq, seq > range.upperBound { break }
    }
    guard actions.first?.seq == range.lowerBound, actions.last?.seq == range.upperBound else {
      throw try outOfRange(range.upperBound)
    }
    return actions
  }

  /// One action, decoded.
  ///
  /// - Parameter revision: The revision that the action leads to, from 1.
  /// - Throws: As ``actions(in:)``.
  /// - Complexity: O(log(length of a segment)).
  public func action(at revision: Int) throws -> RecordedAction<M.Action> {
    try recordedAction(from: reader.record(at: revision))
  }

  /// An action of a batch, with a record of its own.
  package func recordedAction(in batch: RecordBatch, at index: Int) throws -> RecordedAction<M.Action> {
    let decoded = try decoder.actions(in: batch, at: index)
    let record = batch.record(at: index)
    return RecordedAction(
      seq: record.seq, time: record.time, actions: decoded.actions, isOpaque: decoded.isOpaque,
      meta: try RecordMeta(of: record), record: record)
  }

  /// The action that a record holds.
  ///
  /// - Parameter record: A record of this log that is no control record.
  /// - Throws: `LogError` with code `schemaTooNew`; ``EventSourcingError`` for an action that the model cannot decode.
  /// - Complexity: O(length of the record).
  public func recordedAction(from record: LogRecord) throws -> RecordedAction<M.Action> {
    let decoded = try decoder.actions(of: record)
    return RecordedAction(
      seq: record.seq,
      time: record.time,
      actions: decoded.actions,
      isOpaque: decoded.isOpaque,
      meta: try RecordMeta(of: record),
      record: record
    )
  }
}
