public import ActionLog

/// The result of removing the beginning of a log.
public struct PruneReport: Equatable, Sendable {
  /// The revision that the log begins with.
  public var firstRevision: Int
  /// The number of lines before the log's first line.
  public var lineCount: Int
  /// The removed segments, as they were listed before.
  public var segments: [LogSegment]
  /// The directory that has them; `nil` if they were deleted.
  public var archive: String?
}

extension History {
  /// Returns what ``prune(before:reason:actor:archive:environment:)`` would remove. Changes nothing.
  ///
  /// - Parameter revision: The first revision whose action must stay in the log.
  /// - Throws: `LogError`, with code `notALog` for a single segment.
  /// - Complexity: O(number of segments).
  package func pruningPlan(before revision: Int) throws(LogError) -> PruneReport {
    let pruning = try LogPruning(at: path, before: revision, fileSystem: fileSystem)
    return PruneReport(
      firstRevision: pruning.firstRevision, lineCount: reader.base?.lineCount ?? 0, segments: pruning.segments,
      archive: nil)
  }

  /// Removes the sealed segments that are completely before a revision. The log then begins with the state after them.
  ///
  /// Revisions keep their numbers. The state becomes a source of truth, so it must match every digest of the log, as for
  /// `freezeBase`. The removal is recorded in the log. Tiles of the log's tree are kept, so that checkpoints
  /// of all ages still lead on. A crash leaves the log as it was, or the next writer finishes the removal.
  ///
  /// - Parameters:
  ///   - revision: The first revision whose action must stay in the log.
  ///   - reason: The reason, which is recorded.
  ///   - actor: Who asked for it, which is recorded; `nil` if unknown.
  ///   - archive: A directory to which the segments are copied before; `nil` deletes them. It must not be inside the log.
  ///   - environment: The clock and the names that are recorded.
  /// - Returns: What was removed.
  /// - Throws: `LogError` with code `locked` while a writer holds the log, `invalidArgument` if no sealed segment is before the
  ///   revision, `damaged`, `exists` if the archive has another file, `noSpace`, `inputOutput`; ``EventSourcingError/Code/divergence`` if
  ///   a digest does not match the state, ``EventSourcingError/Code/unknownType`` if actions of unknown types were skipped.
  /// - Complexity: O(length of the log up to the revision).
  @discardableResult
  public func prune(
    before revision: Int, reason: String, actor: String? = nil, archive: String?, environment: LogEnvironment = .live
  ) throws -> PruneReport {
    try M.requireOwnState(for: "the beginning of a log", path: path)
    let pruning = try LogPruning(at: path, before: revision, fileSystem: fileSystem)
    let record = try pruning.run(reason: reason, actor: actor, archive: archive, environment: environment) { reader in
      let history = try refreshed()
      let replayed = try history.continuableState(at: pruning.firstRevision)
      let state = try decoder.states.canonicalBytes(of: replayed.state)
      return LogPruning.State(
        bytes: state, digest: StateDigest(canonicalBytes: state).hexadecimal, model: reader.header.model,
        schema: M.schema, reducer: try history.identity.text(at: pruning.firstRevision, in: history))
    }
    return PruneReport(
      firstRevision: pruning.firstRevision, lineCount: record.lineCount, segments: pruning.segments,
      archive: record.archive)
  }

  /// Removes the sealed segments that are completely before a revision: the form for async contexts.
  ///
  /// - Throws: As the blocking form; `CancellationError`.
  @discardableResult
  public func prune(
    before revision: Int, reason: String, actor: String? = nil, archive: String?, environment: LogEnvironment = .live
  ) async throws -> PruneReport {
    try await reading { history in
      try history.prune(before: revision, reason: reason, actor: actor, archive: archive, environment: environment)
    }
  }
}
