package import ActionLog
import JSONCoding

/// The result of examining all snapshots of a log.
package struct SnapshotExamination: Sendable, Equatable {
  package internal(set) var sound: [Int] = []
  /// The revisions after damage of the log. Their snapshots are intact and cannot be compared with the log.
  package internal(set) var unreachable: [Int] = []
  /// The snapshots that the next writer removes, with the reasons: a pruning or a redaction was interrupted before it removed them.
  package internal(set) var outdated: [SnapshotRefusal] = []
  /// The other snapshots, with the reasons.
  package internal(set) var refusals: [SnapshotRefusal] = []

  package init() {}

  package var count: Int { sound.count + unreachable.count + outdated.count + refusals.count }
}

extension SnapshotStore {
  /// Reads every snapshot and compares it with the log: its bytes, the identifier of its log, its model, the action at its revision,
  /// and the digest by the same code at its revision, if the log has one.
  ///
  /// No model is needed, so the result does not say whether the present program would use a snapshot: one of an older schema or of
  /// another reducer is sound. A refused snapshot would not be used, except for ``SnapshotRefusal/Code/otherState``.
  ///
  /// - Parameter intact: The last revision before the first damage that a verification of the log has found; `nil` if it has found none.
  package func examine(
    against reader: LogReader, intactThrough intact: Int? = nil
  ) throws(LogError) -> SnapshotExamination {
    var examination = SnapshotExamination()
    let revisions = try revisions()
    // Read the extent after the list: a writer may be working, and then the log is longer than the snapshots require.
    let extent = try reader.extent()
    var redactions: LogRedactions?
    var isPruning = false
    do throws(LogError) {
      redactions = try reader.redactionList()
      isPruning = try reader.lastPruning()?.isLastRecord ?? false
    } catch {
      // The damage is reported with that of the log.
      guard error.code == .damaged else { throw error }
    }
    for revision in revisions {
      let snapshot: Snapshot
      do throws(SnapshotRefusal) { snapshot = try read(at: revision) } catch {
        // A writer that keeps only the newest snapshots may have removed it.
        if error.code == .unreadable, try !self.revisions().contains(revision) { continue }
        examination.refusals.append(error)
        continue
      }
      do throws(SnapshotRefusal) {
        // Its schema and the version of its projection can be older than those of any program.
        try snapshot.check(
          log: reader.header.log, model: reader.header.model, schema: snapshot.schema,
          projection: projection.map { name in
            ProjectionIdentity(name: name, version: snapshot.projection?.version ?? 0)
          }, path: path(at: revision))
      } catch {
        examination.refusals.append(error)
        continue
      }
      if revision > intact ?? .max || extent.ending.damage != nil && revision > extent.lastRevision {
        examination.unreachable.append(revision)
      } else if isPruning, let base = reader.currentBase, revision < base.revision {
        examination.outdated.append(
          refusal(of: snapshot, .otherHistory, PrunedLog.message("\(revision)", of: base.revision)))
      } else if let refusal = outdated(snapshot, by: redactions) {
        if isRemovedByRedaction(snapshot, redactions) {
          examination.outdated.append(refusal)
        } else {
          examination.refusals.append(refusal)
        }
      } else if let refusal = try compare(snapshot, with: reader) {
        examination.refusals.append(refusal)
      } else {
        examination.sound.append(revision)
      }
    }
    return examination
  }

  private func outdated(_ snapshot: Snapshot, by redactions: LogRedactions?) -> SnapshotRefusal? {
    guard let redactions else { return nil }
    do throws(SnapshotRefusal) {
      try snapshot.check(against: redactions, path: path(at: snapshot.revision))
      return nil
    } catch {
      return error
    }
  }

  /// Whether a redaction that was interrupted removes a snapshot when it is completed.
  private func isRemovedByRedaction(_ snapshot: Snapshot, _ redactions: LogRedactions?) -> Bool {
    guard let last = redactions?.entries.last, !last.isFinished, let lowest = last.record.lowestRevision else {
      return false
    }
    return snapshot.revision >= lowest
  }

  private func compare(_ snapshot: Snapshot, with reader: LogReader) throws(LogError) -> SnapshotRefusal? {
    let found: (checksum: UInt32, digests: [String])
    do throws(LogError) { found = try place(of: snapshot, in: reader) } catch {
      // An unreadable log proves nothing about the snapshot.
      guard [.revisionOutOfRange, .damaged, .pruned].contains(error.code) else { throw error }
      return refusal(
        of: snapshot, .otherHistory, "the log does not hold revision \(snapshot.revision): \(error)")
    }
    guard found.checksum == snapshot.checksum else {
      return refusal(of: snapshot, .otherHistory, "the log holds another action at revision \(snapshot.revision)")
    }
    let digest = StateDigest(canonicalBytes: snapshot.state).hexadecimal
    guard found.digests.isEmpty || found.digests.contains(digest) else {
      return refusal(
        of: snapshot, .otherState,
        "its state is not the one whose digest is in the log, and a replay by the code that took it begins with it")
    }
    return nil
  }

  /// Returns the checksum of the action at a snapshot's revision, and the following digests by the code that took the snapshot.
  private func place(
    of snapshot: Snapshot, in reader: LogReader
  ) throws(LogError) -> (checksum: UInt32, digests: [String]) {
    let checksum = try reader.anchor(at: snapshot.revision).checksum
    var digests: [String] = []
    var records = try reader.records(from: snapshot.revision)
    while let record = try next(&records), record.revision <= snapshot.revision {
      guard record.controlType == .digest, record.revision == snapshot.revision, record.schema == snapshot.schema else {
        continue
      }
      let digest: DigestRecord
      // A malformed digest proves nothing about the snapshot.
      do throws(JSONError) { digest = try DigestRecord(record) } catch { continue }
      if digest.isWithdrawn { continue }
      if snapshot.reducer.split(separator: "+").first ?? "" == digest.reducer[...] { digests.append(digest.state) }
    }
    return (checksum, digests)
  }

  /// Returns the next record; `nil` at damage, which is after the compared records.
  private func next(_ records: inout RecordCursor) throws(LogError) -> LogRecord? {
    do throws(LogError) { return try records.next() } catch {
      guard error.code == .damaged else { throw error }
      return nil
    }
  }

  private func refusal(
    of snapshot: Snapshot, _ reason: SnapshotRefusal.Code, _ message: String
  ) -> SnapshotRefusal {
    SnapshotRefusal(reason, message, path: path(at: snapshot.revision), revision: snapshot.revision)
  }
}
