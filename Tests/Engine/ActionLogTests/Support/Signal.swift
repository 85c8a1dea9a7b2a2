import ActionLog
import Dispatch
import Testing

/// Something that happens once or some times, and is waited for by a thread that may block.
struct Signal: Sendable {
  /// How long it may take before the test gives up: far longer than a busy machine needs.
  private static let patience = DispatchTimeInterval.seconds(600)

  private let semaphore = DispatchSemaphore(value: 0)

  func give() { semaphore.signal() }

  /// Whether it came.
  func comes() -> Bool { semaphore.wait(timeout: .now() + Self.patience) == .success }
}

/// Runs what blocks on a thread of its own, and expects its answer to be yes.
func expectOffPool(
  _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: @escaping @Sendable () -> Bool
) async {
  #expect(await OffPool.run(body) as Bool, comment, sourceLocation: sourceLocation)
}
