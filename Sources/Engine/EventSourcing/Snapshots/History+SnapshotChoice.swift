package import ActionLog

// Decides whether a snapshot may be used. Every replay and every question that starts from a snapshot asks here.

extension History {
  func newestSnapshot(
    atOrBefore revision: Int?, after start: Int = -1, options: ReplayOptions, refused: inout [SnapshotRefusal]
  ) -> (state: M.State, revision: Int)? {
    guard let snapshots else { return nil }
    let known = refused.count
    defer { for refusal in refused[known...] { options.refused?(refusal) } }
    // Those before the base of a pruned log are about to be removed.
    let first = max(start + 1, firstRevision)
    for candidate in candidates(in: snapshots, refusals: &refused)
    where candidate >= first && candidate <= revision ?? .max {
      do throws(SnapshotRefusal) {
        try identity.checkIsKnown(at: candidate, path: snapshots.path(at: candidate))
        return (try load(candidate), candidate)
      } catch {
        refused.append(error)
        // All of them would be refused for the same reason.
        if !M.isIdentified { return nil }
      }
    }
    return nil
  }

  /// Returns the state of the snapshot at a revision; `nil` if it cannot be used, which the options report.
  package func snapshotState(at revision: Int, options: ReplayOptions = ReplayOptions()) -> M.State? {
    do throws(SnapshotRefusal) { return try load(revision) } catch {
      options.refused?(error)
      return nil
    }
  }

  /// Returns the state of a snapshot of this log that the present code took.
  func load(_ revision: Int) throws(SnapshotRefusal) -> M.State {
    guard let snapshots else {
      throw SnapshotRefusal(.unreadable, "one segment alone has no snapshots", path: path, revision: revision)
    }
    let file = try snapshots.file(at: revision)
    try checkUse(of: file.snapshot)
    return try file.decodeState(by: decoder.states)
  }

  /// Checks that a snapshot belongs to this log, and that the present code took it.
  func checkUse(of snapshot: Snapshot) throws(SnapshotRefusal) {
    try checkBelonging(of: snapshot)
    try identity.check(snapshot, path: snapshots?.path(at: snapshot.revision) ?? path)
  }

  /// The revisions that have a snapshot, newest first; empty if the directory cannot be read, which is added to `refusals`.
  private func candidates(in snapshots: SnapshotStore, refusals: inout [SnapshotRefusal]) -> [Int] {
    do throws(LogError) {
      let revisions = try snapshots.revisions()
      if revisions.isEmpty, let obstacle = snapshots.obstacle() { refusals.append(obstacle) }
      return revisions.reversed()
    } catch {
      refusals.append(SnapshotRefusal(.unreadable, error.message, path: snapshots.directory, revision: 0))
      return []
    }
  }

  /// Returns the revisions that have a snapshot, ascending; none if the model has no fingerprint, so that no snapshot is used. Only for
  /// callers whose answers do not depend on snapshots: if the directory cannot be listed, there are none, and `options.refused` is
  /// called.
  package func snapshotRevisions(_ options: ReplayOptions) -> [Int] {
    guard M.isIdentified, let snapshots else { return [] }
    var refusals: [SnapshotRefusal] = []
    let revisions = candidates(in: snapshots, refusals: &refusals)
    for refusal in refusals { options.refused?(refusal) }
    return revisions.reversed()
  }
}

extension History {
  /// Checks that a snapshot belongs to this log, model and schema, whatever code took it.
  func checkBelonging(of snapshot: Snapshot) throws(SnapshotRefusal) {
    let path = snapshots?.path(at: snapshot.revision) ?? path
    try snapshot.check(
      log: reader.header.log, model: M.name, schema: M.schema, projection: M.projection, path: path)
    try checkAnchor(of: snapshot, path: path)
    let redactions: LogRedactions
    do throws(LogError) { redactions = try reader.redactionList() } catch {
      throw Snapshot.refusal(of: snapshot, error, path: path)
    }
    try snapshot.check(against: redactions, path: path)
  }

  /// Checks that the log holds the action after which the snapshot was taken.
  private func checkAnchor(of snapshot: Snapshot, path: String) throws(SnapshotRefusal) {
    let found: UInt32
    do throws(LogError) { found = try reader.anchor(at: snapshot.revision).checksum } catch {
      throw SnapshotRefusal(
        .otherHistory, "the log does not hold revision \(snapshot.revision): \(error)", path: path,
        revision: snapshot.revision)
    }
    guard found == snapshot.checksum else {
      throw SnapshotRefusal(
        .otherHistory, "the log holds another action at revision \(snapshot.revision)", path: path,
        revision: snapshot.revision)
    }
  }
}

extension LogReader {
  /// The members of the log that a snapshot at a revision names: time and checksum of the action's line, at revision 0 of the log's
  /// first line. A pruned log has those of the last action before it in its base.
  package func anchor(at revision: Int) throws(LogError) -> (time: LogTime, checksum: UInt32) {
    do throws(LogError) {
      let record = try revision > 0 ? record(at: revision) : first()
      return (time: record.time, checksum: record.crc)
    } catch {
      guard error.code == .pruned, let base = currentBase, base.revision == revision else { throw error }
      return (time: base.time, checksum: base.checksum)
    }
  }

  private func first() throws(LogError) -> LogRecord {
    if currentBase != nil { throw pruned(0) }
    var records = try records(from: 0)
    guard let first = try records.next() else {
      throw LogError(.notALog, "the log has no first line", path: path)
    }
    return first
  }
}
