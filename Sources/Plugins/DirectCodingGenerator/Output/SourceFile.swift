/// The generated file of a module.
struct SourceFile {
  /// What stands before the code of a type, so that an error of the compiler can be told of the type.
  static let mark = "// MARK: "

  private let types: DirectTypes

  init(_ types: DirectTypes) {
    self.types = types
  }

  /// The types that code is generated for, by name.
  var direct: [CodedType] {
    types.types.values.filter(\.isGenerated).sorted { $0.name < $1.name }
  }

  /// The types that go through `Codable`, by name.
  var others: [CodedType] {
    types.types.values.filter { $0.reason != nil }.sorted { $0.name < $1.name }
  }

  var text: String {
    var source = SourceText()
    source.add([
      "// Made by 'swift package generate-direct-coding', which is to be run again when a type changes. Not to be edited.",
      "//",
      "// swift-format-ignore-file",
    ])
    if !others.isEmpty {
      source.add("//")
      source.add("// These go through Codable:")
      for type in others { source.add("// - \(type.name): \(type.reason ?? "")") }
    }
    source.add("")
    source.add(imports)
    for (index, type) in direct.enumerated() {
      TypeCode(type, number: index + 1, in: types).add(to: &source)
    }
    return source.text
  }

  private var imports: [String] {
    let access = direct.map(\.access).max() ?? .internal
    let modules = direct.reduce(into: Set<String>()) { $0.formUnion(SourceFile.modules(of: $1)) }
    var lines: [String] = []
    if modules.contains("Foundation") || modules.contains("FoundationEssentials") {
      lines += [
        "#if canImport(FoundationEssentials)", "internal import FoundationEssentials", "#else",
        "internal import Foundation", "#endif",
      ]
    }
    lines.append(
      (access == .hidden ? "internal " : access == .internal ? "internal " : access.modifier) + "import JSONCoding")
    let known = ["Swift", "Foundation", "FoundationEssentials", "JSONCoding", types.module]
    for module in modules.sorted() where !known.contains(module) && TypeReader.isIdentifier(module) {
      lines.append("internal import \(module)")
    }
    return lines
  }

  /// The modules that are named where an enum's values are read.
  private static func modules(of type: CodedType) -> Set<String> {
    guard case .enumeration(let cases) = type.shape else { return [] }
    return cases.reduce(into: []) { modules, item in
      for payload in item.payload { modules.formUnion(payload.type.modules) }
    }
  }

  /// An identifier as it is written behind a dot or as a label.
  static func escaped(_ name: String) -> String {
    keywords.contains(name) ? "`\(name)`" : name
  }

  private static let keywords: Set<String> = [
    "Any", "Protocol", "Self", "Type", "as", "associatedtype", "break", "case", "catch", "class", "continue", "default",
    "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard",
    "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator", "private", "protocol", "public",
    "repeat", "rethrows", "return", "self", "static", "struct", "subscript", "super", "switch", "throw", "throws",
    "true",
    "try", "typealias", "var", "where", "while",
  ]
}
