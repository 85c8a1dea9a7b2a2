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
      projection: M.projection, reducer: try identity.text(), checksum: 0, redaction: redaction, state: [])
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
