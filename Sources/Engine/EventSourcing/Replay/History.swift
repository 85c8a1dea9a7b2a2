public import ActionLog
import Platform

/// The past of an application: a log, its snapshots, and the model that folds them.
///
/// `state(at: n)` is the fold of the reducer over the actions 1…n, whatever snapshots exist or were deleted. A replay calls the
/// reducer and nothing else; it has no store, so listeners, thunks and effects cannot run.
///
/// ```swift
/// let history = try History<AnimalsModel>(at: "my-log")
/// let then = try history.state(at: 12)
/// ```
///
/// Every call reads the current contents of the files, including records that a writer has added since.
///
/// Every call that reads, replays or writes has two forms with one name. Synchronous code gets the one that blocks. An async
/// function gets the other, which runs on a thread that may block, and ends with a `CancellationError` if its task is canceled:
///
/// ```swift
/// let then = try await history.state(at: 12)
/// ```
///
/// Swift selects by context, so the cooperative pool is not blocked by mistake. There is one exception: a closure without any
/// `await` is synchronous, even as the body of a `Task`.
public struct History<M: Model>: Sendable {
  /// The log.
  public let reader: LogReader
  /// The snapshots of the model or projection; `nil` for a single segment file.
  public let snapshots: SnapshotStore?

  package let fileSystem: any LogFileSystem
  /// The decoder of the log's records.
  package let decoder: RecordDecoder<M>
  /// The identity of the code that folds.
  let identity: ReducerIdentity<M>

  /// Opens the history of a log.
  ///
  /// - Parameters:
  ///   - path: The log's directory, or one segment file that begins with the first action.
  ///   - fileSystem: The file system that holds the log.
  ///   - checksModelName: `false` allows the log of a model with another name.
  ///   - unknownTypes: The policy for actions whose type the model does not have; `nil` is the policy of its evolution.
  /// - Throws: `LogError`; with `LogError.Code.wrongModel` if the log belongs to a model with another name.
  ///   ``EventSourcingError/Code/brokenEvolution`` if the model's evolution does not lead to its schema.
  public init(
    at path: String,
    fileSystem: any LogFileSystem = POSIXFileSystem(),
    checksModelName: Bool = true,
    unknownTypes: UnknownTypePolicy? = nil
  ) throws {
    self.decoder = try RecordDecoder(unknownTypes: unknownTypes)
    self.identity = ReducerIdentity(unknownTypes: decoder.unknownTypes)
    let reader = try LogReader.open(at: path, fileSystem: fileSystem)
    if checksModelName, reader.header.model != M.name {
      throw LogError(
        .wrongModel,
        "the log is of model '\(reader.header.model)', not of '\(M.name)'",
        path: path,
        advice: "Use the program or the model that wrote it."
      )
    }
    self.reader = reader
    self.fileSystem = reader.fileSystem
    self.snapshots = try SnapshotStore.of(M.self, reader, reader.fileSystem)
  }

  /// Creates a history of a log that is open already, whatever model it names.
  package init(_ reader: LogReader, fileSystem: any LogFileSystem, unknownTypes: UnknownTypePolicy?) throws {
    self.decoder = try RecordDecoder(unknownTypes: unknownTypes)
    self.identity = ReducerIdentity(unknownTypes: decoder.unknownTypes)
    self.reader = reader
    self.fileSystem = fileSystem
    self.snapshots = try SnapshotStore.of(M.self, reader, fileSystem)
  }

  /// The path of the log.
  public var path: String { reader.path }

  /// Returns the same history with the current list of segments (`LogReader.segments`).
  ///
  /// - Throws: `LogError` as `LogReader.open(at:fileSystem:)`.
  /// - Complexity: O(number of segments).
  public func refreshed() throws(LogError) -> History {
    History(of: self, reader: try LogReader.open(at: path, fileSystem: fileSystem))
  }

  private init(of other: History, reader: LogReader) {
    self.decoder = other.decoder
    self.identity = other.identity
    self.reader = reader
    self.fileSystem = other.fileSystem
    // A log does not change into a single segment, nor back.
    self.snapshots = other.snapshots
  }

