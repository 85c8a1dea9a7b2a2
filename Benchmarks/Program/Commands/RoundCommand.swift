import BenchmarkKit
import Foundation

/// Does one round of a contender for the process that started this one, and says what memory it took.
@MainActor struct RoundCommand {
  private let arguments: Arguments

  init(_ arguments: Arguments) {
    self.arguments = arguments
  }

  func run() async throws {
    let contender = try contender()
    let work = try await contender.prepare()
    let prepared = ProcessMemory.residentMebibytes
    let clock = ContinuousClock()
    let begin = clock.now
    var result = try await work()
    let time = (clock.now - begin).nanoseconds
    result.nanoseconds = result.nanoseconds ?? time
    result.metrics["preparedMebibytes"] = prepared
    result.metrics["peakMebibytes"] = ProcessMemory.peakMebibytes
    print(String(decoding: try JSONEncoder().encode(result), as: UTF8.self))
  }

  /// The contender that the operands name: of the table of targets, or `growth`, a name, and a number of actions.
  private func contender() throws -> Contender {
    guard let directory = arguments.data, let first = arguments.operands.first else {
      throw ArgumentError("'round' needs a contender and --data DIR")
    }
    var sizes = arguments.isSmoke ? Sizes.smoke : Sizes.canonical
    var name = first
    var isGrowth = false
    if first == "growth" {
      guard arguments.operands.count == 3, let actions = Int(arguments.operands[2]), actions >= 1 else {
        throw ArgumentError("'round growth' needs a contender and a number of actions")
      }
      sizes.logActions = actions
      name = arguments.operands[1]
      isGrowth = true
    }
    let data = try DataSet(directory: directory, sizes: sizes)
    let contenders =
      isGrowth ? Growth.contenders(data) : Family.all(data, Peers(directory: nil)).flatMap(\.contenders)
    guard let contender = contenders.first(where: { contender in contender.name == name }) else {
      throw ArgumentError("there is no contender '\(name)'")
    }
    return contender
  }
}
