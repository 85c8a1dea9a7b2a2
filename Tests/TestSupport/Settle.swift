/// Lets other tasks run until `condition` holds.
///
/// For what is promised to happen "soon", where there is nothing to wait for. No clock is read: the caller gives way at
/// most 100 000 times, which only a condition that never comes true uses up.
///
/// - Returns: Whether the condition holds.
@MainActor public func settle(until condition: @MainActor () -> Bool) async -> Bool {
  for _ in 0..<100_000 {
    if condition() { return true }
    await Task.yield()
  }
  return condition()
}

/// Waits until `condition` holds of something that another process does, for instance of what lies in its files.
///
/// - Returns: Whether it holds. Five minutes, far beyond what anything here takes, end what hangs.
public func eventually(_ condition: () throws -> Bool) async throws -> Bool {
  for _ in 0..<30_000 {
    if try condition() { return true }
    try await Task.sleep(for: .milliseconds(10))
  }
  return try condition()
}
