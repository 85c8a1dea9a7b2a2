package import ActionLog
import Platform

// Decides whether a snapshot may be used. Every replay and every question that starts from a snapshot asks here.

/// A snapshot whose state was decoded. It belongs to the log, and the code that took it has the identity of the present code.
package struct LoadedSnapshot<State: Sendable>: Sendable {
  fileprivate let mark: SnapshotMark
  package let state: State

  package var revision: Int { mark.revision }
}

/// Identifies the contents of a snapshot.
private struct SnapshotMark: Sendable {
  let revision: Int
  /// The file's checksum, which identifies its contents within this process.
  let seal: [UInt8]
  /// The digest of the file, which identifies its contents for other processes; `nil` if no examinations are kept.
  let digest: SHA256Digest?
}

extension History {
  /// Returns the newest usable snapshot.
  ///
  /// - Parameters:
  ///   - revision: The last possible revision; `nil` is the end of the log. The first one is after `start`.
  ///   - options: The cancellation and the threads of the examination, and the receiver of refusals.
  ///   - report: Receives the refused snapshots and the number of actions folded to examine snapshots.
  /// - Throws: `CancellationError`.
  /// - Complexity: O(size of the state); without a fingerprint of the sources also O(distance to the previous snapshot), once for each
  ///   snapshot.
  func newestSnapshot(
    atOrBefore revision: Int?, after start: Int = -1, options: ReplayOptions, report: inout ReplayReport
  ) throws -> (state: M.State, revision: Int)? {
    guard let snapshots else { return nil }
    let known = report.snapshotsRefused.count
    defer { for refusal in report.snapshotsRefused[known...] { options.refused?(refusal) } }
    // Those before the base of a pruned log are about to be removed.
    let first = firstRevision
    var candidates = candidates(in: snapshots, refusals: &report.snapshotsRefused)
      .filter { candidate in candidate >= first && candidate <= revision ?? .max }[...]
    while let candidate = candidates.popFirst(), candidate > start {
      do {
        let (snapshot, actionsExamined) = try usable(candidate, after: candidates, in: snapshots, options: options)
        report.actionsExamined += actionsExamined
        return (state: snapshot.state, revision: candidate)
      } catch let refusal as SnapshotRefusal {
        report.snapshotsRefused.append(refusal)
      }
    }
    return nil
  }

  /// Returns the snapshot at a revision; `nil` if it cannot be used, which the options report.
  ///
  /// Nothing is folded. A state that becomes part of an answer needs ``isFoldedByPresentCode(_:options:examined:)``.
  ///
  /// - Complexity: O(*n*) in the size of the snapshot.
  package func loadedSnapshot(
    at revision: Int, options: ReplayOptions = ReplayOptions()
  ) -> LoadedSnapshot<M.State>? {
    guard let snapshots else { return nil }
    do throws(SnapshotRefusal) { return try load(revision, from: snapshots) } catch {
      options.refused?(error)
      return nil
    }
  }

  /// Whether the present code folds the actions since the previous snapshot to the state of a snapshot.
  ///
  /// - Parameter examined: The number of folded actions is added to it.
  /// - Throws: `CancellationError`.
  /// - Complexity: O(distance to the previous snapshot); O(1) with a fingerprint of the sources, or after an earlier examination in
  ///   this process; O(size of the previous snapshot) after one that ``ExaminedSnapshots`` has.
  package func isFoldedByPresentCode(
    _ loaded: LoadedSnapshot<M.State>, options: ReplayOptions, examined: inout Int
  ) throws -> Bool {
    guard let snapshots else { return false }
    var refusals: [SnapshotRefusal] = []
    let older = candidates(in: snapshots, refusals: &refusals).filter { candidate in candidate < loaded.revision }
    guard let examination = neededExamination(of: loaded.mark, after: older[...], in: snapshots) else { return true }
    do {
      let folded = try foldActions(for: examination, in: snapshots, options: options)
      examined += try conclude(examination, of: loaded, folded, in: snapshots)
      return true
    } catch let refusal as SnapshotRefusal {
      options.refused?(refusal)
      return false
    }
  }