  /// Returns the last readable revision: 0 for a log without actions. A torn tail or damage ends the readable part.
  ///
  /// - Throws: `LogError` if the files cannot be read. Damage is not an error here.
  /// - Complexity: O(length of the last segment + number of segments).
  public func lastRevision() throws(LogError) -> Int {
    try reader.extent().lastRevision
  }

  /// Returns the last revision at or before a time.
  ///
  /// - Parameter time: A time. If the clock was set back, the order of the actions decides.
  /// - Returns: 0 if every action is later.
  /// - Throws: `LogError` if the log cannot be read there.
  /// - Complexity: O(log of the length) reads.
  public func revision(at time: LogTime) throws(LogError) -> Int {
    try reader.lastRevision(atOrBefore: time)
  }
}

extension History {
  /// Returns the state at a revision.
  ///
  /// - Parameters:
  ///   - revision: The number of actions applied; `nil` is the end. The end of a damaged log is the last revision that can be
  ///     rebuilt: the last intact one, or a later one if there is a snapshot after the damage.
  ///   - options: Whether snapshots and digests are used, progress and cancellation.
  /// - Throws: As `replay(to:options:)`.
  /// - Complexity: O(distance to the nearest snapshot at or before the revision).
  public func state(at revision: Int? = nil, options: ReplayOptions = ReplayOptions()) throws -> M.State {
    try replay(to: revision, options: options, keeping: nil).state
  }

  /// Rebuilds the state at a revision and reports the work.
  ///
  /// - Parameters:
  ///   - revision: The number of actions applied; `nil` is the end, as for `state(at:options:)`. The report describes damage
  ///     after it.
  ///   - options: Whether snapshots and digests are used, progress and cancellation.
  /// - Returns: The state, its revision, and a report of the work.
  /// - Throws: `LogError` (`LogError.Code.revisionOutOfRange` with the valid range, `LogError.Code.pruned` for a revision before the
  ///   base of a pruned log, `LogError.Code.damaged` for a revision after damage); ``EventSourcingError``; `CancellationError`.
  /// - Complexity: O(distance to the nearest snapshot at or before the revision).
  public func replay(to revision: Int? = nil, options: ReplayOptions = ReplayOptions()) throws -> Replayed<M.State> {
    try replay(to: revision, options: options, keeping: nil)
  }

  /// Rebuilds the state at a revision and passes states on the way to `keeping`.
  package func replay(
    to revision: Int?, options: ReplayOptions = ReplayOptions(), keeping: StateKeeping<M.State>?
  ) throws -> Replayed<M.State> {
    if options.onDivergence == .freezeBase {
      return try stateOnFrozenBase(at: revision, options: options, keeping: keeping)
    }
    do throws(any Error) {
      return try replayOnce(to: revision, options: options, keeping: keeping)
    } catch let error as LogError where error.code == .pruned && revision ?? .max >= reader.currentBase?.revision ?? 0 {
      // The log was pruned while it was read. It can be read from its base on.
      return try replayOnce(to: revision, options: options, keeping: keeping)
    }
  }

  private func replayOnce(
    to revision: Int?, options: ReplayOptions, keeping: StateKeeping<M.State>?
  ) throws -> Replayed<M.State> {
    try checkBeginning()
    if let revision, revision < 0 { throw try outOfRange(revision) }
    var (fold, isKnown, contents) = try fold(
      fromStateAtOrBefore: revision, to: revision, options: options, keeping: keeping, visitor: nil)
    // The digest of the first state's revision follows the action of that revision.
    let first = isKnown ? fold.revision + (options.checksDigests ? 0 : 1) : 0
    return try finish(&fold, readingFrom: first, in: contents, to: revision, options: options)
  }

