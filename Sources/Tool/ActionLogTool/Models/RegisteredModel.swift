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
