import ActionLog
import EventSourcing

/// The log that `demo --bug` makes: written in one go, with the clock of the story, and snapshots as an application would have left
/// them. It is the same every time, byte for byte.
struct BugLog<M: Model> {
  let path: String
  let fileSystem: any LogFileSystem
  let clock: StoryClock

  /// Four actions a second: many people are at work.
  private static var pause: Duration { .milliseconds(250) }
  /// So many actions are folded at most to reach any point.
  private static var snapshotInterval: Int { 30_000 }
  /// So many actions are written together.
  private static var batchCount: Int { 1_024 }

  /// Writes the log.
  ///
  /// - Parameters:
  ///   - actions: What happens; the reducer accepts all of it.
  ///   - progress: Is told how many actions were written.
  func write(_ actions: some Sequence<M.Action>, progress: (Int) throws -> Void) throws -> BugLogContents {
    let start = clock.now
    let writer = try LogWriter.open(
      path, model: M.name, schema: M.schema, fileSystem: fileSystem,
      configuration: LogConfiguration(durability: .flush, environment: clock.environment))
    var count = 0
    do {
      var drafts: [LogDraft] = []
      for action in actions {
        count += 1
        drafts.append(LogDraft(try ActionCoding.encode(action), time: start.advanced(by: Self.pause * count)))
        guard drafts.count == Self.batchCount else { continue }
        _ = try writer.write(drafts)
        drafts.removeAll(keepingCapacity: true)
        try progress(count)
      }
      _ = try writer.write(drafts)
      clock.advance(by: Self.pause * count)
      try writer.closeNow()
    } catch {
      writer.abandon()
      throw error
    }
    let snapshots = Array(stride(from: Self.snapshotInterval, to: count, by: Self.snapshotInterval))
    let history = try History<M>(path, fileSystem: fileSystem)
    for revision in snapshots {
      _ = try history.takeSnapshot(at: revision, time: start.advanced(by: Self.pause * revision))
    }
    return BugLogContents(actionCount: count, snapshots: snapshots)
  }
}

/// What is in the log of a ``BugStory``.
struct BugLogContents: Sendable {
  var actionCount: Int
  /// The revisions that have one.
  var snapshots: [Int]
}