  /// Begins a fold at the newest state at or before a revision, and returns the segments to read.
  ///
  /// The fold is the only owner of the state. A second one would make its first write copy the state.
  private func fold(
    fromStateAtOrBefore bound: Int?, to target: Int?, options: ReplayOptions, keeping: StateKeeping<M.State>?,
    visitor: StateVisitor<M.State>?
  ) throws -> (fold: Fold<M>, isKnown: Bool, contents: LogReader.Listing) {
    let (start, contents) = try start(atOrBefore: bound, options: options)
    var fold = Fold<M>(
      from: start.state, at: start.revision, isBeginningKnown: start.isKnown, to: target, decoder: decoder,
      options: options, keeping: keeping, visitor: visitor)
    start.work.add(to: &fold.report)
    return (fold, start.isKnown, contents)
  }

  /// Folds from a known state to a later revision, without snapshots.
  ///
  /// - Parameters:
  ///   - state: The state at `start`.
  ///   - start: The revision of `state`.
  ///   - revision: The revision to reach, at least `start`.
  ///   - options: Progress, cancellation and digests; snapshots are not used.
  /// - Returns: The state, its revision, and a report of the work.
  /// - Throws: `LogError`, ``EventSourcingError``, `CancellationError`, as `replay(to:options:)`.
  /// - Complexity: O(`revision` − `start`).
  package func advance(
    _ state: consuming M.State, from start: Int, to revision: Int, options: ReplayOptions = ReplayOptions()
  ) throws -> Replayed<M.State> {
    try advance(state, from: start, to: revision, options: options, keeping: nil)
  }

  /// Folds from a known state to a later revision and passes states on the way to `keeping`.
  package func advance(
    _ state: consuming M.State, from start: Int, to revision: Int, options: ReplayOptions = ReplayOptions(),
    keeping: StateKeeping<M.State>?
  ) throws -> Replayed<M.State> {
    precondition(start >= 0 && revision >= start, "a fold goes forward")
    var fold = Fold<M>(
      from: state, at: start, to: revision, decoder: decoder, options: options, keeping: keeping)
    guard revision > start else { return Replayed(state: fold.state, revision: start, report: fold.report) }
    return try finish(&fold, readingFrom: start + 1, to: revision, options: options)
  }

  /// Folds a range of the history and passes every state to a visitor.
  ///
  /// - Parameters:
  ///   - bound: The fold begins at the newest snapshot at or before this revision.
  ///   - last: The revision to end at, unless the visitor stops before.
  ///   - options: Whether snapshots are used, progress and cancellation.
  ///   - visitor: Receives the states.
  /// - Returns: The last state of the fold.
  /// - Complexity: O(distance from the snapshot to `last`).
  package func walk(
    fromSnapshotAtOrBefore bound: Int, to last: Int, options: ReplayOptions = ReplayOptions(),
    visitor: StateVisitor<M.State>
  ) throws -> Replayed<M.State> {
    precondition(bound >= 0 && last >= bound, "a fold goes forward")
    try checkBeginning()
    var (fold, isKnown, contents) = try fold(
      fromStateAtOrBefore: bound, to: last, options: options, keeping: nil, visitor: visitor)
    let replayed = try finish(
      &fold, readingFrom: isKnown ? fold.revision + 1 : 0, in: contents, to: last, options: options)
    try fold.endVisit()
    return replayed
  }

  /// Folds from a known state and passes every state to a visitor, including the known one.
  ///
  /// - Parameters:
  ///   - state: The state at `start`.
  ///   - start: The revision of `state`.
  ///   - last: The revision to end at, unless the visitor stops before.
  ///   - options: Progress and cancellation; snapshots are not used.
  ///   - keeping: Receives the states to keep.
  ///   - visitor: Receives the states.
  /// - Returns: The last state of the fold.
  /// - Complexity: O(`last` − `start`).
  package func walk(
    _ state: consuming M.State, from start: Int, to last: Int, options: ReplayOptions = ReplayOptions(),
    keeping: StateKeeping<M.State>? = nil, visitor: StateVisitor<M.State>
  ) throws -> Replayed<M.State> {
    precondition(start >= 0 && last >= start, "a fold goes forward")
    var fold = Fold<M>(
      from: state, at: start, to: last, decoder: decoder, options: options, keeping: keeping, visitor: visitor)
    if last > start { _ = try finish(&fold, readingFrom: start + 1, to: last, options: options) }
    try fold.endVisit()
    return Replayed(state: fold.state, revision: fold.revision, report: fold.report)
  }

