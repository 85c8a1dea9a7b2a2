/// How the actions that older versions of a model recorded are read by this one.
///
/// ```swift
/// static let schema = 3
/// static let evolution = SchemaEvolution(
///   SchemaStep(from: 1, to: 2, [.rename("didTapAdd", to: "didTapAddButton")]),
///   .unchanged(from: 2, to: 3)
/// )
/// ```
///
/// The steps must lead from the oldest version that is still read to ``Model/schema``, each version by exactly one step;
/// this is checked when a log is opened, before anything is read. Actions that are older than the first step are refused.
public struct SchemaEvolution: Sendable {
  /// The steps, in any order.
  public let steps: [SchemaStep]
  /// What to do with actions whose type the model does not have.
  public let unknownTypes: UnknownTypePolicy

  /// Describes an evolution.
  ///
  /// - Parameters:
  ///   - steps: The steps, in any order.
  ///   - unknownTypes: What to do with actions whose type the model does not have.
  public init(_ steps: SchemaStep..., unknownTypes: UnknownTypePolicy = .refuse) {
    self.init(steps, unknownTypes: unknownTypes)
  }

  /// Describes an evolution whose steps are a list.
  ///
  /// - Parameters:
  ///   - steps: The steps, in any order.
  ///   - unknownTypes: What to do with actions whose type the model does not have.
  public init(_ steps: [SchemaStep], unknownTypes: UnknownTypePolicy = .refuse) {
    self.steps = steps
    self.unknownTypes = unknownTypes
  }

  /// No older version is read, and unknown types are refused.
  public static let none = SchemaEvolution([])
}
