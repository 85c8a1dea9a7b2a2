import ActionLog
public import EventSourcing
import TimeTravel

/// A model whose logs the commands of a tool can replay and record.
///
/// ```swift
/// await ActionLogTool(models: [.model(CounterModel.self), .model(AnimalsModel.self)]).main()
/// ```
public struct RegisteredModel: Sendable {
  let handle: any ModelHandle
  /// The projections of the model's logs, in the order of their registration.
  private(set) var projections: [any ProjectionHandle] = []

  /// The name of the model, which its logs record.
  public var name: String { handle.name }

  /// The schema version of new actions, and the newest one that the tool reads.
  public var schema: Int { handle.schema }

  /// Registers a model.
  public static func model<M: Model>(_ model: M.Type) -> RegisteredModel {
    RegisteredModel(handle: GenericModelHandle<M>(workload: nil))
  }

  /// Registers a model with generated histories, for `record --workload`, and a story for `demo`.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - story: A short session for `demo`.
  ///   - otherStories: Sessions for `demo --story NAME`; each has a name.
  ///   - workload: Generates the given number of actions from a seed; the same seed gives the same actions.
  package static func model<M: Model, Actions: Sequence<M.Action> & SendableMetatype>(
    _ model: M.Type, story: Story<M.Action>? = nil, otherStories: [Story<M.Action>] = [],
    workload: @escaping @Sendable (_ seed: UInt64, _ count: Int) -> Actions
  ) -> RegisteredModel {
    RegisteredModel(
      handle: GenericModelHandle<M>(
        workload: { seed, count in AnySequence(workload(seed, count)) },
        stories: (story.map { story in [story] } ?? []) + otherStories))
  }

  /// Registers a model with a bug, for `demo --bug`.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - bug: The description of the bug. The model without it is registered as well.
  ///   - history: Generates the actions of the log, the same ones each time; the reducer accepts all of them.
  package static func model<M: Model, Actions: Sequence<M.Action> & SendableMetatype>(
    _ model: M.Type, bug: BugStory, history: @escaping @Sendable () -> Actions
  ) -> RegisteredModel {
    RegisteredModel(
      handle: GenericModelHandle<M>(workload: nil, bug: bug, bugHistory: { AnySequence(history()) }))
  }

  /// Adds a projection of the model's logs, for `--projection NAME` and `projections`.
  ///
  /// ```swift
  /// .model(Shop.self).projecting(SalesPerDay.self)
  /// ```
  ///
  /// - Precondition: The projection is of this model, and the model has no other projection of that name.
  public func projecting<P: Projection>(_ projection: P.Type) -> RegisteredModel {
    precondition(P.Source.name == name, "the projection '\(P.name)' is of model '\(P.Source.name)', not of '\(name)'")
    precondition(
      !projections.contains { other in other.identity.name == P.name },
      "the model '\(name)' has two projections with the name '\(P.name)'")
    var model = self
    model.projections.append(GenericProjectionHandle<P>())
    return model
  }
}

/// The type-erased interface of a projection for commands.
protocol ProjectionHandle: Sendable {
  var identity: ProjectionIdentity { get }

  /// Returns the history of the projection of an open log.
  ///
  /// - Parameters:
  ///   - reader: The log.
  ///   - fileSystem: The file system of the log.
  ///   - unknownTypes: The policy for types that the model does not have; `nil` for the model's own.
  func history(
    of reader: LogReader, fileSystem: any LogFileSystem, unknownTypes: UnknownTypePolicy?
  ) throws -> any HistoryHandle
}

/// The implementation for a projection type.
struct GenericProjectionHandle<P: Projection>: ProjectionHandle {
  var identity: ProjectionIdentity { P.identity }

  func history(
    of reader: LogReader, fileSystem: any LogFileSystem, unknownTypes: UnknownTypePolicy?
  ) throws -> any HistoryHandle {
    try ProjectionHistory<P>(reader, fileSystem: fileSystem, unknownTypes: unknownTypes)
  }
}

/// A short session of an application, for `demo`.
package struct Story<Action: Sendable>: Sendable {
  /// An action and the pause before it.
  package struct Step: Sendable {
    /// The time since the previous step.
    package var pause: Duration
    /// The action, which the model's reducer accepts.
    package var action: Action
    /// The number of steps from the action that caused this one, at least 1; `nil` if no cause is recorded.
    package var stepsSinceCause: Int?

    /// Creates a step.
    package init(pause: Duration, action: Action, stepsSinceCause: Int? = nil) {
      self.pause = pause
      self.action = action
      self.stepsSinceCause = stepsSinceCause
    }
  }

  /// The name for `demo --story`; `nil` for the story that the model shows without it.
  package var name: String?
  /// The steps, in order.
  package var steps: [Step]
  /// The most interesting revision.
  package var turningPoint: Int

  /// Creates a story.
  ///
  /// - Parameters:
  ///   - name: The name for `demo --story`; `nil` for the story that the model shows without it.
  ///   - steps: The steps, in order; at least one.
  ///   - turningPoint: The most interesting revision: 1 to the number of steps.
  package init(named name: String? = nil, _ steps: [Step], turningPoint: Int) {
    precondition((1...max(1, steps.count)).contains(turningPoint), "the turning point is a revision of the story")
    precondition(
      steps.enumerated().allSatisfy { index, step in (1...max(1, index)).contains(step.stepsSinceCause ?? 1) },
      "a cause is an earlier step of the story")
    self.name = name
    self.steps = steps
    self.turningPoint = turningPoint
  }
}