  /// The fold that examines a snapshot: the snapshot from which it began, and its end.
  private typealias ExaminingFold = (base: SnapshotMark?, end: Replayed<M.State>)

  /// Loads a snapshot, and examines it unless that is unnecessary. Its state is decoded on another thread, because finding its
  /// examination takes about as long: the snapshot before it is read, and both are hashed.
  ///
  /// - Parameter older: The revisions of the older snapshots, newest first.
  /// - Returns: The snapshot, and the number of actions that were folded to examine it.
  /// - Throws: ``SnapshotRefusal``; `CancellationError`.
  private func usable(
    _ revision: Int, after older: ArraySlice<Int>, in snapshots: SnapshotStore, options: ReplayOptions
  ) throws -> (snapshot: LoadedSnapshot<M.State>, actionsExamined: Int) {
    let file = try belonging(revision, in: snapshots)
    let decoding = ResultAhead<M.State, SnapshotRefusal>(onThread: options.decodesAhead) {
      [decoder] () throws(SnapshotRefusal) in try file.decodeState(by: decoder.states)
    }
    let mark = mark(of: file)
    guard let examination = neededExamination(of: mark, after: older, in: snapshots) else {
      return (LoadedSnapshot(mark: mark, state: try decoding.get()), 0)
    }
    let folded = Result { try foldActions(for: examination, in: snapshots, options: options) }
    let snapshot = LoadedSnapshot(mark: mark, state: try decoding.get())
    return (snapshot, try conclude(examination, of: snapshot, try (consume folded).get(), in: snapshots))
  }

  private func load(
    _ revision: Int, from snapshots: SnapshotStore
  ) throws(SnapshotRefusal) -> LoadedSnapshot<M.State> {
    let file = try belonging(revision, in: snapshots)
    return LoadedSnapshot(mark: mark(of: file), state: try file.decodeState(by: decoder.states))
  }

  private func mark(of file: SnapshotFile) -> SnapshotMark {
    SnapshotMark(revision: file.snapshot.revision, seal: file.seal, digest: identity.digest(of: file))
  }

  private func belonging(_ revision: Int, in snapshots: SnapshotStore) throws(SnapshotRefusal) -> SnapshotFile {
    let file = try snapshots.file(at: revision)
    try checkBelonging(of: file.snapshot)
    try identity.check(file.snapshot, path: snapshots.path(at: revision), in: self)
    return file
  }

  /// Decides whether a snapshot must be examined.
  ///
  /// - Returns: `nil` if the fingerprint, the log's first actions or an earlier examination, of this process or of another one by the
  ///   same code, identify the code.
  private func neededExamination(
    of mark: SnapshotMark, after older: ArraySlice<Int>, in snapshots: SnapshotStore
  ) -> NeededExamination? {
    guard identity.needsExamination(at: mark.revision, seal: mark.seal) else { return nil }
    // Only the fold from the base of a pruned log proves such a snapshot.
    let older = identity.isUnproved(mark.revision) ? [] : older
    let previous = mark.digest == nil ? nil : newestBelonging(older, in: snapshots)
    let entry = entry(of: mark.revision, mark.digest, after: previous)
    if let entry, identity.isExamined(entry) {
      identity.noteExamination(at: mark.revision, seal: mark.seal)
      return nil
    }
    return NeededExamination(
      revision: mark.revision, older: older, previous: previous.flatMap(identity.digest), entry: entry)
  }

  /// Folds the actions before a snapshot, starting from the previous snapshot or from revision 0.
  ///
  /// - Returns: `nil` if the actions are lost, and only the snapshot holds their effect.
  /// - Throws: ``SnapshotRefusal``; `CancellationError`.
  private func foldActions(
    for examination: NeededExamination, in snapshots: SnapshotStore, options: ReplayOptions
  ) throws -> ExaminingFold? {
    var folding = ReplayOptions()
    folding.usesSnapshots = false
    folding.isCancelled = options.isCancelled
    folding.decodesAhead = options.decodesAhead
    folding.makeExecutor = options.makeExecutor
    var base = newestLoadable(examination.older, in: snapshots)
    let mark = base?.mark
    let start = mark?.revision ?? firstRevision
    do {
      // The fold is the only owner of the state.
      guard let state = base.take()?.state else { return (nil, try replay(to: examination.revision, options: folding)) }
      return (mark, try advance(consume state, from: start, to: examination.revision, options: folding))
    } catch let error as CancellationError {
      throw error
    } catch let error as LogError where error.code == .damaged || error.code == .pruned {
      return nil
    } catch let error as LogError {
      throw examination.refusal("the actions after revision \(start) cannot be read now: \(error)", in: snapshots)
    } catch {
      throw examination.refusal("this program cannot fold the actions after revision \(start): \(error)", in: snapshots)
    }
  }

