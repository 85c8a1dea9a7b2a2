import BenchmarkKit

@MainActor struct WorkCommand {
  init(_ arguments: Arguments) {}
  func run() throws {}
}