/// The type-erased interface of a model for commands, which work with all models.
///
/// Only ``GenericModelHandle`` and the handles that it creates know the type.
protocol ModelHandle: Sendable {
  var name: String { get }
  var schema: Int { get }
  /// Whether it can generate histories.
  var hasWorkload: Bool { get }

  /// Whether it has a story for `demo`.
  var hasStory: Bool { get }
  /// The names of its other stories.
  var storyNames: [String] { get }

  /// The bug for `demo --bug`; `nil` if it has none.
  var bug: BugStory? { get }

  /// Writes the log of ``bug``.
  ///
  /// - Parameters:
  ///   - path: The path of the log.
  ///   - fileSystem: The file system of the path.
  ///   - progress: Called with the number of written actions.
  /// - Precondition: The model has a bug.
  func writeBugLog(
    _ path: String, fileSystem: any LogFileSystem, progress: (Int) throws -> Void
  ) throws -> BugLogContents

  /// A story for `demo`; `nil` if there is none of that name.
  ///
  /// - Parameter name: The name; `nil` for the first story.
  /// - Throws: An error if an action of the story cannot be encoded.
  func story(named name: String?) throws -> StoredStory?

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

  /// Answers a what-if question by folding the history of another model with this one.
  func whatIf<Actual: Model>(
    _ question: WhatIfQuestion, in history: History<Actual>, options: ReplayOptions
  ) throws -> WhatIfResult

  /// Begins a walk through an edited history of another model, folded by this one.
  func branch<Actual: Model>(
    _ edits: [HistoryEdit], of walk: HistoryWalk<Actual>, upTo last: Int?
  ) throws -> any StateWalk

  /// Opens or creates a log of this model, with a live store whose actions are recorded.
  func record(_ path: String, settings: RecordingSettings) async throws -> any RecordingHandle
}

/// The implementation for a model type.
struct GenericModelHandle<M: Model>: ModelHandle {
  let workload: (@Sendable (_ seed: UInt64, _ count: Int) -> AnySequence<M.Action>)?
  var stories: [Story<M.Action>] = []
  var bug: BugStory?
  var bugHistory: @Sendable () -> AnySequence<M.Action> = { AnySequence([]) }

  var name: String { M.name }
  var schema: Int { M.schema }
  var hasWorkload: Bool { workload != nil }
  var hasStory: Bool { stories.contains { story in story.name == nil } }
  var storyNames: [String] { stories.compactMap(\.name) }

  func story(named name: String?) throws -> StoredStory? {
    try stories.first { story in story.name == name }.map { story in try StoredStory(story) }
  }

  func writeBugLog(
    _ path: String, fileSystem: any LogFileSystem, progress: (Int) throws -> Void
  ) throws -> BugLogContents {
    precondition(bug != nil, "the model has no bug")
    return try BugLog<M>(path: path, fileSystem: fileSystem, clock: StoryClock(log: name))
      .write(bugHistory(), progress: progress)
  }

  func initialState() throws -> [UInt8] { try StateCoder<M.State>().canonicalBytes(of: M.initialState) }

  func history(
    of reader: LogReader, fileSystem: any LogFileSystem, unknownTypes: UnknownTypePolicy?
  ) throws -> any HistoryHandle {
    try History<M>(reader, fileSystem: fileSystem, unknownTypes: unknownTypes)
  }

  func whatIf<Actual: Model>(
    _ question: WhatIfQuestion, in history: History<Actual>, options: ReplayOptions
  ) throws -> WhatIfResult {
    try history.answer(question, foldedBy: M.self, options)
  }

  func branch<Actual: Model>(
    _ edits: [HistoryEdit], of walk: HistoryWalk<Actual>, upTo last: Int?
  ) throws -> any StateWalk {
    try BranchWalk(edits, of: walk, foldedBy: M.self, upTo: last)
  }

  func record(_ path: String, settings: RecordingSettings) async throws -> any RecordingHandle {
    try await GenericRecordingHandle<M>.open(path, settings: settings, workload: workload)
  }
}
