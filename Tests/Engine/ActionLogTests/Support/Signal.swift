import ActionLog
import Dispatch
import Testing

/// An event for which a thread that may block can wait.
struct Signal: Sendable {
  /// The timeout of a test, far longer than a busy machine needs.
  private static let patience = DispatchTimeInterval.seconds(600)

  private let semaphore = DispatchSemaphore(value: 0)

  func give() { semaphore.signal() }

  /// Waits for the event, and returns whether it occurred.
  func comes() -> Bool { semaphore.wait(timeout: .now() + Self.patience) == .success }
}

/// Runs a blocking closure on a thread of its own, and expects it to return `true`.
func expectOffPool(
  _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: @escaping @Sendable () -> Bool
) async {
  #expect(await OffPool.run(body) as Bool, comment, sourceLocation: sourceLocation)
}
