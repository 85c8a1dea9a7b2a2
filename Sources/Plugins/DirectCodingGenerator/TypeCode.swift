/// The generated code of one type.
struct TypeCode {
  let type: CodedType
  /// Distinguishes the file-scope functions of the type from those of others.
  let number: Int
  let types: DirectTypes

  func add(to source: inout SourceText) {
    let samples = Samples(types: types).samples(of: type)
    let hasForeignSamples = samples.contains { $0.contains(Samples.mark) }
    let (parts, laterParts) = (parts, laterParts)
    let hasParts = !parts.isEmpty || !laterParts.isEmpty
    source.add("")
    source.add("\(SourceFile.mark)\(type.name)")
    source.add("")
    source.add("extension \(type.name): DirectCodable {")
    addConformance(to: &source)
    source.add("")
    source.add("\(type.access.modifier)static let directShape = DirectShape(")
    source.add("  of: Self.self, members: \(storedMembers),")
    if hasForeignSamples {
      source.add("  samples: samples\(number)(),")
    } else {
      source.add("  samples: [")
      for sample in samples { source.add("    " + JSONLiteral.source(sample) + ",") }
      source.add("  ],")
    }
    source.add("  parts: " + (hasParts ? "{ parts\(number)() }" : "{ [] }"))
    source.add([")", "}"])
    if let enumeration {
      source.add("")
      enumeration.addReading(to: &source)
      if ActionSteps(types: types).isAction(type) {
        source.add("")
        enumeration.addAction(to: &source)
      }
    }
    if hasForeignSamples {
      source.add(["", "private func samples\(number)() -> [String] {", "["])
      for sample in samples { source.add("  " + Self.source(ofSample: sample) + ",") }
      source.add(["]", "}"])
    }
    guard hasParts else { return }
    source.add(["", "private func parts\(number)() -> [any DirectCodable.Type] {"])
    let known = parts.isEmpty ? [] : ["[" + parts.map { $0 + ".self" }.joined(separator: ", ") + "]"]
    let later = laterParts.map { "DirectShape.part(\($0).self)" }
    source.add((known + later).joined(separator: " + "))
    source.add("}")
  }

  private var enumeration: EnumerationCode? {
    guard case .enumeration(let cases) = type.shape else { return nil }
    return EnumerationCode(cases: cases, type: type, number: number, types: types)
  }

  private func addConformance(to source: inout SourceText) {
    switch type.shape {
    case .structure(let structure): add(structure, to: &source)
    case .enumeration: enumeration?.addWriting(to: &source)
    case .rawEnumeration(let cases): add(cases, to: &source)
    case .rawStructure:
      source.addConformance(
        type, write: ["writer.required(self.rawValue)"], read: ["self.init(rawValue: try reader.value())"])
    case .handWritten, .unknown: break
    }
  }

  private func add(_ structure: CodedType.Structure, to source: inout SourceText) {
    let object = ObjectCode(
      members: structure.members.map { member in
        .init(
          key: member.key, place: "self." + SourceFile.escaped(member.name), type: member.type, isDirect: true,
          isConstant: member.constant != nil)
      })
    let (begin, lines) = object.read("reader", "", "")
    source.addConformance(
      type, write: ["guard writer.enter() else { return }"] + object.write("", "") + ["writer.leave()"],
      read: ["try reader.enter()", "try reader.literal(\(JSONLiteral.source(begin)))"] + lines + ["reader.leave()"])
  }

  private func add(_ cases: [CodedType.RawCase], to source: inout SourceText) {
    let write = cases.map { item in
      "case .\(SourceFile.escaped(item.name)): writer.literal(\(JSONLiteral.source(item.text)))"
    }
    var read: [String] = []
    // One number can be a prefix of another.
    for item in cases.sorted(by: { $0.text.utf8.count > $1.text.utf8.count }) {
      read.append((read.isEmpty ? "if" : "} else if") + " reader.accept(\(JSONLiteral.source(item.text))) {")
      read.append("self = .\(SourceFile.escaped(item.name))")
    }
    source.addConformance(
      type, write: ["switch self {"] + write + ["}"], read: read + ["} else {", "throw DirectMismatch()", "}"])
  }

  /// The names of all stored members, as the source of an optional array.
  private var storedMembers: String {
    guard case .structure(let structure) = type.shape else { return "nil" }
    return "[" + structure.stored.map { JSONLiteral.source($0) }.joined(separator: ", ") + "]"
  }

  /// Returns the source of a sample, which inserts the samples of types with handwritten coding.
  private static func source(ofSample sample: String) -> String {
    let pieces = sample.split(separator: Samples.mark, omittingEmptySubsequences: false).enumerated()
    return pieces.compactMap { index, piece in
      if index % 2 == 1 { return piece + ".directShape.sample" }
      return piece.isEmpty ? nil : JSONLiteral.source(String(piece))
    }.joined(separator: " + ")
  }

  /// The types of values that currently use `Codable`, and are coded directly as soon as they conform to
  /// `DirectCodable`.
  private var laterParts: [String] {
    var names: Set<String> = []
    for item in type.cases where types.isMixed(item) {
      for payload in item.payload {
        let value = payload.type.wrapped ?? payload.type
        if !types.isDirect(value) { names.insert(value.source(in: types.module)) }
      }
    }
    return names.sorted()
  }

  /// The generated types in the type's values.
  private var parts: [String] {
    var names: Set<String> = []
    func collect(_ name: TypeName) {
      if let known = types.known(name), known.reason == nil, known.name != type.name { names.insert(known.name) }
      for argument in name.arguments { collect(argument) }
    }
    for value in type.values where types.isDirect(value) { collect(value) }
    return names.sorted()
  }
}
