import JSONCoding

/// A report of how well a model reads the actions of a log, by type: see `History.compatibility(isCancelled:)`.
public struct CompatibilityReport: Sendable {
  /// A grade for the reading of a type's actions.
  public enum Grade: Int, Sendable, Comparable, CaseIterable {
    /// Every action is read, and no recorded value is ignored.
    case fine
    /// Every action is read, and a recorded value is ignored or changed although no upcaster declares it.
    case risky
    /// An action cannot be read or cannot be folded.
    case impossible

    package var word: String { "\(self)" }

    /// Compares by severity.
    public static func < (first: Grade, second: Grade) -> Bool { first.rawValue < second.rawValue }
  }

  /// The actions of one type under one schema.
  public struct Entry: Sendable {
    /// The type in the log.
    public var type: String
    /// The schema under which the actions were recorded.
    public var schema: Int
    /// The number of actions.
    public var count: Int
    /// The grade of the worst of them.
    public var grade: Grade
    /// The reason, for people; empty if there is nothing to report.
    public var reason: String
    /// The first action with that grade.
    public var revision: Int
    /// The change that a missing upcaster must make; `nil` if none is missing.
    var remedy: Remedy?
    /// The upcaster that the model's evolution already has for the type; `nil` if there is none.
    var upcaster: Upcaster?
    /// The version at which the model's evolution begins.
    var evolutionStart: Int

    var isBeforeEvolution: Bool { schema < evolutionStart }
  }

  /// The change that an upcaster must make.
  enum Remedy: Sendable, Equatable {
    /// The type does not exist any more.
    case renameOrDrop
    /// A value of the case is missing.
    case add(name: String)
    /// A value is of another type.
    case change(name: String)
    /// A change deeper within the values.
    case rewrite
    /// No change: only the step is missing.
    case none
  }

  /// The model's name.
  public var model: String
  /// The model's schema.
  public var schema: Int
  /// One entry for each type and schema, in the order in which they first appear.
  public var entries: [Entry]

  /// The upcasters that lifted no action, in the steps that actions of the log pass. Their types may be misspelled.
  package var unusedUpcasters: [UnusedUpcaster] = []
  /// The types that name a case twice, of the log's actions as the present model records them. The payload of such an action
  /// contains itself; as an `ActionPayload` it would not be part of the type.
  package var recursiveTypes: [String] = []

  /// An upcaster that lifted no action.
  package struct UnusedUpcaster: Sendable, Equatable {
    /// The type of its actions.
    package var type: String
    /// The schemas at which its step begins and ends.
    package var from, to: Int
  }

  /// The worst grade; ``Grade/fine`` for a log without actions.
  public var grade: Grade { entries.map(\.grade).max() ?? .fine }
}

extension CompatibilityReport {
  /// The steps to add to the model's evolution, as Swift code with placeholders; empty if none is missing.
  ///
  /// Only the first error of each type is known. After it is fixed, another examination may find the next.
  package var skeleton: [String] {
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

  /// The schema to which the steps lead, if it is greater than the model's.
  package var raisedSchema: Int? {
    entries.contains { entry in entry.remedy != nil && entry.schema == schema } ? schema + 1 : nil
  }

  /// The version at which the evolution begins; older versions have no step.
  private var evolutionStart: Int {
    (entries.filter(\.isBeforeEvolution).map(\.evolutionStart).max()) ?? 1
  }

  /// The upcaster of a type; `nil` if it needs none.
  private static func lines(_ entry: Entry) -> [String]? {
    let type = literal(entry.type)
    guard let change = change(entry.remedy) else {
      return entry.remedy == .renameOrDrop ? [".rename(\(type), to: \"<#new type#>\"),  // or .drop(\(type))"] : nil
    }
    guard let upcaster = entry.upcaster else { return [".edit(\(type)) { data in \(change) },"] }
    // An upcaster of a pattern stays, and the one of the complete type takes precedence.
    let place = upcaster.type == entry.type ? "in place of the" : "in addition to \(literal(upcaster.type)), the"
    switch upcaster.kind {
    case .edit: return [".edit(\(type)) { data in <#what it does#>; \(change) },  // \(place) existing one"]
    case .rename(let newType):
      let newType = TypePattern(upcaster.type).renamed(entry.type, to: TypePattern(newType))
      return [
        ".replace(\(type)) { action in  // \(place) existing .rename", "  var data = action.data",
        "  \(change)", "  return [StoredAction(type: \(literal(newType)), data: data)]", "},",
      ]
    case .replace, .drop, .shorten:
      let name = upcaster.kind == .shorten ? "shorten" : "replace"
      return ["// The existing .\(name)(\(literal(upcaster.type))) returns an action that cannot be read: \(change)"]
    }
  }

  /// The change of `data`; `nil` if there is none.
  private static func change(_ remedy: Remedy?) -> String? {
    switch remedy {
    case .add(let name): "data[\(literal(name))] = <#value#>"
    case .change(let name): "data[\(literal(name))] = <#value computed from data[\(literal(name))]#>"
    case .rewrite: "<#change data#>"
    case .renameOrDrop, nil, .some(.none): nil
    }
  }

  private static func literal(_ text: String) -> String { String(reflecting: text) }
}

/// The location in the values of an action at which decoding failed, and the change that an upcaster could make.
struct DecodingFaultPlace {
  let words: String
  let remedy: CompatibilityReport.Remedy

  init(_ error: any Error, type: String) {
    // The values of `ui.list.onTap` are at the path `ui`, `_0`, `list`, `_0`, `onTap`.
    let depth =
      type == "_" || type == "_0" ? 0 : 2 * type.split(separator: ".", omittingEmptySubsequences: false).count - 1
    switch error {
    case DecodingError.keyNotFound(let key, let context):
      let place = context.codingPath.dropFirst(depth).map(\.stringValue)
      words = "'\(Self.text(place + [key.stringValue]))' is missing"
      remedy = place.isEmpty ? .add(name: key.stringValue) : .rewrite
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
      DecodingError.dataCorrupted(let context):
      let place = context.codingPath.dropFirst(depth).map(\.stringValue)
      words = "'\(Self.text(place))' is of another type: \(context.debugDescription)"
      remedy = place.first.map { name in .change(name: name) } ?? .rewrite
    default:
      words = "\(error)"
      remedy = .rewrite
    }
  }

  private static func text(_ place: [String]) -> String { JSONPointer.excerpt(of: place.joined(separator: ".")) }
}
