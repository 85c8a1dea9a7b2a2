/// The types with direct coding: those of `JSONCoding`, and those of the module whose coding is generated or
/// handwritten.
struct DirectTypes {
  static let integers: Set<String> = [
    "Swift.Int", "Swift.Int8", "Swift.Int16", "Swift.Int32", "Swift.Int64",
    "Swift.UInt", "Swift.UInt8", "Swift.UInt16", "Swift.UInt32", "Swift.UInt64",
  ]
  /// The types of raw values with coding by the standard library.
  static let rawValues = integers.union(["Swift.String", "Swift.Bool", "Swift.Double", "Swift.Float"])
  static let foundation: Set<String> = ["Date", "Data", "URL", "UUID", "Decimal"]

  let module: String
  /// The `Codable` types of the module, by the compiler's name.
  private(set) var types: [String: CodedType]

  init(module: String, types: [CodedType]) {
    self.module = module
    self.types = Dictionary(types.map { (module + "." + $0.name, $0) }) { first, _ in first }
    settle()
  }

  func isDirect(_ type: TypeName) -> Bool {
    problem(type) == nil
  }

  func known(_ type: TypeName) -> CodedType? {
    type.arguments.isEmpty ? types[type.base] : nil
  }

  /// Whether a type is one of the Foundation types with a rule in the format.
  static func isFoundation(_ type: TypeName) -> Bool {
    guard type.module == "Foundation" || type.module == "FoundationEssentials" else { return false }
    return foundation.contains(String(type.base.dropFirst(type.module.count + 1)))
  }

  /// Returns the reason why a type has no direct coding.
  func problem(_ type: TypeName) -> String? {
    if DirectTypes.rawValues.contains(type.base) || DirectTypes.isFoundation(type) { return nil }
    switch (type.base, type.arguments.count) {
    case ("Swift.Optional", 1):
      return type.arguments[0].wrapped == nil ? problem(type.arguments[0]) : "an optional is nested in an optional"
    case ("Swift.Array", 1), ("Swift.Set", 1): return problem(type.arguments[0])
    case ("Swift.Dictionary", 2), ("TreeCollections.TreeDictionary", 2):
      return keyProblem(type.arguments[0]) ?? problem(type.arguments[1])
    default: break
    }
    guard let known = known(type) else {
      return "'\(type.source(in: module))' is not a type that code is generated for"
    }
    return known.reason == nil ? nil : "'\(known.name)' goes through Codable"
  }

  private func keyProblem(_ type: TypeName) -> String? {
    // Future versions of Foundation may encode its types as names.
    if DirectTypes.isFoundation(type) { return "'\(type.source(in: module))' is the key of a dictionary" }
    return problem(type)
  }

  mutating func refuse(_ name: String, _ reason: String) {
    types[module + "." + name]?.reason = reason
    settle()
  }

  /// Excludes structs with members that are not direct, until nothing changes.
  private mutating func settle() {
    var changes = true
    while changes {
      changes = false
      for (name, type) in types where type.reason == nil {
        guard let reason = ownProblem(type) else { continue }
        types[name]?.reason = reason
        changes = true
      }
    }
  }

  private func ownProblem(_ type: CodedType) -> String? {
    switch type.shape {
    case .structure(let structure):
      for member in structure.members {
        if let problem = problem(member.type) { return "the member '\(member.name)': \(problem)" }
        if member.constant == nil, Samples(types: self).smallest(member.type) == nil {
          return "the member '\(member.name)' has no finite value"
        }
      }
    case .enumeration(let cases):
      // A case whose values are not direct uses `Codable`, but at least one case must remain.
      if !cases.contains(where: { isDirect($0) }) { return "no case has values that are direct" }
    case .rawEnumeration, .rawStructure, .handWritten: break
    case .unknown: return "its shape is not known"
    }
    return nil
  }

  /// Whether all values of a case have direct coding.
  func isDirect(_ item: CodedType.Case) -> Bool {
    item.payload.allSatisfy { isDirect($0.type) }
  }

  /// Whether a case can be coded at all, with `Codable` for its other values.
  func isMixed(_ item: CodedType.Case) -> Bool {
    item.payload.allSatisfy { $0.type.wrapped?.wrapped == nil }
  }
}
