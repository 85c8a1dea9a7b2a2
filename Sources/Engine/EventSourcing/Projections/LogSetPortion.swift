import ActionLog
import Platform

/// The next durable actions of a log of a set, for a ``LogSetProjection``.
struct LogSetPortion<P: Projection>: Sendable {
  typealias Action = ProjectedAction<P.Source.Action>
  private typealias Reading = Projected<ActionsOnly<P.Source>>

  var position: LogSetPosition
  /// The actions, and the lengths of their records' lines; 0 unless the action is the last of its record.
  var actions: [(action: Action, lineBytes: Int)] = []
  var isOpaque = false
  var hasMore = false
  /// Whether values of the folded actions were redacted since.
  var isRedacted = false
  /// Reads what is added to the log from now on; `nil` if that was not requested, or the log has more actions.
  var tail: LogSetTail<P>?

  init(
    after position: LogSetPosition?, key: String, in reader: LogReader, _ fileSystem: any LogFileSystem,
    isVerified: Bool, synced: Int, keepsTail: Bool
  ) throws {
    let history = try History<Reading>(reader, fileSystem: fileSystem, unknownTypes: nil)
    // Before the actions are read: what is redacted meanwhile counts as redacted later.
    let redactions = try history.reader.redactionList()
    var start = position ?? LogSetPosition(key: key, log: history.reader.header.log, revision: 0, checksum: 0)
    let isRedacted = try start.isRedacted(in: redactions)
    // Otherwise the fold has all values as they are after these redactions.
    if !isRedacted { start.redaction = try redactions.newestFinishedIndex() }
    try self.init(of: history, after: start, key, isVerified: isVerified, synced: synced)
    self.isRedacted = isRedacted
    if keepsTail, !hasMore { tail = try LogSetTail(history, after: self.position.revision) }
  }

  fileprivate init(after position: LogSetPosition) { self.position = position }

  fileprivate mutating func append(_ actions: [Action], lineBytes: Int) {
    for (index, action) in actions.enumerated() {
      self.actions.append((action.of(position.key), index == actions.count - 1 ? lineBytes : 0))
    }
  }

  private init(
    of history: History<Reading>, after position: LogSetPosition, _ key: String, isVerified: Bool, synced: Int
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
    if let base = try history.reader.listing().base, start < base.revision {
      throw Self.pruned(key, after: start, base, path: history.path)
    }
    var durable = try history.reader.durableRevision()
    if durable < synced { durable = max(durable, min(synced, try history.lastRevision())) }
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
      append(record.actions, lineBytes: record.actions.last.map { action in Int(action.stamp.lineBytes) } ?? 0)
    }
    hasMore = last < durable
  }

  static func pruned(_ key: String, after revision: Int, _ base: LogBase, path: String) -> LogError {
    LogError(
      .pruned,
      "the log of the key '\(key)' was pruned: its actions \(revision + 1)…\(base.revision) are gone, and were not folded",
      path: path, revision: revision + 1,
      intact: "The state has the actions before them. The other logs are not affected.",
      advice: "Put the archived segments back: \(.restoringArchive).")
  }
}

/// The end of a log that grows: it reads only what was added, where opening the log reads its last segment again.
struct LogSetTail<P: Projection>: Sendable {
  private let decoder: RecordDecoder<Projected<ActionsOnly<P.Source>>>
  private var followed: FollowedLog

  fileprivate init(_ history: History<Projected<ActionsOnly<P.Source>>>, after revision: Int) throws(LogError) {
    decoder = history.decoder
    followed = try FollowedLog(history.reader, after: revision, durable: revision)
  }

  /// Reads the next actions. Blocks.
  ///
  /// - Returns: `nil` if the log has to be opened again: for actions that are not held, or because values were redacted.
  mutating func next(after position: LogSetPosition, synced: Int) throws -> LogSetPortion<P>? {
    let lost = try followed.poll()
    guard lost ?? .max > position.revision, !followed.hasRedaction else { return nil }
    var portion = LogSetPortion<P>(after: position)
    let durable = max(followed.durableRevision, min(synced, followed.lastRevision))
    portion.hasMore = followed.mayHaveMore
    guard durable > position.revision else { return portion }
    guard followed.firstPending == position.revision + 1 else { return nil }
    let records = followed.take(through: min(durable, position.revision + LogSetProjection<P>.windowActions))
    for record in records {
      let decoded = try decoder.actions(of: record)
      portion.isOpaque = portion.isOpaque || decoded.isOpaque
      portion.append(decoded.actions, lineBytes: record.rawLine.count + 1)
      portion.position.revision = record.revision
      portion.position.checksum = record.crc
    }
    portion.hasMore = portion.hasMore || portion.position.revision < durable
    return portion
  }
}

