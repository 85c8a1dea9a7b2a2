public import ActionLog
import JSONCoding

extension History {
  /// Rebuilds a state; if a digest differs, from the newest state that a digest in the log names: that of a snapshot, or the
  /// fold itself where a digest behind all such snapshots, and behind the last one that differs, agrees with it.
  ///
  /// Such a state is what people saw, whatever code folded it. The actions behind it are folded by the code that runs.
  ///
  /// - Throws: As ``state(at:options:)``; ``EventSourcingError/Code/divergence`` when no such snapshot is left.
  func stateOnFrozenBase(
    at revision: Int?, options: ReplayOptions, keeping: StateKeeping<M.State>?
  ) throws -> Replayed<M.State> {
    var folding = options
    folding.checksDigests = true
    folding.onDivergence = .useFold
    // A snapshot of the code that runs may stand behind the difference, and would hide it.
    folding.usesSnapshots = false
    var folded = try state(at: revision, options: folding)
    guard let divergence = folded.report.divergences.first, let lastDivergence = folded.report.divergences.last else {
      // States on the way are told once it is known that they are the right ones.
      return keeping == nil ? folded : try state(at: folded.revision, options: folding, keeping: keeping)
    }
    if let agreement = folded.report.lastAgreement, agreement > lastDivergence.revision,
      try provedSnapshot(after: agreement, through: folded.revision) == nil
    {
      // A reducer that was changed and recorded on with, or changed back: its own digests are the newest.
      if keeping != nil { folded = try state(at: folded.revision, options: folding, keeping: keeping) }
      folded.report.frozenRevision = agreement
      folded.report.digestsChecked -= folded.report.divergences.count
      folded.report.divergences = []
      return folded
    }
    guard let base = try provedSnapshot(through: folded.revision) else {
      throw nothingToFreeze(divergence)
    }
    var replayed = try advance(
      base.state, from: base.revision, to: folded.revision, options: folding, keeping: keeping)
    replayed.report.snapshotsLoaded = 1
    replayed.report.startRevision = base.revision
    replayed.report.frozenRevision = base.revision
    // Of the end that was asked for, the second fold does not know.
    replayed.report.damage = folded.report.damage
    return replayed
  }

  /// The error for a difference that no snapshot helps over.
  private func nothingToFreeze(_ divergence: Divergence) -> EventSourcingError {
    let last = divergence.lastAgreement
    let other = "Use the fold, or run the older program."
    let choice = last > 0 ? "Revision \(last) is the last one before it that can be frozen (freeze --at \(last)). " : ""
    return EventSourcingError(
      .divergence, divergence.description, path: path, seq: divergence.revision,
      advice: "No snapshot of the code that recorded it is left to freeze. " + choice + other)
  }

  /// The state that a new log may begin with.
  ///
  /// Reading may go on from what people saw with the code of now, whatever they saw behind it. A new log says of its beginning
  /// that it was recorded, and so it must be a state that no digest denies, and that nothing is left out of.
  ///
  /// - Parameter revision: Where; `nil` is the end of the log, and not the place where damage begins.
  func continuableState(at revision: Int?) throws -> Replayed<M.State> {
    var options = ReplayOptions()
    options.onDivergence = .freezeBase
    let frozen: Replayed<M.State>
    do {
      frozen = try state(at: revision, options: options)
    } catch let error as EventSourcingError where error.code == .divergence {
      // A state that lacks actions differs from every later digest, which is no change of the reducer.
      try checkCompleteness(of: try state(at: revision))
      throw error
    }
    if revision == nil, let damage = frozen.report.damage {
      let last = damage.lastIntactRevision
      throw LogError(
        .damaged, "the log is damaged behind revision \(last), and its end cannot be frozen", path: path, seq: last + 1,
        advice: "What comes before can be, by its number: --at \(last). \(damage.description)")
    }
    try checkCompleteness(of: frozen)
    // Without a frozen base there is no difference.
    if let denial = frozen.report.divergences.first { throw nothingToFreeze(denial) }
    return frozen
  }

  /// Throws if a state lacks actions of unknown types.
  private func checkCompleteness(of replayed: Replayed<M.State>) throws(EventSourcingError) {
    guard replayed.report.opaqueRecords == 0 else {
      throw EventSourcingError(
        .unknownType,
        "the state at revision \(replayed.revision) lacks actions of unknown types, so no log can continue from it",
        path: path, seq: replayed.revision,
        advice: "Let the program that knows those types freeze it, or freeze what comes before them.")
    }
  }