  /// Compares the state of a snapshot with that of the fold to it.
  ///
  /// - Returns: The number of folded actions.
  private func conclude(
    _ examination: NeededExamination, of loaded: LoadedSnapshot<M.State>,
    _ folded: consuming ExaminingFold?, in snapshots: SnapshotStore
  ) throws(SnapshotRefusal) -> Int {
    guard let (base, end) = consume folded else { return 0 }
    guard areSame(end.state, loaded.state) else {
      let start = base?.revision ?? firstRevision
      throw examination.refusal(
        "it was taken by code that folds the actions after revision \(start) to another state", in: snapshots)
    }
    identity.noteExamination(at: loaded.revision, seal: loaded.mark.seal)
    // The previous snapshot may not decode, or another process may have replaced it.
    if let entry = examination.entry, base.flatMap(\.digest) == examination.previous { identity.keep(entry) }
    let count = end.report.actionsFolded
    BlockingWork.release(consume end)
    return count
  }

  /// The entry of ``ExaminedSnapshots`` for a snapshot; `nil` if none is kept.
  ///
  /// - Parameter previous: The snapshot from which it is examined; `nil` for the beginning of the log.
  private func entry(
    of revision: Int, _ digest: SHA256Digest?, after previous: SnapshotFile?
  ) -> ExaminedSnapshots.Entry? {
    guard let digest else { return nil }
    // The beginning of a pruned log is a state of its own.
    if previous == nil, firstRevision > 0 { return nil }
    return identity.entry(
      of: revision, digest, after: previous?.snapshot.revision ?? 0, previous.flatMap(identity.digest))
  }

  /// The newest snapshot whose file belongs to this log and to code with the present identity.
  private func newestBelonging(_ revisions: ArraySlice<Int>, in snapshots: SnapshotStore) -> SnapshotFile? {
    for revision in revisions {
      do throws(SnapshotRefusal) { return try belonging(revision, in: snapshots) } catch { continue }
    }
    return nil
  }

  private func newestLoadable(_ revisions: ArraySlice<Int>, in snapshots: SnapshotStore) -> LoadedSnapshot<M.State>? {
    for revision in revisions {
      do throws(SnapshotRefusal) { return try load(revision, from: snapshots) } catch {
        // The refusal is reported if this snapshot becomes a candidate.
        continue
      }
    }
    return nil
  }
}

/// An examination of a snapshot, before the fold.
private struct NeededExamination {
  let revision: Int
  /// The revisions of the older snapshots, newest first.
  let older: ArraySlice<Int>
  /// The digest of the snapshot from which the fold begins; `nil` if there is none.
  let previous: SHA256Digest?
  /// The entry of ``ExaminedSnapshots``; `nil` if none is kept.
  let entry: ExaminedSnapshots.Entry?

  func refusal(_ message: String, in snapshots: SnapshotStore) -> SnapshotRefusal {
    SnapshotRefusal(.otherReducer, message, path: snapshots.path(at: revision), revision: revision)
  }
}

extension History {
  /// Keeps the examinations of snapshots in a file, for later processes, and uses those that earlier ones have kept.
  ///
  /// Answers are the same; see ``ExaminedSnapshots``.
  package func keepExaminations(in examined: ExaminedSnapshots) { identity.keepExaminations(in: examined) }

  /// The folder of files that later processes use, and the text that identifies the present code; `nil` if nothing is kept.
  package var derivedFiles: (files: ExaminedSnapshots, code: String)? { identity.derivedFiles() }

