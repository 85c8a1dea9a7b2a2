/// The properties of a type for which its direct code was written. They are compared with the compiled type.
///
/// A new member with a default value would compile without a warning and be lost. Therefore each type is checked once,
/// before any of its values is written or read directly: the names of its stored members, and samples of its values in
/// both tiers. If anything differs, the type uses `Codable`.
public struct DirectShape: Sendable {
  let isCurrent: Bool
  /// A value of the type as JSON text, for the samples of types that contain it; empty if there is none.
  public let sample: String
  let parts: @Sendable () -> [any DirectCodable.Type]

  /// A shape that cannot change.
  init() {
    isCurrent = true
    sample = ""
    parts = { [] }
  }

  /// The shape of a collection.
  init(parts: @escaping @Sendable () -> [any DirectCodable.Type]) {
    isCurrent = true
    sample = ""
    self.parts = parts
  }

  /// Checks a type whose code was generated or written by hand.
  ///
  /// - Parameters:
  ///   - type: The type.
  ///   - members: The names of its stored members, in order; `nil` for an enum, whose cases the compiler checks.
  ///   - samples: Values of the type as ``StrictJSONEncoder`` writes them, each with another set of members or
  ///     another case. At least one is needed: a type without samples cannot be checked, and neither can the types
  ///     that contain it.
  ///   - parts: The types of its members that are also coded directly.
  /// - Complexity: O(size of the samples), in the slower of the two tiers.
  public init<Value: DirectCodable>(
    of type: Value.Type, members: [String]?, samples: [String],
    parts: @escaping @Sendable () -> [any DirectCodable.Type]
  ) {
    isCurrent =
      !samples.isEmpty
      && samples.allSatisfy { sample in DirectSample(type, text: Array(sample.utf8)).isRight(members: members) }
    sample = samples.first ?? ""
    self.parts = parts
  }
}

extension DirectShape {
  /// A part whose type is coded directly, possibly only since the code of the containing type was generated.
  public static func part<Value: DirectCodable>(_ type: Value.Type) -> [any DirectCodable.Type] { [type] }

  /// A part that uses `Codable`.
  public static func part<Value>(_ type: Value.Type) -> [any DirectCodable.Type] { [] }
}

extension DirectShape {
  /// Whether the generated code of a type and of all its parts matches the compiled types.
  ///
  /// - Complexity: O(types), after the samples of each type were checked.
  package static func isCurrent(_ type: any DirectCodable.Type) -> Bool {
    staleTypes(in: type).isEmpty
  }

  /// The names of the types whose generated code does not match the compiled type.
  ///
  /// - Complexity: O(types), after the samples of each type were checked.
  package static func staleTypes(in type: any DirectCodable.Type) -> [String] {
    var stale: [String] = []
    var seen: Set<ObjectIdentifier> = [ObjectIdentifier(type)]
    var open: [any DirectCodable.Type] = [type]
    while let type = open.popLast() {
      let shape = type.directShape
      if !shape.isCurrent { stale.append(String(reflecting: type)) }
      for part in shape.parts() where seen.insert(ObjectIdentifier(part)).inserted { open.append(part) }
    }
    return stale
  }
}
