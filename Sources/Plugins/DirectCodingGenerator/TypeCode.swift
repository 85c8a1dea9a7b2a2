/// The generated code of one type.
struct TypeCode {
  private let types: DirectTypes
  private let type: CodedType
  /// Distinguishes the file-scope functions of the type from those of others.
  private let number: Int

  init(_ type: CodedType, number: Int, in types: DirectTypes) {
    self.type = type
    self.number = number
    self.types = types
  }

  func add(to source: inout SourceText) {
    source.add("")
    source.add("\(SourceFile.mark)\(type.name)")
    source.add("")
    source.add("extension \(type.name): DirectCodable {")
    source.add(conformance)
    source.add("")
    source.add("\(type.access.modifier)static let directShape = DirectShape(")
    source.add(shape)
    source.add(")")
    source.add("}")
    if case .enumeration(let cases) = type.shape {
      source.add("")
      source.add(EnumerationCode(cases, of: type, number: number, in: types).reading)
      if ActionSteps(types).isAction(type) {
        source.add("")
        source.add(EnumerationCode(cases, of: type, number: number, in: types).action)
      }
    }
    if samples.contains(where: { $0.contains(Samples.mark) }) {
      source.add("")
      source.add("private func samples\(number)() -> [String] {")
      source.add(["["] + samples.map { "  " + Self.source(ofSample: $0) + "," } + ["]"])
      source.add("}")
    }
    guard !parts.isEmpty || !laterParts.isEmpty else { return }
    source.add("")
    source.add("private func parts\(number)() -> [any DirectCodable.Type] {")
    let known = parts.isEmpty ? [] : ["[" + parts.map { $0 + ".self" }.joined(separator: ", ") + "]"]
    source.add((known + laterParts.map { "DirectShape.part(\($0).self)" }).joined(separator: " + "))
    source.add("}")
  }

  private var conformance: [String] {
    switch type.shape {
    case .structure(let structure): structureCode(structure)
    case .enumeration(let cases): EnumerationCode(cases, of: type, number: number, in: types).writing
    case .rawEnumeration(let cases): rawCode(cases)
    case .rawStructure: rawStructureCode
    case .handWritten, .unknown: []
    }
  }

  static func conformance(_ access: String, write: [String], read: [String]) -> [String] {
    ["\(access)func write(directly writer: inout DirectWriter) {"] + write + ["}", ""]
      + ["\(access)init(directly reader: inout DirectReader) throws(DirectMismatch) {"] + read + ["}"]
  }

  private func structureCode(_ structure: CodedType.Structure) -> [String] {
    let object = ObjectCode(
      structure.members.map { member in
        .init(
          key: member.key, place: "self." + SourceFile.escaped(member.name), type: member.type, isDirect: true,
          isConstant: member.constant != nil)
      })
    let (begin, lines) = object.read("reader", "", "")
    return TypeCode.conformance(
      type.access.modifier,
      write: ["guard writer.enter() else { return }"] + object.write("", "") + ["writer.leave()"],
      read: ["try reader.enter()", "try reader.literal(\(JSONLiteral.source(begin)))"] + lines + ["reader.leave()"])
  }

  private func rawCode(_ cases: [CodedType.RawCase]) -> [String] {
    let write = cases.map { item in
      "case .\(SourceFile.escaped(item.name)): writer.literal(\(JSONLiteral.source(item.text)))"
    }
    // One number can be a prefix of another.
    let read = cases.sorted { $0.text.utf8.count > $1.text.utf8.count }.enumerated().flatMap { index, item in
      [
        (index == 0 ? "if" : "} else if") + " reader.accept(\(JSONLiteral.source(item.text))) {",
        "self = .\(SourceFile.escaped(item.name))",
      ]
    }
    return TypeCode.conformance(
      type.access.modifier, write: ["switch self {"] + write + ["}"],
      read: read + ["} else {", "throw DirectMismatch()", "}"])
  }

  private var rawStructureCode: [String] {
    TypeCode.conformance(
      type.access.modifier, write: ["writer.required(self.rawValue)"],
      read: ["self.init(rawValue: try reader.value())"])
  }

  private var shape: [String] {
    var members = "nil"
    if case .structure(let structure) = type.shape {
      members = "[" + structure.stored.map { JSONLiteral.source($0) }.joined(separator: ", ") + "]"
    }
    let head = "  of: \(Self.own).self, members: \(members),"
    let tail = "  parts: " + (parts.isEmpty && laterParts.isEmpty ? "{ [] }" : "{ parts\(number)() }")
    if samples.contains(where: { $0.contains(Samples.mark) }) { return [head, "  samples: samples\(number)(),", tail] }
    return [head, "  samples: ["] + samples.map { "    " + JSONLiteral.source($0) + "," } + ["  ],", tail]
  }

  private static let own = "Self"

  private var samples: [String] { Samples(types).samples(of: type) }

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
    guard case .enumeration(let cases) = type.shape else { return [] }
    let payloads = cases.filter { types.isMixed($0) }.flatMap { item in item.payload.map { $0.type.wrapped ?? $0.type }
    }
    return Set(payloads.filter { !types.isDirect($0) }.map { $0.source(in: types.module) }).sorted()
  }

  /// The generated types in the type's values.
  private var parts: [String] {
    var names: Set<String> = []
    func collect(_ name: TypeName) {
      if let known = types.known(name), known.reason == nil, known.name != type.name { names.insert(known.name) }
      for argument in name.arguments { collect(argument) }
    }
    switch type.shape {
    case .structure(let structure): for member in structure.members { collect(member.type) }
    case .enumeration(let cases):
      for item in cases { for payload in item.payload where types.isDirect(payload.type) { collect(payload.type) } }
    case .rawStructure(let raw): collect(raw)
    case .rawEnumeration, .handWritten, .unknown: break
    }
    return names.sorted()
  }
}
