/// What a look at every snapshot of a log found.
public struct SnapshotExamination: Sendable, Equatable {
  /// The revisions whose snapshots check, ascending.
  public internal(set) var sound: [Int] = []
  /// The revisions behind damage of the log, whose snapshots agree with themselves and cannot be compared with the log.
  public internal(set) var unreachable: [Int] = []
  /// Those that do not check, and why.
  public internal(set) var refusals: [SnapshotRefusal] = []

  /// The examination of a log without snapshots.
  public init() {}

  /// How many snapshots there are.
  public var count: Int { sound.count + unreachable.count + refusals.count }
}
