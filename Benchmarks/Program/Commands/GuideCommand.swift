import BenchmarkKit

@MainActor struct GuideCommand {
  init(_ arguments: Arguments) {}
  func run() async throws {}
}
