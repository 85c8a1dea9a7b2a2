import ActionLog
public import EventSourcing

/// A model that a tool knows: the engine's commands work on its logs.
///
/// ```swift
/// await ActionLogTool(models: [.model(CounterModel.self), .model(AnimalsModel.self)]).main()
/// ```
public struct RegisteredModel: Sendable {
  let handle: any ModelHandle

  /// The name that the model's logs carry.
  public var name: String { handle.name }

  /// The schema version of the actions that the tool writes and the newest that it reads.
  public var schema: Int { handle.schema }

  /// Registers a model.
  public static func model<M: Model>(_ model: M.Type) -> RegisteredModel {
    RegisteredModel(handle: GenericModelHandle<M>(workload: nil))
  }

  /// Registers a model together with made-up histories of it, for `record --workload`, and a story for `demo`.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - story: A short session that `demo` tells.
  ///   - workload: Makes the given number of actions from a seed; the same seed gives the same actions.
  public static func model<M: Model, Actions: Sequence<M.Action> & SendableMetatype>(
    _ model: M.Type, story: Story<M.Action>? = nil,
    workload: @escaping @Sendable (_ seed: UInt64, _ count: Int) -> Actions
  ) -> RegisteredModel {
    RegisteredModel(
      handle: GenericModelHandle<M>(
        workload: { seed, count in AnySequence(workload(seed, count)) }, ownStory: story))
  }

  /// Registers a model with a bug, for `demo --bug` to make a log in which it is to be found.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - bug: What is to be known of the bug. The tool has the model without it as well.
  ///   - history: Makes the actions of the log, the same ones each time; the reducer accepts all of them.
  public static func model<M: Model, Actions: Sequence<M.Action> & SendableMetatype>(
    _ model: M.Type, bug: BugStory, history: @escaping @Sendable () -> Actions
  ) -> RegisteredModel {
    RegisteredModel(
      handle: GenericModelHandle<M>(workload: nil, bug: bug, bugHistory: { AnySequence(history()) }))
  }
}

/// A short, hand-made session of an application, for `demo` to tell.
public struct Story<Action: Sendable>: Sendable {
  /// One action, and how long the person waited before it.
  public struct Step: Sendable {
    /// The time since the step before.
    public var pause: Duration
    /// What happened then. The model's reducer accepts it.
    public var action: Action

    /// Makes a step from its parts.
    public init(pause: Duration, action: Action) {
      self.pause = pause
      self.action = action
    }
  }

  /// What happens, in order.
  public var steps: [Step]
  /// The revision that is worth a closer look.
  public var turningPoint: Int

  /// Makes a story.
  ///
  /// - Parameters:
  ///   - steps: What happens, in order; at least one.
  ///   - turningPoint: The revision that is worth a closer look: 1 to the number of steps.
  public init(_ steps: [Step], turningPoint: Int) {
    precondition((1...max(1, steps.count)).contains(turningPoint), "the turning point lies in the story")
    self.steps = steps
    self.turningPoint = turningPoint
  }
}

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

  /// Returns the history of an open log, folded with this model, whatever model the log names.
  ///
  /// - Parameters:
  ///   - reader: The log.
  ///   - fileSystem: The file system of the log.
  ///   - unknownTypes: The policy for types that the model does not have; `nil` for the model's own.
  func history(
    of reader: LogReader, fileSystem: any LogFileSystem, unknownTypes: UnknownTypePolicy?
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
    of reader: LogReader, fileSystem: any LogFileSystem, unknownTypes: UnknownTypePolicy?
  ) throws -> any HistoryHandle {
    GenericHistoryHandle<M>(history: try History(reader, fileSystem: fileSystem, unknownTypes: unknownTypes))
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
