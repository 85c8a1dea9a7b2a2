public import ActionLog
import JSONCoding

/// What a look at every snapshot of a log found.
public struct SnapshotExamination: Sendable, Equatable {
  /// The revisions whose snapshots check, ascending.
  public internal(set) var sound: [Int] = []
  /// The revisions behind damage of the log, whose snapshots agree with themselves and cannot be compared with the log.
  public internal(set) var unreachable: [Int] = []
  /// Those that do not check, and why.
  public internal(set) var refusals: [SnapshotRefusal] = []

  /// The examination of a log without snapshots.
  public init() {}

  /// How many snapshots there are.
  public var count: Int { sound.count + unreachable.count + refusals.count }
}

extension SnapshotStore {
  /// Reads every snapshot, and compares it with the log: its bytes, the log that it names, the action at its revision, and the
  /// digest that the same code wrote into the log there, if it did.
  ///
  /// No model is needed, so it is not said whether a program of today would use it: a snapshot of an older schema or of another
  /// reducer is sound. One that is refused would not be used, but for ``SnapshotRefusal/Reason/otherState``.
  ///
  /// - Parameter reader: The log that they lie beside.
  /// - Throws: `LogError` with code `inputOutput` when the snapshots cannot be listed or the log cannot be read. That a snapshot
  ///   cannot be read is a finding.
  /// - Complexity: O(size of all snapshots); memory O(size of the largest).
  public func examine(against reader: LogReader) throws(LogError) -> SnapshotExamination {
    var examination = SnapshotExamination()
    let revisions = try revisions()
    // A writer may be at work: what is durable now is more than what the snapshots were taken of.
    let extent = try reader.extent()
    for revision in revisions {
      let snapshot: Snapshot
      do throws(SnapshotRefusal) { snapshot = try read(at: revision) } catch {
        // A writer that keeps the newest ones alone may have taken it away meanwhile.
        if error.reason == .unreadable, try !self.revisions().contains(revision) { continue }
        examination.refusals.append(error)
        continue
      }
      guard snapshot.log == reader.header.log else {
        examination.refusals.append(refusal(of: snapshot, .otherLog, "it was taken of log \(snapshot.log)"))
        continue
      }
      if extent.ending.damage != nil, revision > extent.lastSeq {
        examination.unreachable.append(revision)
      } else if let refusal = try compare(snapshot, with: reader) {
        examination.refusals.append(refusal)
      } else {
        examination.sound.append(revision)
      }
    }
    return examination
  }

  private func compare(_ snapshot: Snapshot, with reader: LogReader) throws(LogError) -> SnapshotRefusal? {
    let found: (checksum: UInt32, digests: [String])
    do throws(LogError) { found = try place(of: snapshot, in: reader) } catch {
      // A log that cannot be read says nothing about the snapshot.
      guard error.code == .revisionOutOfRange || error.code == .damaged else { throw error }
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

  /// The checksum of the action at a snapshot's revision, and the digests behind it that are by the code of the snapshot.
  private func place(
    of snapshot: Snapshot, in reader: LogReader
  ) throws(LogError) -> (checksum: UInt32, digests: [String]) {
    let checksum = try reader.anchor(at: snapshot.revision).checksum
    var digests: [String] = []
    var records = try reader.records(from: snapshot.revision)
    while let record = try next(&records), record.seq <= snapshot.revision {
      guard record.controlType == .digest, record.seq == snapshot.revision, record.schema == snapshot.schema else {
        continue
      }
      let digest: DigestRecord
      // One that is no digest is no evidence against the snapshot.
      do throws(JSONError) { digest = try DigestRecord(record) } catch { continue }
      if snapshot.reducer.split(separator: "+").first ?? "" == digest.reducer[...] { digests.append(digest.state) }
    }
    return (checksum, digests)
  }

  /// The next record; none at damage, which lies behind what is compared.
  private func next(_ records: inout LogRecordIterator) throws(LogError) -> LogRecord? {
    do throws(LogError) { return try records.next() } catch {
      guard error.code == .damaged else { throw error }
      return nil
    }
  }

  private func refusal(
    of snapshot: Snapshot, _ reason: SnapshotRefusal.Reason, _ message: String
  ) -> SnapshotRefusal {
    SnapshotRefusal(revision: snapshot.revision, path: path(at: snapshot.revision), reason: reason, message: message)
  }
}
