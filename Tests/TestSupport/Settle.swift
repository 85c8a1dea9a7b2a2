/// Lets other tasks run until `condition` holds.
///
/// For what is promised to happen "soon", where there is nothing to wait for. What other tasks have to do comes by giving way;
/// what a thread has to do can take as long as a busy machine lets that thread wait, which only ``eventually(_:)`` outlasts.
///
/// - Returns: Whether the condition holds. One that never comes true takes five minutes.
@MainActor public func settle(until condition: @MainActor () -> Bool) async -> Bool {
  for _ in 0..<10_000 {
    if condition() { return true }
    await Task.yield()
  }
  // Who cancels the test has no more use for an answer.
  do { return try await eventually { condition() } } catch { return condition() }
}

/// Waits until `condition` holds of something that another process does, for instance of what lies in its files.
///
/// - Returns: Whether it holds. Five minutes, far beyond what anything here takes, end what hangs.
public func eventually(
  isolation: isolated (any Actor)? = #isolation, _ condition: () throws -> Bool
) async throws -> Bool {
  for _ in 0..<30_000 {
    if try condition() { return true }
    try await Task.sleep(for: .milliseconds(10))
  }
  return try condition()
}
