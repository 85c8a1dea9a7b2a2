import ActionLog
import EventSourcing
import JSONCoding

/// The type-erased interface of a set of logs into which actions are recorded.
protocol RecordedLogs: Sendable {
  /// Records the actions of a batch in order, and waits until they have the logs' durability.
  ///
  /// - Parameters:
  ///   - key: The key of the log, which is created if it is missing.
  ///   - command: The identifier of the batch; `nil` if it has none. An action is recorded once for its identifier and its line.
  /// - Returns: The answers to the lines, and the error that ended the batch; `nil` if all of them are answered.
  /// - Throws: The reason why the log cannot be opened.
  func record(
    _ batch: AnswerBatch, in key: String, command: String?
  ) async throws -> (answers: [UInt8], failure: (any Error)?)

  func close() async throws
}

struct GenericRecordedLogs<M: Model>: RecordedLogs {
  private let logs: LogSet<M>
  private let prepare: GenericRecordingHandle<M>.Preparation?

  static func open(
    _ path: String, settings: RecordingSettings, preparing prepare: GenericRecordingHandle<M>.Preparation?
  ) async throws -> GenericRecordedLogs {
    var recording = RecordingConfiguration<M>(log: settings.configuration)
    if let count = settings.snapshotEvery { recording.snapshots = .every(count) }
    let configuration = LogSetConfiguration(
      recording: settings.notices.watching(recording, answersActions: true))
    return GenericRecordedLogs(
      logs: try await LogSet.open(at: path, configuration: configuration, fileSystem: settings.fileSystem),
      prepare: prepare)
  }

  func close() async throws { try await logs.close() }

  func record(
    _ batch: AnswerBatch, in key: String, command: String?
  ) async throws -> (answers: [UInt8], failure: (any Error)?) {
    let durability = logs.configuration.recording.log.durability
    return try await logs.withStore(for: key) { [prepare] store in
      var batch = batch
      var failure: (any Error)?
      let outcomes = Self.submit(batch.actions, command, to: store, prepare, &failure)
      batch.settle(outcomes)
      do {
        if let failure { throw failure }
        _ = try await store.receipt()
        return (try batch.answers(durability: durability), nil)
      } catch {
        let status = store.logStatus
        let revision = durability.waitsForSync ? status.syncedRevision : status.writtenRevision
        let answers = try batch.answers(
          durability: durability, through: revision, failure: ToolFailure(any: error))
        return (answers, error)
      }
    }
  }

  /// Records actions one after the other, so that each one is decided upon the state that the one before has left.
  ///
  /// - Returns: The outcomes; fewer than actions if one could not be recorded.
  private static func submit(
    _ lines: [ActionLine], _ command: String?, to store: isolated LogStore<M>,
    _ prepare: GenericRecordingHandle<M>.Preparation?, _ failure: inout (any Error)?
  ) -> [LineOutcome] {
    var outcomes: [LineOutcome] = []
    for line in lines {
      do {
        var submission = try ActionSubmission<M>(line, isRedactable: true)
        prepare?(&submission.action, store.state)
        let revision = try store.record(
          submission.action,
          command: submission.meta?.command ?? command.map { command in "\(command)/\(line.number)" },
          meta: submission.meta)
        outcomes.append(.accepted(revision: revision, ignored: submission.ignored))
      } catch let refusal as LineRefusal {
        outcomes.append(.refused(refusal))
      } catch {
        guard isRefusal(error, of: store) else {
          failure = error
          break
        }
        outcomes.append(.refused(LineRefusal(.refusedByReducer, ToolFailure(any: error).message)))
      }
    }
    return outcomes
  }

  /// Whether an error is about the action, so that it would be the same for the same line again.
  private static func isRefusal(_ error: any Error, of store: isolated LogStore<M>) -> Bool {
    if let error = error as? LogError { return error.code == .invalidArgument || error.code == .beyondLimit }
    return store.isRecorded
  }
}
