/// Sample values of a type as JSON text, which test the generated code before it is used.
struct Samples {
  /// Delimits the name of a type whose samples are only known at run time. It cannot occur in JSON text.
  static let mark: Character = "\u{1A}"

  let types: DirectTypes

  /// Returns samples of a type: each case, each member absent and present, small and negative numbers.
  func samples(of type: CodedType) -> [String] {
    switch type.shape {
    case .structure(let structure):
      return unique(Size.allCases.compactMap { text(structure, $0) })
    case .enumeration(let cases):
      return unique(cases.filter { types.isDirect($0) }.flatMap { item in Size.allCases.compactMap { text(item, $0) } })
    case .rawEnumeration(let cases): return cases.map(\.text)
    case .rawStructure(let raw): return unique(Size.allCases.compactMap { text(raw, $0, []) })
    case .handWritten, .unknown: return []
    }
  }

  /// Returns the smallest value of a type; `nil` if there is no finite or known one.
  func smallest(_ type: TypeName) -> String? {
    text(type, .small, [])
  }

  private enum Size: CaseIterable {
    case small, usual, negative
  }

  private func unique(_ texts: [String]) -> [String] {
    texts.indices.filter { !texts[..<$0].contains(texts[$0]) }.map { texts[$0] }
  }

  private func text(_ structure: CodedType.Structure, _ size: Size, _ around: Set<String> = []) -> String? {
    object(structure.members.map { ($0.key, $0.type, $0.constant) }, size, around)
  }

  private func text(_ item: CodedType.Case, _ size: Size, _ around: Set<String> = []) -> String? {
    object(item.payload.map { ($0.key, $0.type, nil) }, size, around)
      .map { "{" + JSONLiteral.string(item.name) + ":" + $0 + "}" }
  }

  private func object(
    _ members: [(key: String, type: TypeName, constant: String?)], _ size: Size, _ around: Set<String>
  ) -> String? {
    var texts: [String] = []
    for member in members {
      if member.type.wrapped != nil, size == .small, member.constant == nil { continue }
      let type = member.constant == nil ? member.type.wrapped ?? member.type : member.type
      guard let value = member.constant ?? text(type, size, around) else {
        // An optional may be omitted if its value would be infinite.
        if member.type.wrapped != nil { continue }
        return nil
      }
      texts.append(JSONLiteral.string(member.key) + ":" + value)
    }
    return "{" + texts.joined(separator: ",") + "}"
  }

  /// Returns a value of any type with small nested values.
  private func text(_ type: TypeName, _ size: Size, _ around: Set<String>) -> String? {
    if let scalar = scalar(type, size) { return scalar }
    switch (type.base, type.arguments.count) {
    case ("Swift.Optional", 1):
      return size == .small ? "null" : text(type.arguments[0], size, around)
    case ("Swift.Array", 1), ("Swift.Set", 1):
      if size == .small { return "[]" }
      return text(type.arguments[0], .small, around).map { "[" + $0 + "]" } ?? "[]"
    case ("Swift.Dictionary", 2), ("TreeCollections.TreeDictionary", 2): return table(type, size, around)
    default: break
    }
    guard let known = types.known(type), !around.contains(type.base) else { return nil }
    let around = around.union([type.base])
    switch known.shape {
    case .structure(let structure): return text(structure, .small, around)
    case .enumeration(let cases):
      return cases.lazy.filter { types.isDirect($0) }.compactMap { text($0, .small, around) }.first
    case .rawEnumeration(let cases): return cases.first?.text
    case .rawStructure(let raw): return text(raw, size, around)
    case .handWritten: return "\(Samples.mark)\(known.name)\(Samples.mark)"
    case .unknown: return nil
    }
  }

  private func table(_ type: TypeName, _ size: Size, _ around: Set<String>) -> String? {
    // Only the key's type knows the names of its values.
    if types.known(type.arguments[0])?.isCodingKeyRepresentable == true { return "{}" }
    let isObject = ["Swift.String", "Swift.Int"].contains(type.arguments[0].base)
    let empty = isObject ? "{}" : "[]"
    guard size != .small, let key = text(type.arguments[0], size, around),
      let value = text(type.arguments[1], .small, around)
    else { return empty }
    if !isObject { return "[" + key + "," + value + "]" }
    return "{" + (type.arguments[0].base == "Swift.Int" ? "\"" + key + "\"" : key) + ":" + value + "}"
  }

  private func scalar(_ type: TypeName, _ size: Size) -> String? {
    let name = DirectTypes.isFoundation(type) ? String(type.base.dropFirst(type.module.count + 1)) : type.base
    let texts: [String]
    switch name {
    case "Swift.String": texts = ["\"\"", "\"Grüße\"", "\"a\\\"b\""]
    case "Swift.Bool": texts = ["false", "true", "false"]
    case "Swift.Double", "Swift.Float": texts = ["0", "0.5", "-1"]
    case let name where DirectTypes.integers.contains(name):
      texts = ["0", "1", name.contains("UInt") ? "100" : "-1"]
    case "Date": texts = ["\"2001-01-01T00:00:00Z\"", "\"2026-11-21T09:00:05.5Z\"", "-1000000000000"]
    case "Data": texts = ["\"\"", "\"AQ==\"", "\"AAEC\""]
    case "URL": texts = ["\"a\"", "\"https://example.com/a?b#c\"", "\"/\""]
    case "UUID":
      texts = [
        "\"00000000-0000-0000-0000-000000000000\"", "\"3F0C9A52-7D1E-4C55-9D0A-0B9F6F0F5A11\"",
        "\"FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF\"",
      ]
    case "Decimal": texts = ["\"0\"", "\"1.5\"", "\"-1\""]
    default: return nil
    }
    return texts[Size.allCases.firstIndex(of: size) ?? 0]
  }
}
