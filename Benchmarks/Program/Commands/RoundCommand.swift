import BenchmarkKit
import Foundation

/// Does one round of a contender for the process that started this one, and says what memory it took.
@MainActor struct RoundCommand {
  private let arguments: Arguments

  init(_ arguments: Arguments) {
    self.arguments = arguments
  }

  func run() async throws {
    guard let name = arguments.operands.first, let directory = arguments.data else {
      throw ArgumentError("'round' needs a contender and --data DIR")
    }
    let data = try DataSet(directory: directory, sizes: arguments.isSmoke ? .smoke : .canonical)
    let contenders = Family.all(data, Peers(directory: nil)).flatMap(\.contenders)
    guard let contender = contenders.first(where: { contender in contender.name == name }) else {
      throw ArgumentError("there is no contender '\(name)'")
    }
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
}
