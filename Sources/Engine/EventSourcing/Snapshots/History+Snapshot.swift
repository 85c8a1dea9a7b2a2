public import ActionLog
import Platform

extension History {
  /// Takes a snapshot at a revision and publishes it, so that later replays can start from it.
  ///
  /// A snapshot requires a durable revision, so the segment that holds it is synced first. A writer may be recording at the same
  /// time.
  ///
  /// - Parameters:
  ///   - revision: The revision; `nil` is the last readable one.
  ///   - time: When it is taken.
  ///   - options: The options of the replay.
  /// - Throws: As `state(at:options:)`; `LogError` if the log cannot be synced or the snapshot cannot be written, with the code
  ///   `invalidArgument` for a single segment file, and `wrongModel` if the log names another model;
  ///   ``EventSourcingError/Code/divergence`` if the existing snapshot at the revision matches a digest in the log, and the present
  ///   code folds to another state; ``EventSourcingError/Code/unknownType`` if actions of unknown types were skipped.
  public func takeSnapshot(
    at revision: Int? = nil, time: LogTime = .now(), options: ReplayOptions = ReplayOptions()
  ) throws -> (snapshot: Snapshot, sizeBytes: Int) {
    let snapshots = try writableSnapshots()
    let target = try revision ?? lastRevision()
    try synchronizeSegment(holding: target)
    let checksum = try reader.anchor(at: target).checksum
    let redactions = try reader.redactionList()
    let replayed = try replay(to: target, options: options)
    guard replayed.report.opaqueRecords == 0 else {
      throw incompleteState(at: target)
    }
    // A live writer may have rolled back a batch that was not written completely, and written another.
    try checkAnchor(checksum, at: target)
    let snapshot = try snapshotTemplate(redaction: redactions.newestFinishedIndex())
      .of(decoder.states.canonicalBytes(of: replayed.state), at: target, time, checksum)
    try checkReplacement(by: snapshot, in: snapshots)
    return (snapshot: snapshot, sizeBytes: try publish(snapshot, in: snapshots, since: redactions))
  }

  func snapshotTemplate(redaction: Int?) throws(EventSourcingError) -> Snapshot {
    Snapshot(
      revision: 0, time: .earliest, log: reader.header.log, model: M.name, schema: M.schema,
      reducer: try identity.text(), checksum: 0, state: [], projection: M.projection, redaction: redaction)
  }

  private func writableSnapshots() throws(LogError) -> SnapshotStore {
    guard let snapshots else {
      throw LogError(
        .invalidArgument, "a single segment has no snapshots, only a complete log does", path: path,
        advice: "Give the log's directory.")
    }
    guard reader.header.model == M.name else {
      throw LogError(
        .wrongModel,
        "a snapshot of model '\(M.name)' cannot be kept in the log of model '\(reader.header.model)'", path: path,
        advice: "Make the other state a projection, whose snapshots have a folder of their own.")
    }
    return snapshots
  }

  private func incompleteState(at revision: Int) -> EventSourcingError {
    EventSourcingError(
      .unknownType, "the state at revision \(revision) lacks actions of unknown types, so no snapshot is taken of it",
      path: path, revision: revision, advice: "Take it with the program that has those types.")
  }

  /// Throws if a writer has rolled back an action that was read.
  private func checkAnchor(_ checksum: UInt32, at revision: Int) throws(LogError) {
    guard try reader.anchor(at: revision).checksum == checksum else {
      throw LogError(
        .rejected, "the writer has rolled back action \(revision)", path: path, revision: revision,
        advice: "Take the snapshot again.")
    }
  }

  private func publish(
    _ snapshot: Snapshot, in snapshots: SnapshotStore, since redactions: LogRedactions
  ) throws(LogError) -> Int {
    let sizeBytes = try snapshots.publish(snapshot)
    // A redaction that began since may already have removed the other snapshots.
    let redactionsNow = try reader.redactionList()
    guard !redactionsNow.hasUnfinished, !redactionsNow.isNewer(than: redactions) else {
      try snapshots.remove(at: snapshot.revision)
      throw LogError(
        .rejected, "values were redacted while the snapshot was taken", path: path, revision: snapshot.revision,
        intact: "The snapshot was removed.", advice: "Take it again when the redaction is complete.")
    }
    return sizeBytes
  }

  /// Throws if a snapshot would replace one that matches a digest in the log with another state.
  ///
  /// After a change of the reducer, the snapshots of the older code are the only record of the states that users saw, and only they
  /// can be frozen.
  private func checkReplacement(by snapshot: Snapshot, in snapshots: SnapshotStore) throws {
    let revision = snapshot.revision
    guard try snapshots.revisions().contains(revision) else { return }
    do throws(SnapshotRefusal) {
      let present = try snapshots.read(at: revision)
      try checkBelonging(of: present)
      guard present.state != snapshot.state, try isProved(present, path: snapshots.path(at: revision)) else { return }
    } catch {
      // An unusable snapshot may be replaced.
      return
    }
    throw EventSourcingError(
      .divergence,
      "the snapshot at revision \(revision) matches the digest in the log, and this program folds to another state",
      path: snapshots.path(at: revision), revision: revision,
      intact: "It is kept, because it is the state that users saw, and can be frozen.",
      advice: "Take a snapshot at another revision, or move that file away first.")
  }

