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
