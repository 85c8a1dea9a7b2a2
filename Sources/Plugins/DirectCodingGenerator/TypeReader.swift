import Foundation

/// Combines the two inputs of the generator to the types of a module.
struct TypeReader {
  private let module: String
  private let values: [String: ConstantValues]
  private let symbols: [String: SymbolGraph.Symbol]
  private let members: [String: [SymbolGraph.Symbol]]
  private let relationships: [SymbolGraph.Relationship]
  /// The types with previously generated code.
  private let generated: Set<String>
  private var sources: [String: [Substring]?] = [:]

  init(module: String, graph: SymbolGraph, values: [ConstantValues], generated: Set<String>) {
    self.module = module
    self.generated = generated
    // A file that only extends a type also describes it, but without the members of its declaration.
    self.values = Dictionary(values.map { ("s:" + $0.mangledTypeName, $0) }) { first, second in
      first.size >= second.size ? first : second
    }
    symbols = Dictionary(graph.symbols.map { ($0.usr, $0) }) { first, _ in first }
    relationships = graph.relationships
    let symbols = symbols
    members = graph.relationships.filter { $0.kind == "memberOf" }
      .reduce(into: [:]) { members, relationship in
        guard let symbol = symbols[relationship.source] else { return }
        members[relationship.target, default: []].append(symbol)
      }
  }

  /// Returns the `Codable` types of the module, by name.
  mutating func read() -> [CodedType] {
    var types: [CodedType] = []
    for symbol in symbols.values.sorted(by: { $0.pathComponents.lexicographicallyPrecedes($1.pathComponents) }) {
      guard ["swift.struct", "swift.enum", "swift.class"].contains(symbol.kind.identifier) else { continue }
      let conformances = Set(relationships.filter { $0.kind == "conformsTo" && $0.source == symbol.usr }.map(\.target))
      // `Decodable` and `Encodable`; keys are `CodingKey`.
      guard conformances.contains("s:Se"), conformances.contains("s:SE"), !conformances.contains("s:s9CodingKeyP")
      else {
        continue
      }
      var type = CodedType(
        name: symbol.pathComponents.joined(separator: "."), access: access(symbol), shape: .unknown)
      type.isCodingKeyRepresentable = conformances.contains("s:s22CodingKeyRepresentableP")
      type.isActionPayload = conformances.contains("s:10JSONCoding13ActionPayloadP")
      do throws(Refusal) {
        if conformances.contains("s:10JSONCoding13DirectCodableP"), !generated.contains(type.name) {
          try checkDeclaration(symbol)
          type.shape = .handWritten(isEnum: symbol.kind.identifier == "swift.enum")
        } else {
          type.shape = try shape(of: symbol, conformances)
        }
      } catch {
        type.reason = error.reason
      }
      types.append(type)
    }
    return types
  }

  /// The reason why a type uses `Codable`.
  struct Refusal: Error {
    var reason: String

    init(_ reason: String) {
      self.reason = reason
    }
  }
}

extension TypeReader {
  private func access(_ symbol: SymbolGraph.Symbol) -> CodedType.Access {
    var access = CodedType.Access(symbol.accessLevel)
    for parent in parents(of: symbol) { access = min(access, CodedType.Access(parent.accessLevel)) }
    return access
  }

  private func parents(of symbol: SymbolGraph.Symbol) -> [SymbolGraph.Symbol] {
    (1..<max(1, symbol.pathComponents.count)).compactMap { count in
      let path = Array(symbol.pathComponents.prefix(count))
      return symbols.values.first { $0.pathComponents == path && $0.kind.identifier != "swift.typealias" }
    }
  }

  private mutating func shape(
    of symbol: SymbolGraph.Symbol, _ conformances: Set<String>
  ) throws(Refusal) -> CodedType.Shape {
    try checkDeclaration(symbol)
    guard let values = values[symbol.usr] else { throw Refusal("the compiler tells nothing of its values") }
    let isRaw = conformances.contains("s:SY")
    try checkCoding(symbol, isRaw: isRaw)
    switch (symbol.kind.identifier, isRaw) {
    case ("swift.struct", false): return .structure(try structure(symbol, values))
    case ("swift.struct", true): return .rawStructure(try rawStructure(symbol, values))
    case ("swift.enum", false): return .enumeration(try cases(symbol, values))
    case ("swift.enum", true): return .rawEnumeration(try rawCases(symbol, values))
    default: throw Refusal("it is a class")
    }
  }

