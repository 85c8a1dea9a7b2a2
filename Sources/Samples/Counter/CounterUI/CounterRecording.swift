package import CounterData
package import EventSourcing
package import TimeTravel

/// What the counter's screen needs of the log behind its store.
package struct CounterRecording: Sendable {
  /// What stands in the first row.
  package var title: String
  /// Opens the past at its end; everything that was dispatched is in it.
  package var openPast: @MainActor @Sendable () async throws -> HistoryCursor<CounterModel>
  /// Keeps a refused action in the log.
  package var recordRefusal: @Sendable (CounterAction, any Error) async throws -> Void
  /// Why nothing is recorded at the moment; `nil` while all is well. Observed.
  package var problem: @MainActor @Sendable () -> String?
  /// Tries to record again; `nil` when that cannot help. Observed.
  package var resume: @MainActor @Sendable () -> (@MainActor @Sendable () -> Void)?

  /// Makes what a screen needs of a recorder.
  ///
  /// - Parameters:
  ///   - recorder: The recorder that listens to the store.
  ///   - openHistory: Opens the history of the log. It may block.
  ///   - problem: Why nothing is recorded at the moment; `nil` while all is well.
  ///   - canResume: Whether trying again can help.
  package init(
    _ recorder: Recorder<CounterModel>,
    openHistory: @escaping @Sendable () throws -> History<CounterModel>,
    problem: @escaping @MainActor @Sendable () -> String? = { nil },
    canResume: @escaping @MainActor @Sendable () -> Bool = { false }
  ) {
    title = recorder.path
    openPast = {
      try await recorder.flush()
      return try await History.openCursor(openHistory)
    }
    recordRefusal = { action, error in _ = try await recorder.recordRefusal(of: action, error: error) }
    self.problem = problem
    resume = {
      guard canResume() else { return nil }
      return { recorder.resume() }
    }
  }
}
