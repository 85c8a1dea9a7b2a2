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
