package import Foundation

/// Everything that the commands measured, as one file: each command replaces its own part.
package struct Results: Codable, Equatable, Sendable {
  package var conditions: Conditions?
  package var measurements: [Measurement] = []
  package var instructions: [InstructionCount] = []
  package var guide: GuideResults?
  package var growth: GrowthResults?

  /// Begins with nothing.
  package init() {}

  /// Reads what a file holds; nothing, when there is no file.
  package init(contentsOf path: String) throws {
    guard FileManager.default.fileExists(atPath: path) else { return }
    self = try JSONDecoder().decode(Results.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
  }

  /// Writes the file, its members in order of their names, so that two runs can be compared as texts.
  package func write(to path: String) throws {
    try json.write(to: URL(fileURLWithPath: path), options: .atomic)
  }

  /// The results as JSON, with a line feed at the end.
  package var json: Data {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      return try encoder.encode(self) + Data("\n".utf8)
    }
  }

  /// The conditions of the table of targets, evaluated.
  package var targets: TargetTable {
    let sizes = conditions?.size == Sizes.smoke.name ? Sizes.smoke : Sizes.canonical
    return TargetTable(
      Criterion.all(sizes), measurements + instructions.map(\.measurement), judges: sizes == .canonical)
  }
}
