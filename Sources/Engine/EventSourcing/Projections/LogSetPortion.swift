import ActionLog

/// The next durable actions of a log of a set, for a ``LogSetProjection``.
struct LogSetPortion<P: Projection>: Sendable {
  typealias Action = ProjectedAction<P.Source.Action>
  private typealias Reading = Projected<ActionsOnly<P.Source>>

  /// The position after the actions.
  var position: LogSetPosition
  /// The actions, and the lengths of their records' lines; 0 unless the action is the last of its record.
  var actions: [(action: Action, lineBytes: Int)] = []
  /// Whether an action has an unknown type.
  var isOpaque = false
  /// Whether the log has more durable actions.
  var hasMore = false
  /// Whether values of the folded actions were redacted since.
  var isRedacted = false

  /// Reads the actions after a position. Blocks.
  ///
  /// - Parameters:
  ///   - position: The last folded action; `nil` if there is none.
  ///   - isVerified: Whether the position was compared with the log before.
  /// - Throws: ``LogSetDiscontinuity`` if the log does not continue the folded actions; `LogError`.
  /// - Complexity: O(number of actions), at most ``LogSetProjection/windowActions``.
  init(
    after position: LogSetPosition?, key: String, in reader: LogReader, _ fileSystem: any LogFileSystem,
    isVerified: Bool
  ) throws {
    let history = try History<Reading>(reader, fileSystem: fileSystem, unknownTypes: nil)
    // Before the actions are read: what is redacted meanwhile counts as redacted later.
    let redactions = try history.reader.redactionList()
    var start = position ?? LogSetPosition(key: key, log: history.reader.header.log, revision: 0, checksum: 0)
    let isRedacted = try start.isRedacted(in: redactions)
    // Otherwise the fold has all values as they are after these redactions.
    if !isRedacted { start.redaction = try redactions.newestFinishedIndex() }
    try self.init(of: history, after: start, key, isVerified: isVerified)
    self.isRedacted = isRedacted
  }

  private init(
    of history: History<Reading>, after position: LogSetPosition, _ key: String, isVerified: Bool
  ) throws {
    let log = history.reader.header.log
    let start = position.revision
    if position.log != log {
      throw LogSetDiscontinuity(
        failure: LogError(
          .damaged, "the log of the key '\(key)' was replaced by another one", path: history.path,
          advice: "Rebuild the projection: it has folded actions of the old log."))
    }
    // Nothing is skipped: neither the actions after the position, nor those of a log that was never read.
    if let base = try history.reader.contents().base, start < base.revision {
      throw Self.pruned(key, after: start, base, path: history.path)
    }
    let durable = try history.reader.durableRevision()
    // More can be durable than is known, so that the action at the position decides.
    if !isVerified || durable < start, try !position.isIn(history.reader) {
      throw LogSetDiscontinuity(
        failure: LogError(
          .damaged, "the log of the key '\(key)' does not have the action \(start) that was folded",
          path: history.path, intact: "Its durable actions end at revision \(durable).",
          advice: "Rebuild the projection: it has folded actions that the log does not have."))
    }
    self.position = position
    guard durable > start else { return }
    let last = min(durable, start + LogSetProjection<P>.windowActions)
    let records = try history.actions(in: start + 1...last)
    self.position = LogSetPosition(
      key: key, log: log, revision: last, checksum: records.last?.record.crc ?? 0, redaction: position.redaction)
    for record in records {
      isOpaque = isOpaque || record.isOpaque
      for (index, action) in record.actions.enumerated() {
        let isLast = index == record.actions.count - 1
        actions.append((action.of(key), isLast ? Int(action.stamp.lineBytes) : 0))
      }
    }
    hasMore = last < durable
  }

  /// The error for a log whose next actions are gone.
  static func pruned(_ key: String, after revision: Int, _ base: LogBase, path: String) -> LogError {
    LogError(
      .pruned,
      "the log of the key '\(key)' was pruned: its actions \(revision + 1)…\(base.revision) are gone, and were not folded",
      path: path, revision: revision + 1,
      intact: "The state has the actions before them. The other logs are not affected.",
      advice: "Put the archived segments back: 'action-log prune LOG --restore DIR'.")
  }
}

/// The failure of a log that does not continue the folded actions.
struct LogSetDiscontinuity: Error {
  var failure: LogError
}
