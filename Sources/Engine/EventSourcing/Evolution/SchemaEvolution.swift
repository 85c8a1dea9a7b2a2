public import JSONCoding

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

/// What became of the stored actions from one schema version to a later one.
public struct SchemaStep: Sendable {
  /// The schema version that actions come from.
  public let from: Int
  /// The schema version that they are lifted to.
  public let to: Int
  /// One for each type that is lifted. Actions of other types stay as they are.
  public let upcasters: [Upcaster]

  let liftBase: (@Sendable (JSONValue) throws -> JSONValue)?

  /// Makes a step.
  ///
  /// - Parameters:
  ///   - from: The schema version that actions come from.
  ///   - to: The schema version that they are lifted to, usually the next.
  ///   - upcasters: One for each type that is lifted. Actions of other types stay as they are.
  ///   - base: Lifts the state that a log may begin with (its `@base` record), when the shape of the state changed too.
  public init(
    from: Int, to: Int, _ upcasters: [Upcaster] = [],
    base: (@Sendable (JSONValue) throws -> JSONValue)? = nil
  ) {
    self.from = from
    self.to = to
    self.upcasters = upcasters
    self.liftBase = base
  }

  /// A step that lifts nothing: the new version only added to what was there.
  ///
  /// - Parameters:
  ///   - from: The schema version that actions come from.
  ///   - to: The version that reads them as they are.
  public static func unchanged(from: Int, to: Int) -> SchemaStep {
    SchemaStep(from: from, to: to)
  }
}

/// What to do with an action whose type the model does not have.
///
/// It is about whole types. An action of a known type whose values do not decode is an error under either policy.
public enum UnknownTypePolicy: String, Sendable, CaseIterable {
  /// Stop with ``EventSourcingError/Code/unknownType``: what is not understood may have mattered.
  case refuse
  /// Keep it as an opaque record: it has its revision, and the state there is that of the revision before.
  ///
  /// A state behind an opaque record is less than the log says, so no snapshot is taken of it.
  case keep
}
