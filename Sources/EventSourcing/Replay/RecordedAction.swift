public import ActionLog

/// An action of the past: what happened, at which revision, when, and by whom.
public struct RecordedAction<Action: Sendable>: Sendable {
  /// The revision that the action led to.
  public var seq: Int
  /// When it was recorded. The order of actions is ``seq``, never the time.
  public var time: LogTime
  /// What happened.
  public var action: Action
  /// Who caused it, and in what connection.
  public var meta: RecordMeta
  /// The line of the log.
  public var record: LogRecord

  /// Makes a recorded action from its parts.
  public init(seq: Int, time: LogTime, action: Action, meta: RecordMeta, record: LogRecord) {
    self.seq = seq
    self.time = time
    self.action = action
    self.meta = meta
    self.record = record
  }
}
