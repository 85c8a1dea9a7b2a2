import ActionLog
public import EventSourcing

extension CheckpointPolicy {
  /// When the log is closed.
  public static let atClose = CheckpointPolicy(storing: .atClose)

  /// At the end of an interval that begins with the first action that no checkpoint covers, and when the log is closed.
  public static func interval(_ interval: Duration) -> CheckpointPolicy {
    CheckpointPolicy(storing: .interval(interval))
  }

  /// After every so many actions, at least 1, and when the log is closed. Actions that are recorded while a checkpoint is made count
  /// for the next one.
  public static func actions(_ count: Int) -> CheckpointPolicy { CheckpointPolicy(storing: .actions(count)) }

  private init(storing schedule: Schedule) {
    self.init(schedule) { (log, fileSystem) throws(LogError) in
      try EvidenceStore(log: log, fileSystem: fileSystem).storeCheckpoint()
    }
  }
}