  /// The newest snapshot whose state has the digest that the log holds at its revision.
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
        // One that is of no use is passed over, as always.
        continue
      }
    }
    return nil
  }

  /// Whether the digest that the log holds at a snapshot's revision is that of its state.
  func isProved(_ snapshot: Snapshot, path: String) throws(SnapshotRefusal) -> Bool {
    let digest = StateDigest(canonicalBytes: snapshot.state).hexadecimal
    do {
      var records = try reader.records(from: snapshot.revision)
      while let record = try records.next(), record.seq <= snapshot.revision {
        if record.controlType == .digest, record.seq == snapshot.revision {
          return try DigestRecord(record).state == digest
        }
      }
      return false
    } catch {
      throw SnapshotRefusal(
        revision: snapshot.revision, path: path, reason: .otherHistory, message: "its digest cannot be read: \(error)")
    }
  }

  /// Makes a log that begins where this one ends, with the state that people saw: that of the older code, gone on from.
  ///
  /// The new log names this one as its parent. Nothing of this one is changed, and it can still be read by either code.
  /// When the call is interrupted, it can be repeated.
  ///
  /// The state is never one that a digest up to the revision denies: where the actions behind the newest proved snapshot give
  /// another state today, nothing is made, and the error says which revision can be frozen.
  ///
  /// - Parameters:
  ///   - newPath: The directory of the new log. Its parent must exist.
  ///   - revision: Where to freeze; `nil` is the end of the log, which must not be damaged then.
  ///   - configuration: How the new log is written.
  /// - Returns: The work that it took; `frozenRevision` is `nil` if no digest differs, and the state is then the fold.
  /// - Throws: As ``state(at:options:)`` with ``DivergencePolicy/freezeBase``; ``EventSourcingError/Code/divergence`` also when
  ///   a digest denies the state; ``EventSourcingError/Code/unknownType`` when actions of unknown types were passed over;
  ///   `LogError.Code.damaged` when the end is asked for and lies behind damage; `LogError.Code.exists` when another log lies at
  ///   `newPath`.
  @discardableResult
  public func freezeBase(
    into newPath: String, at revision: Int? = nil, configuration: LogConfiguration = LogConfiguration()
  ) throws -> ReplayReport {
    let replayed = try continuableState(at: revision)
    try begin(newPath, with: replayed, configuration: configuration)
    return replayed.report
  }

  /// Makes the log that goes on from a state of this one, the whole of its beginning or nothing.
  ///
  /// One that was made before and begins with the same state is left as it is.
  func begin(_ newPath: String, with replayed: Replayed<M.State>, configuration: LogConfiguration) throws {
    let anchor = try reader.anchor(at: replayed.revision)
    let parent = LogHeader.Parent(log: reader.header.log, seq: replayed.revision, crc: anchor.checksum)
    if let header = try existingHeader(at: newPath) {
      guard header.parent == parent, try begins(newPath, with: replayed.state) else {
        throw LogError(
          .exists, "another log lies where the new one was to be made", path: newPath,
          advice: "Name a directory that does not exist.")
      }
      return
    }
    let directory = try NewDirectory(at: newPath, fileSystem, failure: "the new log cannot be made")
    do {
      let writer = try LogWriter.open(
        directory.path, model: M.name, schema: M.schema, parent: parent, fileSystem: fileSystem,
        configuration: configuration)
      do {
        try RecordingSession<M>.writeStart(
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

  /// Whether the log at a path begins with a state.
  private func begins(_ path: String, with state: M.State) throws -> Bool {
    let digest = StateDigest(canonicalBytes: try canonicalBytes(of: state)).hexadecimal
    var records = try LogReader.open(path, fileSystem: fileSystem).records(from: 0)
    while let record = try records.next(), record.isControl {
      if record.controlType == .digest { return try DigestRecord(record).state == digest }
    }
    return false
  }

  /// The header of the log at a path; `nil` when there is nothing.
  func existingHeader(at path: String) throws(LogError) -> LogHeader? {
    do throws(LogError) {
      return try LogReader.open(path, fileSystem: fileSystem).header
    } catch  where error.code == .notFound {
      return nil
    } catch  where error.code == .notALog {
      // A crash can leave a directory without a segment; the writer sees to it, or says what lies there.
      return nil
    }
  }
}
