import ActionLog
import EventSourcing

/// The log that `demo --bug` makes: written in one go, with the clock of the story, and snapshots as an application would have left
/// them. It is the same every time, byte for byte, and appears at its path when it is whole: half of it would look like a log in
/// which nothing went wrong.
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
  private static var failure: String { "the log cannot be made" }

  /// Writes the log.
  ///
  /// - Parameters:
  ///   - actions: What happens; the reducer accepts all of it.
  ///   - progress: Is told how many actions were written.
  /// - Throws: What the disk and `progress` say. Nothing is at the path then.
  func write(_ actions: some Sequence<M.Action>, progress: (Int) throws -> Void) throws -> BugLogContents {
    let directory = try NewDirectory(at: path, fileSystem, failure: Self.failure)
    do {
      let start = clock.now
      let count = try writeActions(actions, to: directory.path, from: start, progress: progress)
      let snapshots = Array(stride(from: Self.snapshotInterval, to: count, by: Self.snapshotInterval))
      let history = try History<M>(directory.path, fileSystem: fileSystem)
      for revision in snapshots {
        _ = try history.takeSnapshot(at: revision, time: start.advanced(by: Self.pause * revision))
      }
      try directory.finish(failure: Self.failure)
      return BugLogContents(actionCount: count, snapshots: snapshots)
    } catch {
      directory.discard()
      throw error
    }
  }

  /// Writes the actions into a directory.
  ///
  /// - Returns: How many there are.
  private func writeActions(
    _ actions: some Sequence<M.Action>, to directory: String, from start: LogTime, progress: (Int) throws -> Void
  ) throws -> Int {
    let writer = try LogWriter.open(
      directory, model: M.name, schema: M.schema, fileSystem: fileSystem,
      configuration: LogConfiguration(durability: .flush, environment: clock.environment))
    do {
      var count = 0
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
      return count
    } catch {
      writer.abandon()
      throw error
    }
  }
}

/// What is in the log of a ``BugStory``.
struct BugLogContents: Sendable {
  var actionCount: Int
  /// The revisions that have one.
  var snapshots: [Int]
}