  /// Checks conditions of the complete type.
  private mutating func checkDeclaration(_ symbol: SymbolGraph.Symbol) throws(Refusal) {
    if access(symbol) == .hidden { throw Refusal("it is private, or within a private type") }
    for part in parents(of: symbol) + [symbol] {
      if part.swiftGenerics?.parameters?.isEmpty == false { throw Refusal("it is generic, or within a generic type") }
      if part.availability?.isEmpty == false { throw Refusal("it is not available everywhere") }
    }
    for name in symbol.pathComponents where !TypeReader.isIdentifier(name) {
      throw Refusal("'\(name)' is not a plain identifier")
    }
    let coding: Set<String> = ["s:Se", "s:SE"]
    for conformance in relationships where conformance.kind == "conformsTo" && conformance.source == symbol.usr {
      if coding.contains(conformance.target), conformance.swiftConstraints?.isEmpty == false {
        throw Refusal("it is Codable under a condition only")
      }
      if conformance.target == "s:s17CustomReflectableP" { throw Refusal("it hides its members by CustomReflectable") }
    }
    guard let location = symbol.location, let lines = lines(location.path) else {
      throw Refusal("its source was not found")
    }
    let first = location.position.line
    let last =
      symbols.values.filter { other in
        other.location?.uri == location.uri && !other.pathComponents.starts(with: symbol.pathComponents)
      }.compactMap { other in other.location?.position.line }.filter { $0 > first }.min() ?? lines.count
    if TypeReader.hasCondition(lines, in: first..<last) { throw Refusal("there is an #if in or around it") }
  }

  /// Whether some lines may contain conditional compilation, or be within it: neither of the generator's inputs contains members
  /// that the current build excludes.
  ///
  /// A declaration is taken to extend up to the next one. Text in comments and strings counts as well: such a type is slower.
  private static func hasCondition(_ lines: [Substring], in range: Range<Int>) -> Bool {
    var depth = 0
    for (index, line) in lines.enumerated().prefix(range.upperBound) {
      let text = line.drop { $0 == " " || $0 == "\t" }
      if text.hasPrefix("#if") { depth += 1 }
      if index >= range.lowerBound, depth > 0 { return true }
      if text.hasPrefix("#endif") { depth -= 1 }
    }
    return false
  }

  private mutating func lines(_ path: String) -> [Substring]? {
    if let known = sources[path] { return known }
    let text = FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    let lines = text?.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    sources[path] = lines
    return lines
  }

  /// Checks that the coding is derived by the compiler.
  private func checkCoding(_ symbol: SymbolGraph.Symbol, isRaw: Bool) throws(Refusal) {
    for member in members[symbol.usr] ?? [] {
      guard member.name == "init(from:)" || member.name == "encode(to:)" else {
        // The raw value determines the encoded value.
        if isRaw, symbol.kind.identifier == "swift.enum", member.isWritten,
          ["rawValue", "init(rawValue:)"].contains(member.name)
        {
          throw Refusal("its raw values are written by hand")
        }
        continue
      }
      if member.isWritten { throw Refusal("its coding is written by hand") }
      let isInherited = member.usr.contains("::SYNTHESIZED::")
      // The standard library implements the coding of every type with a raw value.
      if isInherited, !(isRaw && member.usr.hasPrefix("s:SYs")) { throw Refusal("its coding comes from a protocol") }
    }
  }

