import EventSourcing

/// A model without its type: what commands, which are written once for all models, ask of it.
protocol ModelHandle: Sendable {
  var name: String { get }
  var schema: Int { get }
  /// Whether histories of it can be made up.
  var hasWorkload: Bool { get }
}

/// The one place where a model's type is forgotten.
struct GenericModelHandle<M: Model>: ModelHandle {
  let workload: (@Sendable (_ seed: UInt64, _ count: Int) -> AnySequence<M.Action>)?

  var name: String { M.name }
  var schema: Int { M.schema }
  var hasWorkload: Bool { workload != nil }
}
