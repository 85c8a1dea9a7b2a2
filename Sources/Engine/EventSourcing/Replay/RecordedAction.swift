public import ActionLog

/// An action of the past, with its revision, time and metadata.
public struct RecordedAction<Action: Sendable>: Sendable {
  /// The revision that the action led to.
  public var revision: Int
  /// The time at which it was recorded. ``revision`` defines the order of actions, not the time.
  public var time: LogTime
  /// The recorded action in the present schema: usually one action. If an upcaster replaced it with several, they are folded
  /// together. There are none if an upcaster dropped it, or if its type is unknown and kept.
  public var actions: [Action]
  /// Whether the model does not have the type, and the record is kept as an opaque record.
  public var isOpaque: Bool
  /// The metadata of the action.
  public var meta: RecordMeta
  /// The record in the log.
  public var record: LogRecord

  init(_ record: LogRecord, _ decoded: DecodedActions<Action>) throws {
    (revision, time, self.record) = (record.revision, record.time, record)
    (actions, isOpaque) = (decoded.actions, decoded.isOpaque)
    meta = try RecordMeta(of: record)
  }

  /// The action if there is exactly one; otherwise `nil`.
  public var action: Action? { actions.count == 1 ? actions[0] : nil }
}

extension History {
  /// Returns the decoded actions of a range of revisions.
  ///
  /// - Parameter range: Revisions from 1, all of them within the log.
  /// - Returns: The actions in order, one for each revision.
  /// - Throws: `LogError` with code `revisionOutOfRange` for a range that is not within the log, `damaged` for one that cannot be
  ///   read, `schemaTooNew`; ``EventSourcingError`` for an action that the model cannot decode.
  public func actions(in range: ClosedRange<Int>) throws -> [RecordedAction<M.Action>] {
    guard range.lowerBound >= 1 else { throw try outOfRange(range.lowerBound) }
    var actions: [RecordedAction<M.Action>] = []
    var batches = try reader.batches(from: range.lowerBound)
    while actions.last?.revision ?? 0 < range.upperBound, let batch = try batches.nextBatch() {
      for (index, entry) in batch.entries.enumerated() where !entry.isControl && entry.revision <= range.upperBound {
        actions.append(try recordedAction(in: batch, at: index))
      }
      if let revision = batch.entries.last?.revision, revision > range.upperBound { break }
    }
    guard actions.first?.revision == range.lowerBound, actions.last?.revision == range.upperBound else {
      throw try outOfRange(range.upperBound)
    }
    return actions
  }

  /// Returns one decoded action.
  ///
  /// - Parameter revision: The revision that the action leads to, from 1.
  /// - Throws: As `actions(in:)`.
  /// - Complexity: O(log(length of a segment)).
  public func action(at revision: Int) throws -> RecordedAction<M.Action> {
    try recordedAction(from: reader.record(at: revision))
  }

  package func recordedAction(in batch: RecordBatch, at index: Int) throws -> RecordedAction<M.Action> {
    try RecordedAction(batch.record(at: index), decoder.actions(in: batch, at: index))
  }

  package func recordedAction(from record: LogRecord) throws -> RecordedAction<M.Action> {
    try RecordedAction(record, decoder.actions(of: record))
  }
}