  /// Returns the declared keys of a type: names in Swift and in JSON, in the order of encoding.
  private func codingKeys(_ symbol: SymbolGraph.Symbol) throws(Refusal) -> [(name: String, key: String)]? {
    guard let keys = members[symbol.usr]?.first(where: { $0.name == "CodingKeys" }) else {
      return hiddenKeys(symbol).first { $0.name == "CodingKeys" }?.keys
    }
    guard keys.isWritten else { return nil }
    guard keys.kind.identifier == "swift.enum", let values = values[keys.usr] else {
      throw Refusal("its CodingKeys are no enum")
    }
    for member in members[keys.usr] ?? [] where member.isWritten && member.kind.identifier != "swift.enum.case" {
      throw Refusal("its CodingKeys have code of their own")
    }
    return (values.cases ?? []).map { ($0.name, $0.rawValue ?? $0.name) }
  }

  /// Returns the enums of keys that are missing in the symbol graph: private ones, if it contains no private
  /// declarations.
  ///
  /// The compiler describes no values of keys that it has derived.
  private func hiddenKeys(
    _ symbol: SymbolGraph.Symbol
  ) -> [(name: String, keys: [(name: String, key: String)])] {
    let prefix = module + "." + symbol.pathComponents.joined(separator: ".") + "."
    return values.values.compactMap { type in
      guard type.typeName.hasPrefix(prefix), let cases = type.cases, !cases.isEmpty,
        symbols["s:" + type.mangledTypeName] == nil
      else { return nil }
      let name = String(type.typeName.dropFirst(prefix.count))
      guard name.hasSuffix("CodingKeys"), !name.contains(".") else { return nil }
      return (name, cases.map { ($0.name, $0.rawValue ?? $0.name) })
    }
  }

  static func isIdentifier(_ name: String) -> Bool {
    guard let first = name.unicodeScalars.first else { return false }
    return (first == "_" || first.properties.isXIDStart)
      && name.unicodeScalars.allSatisfy { $0.properties.isXIDContinue }
  }
}

extension TypeReader {
  private func structure(
    _ symbol: SymbolGraph.Symbol, _ values: ConstantValues
  ) throws(Refusal) -> CodedType.Structure {
    let stored = values.properties.filter(\.isStored)
    for property in values.properties where property.propertyWrappers?.isEmpty == false {
      throw Refusal("the member '\(property.label)' has a property wrapper")
    }
    for property in stored where property.label.hasPrefix("$") { throw Refusal("it has a lazy member") }
    let keys = try codingKeys(symbol) ?? stored.map { ($0.label, $0.label) }
    var members: [CodedType.Member] = []
    for (name, key) in keys {
      guard let property = stored.first(where: { $0.label == name }) else {
        throw Refusal("the key '\(name)' names no stored member")
      }
      members.append(try member(property, key, of: symbol))
    }
    return CodedType.Structure(stored: stored.map(\.label), members: members)
  }

  private func member(
    _ property: ConstantValues.Property, _ key: String, of symbol: SymbolGraph.Symbol
  ) throws(Refusal) -> CodedType.Member {
    let name = property.label
    guard TypeReader.isIdentifier(name) else { throw Refusal("the member '\(name)' is not a plain identifier") }
    let declared = members[symbol.usr]?.first { $0.name == name && $0.kind.identifier == "swift.property" }
    // A symbol graph without private declarations does not contain the member.
    guard let declared, CodedType.Access(declared.accessLevel) > .hidden else {
      throw Refusal("the member '\(name)' is private")
    }
    if declared.availability?.isEmpty == false { throw Refusal("the member '\(name)' is not available everywhere") }
    // A stored member with only a getter can be set only in its own file.
    if declared.declaration.hasSuffix("{ get }") {
      throw Refusal("the member '\(name)' can be set in its own file only")
    }
    var member = CodedType.Member(name: name, key: key, type: TypeName(property.type))
    let isConstant = declared.declaration.split(separator: " ").contains("let")
    if isConstant, property.valueKind != "Runtime" { member.constant = try constant(property) }
    return member
  }

  /// Returns the text of a constant that is encoded but not decoded.
  private func constant(_ property: ConstantValues.Property) throws(Refusal) -> String {
    guard property.valueKind == "RawLiteral", let text = property.value?.text else {
      throw Refusal("the constant '\(property.label)' is no plain literal")
    }
    switch property.type {
    case "Swift.String": return JSONLiteral.string(text)
    case "Swift.Bool": return text
    case "Swift.Int" where Int(text) != nil: return text
    default: throw Refusal("the constant '\(property.label)' is no plain literal")
    }
  }

