import BenchmarkKit
import Foundation

/// Writes results into the pages that show them, and the plots beside them, so that no figure is ever typed.
@MainActor struct ReportCommand {
  private let arguments: Arguments

  init(_ arguments: Arguments) {
    self.arguments = arguments
  }

  func run() throws {
    let results = try Results(savedAt: arguments.results)
    guard results.conditions?.size != Sizes.smoke.name else {
      throw HarnessError("results of the smoke size say nothing; the pages show the canonical size")
    }
    for filled in results.regions {
      let page = try String(contentsOfFile: filled.path, encoding: .utf8)
      guard let text = filled.region.replacing(with: filled.content, in: page) else {
        throw HarnessError("\(filled.path) has no region '\(filled.region.name)'")
      }
      try text.write(toFile: filled.path, atomically: true, encoding: .utf8)
    }
    if !results.instructions.isEmpty { try InstructionsCommand.write(results.instructions) }
    if let directory = arguments.svg {
      try Plots.write((results.growth?.plots ?? []) + (results.guide?.plots ?? []), into: directory)
    }
  }
}
