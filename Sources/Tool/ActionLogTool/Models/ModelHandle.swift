import ActionLog
import EventSourcing

/// A model without its type: what commands, which are written once for all models, ask of it.
///
/// Types come back in ``GenericModelHandle`` and the handles that it makes, and nowhere else.
protocol ModelHandle: Sendable {
  var name: String { get }
  var schema: Int { get }
  /// Whether histories of it can be made up.
  var hasWorkload: Bool { get }

  /// Whether it has a story to tell.
  var hasStory: Bool { get }

  /// The bug that `demo --bug` plants; `nil` when it has none.
  var bug: BugStory? { get }

  /// Makes the log of ``bug``.
  ///
  /// - Parameters:
  ///   - path: Where it is to lie.
  ///   - fileSystem: Where that is.
  ///   - progress: Is told how many actions were written.
  /// - Precondition: There is a bug.
  func writeBugLog(
    _ path: String, fileSystem: any LogFileSystem, progress: (Int) throws -> Void
  ) throws -> BugLogContents

  /// The story that `demo` tells; `nil` when it has none.
  ///
  /// - Throws: When an action of the story cannot be encoded.
  func story() throws -> StoredStory?

  /// The state before any action, in canonical form.
  func initialState() throws -> [UInt8]

  /// The past that a log holds, folded with this model, whatever model the log names.
  ///
  /// - Parameter unknownTypes: What to do with types that the model does not have; `nil` is what the model says.
  func history(
    _ path: String, fileSystem: any LogFileSystem, unknownTypes: UnknownTypePolicy?
  ) throws -> any HistoryHandle

  /// What would be, had this model folded the history of another one.
  func whatIf<Actual: Model>(
    _ question: WhatIfQuestion, in history: History<Actual>, options: ReplayOptions
  ) throws -> WhatIfResult

  /// Opens or makes a log of this model, with a live store whose actions are recorded.
  func record(_ path: String, settings: RecordingSettings) async throws -> any RecordingHandle
}

/// The one place where a model's type is forgotten.
struct GenericModelHandle<M: Model>: ModelHandle {
  let workload: (@Sendable (_ seed: UInt64, _ count: Int) -> AnySequence<M.Action>)?
  var ownStory: Story<M.Action>?
  var bug: BugStory?
  var bugHistory: @Sendable () -> AnySequence<M.Action> = { AnySequence([]) }

  var name: String { M.name }
  var schema: Int { M.schema }
  var hasWorkload: Bool { workload != nil }
  var hasStory: Bool { ownStory != nil }

  func story() throws -> StoredStory? { try ownStory.map { story in try StoredStory(story) } }

  func writeBugLog(
    _ path: String, fileSystem: any LogFileSystem, progress: (Int) throws -> Void
  ) throws -> BugLogContents {
    precondition(bug != nil, "the model has no bug")
    return try BugLog<M>(path: path, fileSystem: fileSystem, clock: StoryClock(model: name))
      .write(bugHistory(), progress: progress)
  }

  func initialState() throws -> [UInt8] { try StateCoder<M.State>().canonicalBytes(of: M.initialState) }

  func history(
    _ path: String, fileSystem: any LogFileSystem, unknownTypes: UnknownTypePolicy?
  ) throws -> any HistoryHandle {
    GenericHistoryHandle<M>(
      history: try History(
        path, model: M.self, fileSystem: fileSystem, checksModelName: false, unknownTypes: unknownTypes))
  }

  func whatIf<Actual: Model>(
    _ question: WhatIfQuestion, in history: History<Actual>, options: ReplayOptions
  ) throws -> WhatIfResult {
    try history.answer(question, foldedBy: M.self, options)
  }

  func record(_ path: String, settings: RecordingSettings) async throws -> any RecordingHandle {
    try await GenericRecordingHandle<M>.open(path, settings: settings, workload: workload)
  }
}
