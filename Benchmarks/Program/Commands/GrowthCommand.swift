import BenchmarkKit

@MainActor struct GrowthCommand {
  init(_ arguments: Arguments) {}
  func run() async throws {}
}
