public import ActionLog
public import EventSourcing
import JSONCoding

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
  /// Returns what `prune(before:reason:actor:archive:environment:)` would remove. Changes nothing.
  ///
  /// - Parameters:
  ///   - revision: The first revision whose action must stay in the log.
  ///   - archive: The directory for the segments, or the lake that has them, which is checked; `nil` if they are deleted.
  package func pruningPlan(before revision: Int, archive: String? = nil) throws -> PruneReport {
    let pruning = try LogPruning(at: path, before: revision, fileSystem: fileSystem)
    if let archive, !pruning.segments.isEmpty { try pruning.check(archive: archive) }
    return PruneReport(
      firstRevision: pruning.firstRevision, lineCount: reader.base?.lineCount ?? 0, segments: pruning.segments,
      archive: archive)
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
  ///   - archive: A directory to which the segments are copied before; `nil` deletes them. It must not be the log or inside it. If it is a
  ///     lake to which the log was shipped, or the log's directory there, nothing is copied: the lake must have the segments, which are
  ///     read back from it and compared.
  /// - Returns: What was removed.
  /// - Throws: `LogError` with code `locked` while a writer holds the log, `invalidArgument` if no sealed segment is before the
  ///   revision, `damaged`, `exists` if the archive has another file, `notFound` if a lake does not have a segment, `noSpace`,
  ///   `inputOutput`; `EventSourcingError.Code.divergence` if
  ///   a digest does not match the state, `EventSourcingError.Code.unknownType` if actions of unknown types were skipped.
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
      try decoder.states.check(state, of: replayed.state)
      return LogPruning.State(
        bytes: state, digest: StateDigest(canonicalBytes: state).hexadecimal, model: reader.header.model,
        schema: M.schema, reducer: try M.fingerprint(unknownTypes: decoder.unknownTypes))
    }
    return PruneReport(
      firstRevision: pruning.firstRevision, lineCount: record.lineCount, segments: pruning.segments,
      archive: record.archive)
  }
}

extension History {
  /// Finds the values of the log that contain a text, to redact them: strings, numbers, and objects with a name that contains it. Names
  /// like `diet` are those of properties, and are not found.
  ///
  /// - Parameter text: The text, in one case and form. None is found if it is empty.
  /// - Returns: The values of actions, control records and the state that a pruned log begins with, none within another.
  /// - Throws: `LogError` if the log is damaged or cannot be read.
  /// - Complexity: O(length of the log).
  public func values(containing text: String) throws -> [LogValue] {
    guard !text.isEmpty else { return [] }
    var found: [LogValue] = []
    var pointers: [Int?: Set<JSONPointer>] = [:]
    try reader.find(anyOf: [text]) { place in
      if place.isName, place.pointer.tokens.last.map(RedactedContent.isIdentifier) ?? true { return }
      let value = LogValue(place)
      if pointers[place.index, default: []].insert(value.pointer).inserted { found.append(value) }
    }
    return found.filter { value in
      guard case .line(let index) = value.place, let parent = value.pointer.parent else { return true }
      return !parent.isWithin(anyOf: pointers[index] ?? [])
    }
  }

