/// The generated file of a module.
struct SourceFile {
  /// The comment before the code of a type, by which compiler errors are assigned to the type.
  static let mark = "// MARK: "

  let types: DirectTypes

  var direct: [CodedType] {
    types.types.values.filter(\.isGenerated).sorted { $0.name < $1.name }
  }

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
      TypeCode(type: type, number: index + 1, types: types).add(to: &source)
    }
    return source.text
  }

  private var imports: [String] {
    let access = direct.map(\.access).max() ?? .internal
    // The types of an enum's values are named where they are read.
    let modules = Set(direct.flatMap(\.cases).flatMap(\.payload).flatMap(\.type.modules))
    var lines: [String] = []
    if modules.contains("Foundation") || modules.contains("FoundationEssentials") {
      lines += [
        "#if canImport(FoundationEssentials)", "internal import FoundationEssentials", "#else",
        "internal import Foundation", "#endif",
      ]
    }
    lines.append((access.modifier.isEmpty ? "internal " : access.modifier) + "import JSONCoding")
    let known = ["Swift", "Foundation", "FoundationEssentials", "JSONCoding", types.module]
    for module in modules.sorted() where !known.contains(module) && TypeReader.isIdentifier(module) {
      lines.append("internal import \(module)")
    }
    return lines
  }

  /// Returns an identifier, escaped for use after a dot or as a label.
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

/// Source that is being written, with its indentation.
struct SourceText {
  private(set) var lines: [String] = []
  private var depth = 0

  /// Adds lines that open and close blocks by their last and first characters.
  mutating func add(_ line: String) {
    if line.hasPrefix("}") { depth -= 1 }
    // A `case` has the indentation of its `switch`.
    let indentation = line.hasPrefix("case ") ? depth - 1 : depth
    lines.append(line.isEmpty ? "" : String(repeating: "  ", count: indentation) + line)
    if line.hasSuffix("{") { depth += 1 }
  }

  mutating func add(_ lines: [String]) {
    for line in lines { add(line) }
  }

  /// Adds the requirements of `DirectCodable`.
  mutating func addConformance(_ type: CodedType, write: [String], read: [String]) {
    add("\(type.access.modifier)func write(directly writer: inout DirectWriter) {")
    add(write)
    add(["}", ""])
    add("\(type.access.modifier)init(directly reader: inout DirectReader) throws(DirectMismatch) {")
    add(read)
    add("}")
  }

  var text: String { lines.joined(separator: "\n") + "\n" }
}

/// JSON text, and Swift literals for it.
enum JSONLiteral {
  static func string(_ value: String) -> String {
    var text = "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\u{08}": text += "\\b"
      case "\t": text += "\\t"
      case "\n": text += "\\n"
      case "\u{0C}": text += "\\f"
      case "\r": text += "\\r"
      case "\u{00}"..<"\u{20}":
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }

  /// Returns a Swift string literal without escapes.
  static func source(_ text: String) -> String {
    var hashes = "#"
    while text.contains("\"" + hashes) || text.contains("\\" + hashes) { hashes += "#" }
    if !text.contains("\""), !text.contains("\\") { hashes = "" }
    return hashes + "\"" + text + "\"" + hashes
  }
}
