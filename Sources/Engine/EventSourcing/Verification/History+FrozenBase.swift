public import ActionLog
import JSONCoding

extension History {
  /// Rebuilds a state. If a digest does not match, starts from the newest recorded state: a snapshot that matches a digest in the
  /// log, or the fold itself, if a digest after all such snapshots and after the last mismatch matches it.
  ///
  /// Such a state is the one that users saw, whatever code folded it. The present code folds the later actions.
  package func replayOnFrozenBase(to revision: Int?) throws -> Replayed<M.State> {
    var folding = ReplayOptions()
    folding.checksDigests = true
    // A snapshot by the present code after the mismatch would hide it.
    folding.usesSnapshots = false
    var folded = try replay(to: revision, options: folding)
    guard let divergence = folded.report.divergences.first, let lastDivergence = folded.report.divergences.last else {
      return folded
    }
    if let agreement = folded.report.lastAgreement, agreement > lastDivergence.revision,
      try provedSnapshot(after: agreement, through: folded.revision) == nil
    {
      // The log continues with digests of a changed reducer, or the change was reverted: those digests are the newest.
      folded.report.frozenRevision = agreement
      folded.report.digestsChecked -= folded.report.divergences.count
      folded.report.divergences = []
      return folded
    }
    guard let base = try provedSnapshot(through: folded.revision) else {
      throw nothingToFreeze(divergence)
    }
    var replayed = try fold(FoldRequest(base.state, at: base.revision, to: folded.revision), options: folding)
    replayed.report.snapshotsLoaded = 1
    replayed.report.startRevision = base.revision
    replayed.report.frozenRevision = base.revision
    // The second fold does not read to the end of the log.
    replayed.report.damage = folded.report.damage
    return replayed
  }

  private func nothingToFreeze(_ divergence: Divergence) -> EventSourcingError {
    let last = divergence.lastAgreement
    let choice: MessageText =
      "Revision \(last) is the last one before it that can be frozen (\(.operation("branch", "LOG", "NEW", .option("at", "\(last)"))))."
    return EventSourcingError(
      .divergence, divergence.description, path: path, revision: divergence.revision,
      advice: .sentences(
        "No snapshot of the code that recorded it is left to freeze.", last > 0 ? choice : nil,
        "Use the fold, or run the older program."))
  }

  /// Returns a state that a new log may begin with.
  ///
  /// A replay may continue from the recorded state with the present code, whatever users saw later. The initial state of a new log
  /// counts as recorded, so it must match every digest and include all actions.
  package func continuableState(at revision: Int?) throws -> Replayed<M.State> {
    let frozen: Replayed<M.State>
    do {
      frozen = try replayOnFrozenBase(to: revision)
    } catch let error as EventSourcingError where error.code == .divergence {
      // A state that lacks actions mismatches every later digest, without a change of the reducer.
      try checkCompleteness(of: try replay(to: revision))
      throw error
    }
    if revision == nil, let damage = frozen.report.damage {
      let last = damage.lastIntactRevision
      throw LogError(
        .damaged, "the log is damaged after revision \(last), and its end cannot be frozen", path: path,
        revision: last + 1,
        advice: "Revision \(last) can be frozen: \(.option("at", "\(last)")). \(damage.text)")
    }
    try checkCompleteness(of: frozen)
    // Without a frozen base there is no mismatch.
    if let denial = frozen.report.divergences.first { throw nothingToFreeze(denial) }
    return frozen
  }

  private func checkCompleteness(of replayed: Replayed<M.State>) throws(EventSourcingError) {
    guard replayed.report.opaqueRecords == 0 else {
      throw EventSourcingError(
        .unknownType,
        "the state at revision \(replayed.revision) lacks actions of unknown types, so no log can continue from it",
        path: path, revision: replayed.revision,
        advice: "Freeze it with the program that has those types, or freeze an earlier revision.")
    }
  }

  /// Returns the newest snapshot whose state matches the digest in the log at its revision.
  private func provedSnapshot(after first: Int = -1, through last: Int) throws -> (state: M.State, revision: Int)? {
    guard let snapshots else { return nil }
    for revision in try snapshots.revisions().reversed() where revision > first && revision <= last {
      do throws(SnapshotRefusal) {
        let snapshot = try snapshots.read(at: revision)
        try checkBelonging(of: snapshot)
        guard try isProved(snapshot, path: snapshots.path(at: revision)) else { continue }
        let state = try snapshots.file(at: revision).decodeState(by: decoder.states)
        return (state: state, revision: revision)
      } catch {
        // Unusable snapshots are skipped.
        continue
      }
    }
    return nil
  }

