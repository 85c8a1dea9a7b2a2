import EventSourcing

/// A model without its type: what commands, which are written once for all models, ask of it.
protocol ModelHandle: Sendable {
  var name: String { get }
  var schema: Int { get }
}

/// The one place where a model's type is forgotten.
struct GenericModelHandle<M: Model>: ModelHandle {
  var name: String { M.name }
  var schema: Int { M.schema }
}
