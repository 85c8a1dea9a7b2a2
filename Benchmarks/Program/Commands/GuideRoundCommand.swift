import BenchmarkKit

@MainActor struct GuideRoundCommand {
  init(_ arguments: Arguments) {}
  func run() throws {}
}
