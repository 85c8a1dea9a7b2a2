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
/// The calls block the thread on which they are made. An async function, and anything on the main actor, makes them in
/// ``reading(_:)``, on a thread that may block:
///
/// ```swift
/// let then = try await history.reading { history in try history.state(at: 12) }
/// ```
public struct History<M: Model>: Sendable {
  /// The log.
  public private(set) var reader: LogReader
  /// The snapshots of the model or projection; `nil` for a single segment file.
  public let snapshots: SnapshotStore?

  package let fileSystem: any LogFileSystem
  package let decoder: RecordDecoder<M>
  let identity: ReducerIdentity<M>
  /// The folder of files that later processes use; `nil` if nothing is kept.
  package var derivedFiles: DerivedFiles?

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
    let reader = try LogReader.open(at: path, fileSystem: fileSystem)
    if checksModelName { try reader.header.check(model: M.name, path: path) }
    try self.init(reader, fileSystem: reader.fileSystem, unknownTypes: unknownTypes)
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
  public func refreshed() throws(LogError) -> History {
    var history = self
    // A log does not change into a single segment, nor back, so the snapshots stay.
    history.reader = try LogReader.open(at: path, fileSystem: fileSystem)
    return history
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
    try replay(to: revision, options: options).state
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
    try fold(FoldRequest(at: revision, to: revision), options: options)
  }

  package func fold(
    _ request: consuming FoldRequest<M.State>, options: ReplayOptions = ReplayOptions()
  ) throws -> Replayed<M.State> {
    guard request.state == nil else { return try foldOnce(request, options) }
    if let target = request.target, target < 0 { throw try outOfRange(target) }
    // A frozen base has the states that users saw, and a visitor sees those that the present code folds.
    try checkBeginning()
    do throws(any Error) {
      return try foldOnce(copy request, options)
    } catch let error as LogError
      where error.code == .pruned && request.visitor == nil
      && request.target ?? .max >= reader.currentBase?.revision ?? 0
    {
      // The log was pruned while it was read. It can be read from its base on.
      return try foldOnce(request, options)
    }
  }

  private func foldOnce(
    _ request: consuming FoldRequest<M.State>, _ options: ReplayOptions
  ) throws -> Replayed<M.State> {
    let target = request.target
    var (fold, first, contents) = try begin(request, options)
    if let first {
      // A short fold reads little more than it needs.
      let isShort = target.map { target in target - first < Self.shortFold } ?? false
      let chunkBytes = isShort ? min(options.chunkBytes, Self.shortChunkBytes) : options.chunkBytes
      let batches =
        if let contents {
          try reader.records(from: first, chunkBytes: chunkBytes, contents)
        } else {
          try reader.batches(from: first, chunkBytes: chunkBytes)
        }
      var pipeline = DecodingPipeline(
        batches, decoder: decoder, bounds: fold.bounds,
        executor: options.decodesAhead ? options.makeExecutor : nil)
      try fold.run(&pipeline)
      try fold.checkLastDigest()
      if let target, fold.revision < target, !fold.isStoppedByVisitor { throw try outOfRange(target) }
    }
    try fold.endVisit()
    return Replayed(state: fold.state, revision: fold.revision, report: fold.report)
  }

  /// Begins a fold.
  ///
  /// - Returns: The fold, the revision to read from, `nil` if nothing is read, and the segments to read. These are listed after the
  ///   snapshots, so that no snapshot is newer.
  private func begin(
    _ request: consuming FoldRequest<M.State>, _ options: ReplayOptions
  ) throws -> (fold: Fold<M>, first: Int?, contents: LogReader.Listing?) {
    var report = ReplayReport()
    let known = request.state == nil ? nil : request.revision
    let bound = known == nil ? request.revision : request.snapshotBound
    let snapshot =
      options.usesSnapshots && (known == nil || bound != nil)
      ? newestSnapshot(atOrBefore: bound, after: known ?? -1, options: options, refused: &report.snapshotsRefused) : nil
    let contents = known == nil ? try reader.listing() : nil
    var isKnown = true
    let (state, revision): (M.State, Int)
    if let snapshot, snapshot.revision >= contents?.base?.revision ?? 0 {
      if let state = request.state.take() { BlockingWork.release(consume state) }
      (state, revision) = snapshot
      report.snapshotsLoaded = 1
    } else if let known, let first = request.state.take() {
      precondition(known >= 0 && request.target ?? .max >= known, "a fold goes forward")
      (state, revision) = (first, known)
    } else if let base = contents?.base {
      guard bound ?? .max >= base.revision else { throw reader.pruned(bound ?? 0) }
      (state, revision) = (
        try InitialRecords<M>.state(of: base, path: reader.path, decoder.chain), base.revision
      )
    } else {
      (state, revision, isKnown) = (M.initialState, 0, false)
    }
    let fold = Fold<M>(
      from: state, at: revision, isBeginningKnown: isKnown, request, decoder: decoder, options: options, report: report)
    if known != nil, revision == request.target { return (fold, nil, nil) }
    // The digest of the first state's revision follows the action of that revision.
    let first = isKnown ? revision + (options.checksDigests && known == nil ? 0 : 1) : 0
    return (fold, first, contents)
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