  private func rawStructure(_ symbol: SymbolGraph.Symbol, _ values: ConstantValues) throws(Refusal) -> TypeName {
    let initializer = members[symbol.usr]?.first { $0.name == "init(rawValue:)" }
    guard let initializer, let alias = values.associatedTypeAliases?.first(where: { $0.typeAliasName == "RawValue" })
    else { throw Refusal("its raw value was not found") }
    // An invalid raw value cannot be tested before it is read.
    guard !initializer.declaration.hasPrefix("init?") else { throw Refusal("not every raw value makes a value") }
    let type = TypeName(alias.substitutedTypeName)
    guard DirectTypes.rawValues.contains(type.base) else { throw Refusal("its raw value is no string and no number") }
    return type
  }

  private func cases(_ symbol: SymbolGraph.Symbol, _ values: ConstantValues) throws(Refusal) -> [CodedType.Case] {
    for member in members[symbol.usr] ?? [] where member.name.hasSuffix("CodingKeys") && member.isWritten {
      throw Refusal("it has \(member.name) of its own")
    }
    if let name = hiddenKeys(symbol).map(\.name).min() { throw Refusal("it has \(name) of its own") }
    let declared = (members[symbol.usr] ?? []).filter { $0.kind.identifier == "swift.enum.case" }
    guard let cases = values.cases, !cases.isEmpty else { throw Refusal("it has no cases") }
    guard cases.count == declared.count else { throw Refusal("the two inputs do not agree on its cases") }
    var result: [CodedType.Case] = []
    for item in cases {
      guard TypeReader.isIdentifier(item.name), item.name != "_0" else {
        throw Refusal("the name of the case '\(item.name)' has a meaning of its own in the log")
      }
      let matches = declared.filter { $0.name == item.name || $0.name.hasPrefix(item.name + "(") }
      guard matches.count == 1, let match = matches.first else {
        throw Refusal("the two inputs do not agree on the case '\(item.name)'")
      }
      if match.availability?.isEmpty == false { throw Refusal("the case '\(item.name)' is not available everywhere") }
      let labels = match.name.dropFirst(item.name.count).dropFirst().dropLast().split(separator: ":")
      let parameters = item.parameters ?? []
      guard labels.count == parameters.count else {
        throw Refusal("the two inputs do not agree on the case '\(item.name)'")
      }
      var payload: [CodedType.Payload] = []
      for (index, parameter) in parameters.enumerated() {
        let label = labels[index] == "_" ? nil : String(labels[index])
        payload.append(.init(label: label, key: label ?? "_\(index)", type: TypeName(parameter.type)))
      }
      guard Set(payload.map(\.key)).count == payload.count else {
        throw Refusal("the case '\(item.name)' has two values of a name")
      }
      result.append(CodedType.Case(name: item.name, payload: payload))
    }
    return result
  }

  private func rawCases(_ symbol: SymbolGraph.Symbol, _ values: ConstantValues) throws(Refusal) -> [CodedType.RawCase] {
    let alias = values.associatedTypeAliases?.first { $0.typeAliasName == "RawValue" }
    guard let alias, let cases = values.cases, !cases.isEmpty else { throw Refusal("its raw values were not found") }
    let isString = alias.substitutedTypeName == "Swift.String"
    guard isString || DirectTypes.integers.contains(alias.substitutedTypeName) else {
      throw Refusal("its raw values are no strings and no integers")
    }
    var result: [CodedType.RawCase] = []
    for item in cases {
      guard TypeReader.isIdentifier(item.name), let raw = item.rawValue else {
        throw Refusal("the raw value of the case '\(item.name)' was not found")
      }
      guard isString || Int64(raw).map({ String($0) == raw }) ?? false else {
        throw Refusal("the raw value of the case '\(item.name)' is no plain integer")
      }
      result.append(CodedType.RawCase(name: item.name, text: isString ? JSONLiteral.string(raw) : raw))
    }
    return result
  }
}
