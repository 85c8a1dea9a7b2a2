import BenchmarkKit

@MainActor struct InstructionsCommand {
  static let reference: [InstructionCount]? = nil
  init(_ arguments: Arguments) {}
  func run() throws {}
}
