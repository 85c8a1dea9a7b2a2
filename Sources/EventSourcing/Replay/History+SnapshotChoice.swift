import ActionLog

extension History {
  /// The newest snapshot that fits this log and this model.
  func newestSnapshot(
    atOrBefore revision: Int?, refusals: inout [SnapshotRefusal]
  ) throws -> (state: M.State, revision: Int)? {
    guard let snapshots else { return nil }
    for candidate in candidates(in: snapshots, refusals: &refusals) where candidate <= revision ?? .max {
      do throws(SnapshotRefusal) {
        let file = try snapshots.file(at: candidate)
        try checkBelonging(of: file.snapshot)
        try identity.check(file.snapshot, path: snapshots.path(at: candidate), in: self)
        return (state: try file.decodeState(by: meaning.states), revision: candidate)
      } catch {
        refusals.append(error)
      }
    }
    return nil
  }

  /// Says whether a snapshot is one of this log, this model and this schema, whoever folded it.
  func checkBelonging(of snapshot: Snapshot) throws(SnapshotRefusal) {
    let path = snapshots?.path(at: snapshot.revision) ?? path
    try snapshot.check(
      against: SnapshotExpectation(log: reader.header.log, model: M.name, schema: M.schema), path: path)
    try checkPlace(of: snapshot, path: path)
  }

  /// The revisions that have a snapshot, newest first; none, with the reason, when the directory cannot be read.
  private func candidates(in snapshots: SnapshotStore, refusals: inout [SnapshotRefusal]) -> [Int] {
    do throws(LogError) { return try snapshots.revisions().reversed() } catch {
      refusals.append(
        SnapshotRefusal(revision: 0, path: snapshots.directory, reason: .unreadable, message: error.description))
      return []
    }
  }

  /// Checks that the log holds the very action that the snapshot was taken after.
  func checkPlace(of snapshot: Snapshot, path: String) throws(SnapshotRefusal) {
    let found: UInt32
    do throws(LogError) {
      found = try reader.anchor(at: snapshot.revision).checksum
    } catch {
      throw SnapshotRefusal(
        revision: snapshot.revision, path: path, reason: .otherHistory,
        message: "the log does not hold revision \(snapshot.revision): \(error)")
    }
    guard found == snapshot.checksum else {
      throw SnapshotRefusal(
        revision: snapshot.revision, path: path, reason: .otherHistory,
        message: "the log holds another action at revision \(snapshot.revision)")
    }
  }
}