  /// Erases values of a log that was recorded with `LogConfiguration.redactable`, as the command `redact` does.
  ///
  /// The log is folded as it will be, and everything is checked, before anything is written. Then a `@redact` record states what was
  /// replaced, why and by whom, the segments are rewritten, later digests of states are replaced, snapshots that may have the values are
  /// removed, also those of projections, and parked actions of subscriptions are redacted. Checksums, checkpoints and proofs of the rest
  /// hold. If it is interrupted, the next writer completes it. Copies of the log elsewhere are out of reach.
  ///
  /// No writer may hold the log: close its store, or call it in `LogSet.withClosedLog(for:isolation:_:)`. Ids that get the same
  /// replacement become one id: give each a replacement of its own.
  ///
  /// - Parameters:
  ///   - values: The values, none within another.
  ///   - reason: The reason, which is recorded.
  ///   - actor: Who asked for it, which is recorded; `nil` if unknown.
  ///   - environment: The clock and the identity of the program that the log names.
  /// - Returns: The lines that state it, and what still contains an erased text.
  /// - Throws: `LogError` with code `locked` while a writer holds the log, `invalidArgument` if there is no such value, its line has no
  ///   salt, or the reason, the actor, a location or a replacement contains an erased text, `revisionOutOfRange`, `damaged`, `noSpace`,
  ///   `inputOutput`; `EventSourcingError` with the revision of an action that does not decode, or that the reducer refuses, with the
  ///   replacements. Nothing is changed then, unless `intact` says that the redaction is recorded.
  /// - Complexity: O(length of the log).
  @discardableResult
  public func redact(
    _ values: [LogValue], reason: String, actor: String? = nil, environment: LogEnvironment = .live
  ) throws -> RedactionReport {
    let reader = try LogReader.openWhole(at: path, fileSystem, toBe: "redacted")
    let targets = try reader.targets(of: values)
    let prepared = try PreparedRedaction(of: reader, targets)
    let texts = ErasedTexts(
      LogRedaction.Outcome(indices: [], record: prepared.record, removedTexts: prepared.removedTexts))
    if let part = texts.repetition(reason: reason, actor: actor, targets: targets) {
      throw LogError(
        .invalidArgument, "\(part) contains a text that is erased, and the log would state it again", path: path,
        intact: "Nothing was changed.", advice: "Use another wording, or redact an object around the location.")
    }
    let outcome = try redact(
      targets, reason: reason, meta: actor.map(LogRedaction.meta(actor:)), environment: environment)
    do {
      let remains = try outcome.clean(at: path, fileSystem: fileSystem)
      return RedactionReport(
        indices: outcome.indices, remainingValues: remains.places.found.map(LogValue.init),
        remainingFiles: remains.files)
    } catch {
      throw LogRedaction.made(error)
    }
  }

  /// Redacts values of the log: replaces them in their lines, and removes what else the log's directory has of them.
  ///
  /// The log is folded as it will be before anything is written. Digests of states after the first changed action would let guesses of
  /// the removed values be tested: those that differ from the new fold are replaced by the new digest, or removed if other code wrote
  /// them. See ``LogRedaction/redact(at:reason:meta:isDryRun:fileSystem:environment:targets:)``.
  ///
  /// - Parameter isDryRun: Whether to check everything and change nothing.
  /// - Throws: `LogError`; `EventSourcingError` with the revision of an action that does not decode, or that the reducer refuses,
  ///   with the replacements. Nothing is changed then.
  package func redact(
    _ targets: [RedactionTarget], reason: String, meta: [UInt8]? = nil, isDryRun: Bool = false,
    environment: LogEnvironment = .live, options: ReplayOptions = ReplayOptions()
  ) throws -> LogRedaction.Outcome {
    try M.requireOwnState(for: "a redaction", path: path)
    return try LogRedaction.redact(
      at: path, reason: reason, meta: meta, isDryRun: isDryRun, fileSystem: fileSystem, environment: environment
    ) { reader in
      try targets + digests(of: PreparedRedaction(of: reader, targets), targets, in: reader, options)
    }
  }

  /// Folds the log as it will be, and returns the targets that replace the digests of states that change.
  private func digests(
    of prepared: PreparedRedaction, _ targets: [RedactionTarget], in reader: LogReader, _ options: ReplayOptions
  ) throws -> [RedactionTarget] {
    guard let first = prepared.firstChangedRevision else { return [] }
    let future = try History(
      at: path, fileSystem: prepared.overlay(on: fileSystem), checksModelName: false, unknownTypes: decoder.unknownTypes
    )
    var folding = options
    folding.usesSnapshots = false
    folding.checksDigests = true
    let report: ReplayReport
    do {
      report = try future.replay(options: folding).report
    } catch var error as EventSourcingError {
      error.intact = "Nothing was changed."
      error.advice =
        "The log cannot be replayed with the replacements. Choose other ones, or skip the action: \(.operation("redact", "LOG", .option("skip", "N")))."
      throw error
    }
    if let damage = report.damage {
      throw LogError(
        .damaged, "the log is damaged after revision \(damage.lastIntactRevision) and cannot be redacted", path: path,
        intact: "Nothing was changed.", advice: damage.text)
    }
    var denied: [Int: Divergence] = [:]
    for divergence in report.divergences { denied[divergence.revision] = divergence }
    let named = Set(targets.map(\.index))
    return try reader.digestTargets(from: first) { record, digest in
      // A digest of another schema is of a state in another form, which is not folded here.
      guard record.schema == M.schema else { return Array("null".utf8) }
      guard let divergence = denied[record.revision], divergence.recorded.hexadecimal == digest.state else {
        return nil
      }
      if divergence.isByOtherReducer { return Array("null".utf8) }
      return Array("\"\(divergence.computed.hexadecimal)\"".utf8)
    }.filter { target in !named.contains(target.index) }
  }
}
