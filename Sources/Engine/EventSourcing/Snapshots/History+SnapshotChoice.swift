package import ActionLog

/// A snapshot whose state was decoded.
private struct LoadedSnapshot<State> {
  var revision: Int
  var state: State
  /// The file's checksum, which identifies its contents.
  var seal: [UInt8]
}

extension History {
  /// The newest snapshot of this log that the code that runs would have taken, as far as that can be told.
  ///
  /// - Parameters:
  ///   - revision: The snapshot is at or before it; `nil` is the end.
  ///   - options: Whether the work is to be canceled.
  ///   - report: Takes the snapshots that were refused, and the actions folded to examine them.
  /// - Throws: `CancellationError`.
  /// - Complexity: O(size of the state); without a fingerprint of the sources also O(distance to the snapshot before it), once for
  ///   each snapshot.
  func newestSnapshot(
    atOrBefore revision: Int?, options: ReplayOptions, report: inout ReplayReport
  ) throws -> (state: M.State, revision: Int)? {
    guard let snapshots else { return nil }
    var candidates = candidates(in: snapshots, refusals: &report.snapshotsRefused)
      .filter { candidate in candidate <= revision ?? .max }[...]
    while let candidate = candidates.popFirst() {
      do {
        let loaded = try load(candidate, from: snapshots)
        report.actionsExamined += try examine(loaded, after: candidates, in: snapshots, options: options)
        return (state: loaded.state, revision: candidate)
      } catch let refusal as SnapshotRefusal {
        report.snapshotsRefused.append(refusal)
      }
    }
    return nil
  }

  private func load(
    _ revision: Int, from snapshots: SnapshotStore
  ) throws(SnapshotRefusal) -> LoadedSnapshot<M.State> {
    let file = try snapshots.file(at: revision)
    try checkBelonging(of: file.snapshot)
    try identity.check(file.snapshot, path: snapshots.path(at: revision), in: self)
    return LoadedSnapshot(revision: revision, state: try file.decodeState(by: decoder.states), seal: file.seal)
  }

  /// Folds the actions before a snapshot, from the snapshot before it or from the beginning, and compares the states.
  ///
  /// - Parameter older: The revisions of older snapshots, newest first.
  /// - Returns: How many actions were folded; 0 if a fingerprint, the log's first actions, or an earlier examination tells that the
  ///   code that runs took the snapshot.
  /// - Throws: ``SnapshotRefusal``; `CancellationError`.
  private func examine(
    _ loaded: LoadedSnapshot<M.State>, after older: ArraySlice<Int>, in snapshots: SnapshotStore, options: ReplayOptions
  ) throws -> Int {
    guard identity.needsExamination(at: loaded.revision, seal: loaded.seal) else { return 0 }
    func refusal(_ message: String) -> SnapshotRefusal {
      SnapshotRefusal(
        revision: loaded.revision, path: snapshots.path(at: loaded.revision), reason: .otherReducer, message: message)
    }
    var folding = ReplayOptions()
    folding.usesSnapshots = false
    folding.isCancelled = options.isCancelled
    folding.decodesAhead = options.decodesAhead
    folding.makeExecutor = options.makeExecutor
    let base = newestLoadable(older, in: snapshots)
    let start = base?.revision ?? 0
    let folded: Replayed<M.State>
    do {
      folded =
        if let base {
          try advance(base.state, from: start, to: loaded.revision, options: folding)
        } else {
          try state(at: loaded.revision, options: folding)
        }
    } catch let error as CancellationError {
      throw error
    } catch let error as LogError where error.code == .damaged {
      // These actions cannot be read any more, so the snapshot is all that there is.
      return 0
    } catch let error as LogError {
      throw refusal("the actions after revision \(start) cannot be read now: \(error)")
    } catch {
      throw refusal("the code that runs cannot fold the actions after revision \(start): \(error)")
    }
    guard areSame(folded.state, loaded.state) else {
      throw refusal("it was folded by code that makes another state of the actions after revision \(start)")
    }
    identity.noteExamination(at: loaded.revision, seal: loaded.seal)
    return folded.report.actionsFolded
  }

  private func newestLoadable(_ revisions: ArraySlice<Int>, in snapshots: SnapshotStore) -> LoadedSnapshot<M.State>? {
    for revision in revisions {
      do throws(SnapshotRefusal) { return try load(revision, from: snapshots) } catch {
        // It is refused when it is a candidate itself.
        continue
      }
    }
    return nil
  }

  /// The state of the snapshot at a revision, or `nil` if there is no usable one.
  ///
  /// - Complexity: O(*n*) in the size of the snapshot. Without a fingerprint of the sources, the first use of a snapshot also folds the
  ///   actions since the snapshot before it.
  package func state(ofSnapshotAt revision: Int, options: ReplayOptions) throws -> M.State? {
    guard let snapshots else { return nil }
    // Every replay reports the refusals.
    var refusals: [SnapshotRefusal] = []
    let older = candidates(in: snapshots, refusals: &refusals).filter { candidate in candidate < revision }
    do {
      let loaded = try load(revision, from: snapshots)
      _ = try examine(loaded, after: older[...], in: snapshots, options: options)
      return loaded.state
    } catch is SnapshotRefusal {
      return nil
    }
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

extension LogReader {
  /// What a snapshot at a revision names: time and checksum of the action's line, or of the log's first line at
  /// revision 0.
  package func anchor(at revision: Int) throws(LogError) -> (time: LogTime, checksum: UInt32) {
    let record = try revision > 0 ? record(at: revision) : first()
    return (time: record.time, checksum: record.crc)
  }

  private func first() throws(LogError) -> LogRecord {
    var records = try records(from: 0)
    guard let first = try records.next() else {
      throw LogError(.notALog, "the log has no first line", path: path)
    }
    return first
  }
}