  /// Whether the present code is known to fold to the state of a snapshot that belongs to this log.
  ///
  /// - Complexity: O(size of the snapshot).
  func isKnownToFold(toSnapshotAt revision: Int) -> Bool {
    guard let (file, entry) = examination(ofSnapshotAt: revision) else { return false }
    return !identity.needsExamination(at: revision, seal: file.seal) || entry.map(identity.isExamined) ?? false
  }

  /// Records that the present code folds to the state of a snapshot.
  func noteFold(toSnapshotAt revision: Int) {
    guard let (file, entry) = examination(ofSnapshotAt: revision) else { return }
    identity.noteExamination(at: revision, seal: file.seal)
    if let entry { identity.keep(entry) }
  }

  private func examination(ofSnapshotAt revision: Int) -> (file: SnapshotFile, entry: ExaminedSnapshots.Entry?)? {
    guard let snapshots else { return nil }
    var refusals: [SnapshotRefusal] = []
    let older = candidates(in: snapshots, refusals: &refusals).filter { candidate in candidate < revision }[...]
    do throws(SnapshotRefusal) {
      let file = try belonging(revision, in: snapshots)
      let digest = identity.digest(of: file)
      let previous = digest == nil ? nil : newestBelonging(older, in: snapshots)
      return (file, entry(of: revision, digest, after: previous))
    } catch {
      return nil
    }
  }
}

extension History {
  /// Checks that a snapshot belongs to this log, model and schema, whatever code took it.
  func checkBelonging(of snapshot: Snapshot) throws(SnapshotRefusal) {
    let path = snapshots?.path(at: snapshot.revision) ?? path
    try snapshot.check(
      against: SnapshotExpectation(
        log: reader.header.log, model: M.name, schema: M.schema, projection: M.projection), path: path)
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

/// The state from which a replay starts.
struct ReplayStart<State> {
  /// The work of finding it.
  struct Work {
    var isSnapshot = false
    var snapshotsRefused: [SnapshotRefusal] = []
    var actionsExamined = 0

    func add(to report: inout ReplayReport) {
      report.snapshotsLoaded = isSnapshot ? 1 : 0
      report.snapshotsRefused = snapshotsRefused
      report.actionsExamined = actionsExamined
    }
  }

  var state: State
  var revision: Int
  /// Whether the state is that of a snapshot or of the base of a pruned log. Otherwise it is the model's initial state, and the log
  /// may begin with another.
  var isKnown: Bool
  var work = Work()
}

extension History {
  /// Returns the newest state at or before a revision from which a replay can start: a snapshot, the base of a pruned log, or the
  /// initial state.
  ///
  /// - Returns: The state, and the segments from which to read. They are listed after the snapshots, so that no snapshot is newer.
  /// - Throws: `LogError`, with `LogError.Code.pruned` if the log begins after the revision; ``EventSourcingError`` if the base does
  ///   not decode; `CancellationError`.
  func start(
    atOrBefore revision: Int?, options: ReplayOptions
  ) throws -> (start: ReplayStart<M.State>, contents: LogReader.Listing) {
    var report = ReplayReport()
    let snapshot =
      options.usesSnapshots ? try newestSnapshot(atOrBefore: revision, options: options, report: &report) : nil
    let contents = try reader.listing()
    var start: ReplayStart<M.State>
    if let snapshot, snapshot.revision >= contents.base?.revision ?? 0 {
      start = ReplayStart(state: snapshot.state, revision: snapshot.revision, isKnown: true)
      start.work.isSnapshot = true
    } else if let base = contents.base {
      guard revision ?? .max >= base.revision else { throw reader.pruned(revision ?? 0) }
      start = ReplayStart(
        state: try InitialRecords<M>.state(of: base, path: reader.path, decoder.chain), revision: base.revision,
        isKnown: true)
    } else {
      start = ReplayStart(state: M.initialState, revision: 0, isKnown: false)
    }
    start.work.snapshotsRefused = report.snapshotsRefused
    start.work.actionsExamined = report.actionsExamined
    return (start, contents)
  }
}
