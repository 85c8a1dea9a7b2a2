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

extension CompatibilityReport {
  /// The steps to add to the model's evolution, as Swift code with placeholders; empty when none is missing.
  ///
  /// What is known is the first fault of each type; when it is mended, a second look may find the next.
  public var skeleton: [String] {
    let needy = entries.filter { entry in entry.remedy != nil }
    guard let oldest = needy.map(\.schema).min() else { return [] }
    var lines: [String] = []
    let missing = Set(needy.filter { entry in entry.isBeforeEvolution }.map(\.schema))
    let newest = max(needy.map(\.schema).max() ?? oldest, missing.isEmpty ? oldest : evolutionStart - 1)
    for version in oldest...newest {
      let upcasters = needy.filter { entry in entry.schema == version }.flatMap { entry in Self.lines(entry) ?? [] }
      let isMissing = !missing.isEmpty && version < evolutionStart
      guard !upcasters.isEmpty || isMissing else { continue }
      if upcasters.isEmpty {
        lines.append(".unchanged(from: \(version), to: \(version + 1)),")
      } else {
        let isThere = version >= evolutionStart && version < schema
        lines.append(
          isThere ? "// In the step from schema \(version):" : "SchemaStep(from: \(version), to: \(version + 1), [")
        lines += upcasters.map { upcaster in "  " + upcaster }
        if !isThere { lines.append("]),") }
      }
    }
    return lines
  }

  /// The schema that the steps lead to, if that is beyond the model's.
  public var raisedSchema: Int? {
    entries.contains { entry in entry.remedy != nil && entry.schema == schema } ? schema + 1 : nil
  }

  /// The version that the evolution begins at: every older one has no step.
  private var evolutionStart: Int {
    (entries.filter(\.isBeforeEvolution).map(\.evolutionStart).max()) ?? 1
  }

  /// The upcaster of a type; `nil` when it needs none.
  private static func lines(_ entry: Entry) -> [String]? {
    let type = literal(entry.type)
    guard let change = change(entry.remedy) else {
      return entry.remedy == .renameOrDrop ? [".rename(\(type), to: \"<#new type#>\"),  // or .drop(\(type))"] : nil
    }
    guard let upcaster = entry.upcaster else { return [".edit(\(type)) { data in \(change) },"] }
    // An upcaster of several types stays, and the one of the whole type counts.
    let place = upcaster.type == entry.type ? "in place of the" : "in addition to the \(literal(upcaster.type))"
    switch upcaster.kind {
    case .edit: return [".edit(\(type)) { data in <#what it does#>; \(change) },  // \(place) one that is there"]
    case .rename(let newType):
      let newType = TypePattern(upcaster.type).renamed(entry.type, to: TypePattern(newType))
      return [
        ".replace(\(type)) { action in  // \(place) .rename that is there", "  var data = action.data",
        "  \(change)", "  return [StoredAction(type: \(literal(newType)), data: data)]", "},",
      ]
    case .replace, .drop, .shorten:
      let name = upcaster.kind == .shorten ? "shorten" : "replace"
      return ["// The .\(name)(\(literal(upcaster.type))) that is there makes of it what is not read: \(change)"]
    }
  }

  /// What is to be done to `data`; `nil` when it is as it has to be.
  private static func change(_ remedy: Remedy?) -> String? {
    switch remedy {
    case .add(let name): "data[\(literal(name))] = <#value#>"
    case .change(let name): "data[\(literal(name))] = <#value made of data[\(literal(name))]#>"
    case .rewrite: "<#mend data#>"
    case .renameOrDrop, nil, .some(.none): nil
    }
  }

  /// A Swift string literal.
  private static func literal(_ text: String) -> String { String(reflecting: text) }
}
