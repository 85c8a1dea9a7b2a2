package import Foundation

/// Generates the direct coding of a module from the compiler's descriptions of its types.
package struct Generator {
  package let source: String
  package let direct: [String]
  package let handWritten: [String]
  /// The types that use `Codable`, each with the reason.
  package let others: [(name: String, reason: String)]

  /// Generates the code.
  ///
  /// - Parameters:
  ///   - module: The name of the module.
  ///   - symbolGraph: The output of `-emit-symbol-graph` for the module.
  ///   - constantValues: The files that `-emit-const-values` wrote for the module.
  ///   - refused: Types that must use `Codable`, each with the reason.
  ///   - old: The generated file with which the module was compiled; its conformances are not handwritten.
  /// - Throws: `DecodingError` if the format of the compiler's output has changed.
  package init(
    module: String, symbolGraph: Data, constantValues: [Data], refused: [(name: String, reason: String)] = [],
    replacing old: String = ""
  ) throws {
    let decoder = JSONDecoder()
    let graph = try decoder.decode(SymbolGraph.self, from: symbolGraph)
    let values = try constantValues.flatMap { try decoder.decode([ConstantValues].self, from: $0) }
    let generated = old.split(separator: "\n").filter { $0.hasPrefix(SourceFile.mark) }
    var reader = TypeReader(
      module: module, graph: graph, values: values,
      generated: Set(generated.map { String($0.dropFirst(SourceFile.mark.count)) }))
    var types = DirectTypes(module: module, types: reader.read())
    for (name, reason) in refused { types.refuse(name, reason) }
    let file = SourceFile(types: types)
    source = file.text
    direct = file.direct.map(\.name)
    handWritten = types.types.values.filter { $0.reason == nil && !$0.isGenerated }.map(\.name).sorted()
    others = file.others.map { ($0.name, $0.reason ?? "") }
  }

  /// The reason of types whose code did not compile. Later runs read it from the generated file.
  package static let refusal = "its code does not compile"

  /// Returns the types that did not compile according to a generated file.
  package static func refusedTypes(in source: String) -> [(name: String, reason: String)] {
    source.split(separator: "\n").prefix { $0.hasPrefix("//") }.compactMap { line in
      guard let range = line.range(of: ": \(refusal): "), line.hasPrefix("// - ") else { return nil }
      return (String(line[..<range.lowerBound].dropFirst(5)), refusal + ": " + line[range.upperBound...])
    }
  }

  /// Returns the type whose code is at a line, counted from 1, of a generated file.
  package static func type(at line: Int, in source: String) -> String? {
    source.split(separator: "\n", omittingEmptySubsequences: false).prefix(line)
      .last { $0.hasPrefix(SourceFile.mark) }
      .map { String($0.dropFirst(SourceFile.mark.count)) }
  }
}
