package import ActionLog

extension History {
  /// Redacts values of the log: replaces them in their lines, and removes what else the log's directory has of them.
  ///
  /// The log is folded as it will be before anything is written. Digests behind the first changed action are of states with the
  /// removed values, and would let guesses be tried: those that the new fold denies get the new digest, or say nothing if other code
  /// wrote them. See ``LogRedaction/redact(at:reason:meta:isDryRun:fileSystem:environment:targets:)``.
  ///
  /// - Parameters:
  ///   - targets: The values, by the numbers of their lines.
  ///   - reason: The reason, which the `@redact` record states.
  ///   - meta: Metadata of the record.
  ///   - isDryRun: Whether to check everything and change nothing.
  ///   - environment: The clock and the names recorded in `@open`.
  ///   - options: The progress and the cancellation of the replay.
  /// - Throws: `LogError`; ``EventSourcingError`` with the revision of an action that does not decode, or that the reducer refuses,
  ///   with the replacements. Nothing is changed then.
  /// - Complexity: O(length of the log), a few times.
  package func redact(
    _ targets: [RedactionTarget], reason: String, meta: [UInt8]? = nil, isDryRun: Bool = false,
    environment: LogEnvironment = .live, options: ReplayOptions = ReplayOptions()
  ) throws -> LogRedaction.Outcome {
    try M.requireOwnState(for: "a redaction", path: path)
    return try LogRedaction.redact(
      at: path, reason: reason, meta: meta, isDryRun: isDryRun, fileSystem: fileSystem, environment: environment
    ) { reader in
      try targets + digestTargets(after: targets, in: reader, options)
    }
  }

  /// Folds the log as it will be, and returns the digests to replace.
  private func digestTargets(
    after targets: [RedactionTarget], in reader: LogReader, _ options: ReplayOptions
  ) throws -> [RedactionTarget] {
    let prepared = try PreparedRedaction(of: reader, targets)
    guard let first = prepared.firstChangedRevision else { return [] }
    let future = try History(
      at: path, fileSystem: prepared.overlay(on: fileSystem), checksModelName: false, unknownTypes: decoder.unknownTypes
    )
    var folding = options
    folding.usesSnapshots = false
    folding.checksDigests = true
    folding.onDivergence = .useFold
    let report: ReplayReport
    do {
      report = try future.replay(folding)
    } catch var error as EventSourcingError {
      error.intact = "Nothing was changed."
      error.advice =
        "The log cannot be replayed with the replacements. Choose other ones, or skip the action: 'redact LOG --skip N'."
      throw error
    }
    if let damage = report.damage {
      throw LogError(
        .damaged, "the log is damaged after revision \(damage.lastIntactRevision) and cannot be redacted", path: path,
        intact: "Nothing was changed.", advice: damage.description)
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

  /// Folds the whole log.
  private func replay(_ options: ReplayOptions) throws -> ReplayReport { try replay(to: nil, options: options).report }
}
