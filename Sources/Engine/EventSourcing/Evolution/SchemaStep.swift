public import JSONCoding

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