  /// Makes a revision durable. Segments before the last were synced when they were sealed.
  private func synchronizeSegment(holding revision: Int) throws(LogError) {
    let current = try LogReader.open(at: path, fileSystem: fileSystem)
    guard let segment = current.segments.last, segment.first <= max(revision, 1) else { return }
    do throws(FileSystemError) {
      let file = try fileSystem.open(segment.path, for: .read)
      defer { file.close() }
      try file.sync(.data)
    } catch {
      throw LogError(
        .inputOutput, "the segment cannot be synced, so no snapshot may be taken of it", path: segment.path,
        underlying: error)
    }
  }
}

// MARK: - Snapshots of a replay

/// The snapshots that a replay has left in a log.
package struct KeptSnapshots: Sendable {
  package fileprivate(set) var sizes: [Int: Int] = [:]
  /// The reason why no more were written; `nil` if all were that were due.
  package fileprivate(set) var error: (any Error)?
}

extension History {
  /// Rebuilds the state at a revision, and writes the snapshots on the way that a recorder with the standard policy would have taken
  /// there, so that the next replays start from them.
  ///
  /// The snapshots that the log has, and from which the present code can start, count. A further one is due where the policy requests it,
  /// unless one of these follows within twice the distance: another replay measures other times, and must not add more. It is written
  /// if the standard retention rule keeps it and still keeps the next one, and if all usable snapshots together then have at most as
  /// many bytes as the log.
  ///
  /// No snapshot is removed: others may be of an older reducer, and the only record of what users saw. A writer may be recording at the
  package func replayKeepingSnapshots(
    to revision: Int? = nil, options: ReplayOptions = ReplayOptions(), uptime: @escaping @Sendable () -> Duration
  ) throws -> (replayed: Replayed<M.State>, kept: KeptSnapshots) {
    precondition(options.onDivergence != .freezeBase, "snapshots have the state that the present code folds")
    let keeper: SnapshotKeeper<M>
    do {
      let snapshots = try writableSnapshots()
      guard M.isIdentified else {
        throw LogError(
          .invalidArgument, "no replay would begin with a snapshot: the model '\(M.name)' has no fingerprint",
          path: path,
          advice: "Declare its 'sourceFingerprint'.")
      }
      let end = try lastRevision()
      let last = min(end, revision ?? .max)
      try synchronizeSegment(holding: last)
      let redactions = try reader.redactionList()
      let checksum = try reader.anchor(at: last).checksum
      let logBytes = reader.segments.reduce(0) { sum, segment in sum + segment.sizeBytes }
      keeper = SnapshotKeeper(
        present: try usableSnapshots(in: snapshots), through: last, ofLogEndingAt: end, bytes: logBytes,
        lineBytes: logBytes / max(1, end - firstRevision), uptime: uptime
      ) {
        // The chain of checksums ends with the last action, so the actions that were folded are the durable ones.
        try checkAnchor(checksum, at: last)
        let (time, checksum) = try reader.anchor(at: $1)
        let snapshot = try snapshotTemplate(redaction: redactions.newestFinishedIndex())
          .of(decoder.states.canonicalBytes(of: $0), at: $1, time, checksum)
        return snapshot.bytes.count <= $2 ? try publish(snapshot, in: snapshots, since: redactions) : nil
      }
    } catch {
      var kept = KeptSnapshots()
      kept.error = error
      return (try replay(to: revision, options: options), kept)
    }
    let replayed = try fold(
      FoldRequest(
        at: revision, to: revision,
        keeping: StateKeeping(isOnlyOfCompleteStates: true, next: keeper.next(after:), keep: keeper.keep)),
      options: options)
    if replayed.report.opaqueRecords > 0, keeper.kept.error == nil {
      keeper.kept.error = incompleteState(at: replayed.revision)
    }
    return (replayed, keeper.kept)
  }

  /// The sizes of the snapshots from which a replay by the present code can start, and `nil` for the others, by revision.
  private func usableSnapshots(in snapshots: SnapshotStore) throws(LogError) -> [Int: Int?] {
    var usable: [Int: Int?] = [:]
    for revision in try snapshots.revisions() {
      do throws(SnapshotRefusal) {
        let snapshot = try snapshots.file(at: revision).snapshot
        try checkUse(of: snapshot)
        usable[revision] = .some(snapshots.sizeBytes(at: revision))
      } catch {
        usable[revision] = .some(nil)
      }
    }
    return usable
  }
}

/// Decides after which actions of a replay a snapshot is written.
private final class SnapshotKeeper<M: Model> {
  /// Returns the size of the file, or `nil` if it would have more than `limit` bytes.
  typealias Write = (_ state: M.State, _ revision: Int, _ limit: Int) throws -> Int?

  var kept = KeptSnapshots()

