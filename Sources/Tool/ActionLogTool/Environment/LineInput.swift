import ActionLog
import Platform

/// Lines of input for a command that awaits. One caller at a time.
final class LineInput: Sendable {
  private let reader: Locked<LineReader>

  init(_ environment: ToolEnvironment) {
    reader = Locked(LineReader(environment.standardInput, stop: environment.stop))
  }

  /// Waits for at least one whole line, on a thread that may block.
  ///
  /// - Returns: All the lines that are there, or `nil` at the end.
  func next() async throws -> [LineReader.Line]? {
    // The lock is held while waiting, which is no harm: nobody else reads.
    try await OffPool.run { [reader] in
      try reader.withLock { reader in try reader.next() }
    }
  }
}
