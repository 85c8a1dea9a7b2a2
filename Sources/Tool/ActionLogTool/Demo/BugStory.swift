import ActionLog
import EventSourcing

/// A long history in which a value goes wrong once. `demo --bug` writes its log and prints commands that find the
/// bug.
package struct BugStory: Sendable {
  /// The name of the bug in file names, for instance `Platypus`.
  package var title: String
  /// The user's complaint, in a sentence or two.
  package var complaint: String
  /// The JSON Pointer of the value that goes wrong.
  package var pointer: String
  /// A condition that holds from the bug on.
  package var wrong: String
  /// The condition that should hold instead.
  package var right: String
  /// The revision at which the value goes wrong.
  package var revision: Int
  /// The name of the mark at that revision.
  package var mark: String
  /// The name of the model without the bug, which is also registered.
  package var mended: String

  package init(
    title: String, complaint: String, pointer: String, wrong: String, right: String, revision: Int, mark: String,
    mended: String
  ) {
    self.title = title
    self.complaint = complaint
    self.pointer = pointer
    self.wrong = wrong
    self.right = right
    self.revision = revision
    self.mark = mark
    self.mended = mended
  }

  /// The placeholder for the revision to find.
  static let answer = "REVISION"
  /// The placeholder for the first revision of the page.
  static let lead = "EARLIER"

  /// The command lines that find the bug, in order, without the tool's name and without the answer.
  func commands(log: String) -> [[String]] {
    [
      ["find", log, wrong, "--bisect"],
      ["blame", log, pointer],
      ["mark", log, Self.answer, mark],
      ["minimize", log, wrong, "--at", mark],
      ["test", log, "start", mark, "--minimize", wrong, "--expect", right, "--output", "\(title)Tests.swift"],
      ["what-if", log, "--with", mended, "--to", mark],
      ["report", log, Self.lead, mark, "--output", "\(title.lowercased()).html"],
    ]
  }
}

/// Writes the log of `demo --bug`, with the story's clock and the snapshots that an application would have written.
///
/// It is the same every time, byte for byte, and appears at its path when it is complete: half of it would look like
/// a log without the bug.
struct BugLog<M: Model> {
  let path: String
  let fileSystem: any LogFileSystem
  let clock: StoryClock

  /// Four actions a second, as of many users.
  private static var pause: Duration { .milliseconds(250) }
  /// The number of actions between snapshots, which bounds the fold to any revision.
  private static var snapshotInterval: Int { 30_000 }
  private static var batchCount: Int { 1_024 }
  private static var failure: String { "the log cannot be created" }

  /// Writes the log.
  func write(_ actions: some Sequence<M.Action>, progress: (Int) throws -> Void) throws -> BugLogContents {
    let directory = try NewDirectory(at: path, fileSystem, failure: Self.failure)
    do {
      let start = clock.now
      let count = try writeActions(actions, to: directory.path, from: start, progress: progress)
      let snapshots = Array(stride(from: Self.snapshotInterval, to: count, by: Self.snapshotInterval))
      let history = try History<M>(at: directory.path, fileSystem: fileSystem)
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

  private func writeActions(
    _ actions: some Sequence<M.Action>, to directory: String, from start: LogTime, progress: (Int) throws -> Void
  ) throws -> Int {
    let writer = try LogWriter.open(
      at: directory, model: M.name, schema: M.schema, fileSystem: fileSystem,
      configuration: LogConfiguration(durability: .written, environment: clock.environment))
    do {
      var count = 0
      var drafts: [LogDraft] = []
      for action in actions {
        count += 1
        drafts.append(LogDraft(try ActionCoding.encode(action), time: start.advanced(by: Self.pause * count)))
        guard drafts.count == Self.batchCount else { continue }
        _ = try writer.writeNow(drafts)
        drafts.removeAll(keepingCapacity: true)
        try progress(count)
      }
      _ = try writer.writeNow(drafts)
      clock.advance(by: Self.pause * count)
      try writer.closeNow()
      return count
    } catch {
      writer.abandon()
      throw error
    }
  }
}

struct BugLogContents: Sendable {
  var actionCount: Int
  var snapshots: [Int]
}
