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
    RegisteredModel(handle: GenericModelHandle<M>())
  }
}