  func isProved(_ snapshot: Snapshot, path: String) throws(SnapshotRefusal) -> Bool {
    let digest = StateDigest(canonicalBytes: snapshot.state).hexadecimal
    do {
      var records = try reader.records(from: snapshot.revision)
      while let record = try records.next(), record.revision <= snapshot.revision {
        if record.controlType == .digest, record.revision == snapshot.revision {
          return try DigestRecord(record).state == digest
        }
      }
      return false
    } catch {
      throw SnapshotRefusal(
        .otherHistory, "its digest cannot be read: \(error)", path: path, revision: snapshot.revision)
    }
  }

  /// Makes a log that begins where this one ends, with the state that users saw: the state of the older code.
  ///
  /// The new log names this one as its parent. This log does not change, and either code can still read it. An interrupted call can
  /// be repeated.
  ///
  /// The state matches every digest up to the revision. If the present code folds the actions after the newest matching snapshot to
  /// another state, no log is made, and the error names the revision that can be frozen.
  ///
  /// - Parameters:
  ///   - newPath: The directory of the new log. Its parent must exist.
  ///   - revision: The revision to freeze; `nil` is the end of the log, which must not be damaged then.
  ///   - configuration: The configuration of the new log.
  /// - Returns: A report of the work; `frozenRevision` is `nil` if every digest matches, and the state is then the fold.
  /// - Throws: As `state(at:options:)`; ``EventSourcingError/Code/divergence`` if no recorded state is left, or if a digest does not
  ///   match the state; ``EventSourcingError/Code/unknownType`` if actions of unknown types were skipped;
  ///   `LogError.Code.damaged` if the requested end is after damage; `LogError.Code.exists` if another log exists at `newPath`.
  @discardableResult
  public func freezeBase(
    into newPath: String, at revision: Int? = nil, configuration: LogConfiguration = LogConfiguration()
  ) throws -> ReplayReport {
    try M.requireOwnState(for: "a frozen log", path: path)
    let replayed = try continuableState(at: revision)
    try begin(newPath, with: replayed, configuration: configuration)
    return replayed.report
  }

  /// Makes the log that continues from a state of this one, with all of its initial records or not at all.
  ///
  /// An existing log with the same parent and state is left unchanged.
  func begin(_ newPath: String, with replayed: Replayed<M.State>, configuration: LogConfiguration) throws {
    let anchor = try reader.anchor(at: replayed.revision)
    var parent = LogHeader.Parent(log: reader.header.log, revision: replayed.revision, crc: anchor.checksum)
    if let header = try LogReader.present(at: newPath, fileSystem)?.header {
      // Logs from before there was a tree in the header lack it.
      parent.tree = header.parent?.tree
      guard header.parent == parent, try begins(newPath, with: replayed.state) else {
        throw LogError(
          .exists, "another log exists where the new one would be made", path: newPath,
          advice: "Name a directory that does not exist.")
      }
      return
    }
    parent.tree = try reader.tree(through: replayed.revision)
    var configuration = configuration
    // What can be erased in this log can be erased in the new one.
    if try reader.isRedactable() { configuration.redactable = true }
    let directory = try NewDirectory(at: newPath, fileSystem, failure: "the new log cannot be created")
    do {
      let writer = try LogWriter.open(
        at: directory.path, model: M.name, schema: M.schema, parent: parent, fileSystem: fileSystem,
        configuration: configuration)
      do {
        try InitialRecords<M>.write(
          base: replayed.state, fingerprint: try identity.fingerprint(), path: directory.path, writer: writer,
          fileSystem: fileSystem, chain: decoder.chain)
        try writer.closeNow()
      } catch {
        writer.abandon()
        throw error
      }
      try directory.finish(failure: "the new log cannot get its name")
    } catch {
      directory.discard()
      throw error
    }
  }

  private func begins(_ path: String, with state: M.State) throws -> Bool {
    let digest = StateDigest(canonicalBytes: try canonicalBytes(of: state)).hexadecimal
    return try LogReader.open(at: path, fileSystem: fileSystem).initialDigest()?.state == digest
  }
}

extension LogReader {
  /// The digest of the state that the log begins with; `nil` if it lacks its initial records.
  func initialDigest() throws -> DigestRecord? {
    var records = try records(from: 0)
    while let record = try records.next(), record.isControl {
      if record.controlType == .digest { return try DigestRecord(record) }
    }
    return nil
  }

  /// Opens a log; `nil` if there is none.
  static func present(at path: String, _ fileSystem: any LogFileSystem) throws(LogError) -> LogReader? {
    do throws(LogError) {
      return try LogReader.open(at: path, fileSystem: fileSystem)
    } catch {
      // A crash can leave a directory without a segment. The writer completes it, or reports what is in the way.
      if error.code == .notFound || error.code == .notALog { return nil }
      throw error
    }
  }
}
