package import Foundation

/// Generates the direct coding of a module from what the compiler writes about it.
package struct Generator {
  /// The source of the generated file.
  package let source: String
  /// The types that code was generated for.
  package let direct: [String]
  /// The types whose direct coding is written by hand.
  package let handWritten: [String]
  /// The types that go through `Codable`, with the reason of each.
  package let others: [(name: String, reason: String)]
  /// The cases of actions that go through `Codable`, in whole or in part, with the types that are the reason.
  package let slowCases: [(name: String, types: [String])]
  /// The cases of actions that go through `Codable` because only a value shows where the path of cases ends.
  package let openCases: [String]

  /// Generates.
  ///
  /// - Parameters:
  ///   - module: The module's name.
  ///   - symbolGraph: What `-emit-symbol-graph` wrote about it.
  ///   - constantValues: The files that `-emit-const-values` wrote about it.
  ///   - refused: Types that are to go through `Codable`, with the reason of each.
  ///   - old: The generated file that the module was compiled with; its conformances are not written by hand.
  /// - Throws: `DecodingError`, if the compiler writes in another format than this one was made for.
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
    let file = SourceFile(types)
    source = file.text
    direct = file.direct.map(\.name)
    handWritten = types.types.values.filter { $0.reason == nil && !$0.isGenerated }.map(\.name).sorted()
    others = file.others.map { ($0.name, $0.reason ?? "") }
    let steps = ActionSteps(types)
    let cases = file.direct.filter(steps.isAction).flatMap { type in
      type.cases.map { item in (name: type.name + "." + item.name, item: item, type: type) }
    }
    slowCases = cases.compactMap { name, item, _ in
      let obstacles = item.payload.reduce(into: Set<String>()) { $0.formUnion(types.obstacles(to: $1.type)) }
      return obstacles.isEmpty ? nil : (name, obstacles.sorted())
    }
    let slow = Set(slowCases.map(\.name))
    openCases = cases.filter { name, item, type in steps.step(item, of: type) == .unknown && !slow.contains(name) }.map(
      \.name)
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