  /// The snapshots that the log had before, as `usableSnapshots(in:)` returns them.
  private let present: [Int: Int?]
  private let last: Int
  private let uptime: @Sendable () -> Duration
  private let write: Write
  private let policy = SnapshotPolicy<M.State>.standard
  /// The standard rule without the four newest snapshots, which are others while the first ones are written. It keeps the last four
  /// that the policy requests all the same: there, its ranges are no longer than the distance between two of them.
  private let retention = SnapshotRetention.exponential(dense: 1)
  private static var measurements: Int { 64 }
  private let lineBytes: Int
  /// The time that folding an action takes. Until actions were measured, it takes none: an assumed time would let a second replay write
  /// more than a first one, which had measured a shorter time.
  private var replayCost = Duration.zero
  private var position: (revision: Int, time: Duration)
  private var sample = (actions: 0, duration: Duration.zero)
  private var start: Int?
  /// The revision at which a snapshot is written next; `nil` if the fold only stops for a measurement.
  private var requested: Int?
  private var usable: [Int]
  /// The number of bytes that further snapshots may have; `nil` if one had more.
  private var budget: Int?

  init(
    present: [Int: Int?], through last: Int, ofLogEndingAt end: Int, bytes: Int, lineBytes: Int,
    uptime: @escaping @Sendable () -> Duration, write: @escaping Write
  ) {
    (self.present, self.last, self.lineBytes) = (present, last, lineBytes)
    (self.uptime, self.write) = (uptime, write)
    position = (0, .zero)
    let sizes = present.compactMapValues { size in size }
    usable = Set(sizes.keys).union([end]).sorted()
    budget = bytes - sizes.values.reduce(0, +)
  }

  /// Returns the revision at which the fold stops next, for a snapshot or a measurement; `nil` if there is none.
  func next(after revision: Int) -> Int? {
    guard kept.error == nil, budget != nil else { return nil }
    position = (revision, uptime())
    requested = requestedRevision(after: revision)
    // The time of an action changes with the state, also where the log has its snapshots.
    let measured = revision + max(SnapshotBookkeeping.measurableActions, last / Self.measurements)
    return [requested, measured < last ? measured : nil].compactMap(\.self).min()
  }

  /// Returns the revision of the next snapshot to write after a revision; `nil` if there is none.
  private func requestedRevision(after revision: Int) -> Int? {
    var first = usable.last { other in other <= revision && size(at: other) != nil } ?? start ?? revision
    start = start ?? first
    var sizeBytes = size(at: first)
    while let due = due(after: first, ofBytes: sizeBytes) {
      let reach = first + 2 * (due - first)
      if let next = usable.first(where: { other in other > first && size(at: other) != nil }), next <= reach {
        (first, sizeBytes) = (next, size(at: next))
      } else {
        guard revision < last,
          let free = (max(due, revision + 1)...last).first(where: { revision in present[revision] == nil })
        else { return nil }
        if isWorthKeeping(free) { return free }
        first = free
      }
    }
    return nil
  }

  /// The size of a usable snapshot; `nil` if there is none at the revision.
  private func size(at revision: Int) -> Int? { kept.sizes[revision] ?? present[revision] ?? nil }

  /// Whether the retention rule keeps a snapshot at a revision, and still keeps the next one.
  private func isWorthKeeping(_ revision: Int) -> Bool {
    let removed = retention.removed(from: (usable + [revision]).sorted())
    guard !removed.contains(revision) else { return false }
    guard let next = usable.first(where: { other in other > revision }), removed.contains(next) else { return true }
    return retention.removed(from: usable).contains(next)
  }

  /// Returns the first revision at which the policy requests a snapshot after one at a revision, by bisection: the more actions, the
  /// sooner one is due.
  private func due(after first: Int, ofBytes sizeBytes: Int?) -> Int? {
    var bookkeeping = SnapshotBookkeeping(lastSnapshotBytes: sizeBytes)
    bookkeeping.replayCost = replayCost
    func isDue(_ count: Int) -> Bool {
      var bookkeeping = bookkeeping
      bookkeeping.count(actions: count, lineBytes: count * lineBytes)
      return policy.isDue(at: bookkeeping.occasion(at: first + count) { M.initialState })
    }
    guard last > first, isDue(last - first) else { return nil }
    return first + (1..<last - first).partitioningIndex(where: isDue)
  }

  /// Measures the time of an action, and writes a snapshot if one is due, unless all of them would then have more bytes than the log.
  func keep(_ state: M.State, at revision: Int) {
    sample.actions += revision - position.revision
    sample.duration += uptime() - position.time
    if sample.actions >= SnapshotBookkeeping.measurableActions {
      replayCost = sample.duration / sample.actions
      sample = (0, .zero)
    }
    guard revision == requested else { return }
    do {
      guard let limit = budget, let sizeBytes = try write(state, revision, limit) else {
        budget = nil
        return
      }
      kept.sizes[revision] = sizeBytes
      budget = limit - sizeBytes
      usable = Set(usable).union([revision]).sorted()
    } catch {
      kept.error = error
    }
  }
}
