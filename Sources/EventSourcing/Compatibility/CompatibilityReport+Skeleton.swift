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
      let upcasters = needy.filter { entry in entry.schema == version }.compactMap(Self.upcaster)
      let isMissing = !missing.isEmpty && version < evolutionStart
      guard !upcasters.isEmpty || isMissing else { continue }
      if upcasters.isEmpty {
        lines.append(".unchanged(from: \(version), to: \(version + 1)),")
      } else {
        lines.append("SchemaStep(from: \(version), to: \(version + 1), [")
        lines += upcasters.map { upcaster in "  " + upcaster }
        lines.append("]),")
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

  private static func upcaster(_ entry: Entry) -> String? {
    let type = literal(entry.type)
    switch entry.remedy {
    case .renameOrDrop: return ".rename(\(type), to: \"<#new type#>\"),  // or .drop(\(type))"
    case .add(let name): return ".edit(\(type)) { data in data[\(literal(name))] = <#value#> },"
    case .change(let name):
      return ".edit(\(type)) { data in data[\(literal(name))] = <#value made of data[\(literal(name))]#> },"
    case .rewrite: return ".edit(\(type)) { data in <#mend data#> },"
    case nil, .some(.none): return nil
    }
  }

  /// A Swift string literal.
  private static func literal(_ text: String) -> String { String(reflecting: text) }
}