  /// Folds from the newest usable snapshot after a known state, or else from that state, and passes every state to a visitor.
  ///
  /// - Parameters:
  ///   - state: The state at `start`.
  ///   - start: The revision of `state`.
  ///   - bound: The last possible revision of the snapshot, at least `start`.
  ///   - last: The revision to end at, unless the visitor stops before.
  ///   - options: Whether snapshots are used, progress and cancellation.
  ///   - visitor: Receives the states.
  /// - Returns: The last state of the fold.
  /// - Complexity: O(distance from the snapshot, or from `start`, to `last`).
  package func walk(
    _ state: consuming M.State, from start: Int, orFromSnapshotAtOrBefore bound: Int, to last: Int,
    options: ReplayOptions, visitor: StateVisitor<M.State>
  ) throws -> Replayed<M.State> {
    var choice = ReplayReport()
    let newer =
      options.usesSnapshots
      ? try newestSnapshot(atOrBefore: bound, after: start, options: options, report: &choice) : nil
    var replayed: Replayed<M.State>
    if let newer {
      BlockingWork.release(consume state)
      replayed = try walk(newer.state, from: newer.revision, to: last, options: options, visitor: visitor)
      replayed.report.snapshotsLoaded += 1
    } else {
      replayed = try walk(state, from: start, to: last, options: options, visitor: visitor)
    }
    replayed.report.snapshotsRefused = choice.snapshotsRefused
    replayed.report.actionsExamined += choice.actionsExamined
    return replayed
  }

  private func finish(
    _ fold: inout Fold<M>, readingFrom first: Int, in contents: LogReader.Listing? = nil, to revision: Int?,
    options: ReplayOptions
  ) throws -> Replayed<M.State> {
    // A short fold reads little more than it needs.
    let isShort = revision.map { revision in revision - first < Self.shortFold } ?? false
    let chunkBytes = isShort ? min(options.chunkBytes, Self.shortChunkBytes) : options.chunkBytes
    let batches =
      if let contents {
        try reader.batches(from: first, chunkBytes: chunkBytes, contents)
      } else {
        try reader.batches(from: first, chunkBytes: chunkBytes)
      }
    var pipeline = DecodingPipeline(
      batches, decoder: decoder, bounds: fold.bounds,
      executor: options.decodesAhead ? options.makeExecutor : nil)
    try fold.run(&pipeline)
    try fold.checkLastDigest()
    if let revision, fold.revision < revision, !fold.isStoppedByVisitor { throw try outOfRange(revision) }
    return Replayed(state: fold.state, revision: fold.revision, report: fold.report)
  }
}

extension History {
  /// The largest number of actions that a cursor folds when it moves within a range that it has visited.
  private static var shortFold: Int { 1_024 }
  /// The size of several hundred typical actions.
  private static var shortChunkBytes: Int { 1 << 16 }

  func outOfRange(_ revision: Int) throws(LogError) -> LogError {
    let extent = try reader.extent()
    // It may be among what cannot be read.
    if revision > extent.lastRevision, let damage = extent.ending.damage { return damage }
    let missing = MissingRevision(revision, of: reader.revisions(upTo: extent.lastRevision))
    return missing.isPruned ? reader.pruned(revision) : missing.error(in: path)
  }

  /// Returns the first revision whose state can be rebuilt: 0, or that of the base of a pruned log.
  ///
  /// The value is that of the last time the log was listed: listing it again would cost more than it is worth.
  package var firstRevision: Int { reader.currentBase?.revision ?? 0 }

  /// Whether the first action can be read. It cannot if a later segment was opened by itself.
  private var hasBeginning: Bool { !reader.isSingleSegment || reader.header.first == 1 }

  private func checkBeginning() throws(EventSourcingError) {
    guard !hasBeginning else { return }
    throw EventSourcingError(
      .incompleteHistory,
      "a state needs every action from the first one, and the segment begins with action \(reader.header.first)",
      path: path,
      advice: "Give the directory of the log."
    )
  }
}