/// The failure of a log that does not continue the folded actions.
struct LogSetDiscontinuity: Error {
  var failure: LogError
}

// MARK: - Reading

extension LogSetProjection {
  func read(_ keys: [LogSetKey]) async throws -> [(key: LogSetKey, portion: Portion)] {
    try Task.checkCancellation()
    // A few logs are kept open, because opening one reads its last segment. All logs of a set would be too many.
    let keepsTails = isFollowing && keys.count <= Self.tailLimit
    var portions: [LogSetKey: Portion] = [:]
    try await withThrowingTaskGroup(of: (LogSetKey, Result<Portion, any Error>).self) { group in
      var waiting = keys[...]
      func start() {
        guard let key = waiting.popFirst() else { return }
        group.addTask {
          do { return (key, .success(try await self.next(of: key, keepsTail: keepsTails))) } catch {
            return (key, .failure(error))
          }
        }
      }
      for _ in 0..<Self.readingWidth { start() }
      while let (key, result) = try await group.next() {
        switch result {
        case .success(let portion):
          portions[key] = portion
          faults[key] = nil
        case .failure(let error) where error is SnapshotRefusal || error is CancellationError: throw error
        case .failure(let error): faults[key] = error
        }
        start()
      }
    }
    return keys.compactMap { key in portions[key].map { portion in (key, portion) } }
  }

  /// Reads the next actions from the end of a log that is kept open.
  private func nextFromTail(of key: LogSetKey) async -> Portion? {
    guard let index = tails.firstIndex(where: { known in known.key == key }) else { return nil }
    let known = tails.remove(at: index).tail
    guard let position = positions[key], !unverified.keys.contains(key), !redacted.contains(key) else { return nil }
    let synced = synced[key] ?? 0
    do {
      return try await BlockingWork.run { () throws in
        var tail = known
        var portion = try tail.next(after: position, synced: synced)
        portion?.tail = tail
        return portion
      }
    } catch {
      // Opening the log reports the error, or finds that the log was replaced.
      return nil
    }
  }

  private func keep(_ tail: LogSetTail<P>?, of key: LogSetKey) {
    guard let tail, isFollowing, !isClosed else { return }
    if tails.count == Self.tailLimit { tails.removeFirst() }
    tails.append((key, tail))
  }

  private func next(of key: LogSetKey, keepsTail: Bool) async throws -> Portion {
    if let portion = await nextFromTail(of: key) {
      keep(portion.tail, of: key)
      return portion
    }
    let position = positions[key]
    let isVerified = !unverified.keys.contains(key)
    let synced = synced[key] ?? 0
    do {
      let source = try await set.history(for: key.text)
      let portion = try await BlockingWork.run { () throws in
        try Portion(
          after: position, key: key.text, in: source.reader, source.fileSystem, isVerified: isVerified, synced: synced,
          keepsTail: keepsTail)
      }
      if portion.isRedacted {
        guard isVerified else {
          throw refusal(.redacted, "it was taken before a redaction of the log of the key '\(key.text)'")
        }
        redacted.insert(key)
      }
      unverified.keys.remove(key)
      keep(portion.tail, of: key)
      return portion
    } catch let discontinuity as LogSetDiscontinuity {
      guard isVerified else { throw refusal(.otherHistory, discontinuity.failure.description) }
      throw discontinuity.failure
    } catch let error as LogError where error.code == .notFound && position != nil {
      guard isVerified else { throw refusal(.otherHistory, error.description) }
      throw LogError(
        .notFound, "the log of the key '\(key.text)' was removed", path: error.path,
        advice: "Rebuild the projection: it has folded actions of the log.")
    }
  }
}
