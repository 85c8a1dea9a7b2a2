import BenchmarkKit
import Foundation

/// Measures the tables of the ImmutableData guide's benchmarks, like for like.
///
/// - SeeAlso: The ImmutableData programming guide, chapters 18 and 19.
@MainActor struct GuideCommand {
  private let arguments: Arguments
  private let elements: Int
  private let samples: Int

  init(_ arguments: Arguments) {
    self.arguments = arguments
    elements = arguments.isSmoke ? 256 : 65_536
    samples = arguments.rounds ?? (arguments.isSmoke ? 3 : 100)
  }

  func run() async throws {
    guard GuideOperation.allCases.contains(where: isChosen) else {
      let names = GuideOperation.allCases.map { operation in "'\(operation.rawValue)'" }.joined(separator: ", ")
      throw ArgumentError("no operation is called '\(arguments.filter ?? "")'; there are \(names)")
    }
    var results = try Results(savedAt: arguments.results)
    let size = arguments.isSmoke ? Sizes.smoke.name : Sizes.canonical.name
    var guide = GuideResults(conditions: .current(size: size, rounds: samples), elements: elements)
    try await WorkingDirectory.with(arguments.data) { directory in
      for operation in GuideOperation.allCases where isChosen(operation) {
        tell("guide: \(operation.rawValue)")
        for collection in GuideCollections.allCases {
          guide.runs.append(try round(operation, collection, directory))
        }
      }
    }
    if arguments.filter == nil {
      tell("guide: curves")
      for operation in [GuideOperation.read, .insert, .update, .delete] {
        for collection in GuideCollections.plain { guide.curves.append(collection.curve(operation, upTo: elements)) }
      }
      tell("guide: folding")
      for inserts in arguments.isSmoke ? [100, 400] : [1_000, 4_000, 16_000, 64_000] {
        for collection in GuideCollections.plain { guide.folds.append(collection.fold(inserts)) }
      }
    }
    results.guide = guide
    try show(guide)
    if let path = arguments.results { try results.write(to: path) }
  }

  private func isChosen(_ operation: GuideOperation) -> Bool {
    arguments.filter.map { filter in operation.rawValue.contains(filter) } ?? true
  }

  /// Each run has a directory of its own, for what it appends and saves.
  private func round(
    _ operation: GuideOperation, _ collection: GuideCollections, _ directory: String
  ) throws -> GuideRun {
    let scratch = directory + "/guide-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: scratch) }
    return try ChildProcess(
      executable: ChildProcess.ownPath,
      arguments: [
        "guide-round", operation.rawValue, collection.rawValue, "\(elements)", "--rounds", "\(samples)",
        "--data", scratch,
      ]
    ).result()
  }

  private func show(_ guide: GuideResults) throws {
    switch arguments.output {
    case .json:
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      print(String(decoding: try encoder.encode(guide), as: UTF8.self))
    case .markdown: print(guide.page)
    case .text:
      print(guide.conditions.line)
      for table in guide.tables { print("\n\(table.title)\n\n\(table.table.plain)") }
    }
  }
}
