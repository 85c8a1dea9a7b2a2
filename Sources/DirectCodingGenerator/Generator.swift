package import Foundation

/// Generates the direct coding of a module from what the compiler writes about it.
package struct Generator {
  /// The source of the generated file.
  package let source: String
  /// The types that code was generated for.
  package let direct: [String]
  /// The types that go through `Codable`, with the reason of each.
  package let others: [(name: String, reason: String)]

  /// Generates.
  ///
  /// - Parameters:
  ///   - module: The module's name.
  ///   - symbolGraph: What `-emit-symbol-graph` wrote about it.
  ///   - constantValues: The files that `-emit-const-values` wrote about it.
  ///   - refused: Types that are to go through `Codable`, with the reason of each.
  /// - Throws: `DecodingError`, if the compiler writes in another format than this one was made for.
  package init(
    module: String, symbolGraph: Data, constantValues: [Data], refused: [(name: String, reason: String)] = []
  ) throws {
    let decoder = JSONDecoder()
    let graph = try decoder.decode(SymbolGraph.self, from: symbolGraph)
    let values = try constantValues.flatMap { try decoder.decode([ConstantValues].self, from: $0) }
    var reader = TypeReader(module: module, graph: graph, values: values)
    var types = DirectTypes(module: module, types: reader.read())
    for (name, reason) in refused { types.refuse(name, reason) }
    let file = SourceFile(types)
    source = file.text
    direct = file.direct.map(\.name)
    others = file.others.map { ($0.name, $0.reason ?? "") }
  }

  /// The reason of types whose code did not compile, which later runs take from the generated file.
  package static let refusal = "its code does not compile"

  /// The types that a generated file says did not compile.
  package static func refusedTypes(in source: String) -> [(name: String, reason: String)] {
    source.split(separator: "\n").prefix { $0.hasPrefix("//") }.compactMap { line in
      guard let range = line.range(of: ": \(refusal): "), line.hasPrefix("// - ") else { return nil }
      return (String(line[..<range.lowerBound].dropFirst(5)), refusal + ": " + line[range.upperBound...])
    }
  }

  /// The type whose code stands at a line of a generated file.
  ///
  /// - Parameter line: Counted from 1, as the compiler counts.
  package static func type(at line: Int, in source: String) -> String? {
    source.split(separator: "\n", omittingEmptySubsequences: false).prefix(line)
      .last { $0.hasPrefix(SourceFile.mark) }
      .map { String($0.dropFirst(SourceFile.mark.count)) }
  }
}
