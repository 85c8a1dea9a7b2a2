import BenchmarkKit
import Foundation

/// Writes results and plots into the pages that show them, so that no figure is typed by hand.
@MainActor struct ReportCommand {
  private let arguments: Arguments

  init(_ arguments: Arguments) {
    self.arguments = arguments
  }

  func run() throws {
    guard let path = arguments.results else { throw ArgumentError("'report' needs --results FILE") }
    let results = try Results(contentsOf: path)
    guard results.conditions != nil || results.guide != nil || results.growth != nil else {
      throw HarnessError("'\(path)' holds no results; the pages stay as they are")
    }
    guard results.conditions?.size != Sizes.smoke.name else {
      throw HarnessError("results of the smoke size say nothing; the pages show the canonical size")
    }
    // All pages are made before the first is written: either all show these results, or none does.
    for (path, text) in try results.pages(in: FileManager.default.currentDirectoryPath) {
      try PageFile.write(Data(text.utf8), path)
    }
    if !results.instructions.isEmpty { try InstructionsCommand.write(results.instructions) }
    if let directory = arguments.svg {
      try Plots.write((results.growth?.plots ?? []) + (results.guide?.plots ?? []), into: directory)
    }
  }
}
