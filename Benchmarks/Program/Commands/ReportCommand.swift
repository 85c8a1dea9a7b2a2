import BenchmarkKit

@MainActor struct ReportCommand {
  init(_ arguments: Arguments) {}
  func run() throws {}
}
