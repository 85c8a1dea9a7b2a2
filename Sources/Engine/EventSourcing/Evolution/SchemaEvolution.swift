public import JSONCoding

/// The steps by which this version of a model reads actions that older versions recorded.
///
/// ```swift
/// static let schema = 3
/// static let evolution = SchemaEvolution(
///   SchemaStep(from: 1, to: 2, [.rename("didTapAdd", to: "didTapAddButton")]),
///   .unchanged(from: 2, to: 3)
/// )
/// ```
///
/// The steps must lead from the oldest version that is read to ``Model/schema``, with exactly one step from each version. This is
/// checked when a log is opened, before anything is read. Actions that are older than the first step are refused.
public struct SchemaEvolution: Sendable {
  /// The steps, in any order.
  public let steps: [SchemaStep]
  /// The policy for actions whose type the model does not have.
  public let unknownTypes: UnknownTypePolicy

  /// Makes an evolution.
  public init(_ steps: SchemaStep..., unknownTypes: UnknownTypePolicy = .refuse) {
    self.init(steps, unknownTypes: unknownTypes)
  }

  /// Makes an evolution from an array of steps.
  public init(_ steps: [SchemaStep], unknownTypes: UnknownTypePolicy = .refuse) {
    self.steps = steps
    self.unknownTypes = unknownTypes
  }

  /// No older version is read, and unknown types are refused.
  public static let none = SchemaEvolution([])
}

/// The changes of stored actions from one schema version to a later one.
public struct SchemaStep: Sendable {
  /// The schema version of the stored actions.
  public let from: Int
  /// The schema version to which they are lifted.
  public let to: Int
  /// One upcaster for each type that changes. Actions of other types stay the same.
  public let upcasters: [Upcaster]

  let liftBase: (@Sendable (JSONValue) throws -> JSONValue)?

  /// Makes a step.
  ///
  /// - Parameters:
  ///   - from: The schema version of the stored actions.
  ///   - to: The schema version to which they are lifted, usually the next.
  ///   - upcasters: One for each type that changes. Actions of other types stay the same.
  ///   - base: Lifts the initial state that a log may have (its `@base` record), if the shape of the state changed too.
  public init(
    from: Int, to: Int, _ upcasters: [Upcaster] = [],
    base: (@Sendable (JSONValue) throws -> JSONValue)? = nil
  ) {
    self.from = from
    self.to = to
    self.upcasters = upcasters
    self.liftBase = base
  }

  /// Makes a step that changes nothing, for a version that only added actions or values.
  ///
  /// - Parameters:
  ///   - from: The schema version of the stored actions.
  ///   - to: The version that reads them unchanged.
  public static func unchanged(from: Int, to: Int) -> SchemaStep {
    SchemaStep(from: from, to: to)
  }
}

/// What to do with an action whose type the model does not have.
///
/// The policy is about types. An action of a known type whose values do not decode is an error under either policy.
public enum UnknownTypePolicy: String, Sendable, CaseIterable {
  /// Stop with ``EventSourcingError/Code/unknownType``: the action may have been significant.
  case refuse
  /// Keep the action as an opaque record: it has a revision, and the state does not change.
  ///
  /// The state after an opaque record is incomplete, so no snapshot is taken of it.
  case keep
}

/// A pattern for the types that an upcaster lifts: one type, or, with `.*` at the end, a type and all types that begin with it and
/// a dot.
struct TypePattern: Hashable, Sendable {
  let name: String
  let isPrefix: Bool

  init(_ text: String) {
    isPrefix = text.hasSuffix(".*")
    name = isPrefix ? String(text.dropLast(2)) : text
  }

  /// The error in the pattern; `nil` if it is valid.
  var fault: String? {
    if name.isEmpty { return "a type must have at least one name" }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    if parts.contains("*") { return "'*' must be the last part of a type, after at least one name" }
    return nil
  }

  /// Returns the part of a type after the name and its dot; empty for the type of that name, `nil` for any other type.
  func rest(of type: String) -> Substring? {
    guard type.utf8.starts(with: name.utf8) else { return nil }
    let rest = type[type.utf8.index(type.startIndex, offsetBy: name.utf8.count)...]
    if rest.isEmpty { return rest }
    return isPrefix && rest.utf8.first == UInt8(ascii: ".") ? rest.dropFirst() : nil
  }
}

extension TypePattern {
  func renamed(_ type: String, to new: TypePattern) -> String {
    guard let rest = rest(of: type), !rest.isEmpty else { return new.name }
    return new.name + "." + rest
  }
}

/// Values by type pattern. The longest matching pattern counts, and a complete type before any pattern.
struct TypeMap<Value: Sendable>: Sendable {
  private var whole: [ExactName: Value] = [:]
  private var prefixes: [ExactName: Value] = [:]

  var isEmpty: Bool { whole.isEmpty && prefixes.isEmpty }

  mutating func insert(_ value: Value, for pattern: TypePattern) -> Bool {
    if pattern.isPrefix { return prefixes.updateValue(value, forKey: ExactName(pattern.name)) == nil }
    return whole.updateValue(value, forKey: ExactName(pattern.name)) == nil
  }

  mutating func formUnion(_ other: TypeMap) {
    whole.merge(other.whole) { first, _ in first }
    prefixes.merge(other.prefixes) { first, _ in first }
  }

  subscript(type: String) -> Value? {
    if let value = whole[ExactName(type)] { return value }
    if prefixes.isEmpty { return nil }
    var name = Substring(type)
    while true {
      if let value = prefixes[ExactName(String(name))] { return value }
      guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
      name = name[..<dot]
    }
  }
}
