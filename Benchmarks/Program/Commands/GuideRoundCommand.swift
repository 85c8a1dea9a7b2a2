import BenchmarkKit
import Foundation

/// Takes the samples of one operation on one collection for the process that started this one.
@MainActor struct GuideRoundCommand {
  private let arguments: Arguments

  init(_ arguments: Arguments) {
    self.arguments = arguments
  }

  func run() throws {
    guard arguments.operands.count == 3, let operation = GuideOperation(rawValue: arguments.operands[0]),
      let collection = GuideCollections(rawValue: arguments.operands[1]), let elements = Int(arguments.operands[2]),
      elements >= 1, let directory = arguments.data
    else { throw ArgumentError("'guide-round' needs an operation, a collection, a number of elements, and --data DIR") }
    let run = try collection.run(
      operation, elements: elements, samples: arguments.rounds ?? 100, directory: directory)
    print(String(decoding: try JSONEncoder().encode(run), as: UTF8.self))
  }
}
