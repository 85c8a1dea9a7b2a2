public import ActionLog

extension History {
  /// Takes a snapshot at a revision and publishes it beside the log, so that later replays can start from it.
  ///
  /// A snapshot may stand only at a durable revision, so the segment that holds it is synced first. A writer may be at
  /// work on the log meanwhile.
  ///
  /// - Parameters:
  ///   - revision: The revision; `nil` is the last that can be read.
  ///   - time: When it is taken.
  ///   - options: How the state is rebuilt.
  /// - Returns: The snapshot and the size of its file in bytes.
  /// - Throws: As ``state(at:options:)``; `LogError` when the log cannot be synced or the snapshot cannot be written, with
  ///   the code `invalidArgument` for a single segment file; ``EventSourcingError/Code/divergence`` when a snapshot lies there
  ///   whose state a digest in the log names, and the state is another one today; ``EventSourcingError/Code/unknownType`` when
  ///   actions of unknown types were passed over.
  /// - Complexity: That of ``state(at:options:)``, and O(size of the state).
  public func takeSnapshot(
    at revision: Int? = nil, time: LogTime = .now(), options: ReplayOptions = ReplayOptions()
  ) throws -> (snapshot: Snapshot, sizeBytes: Int) {
    guard let snapshots else {
      throw LogError(
        .invalidArgument, "snapshots lie beside a whole log, not beside one segment", path: path,
        advice: "Give the log's directory.")
    }
    let target = try revision ?? lastRevision()
    try synchronizeSegment(holding: target)
    let checksum = try reader.anchor(at: target).checksum
    let replayed = try state(at: target, options: options)
    guard replayed.report.opaqueRecords == 0 else {
      throw EventSourcingError(
        .unknownType, "the state at revision \(target) lacks actions of unknown types, so no snapshot is taken of it",
        path: path, seq: target, advice: "Let the program that knows those types take it.")
    }
    // A live writer may have cut off a batch that did not reach the disk whole, and written another.
    guard try reader.anchor(at: target).checksum == checksum else {
      throw LogError(
        .rejected, "the writer took back action \(target) meanwhile", path: path, seq: target,
        advice: "Take the snapshot again.")
    }
    let snapshot = Snapshot(
      revision: target,
      time: time,
      log: reader.header.log,
      model: M.name,
      schema: M.schema,
      reducer: try identity.text(at: target, in: self),
      checksum: checksum,
      state: try decoder.states.canonicalBytes(of: replayed.state)
    )
    try checkReplacement(by: snapshot, in: snapshots)
    return (snapshot: snapshot, sizeBytes: try snapshots.publish(snapshot))
  }

  /// Refuses to put another state in the place of one that a digest in the log names.
  ///
  /// After a change of the reducer, what older code left is the only trace of what people saw, and what can be frozen.
  private func checkReplacement(by snapshot: Snapshot, in snapshots: SnapshotStore) throws {
    let revision = snapshot.revision
    guard try snapshots.revisions().contains(revision) else { return }
    do throws(SnapshotRefusal) {
      let present = try snapshots.read(at: revision)
      try checkBelonging(of: present)
      guard present.state != snapshot.state, try isProved(present, path: snapshots.path(at: revision)) else { return }
    } catch {
      // One that is of no use is no loss.
      return
    }
    throw EventSourcingError(
      .divergence,
      "the snapshot at revision \(revision) holds the state that a digest in the log names, and this code folds another one",
      path: snapshots.path(at: revision), seq: revision,
      advice: "It is kept, for it is what people saw, and what can be frozen. "
        + "Take a snapshot at another revision, or move that file away first.")
  }

  /// Makes sure that a revision is on the device. Segments before the last were synced when they were sealed.
  private func synchronizeSegment(holding revision: Int) throws(LogError) {
    let current = try LogReader.open(path, fileSystem: fileSystem)
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
