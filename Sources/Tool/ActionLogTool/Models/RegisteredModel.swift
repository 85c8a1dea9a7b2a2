import ActionLog
public import EventSourcing
import TimeTravel

/// A model whose logs the commands of a tool can replay and record.
///
/// ```swift
/// await ActionLogTool(models: [.model(CounterModel.self), .model(AnimalsModel.self)]).main()
/// ```
public struct RegisteredModel: Sendable {
  typealias Workload<M: Model> = @Sendable (_ seed: UInt64, _ count: Int) -> AnySequence<M.Action>

  let type: any Model.Type
  private(set) var projections: [any Projection.Type] = []
  /// Whether it can generate histories.
  let hasWorkload: Bool
  /// The stories for `demo`. The one without a name is shown unless another is named.
  let stories: [(name: String?, encode: @Sendable () throws -> StoredStory)]
  /// The bug for `demo --bug`, and a function that writes its log and reports the number of written actions.
  private(set) var bug:
    (
      story: BugStory,
      write: @Sendable (_ path: String, any LogFileSystem, (Int) throws -> Void) throws -> BugLogContents
    )?
  let record: @Sendable (_ path: String, RecordingSettings) async throws -> any RecordingHandle
  let recordSet: @Sendable (_ path: String, RecordingSettings) async throws -> any RecordedLogs

  /// The name of the model, which its logs record.
  public var name: String { type.name }

  /// The schema version of new actions, and the newest one that the tool reads.
  public var schema: Int { type.schema }

  /// The model of logs of other programs, which every tool knows.
  static let patched = RegisteredModel(PatchedModel.self, preparing: PatchedModel.shorten)

  /// Whether the lines of `record` carry their effects.
  var isPatched: Bool { type == PatchedModel.self }

  private init<M: Model>(
    _ model: M.Type, stories: [Story<M.Action>] = [], workload: Workload<M>? = nil,
    preparing prepare: GenericRecordingHandle<M>.Preparation? = nil
  ) {
    type = model
    hasWorkload = workload != nil
    self.stories = stories.map { story in (story.name, { try StoredStory(story) }) }
    record = { path, settings in
      try await GenericRecordingHandle<M>.open(path, settings: settings, workload: workload, preparing: prepare)
    }
    recordSet = { path, settings in
      try await GenericRecordedLogs<M>.open(path, settings: settings, preparing: prepare)
    }
  }

  /// Registers a model.
  public static func model<M: Model>(_ model: M.Type) -> RegisteredModel { RegisteredModel(model) }

  /// Registers a model with generated histories, for `record --workload`, and stories for `demo`.
  ///
  /// - Parameters:
  ///   - otherStories: Sessions for `demo --story NAME`; each has a name.
  ///   - workload: Generates the given number of actions from a seed; the same seed gives the same actions.
  package static func model<M: Model, Actions: Sequence<M.Action> & SendableMetatype>(
    _ model: M.Type, story: Story<M.Action>? = nil, otherStories: [Story<M.Action>] = [],
    workload: @escaping @Sendable (_ seed: UInt64, _ count: Int) -> Actions
  ) -> RegisteredModel {
    RegisteredModel(
      model, stories: (story.map { story in [story] } ?? []) + otherStories,
      workload: { seed, count in AnySequence(workload(seed, count)) })
  }

  /// Registers a model with a bug, for `demo --bug`. The reducer accepts all actions of its history, which are the same each time.
  package static func model<M: Model, Actions: Sequence<M.Action> & SendableMetatype>(
    _ model: M.Type, bug: BugStory, history: @escaping @Sendable () -> Actions
  ) -> RegisteredModel {
    var registered = RegisteredModel(model)
    registered.bug = (
      bug,
      { path, fileSystem, progress in
        try BugLog<M>(path: path, fileSystem: fileSystem, clock: StoryClock(log: M.name))
          .write(history(), progress: progress)
      }
    )
    return registered
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
      !projections.contains { other in other.name == P.name },
      "the model '\(name)' has two projections with the name '\(P.name)'")
    var model = self
    model.projections.append(projection)
    return model
  }
}

extension Projection {
  /// Returns the history of the projection of an open log. `nil` stands for the model's own policy on types that it does not have.
  static func history(
    of reader: LogReader, fileSystem: any LogFileSystem, unknownTypes: UnknownTypePolicy?
  ) throws -> any HistoryHandle {
    try ProjectionHistory<Self>(reader, fileSystem: fileSystem, unknownTypes: unknownTypes)
  }
}

extension Model {
  /// The state before any action, in canonical form.
  static func canonicalInitialState() throws -> [UInt8] {
    try StateCoder<State>().canonicalBytes(of: initialState)
  }

  /// Returns the history of an open log, folded with this model, whatever model the log names.
  static func history(
    of reader: LogReader, fileSystem: any LogFileSystem, unknownTypes: UnknownTypePolicy?
  ) throws -> any HistoryHandle {
    try History<Self>(reader, fileSystem: fileSystem, unknownTypes: unknownTypes)
  }
}

/// A short session of an application, for `demo`.
package struct Story<Action: Sendable>: Sendable {
  package struct Step: Sendable {
    package var pause: Duration
    /// The action, which the model's reducer accepts.
    package var action: Action
    /// The number of steps from the action that caused this one, at least 1; `nil` if no cause is recorded.
    package var stepsSinceCause: Int?

    package init(pause: Duration, action: Action, stepsSinceCause: Int? = nil) {
      self.pause = pause
      self.action = action
      self.stepsSinceCause = stepsSinceCause
    }
  }

  /// The name for `demo --story`; `nil` for the story that the model shows without it.
  package var name: String?
  package var steps: [Step]
  /// The most interesting revision.
  package var turningPoint: Int

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
