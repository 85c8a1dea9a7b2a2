/// How well a model reads what a log holds, type by type: see ``History/compatibility(isCancelled:)``.
public struct CompatibilityReport: Sendable {
  /// How well the actions of a type are read.
  public enum Grade: Int, Sendable, Comparable, CaseIterable {
    /// Every action is read, and nothing that was recorded is passed over.
    case fine
    /// Every action is read, and something that was recorded is passed over or changed without an upcaster saying so.
    case risky
    /// An action cannot be read, or not be folded.
    case impossible

    /// The word for it.
    public var word: String {
      switch self {
      case .fine: "fine"
      case .risky: "risky"
      case .impossible: "impossible"
      }
    }

    /// Compares by severity.
    public static func < (first: Grade, second: Grade) -> Bool { first.rawValue < second.rawValue }
  }

  /// The actions of one type under one schema.
  public struct Entry: Sendable {
    /// The type, as it stands in the log.
    public var type: String
    /// The schema that the actions were recorded under.
    public var schema: Int
    /// How many there are.
    public var count: Int
    /// How well the worst of them is read.
    public var grade: Grade
    /// Why, in words; empty when there is nothing to say.
    public var reason: String
    /// The first action of that grade.
    public var seq: Int
    /// What the upcaster needs that is missing; `nil` when none is.
    var remedy: Remedy?
    /// The upcaster that the model's evolution has for the type already; `nil` when nothing lifts it.
    var upcaster: Upcaster?
    /// The version that the model's evolution begins at.
    var evolutionStart: Int

    /// Whether no step of the evolution begins at the schema of the actions.
    var isBeforeEvolution: Bool { schema < evolutionStart }
  }

  /// What an upcaster has to do.
  enum Remedy: Sendable, Equatable {
    /// The type is gone.
    case renameOrDrop
    /// A value of the case is missing.
    case add(name: String)
    /// A value is of another type.
    case change(name: String)
    /// Something deeper within the values.
    case rewrite
    /// Nothing but the step itself.
    case none
  }

  /// The model's name.
  public var model: String
  /// The model's schema.
  public var schema: Int
  /// One entry for each type and schema, in the order in which they first appear.
  public var entries: [Entry]

  /// The upcasters that lifted no action, of the steps that actions of the log pass: perhaps their types are misspelled.
  public var unusedUpcasters: [UnusedUpcaster] = []
  /// The types of the log's actions that name a case twice, as the present model records them. The payload of such an action contains
  /// itself; as an `ActionPayload` it is no part of the type.
  public var recursiveTypes: [String] = []

  /// An upcaster that lifted no action.
  public struct UnusedUpcaster: Sendable, Equatable {
    /// The type that it lifts.
    public var type: String
    /// The schema that its step begins at.
    public var from: Int
    /// The schema that its step leads to.
    public var to: Int
  }

  /// The worst grade; ``Grade/fine`` for a log without actions.
  public var grade: Grade { entries.map(\.grade).max() ?? .fine }
}
