import ActionLog
import EventSourcing

/// What is to be known of a long history in which a value goes wrong once: `demo --bug` makes its log, and says what to ask it.
public struct BugStory: Sendable {
  /// What the bug is called in the names of files that are made on the way, for instance `Platypus`.
  public var title: String
  /// What somebody saw, in a sentence or two.
  public var complaint: String
  /// The JSON Pointer of the value that goes wrong.
  public var pointer: String
  /// A condition that holds from the bug on.
  public var wrong: String
  /// The condition that should hold instead.
  public var right: String
  /// The revision at which the value goes wrong.
  public var revision: Int
  /// What a mark calls that revision.
  public var mark: String
  /// The name of the model without the bug, which the tool has as well.
  public var mended: String

  /// Makes a story from its parts.
  ///
  /// - Parameters:
  ///   - title: What the bug is called in the names of files.
  ///   - complaint: What somebody saw, in a sentence or two.
  ///   - pointer: The JSON Pointer of the value that goes wrong.
  ///   - wrong: A condition that holds from the bug on.
  ///   - right: The condition that should hold instead.
  ///   - revision: The revision at which the value goes wrong.
  ///   - mark: What a mark calls that revision.
  ///   - mended: The name of the model without the bug.
  public init(
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

  /// The placeholder of the revision that is to be found.
  static let answer = "REVISION"
  /// The placeholder of the revision at which the page begins that is made last.
  static let lead = "EARLIER"

  /// The command lines that find the bug in a log, in their order, without the name of the tool and without the answer.
  func commands(log: String) -> [[String]] {
    [
      ["bisect", log, wrong],
      ["blame", log, pointer],
      ["mark", log, Self.answer, mark],
      ["minimise", log, wrong, "--at", mark],
      ["test", log, "start", mark, "--minimise", wrong, "--expect", right, "--output", "\(title)Tests.swift"],
      ["what-if", log, "--with", mended, "--to", mark],
      ["report", log, Self.lead, mark, "--output", "\(title.lowercased()).html"],
    ]
  }
}

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
