import ActionLog
import Platform

/// Compares the base of a log with the `@prune` records in its lines.
struct PruningCheck {
  /// The bases that the records name, each with the number of lines before it, and whether this log removed segments then.
  private var records: [(base: PruneRecord.Base?, lineCount: Int, hasRemoved: Bool)] = []

  /// More than a log is pruned in its life: one a day for 27 years.
  private static let limit = 10_000

  /// Keeps what a `@prune` record says of the base.
  mutating func note(_ parsed: ParsedLine, _ bytes: UnsafeRawBufferPointer, _ place: LogPlace) {
    let line = Array(bytes)[...]
    guard parsed.controlType(in: line) == .prune, records.count < Self.limit,
      let record = PruneRecord(LogRecord(parsed, line: line, schema: 0, place: place))
    else { return }
    records.append((record.base, record.lineCount, !record.segments.isEmpty))
  }

  /// Whether the log had lines before a base, and so their tiles. A log that was made from another one, with its base, had not.
  func hasRemovedLines(before base: LogBase) -> Bool {
    let last = records.last { record in
      record.base?.revision == base.revision && record.lineCount == base.lineCount
    }
    return last?.hasRemoved ?? false
  }

  /// Adds the records of a segment that was read ahead.
  mutating func add(_ part: PruningCheck) { records += part.records.prefix(Self.limit - records.count) }

  /// Compares the base with the records.
  ///
  /// - Parameters:
  ///   - isShipped: Whether the log is in a lake, which keeps what is pruned from the log.
  ///   - isUnfinished: Whether the last line is a `@prune` record.
  func findings(
    _ plan: VerificationPlan, isShipped: Bool, isUnfinished: Bool, redactedBase: String?
  ) -> (problem: LogProblem?, warning: LogProblem?) {
    guard let base = plan.base else {
      guard !isShipped, plan.baseFailure == nil, let last = records.last, last.base != nil else { return (nil, nil) }
      return (nil, Self.warning(plan, isFinishable: isUnfinished && plan.unfinishedBase == last.base?.sha256))
    }
    let digest = SHA256.hexadecimal(base.bytes)
    // While a redaction of the base is not complete, its record alone may name the new file.
    let isRecorded =
      redactedBase == digest
      || records.contains { record in
        record.base?.sha256 == digest && record.base?.revision == base.revision && record.lineCount == base.lineCount
      }
    guard isRecorded else {
      let message = "no @prune record names this base.json"
      return (LogProblem(.unusableBase, message, path: plan.basePath, revision: base.revision), nil)
    }
    guard !isShipped, isUnfinished || redactedBase == nil && records.last?.base?.sha256 != digest else {
      return (nil, nil)
    }
    return (nil, Self.warning(plan, isFinishable: isUnfinished))
  }

  private static func warning(_ plan: VerificationPlan, isFinishable: Bool) -> LogProblem {
    LogProblem(
      .unfinishedPruning,
      isFinishable
        ? "a pruning was interrupted; the next writer finishes it"
        : plan.base == nil
          ? "a pruning was recorded, and the log begins with its first action: it was not carried out, or the segments were put back "
            + "and the program was interrupted"
          : "a pruning was recorded and not carried out",
      path: plan.basePath,
      advice: isFinishable || plan.base != nil ? nil : "If they were put back, \(.restoringArchive) records it.")
  }
}
