public import ActionLog
import Platform

extension History {
  /// Opens the history of a log, on a thread that may block: the form of the initializer for async contexts.
  ///
  /// - Throws: As the blocking form; `CancellationError`.
  public init(
    at path: String,
    fileSystem: any LogFileSystem = POSIXFileSystem(),
    checksModelName: Bool = true,
    unknownTypes: UnknownTypePolicy? = nil
  ) async throws {
    try Task.checkCancellation()
    self = try await BlockingWork.run {
      try History(at: path, fileSystem: fileSystem, checksModelName: checksModelName, unknownTypes: unknownTypes)
    }
  }

  /// Calls `body` on a thread that may block, in the caller's task.
  ///
  /// All calls of a history block: they read, replay or write files. In an async context, make them here, so that they do not hold
  /// a thread of the cooperative pool. Canceling the task ends a replay with a `CancellationError`.
  ///
  /// - Throws: The error of `body`; `CancellationError`.
  public func reading<Result: Sendable>(
    _ body: @Sendable (History) throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    return try await BlockingWork.run { try body(self) }
  }
}
