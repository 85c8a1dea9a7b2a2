public import ActionLog

/// The past of an application: its log, its snapshots, and the model that folds them.
///
/// `state(at: n)` is the fold of the reducer over the actions 1…n, whatever snapshots exist or were deleted. A replay
/// calls the reducer and nothing else: no listener, no thunk, no clock; effects cannot run, because a history holds
/// nothing that could run them.
///
/// ```swift
/// let history = try History("my-log", model: AnimalsModel.self)
/// let then = try history.state(at: 12).state
/// ```
///
/// Every call reads the files as they are, so what a writer adds meanwhile is seen. All calls block; make them off the
/// cooperative pool.
public struct History<M: Model>: Sendable {
  /// The log.
  public let reader: LogReader
  /// The snapshots beside it; `nil` for a single segment file.
  public let snapshots: SnapshotStore?

  package let fileSystem: any LogFileSystem
  /// What the records of the log mean to the model.
  package let decoder: RecordDecoder<M>
  /// Which code folds.
  let identity: ReducerIdentity<M>

  /// Opens the history that a log holds.
  ///
  /// - Parameters:
  ///   - path: The log's directory, or one segment file that begins with the first action.
  ///   - model: The model that folds it.
  ///   - fileSystem: Where the files lie.
  ///   - checksModelName: `false` folds the log of a model with another name.
  ///   - unknownTypes: What to do with actions whose type the model does not have; `nil` is what its evolution says.
  /// - Throws: `LogError`; with `LogError.Code.wrongModel` when the log is of a model with another name.
  ///   ``EventSourcingError/Code/brokenEvolution`` when the model's evolution does not lead to its schema.
  public init(
    _ path: String,
    model: M.Type = M.self,
    fileSystem: any LogFileSystem = POSIXFileSystem(),
    checksModelName: Bool = true,
    unknownTypes: UnknownTypePolicy? = nil
  ) throws {
    self.decoder = try RecordDecoder(unknownTypes: unknownTypes)
    self.identity = ReducerIdentity(unknownTypes: decoder.unknownTypes)
    let reader = try LogReader.open(path, fileSystem: fileSystem)
    if checksModelName, reader.header.model != M.name {
      throw LogError(
        .wrongModel,
        "the log is of model '\(reader.header.model)', not of '\(M.name)'",
        path: path,
        advice: "Use the program or the model that wrote it."
      )
    }
    self.reader = reader
    self.fileSystem = fileSystem
    self.snapshots = reader.isSingleSegment ? nil : SnapshotStore(log: path, fileSystem: fileSystem)
  }

  /// Creates a history of a log that is open already, whatever model it names.
  package init(_ reader: LogReader, fileSystem: any LogFileSystem, unknownTypes: UnknownTypePolicy?) throws {
    self.decoder = try RecordDecoder(unknownTypes: unknownTypes)
    self.identity = ReducerIdentity(unknownTypes: decoder.unknownTypes)
    self.reader = reader
    self.fileSystem = fileSystem
    self.snapshots = reader.isSingleSegment ? nil : SnapshotStore(log: reader.path, fileSystem: fileSystem)
  }

  /// The path of the log.
  public var path: String { reader.path }

  /// The same history, with the list of segments (`LogReader.segments`) as it is now.
  ///
  /// - Throws: `LogError` as `LogReader.open(_:fileSystem:)`.
  /// - Complexity: O(number of segments).
  public func refreshed() throws(LogError) -> History {
    History(of: self, reader: try LogReader.open(path, fileSystem: fileSystem))
  }

  private init(of other: History, reader: LogReader) {
    self.decoder = other.decoder
    self.identity = other.identity
    self.reader = reader
    self.fileSystem = other.fileSystem
    self.snapshots = reader.isSingleSegment ? nil : SnapshotStore(log: other.path, fileSystem: other.fileSystem)
  }

  /// The last revision that can be read: 0 for a log without actions. Torn tails and damage end the readable part.
  ///
  /// - Throws: `LogError` when the files cannot be read; damage is none.
  /// - Complexity: O(length of the last segment + number of segments).
  public func lastRevision() throws(LogError) -> Int {
    try reader.extent().lastSeq
  }

  /// The last revision at or before a time.
  ///
  /// - Parameter time: A time; the clock may have gone back, and the order of the actions decides.
  /// - Returns: 0 when every action is later.
  /// - Throws: `LogError` when the log cannot be read there.
  /// - Complexity: O(log of the length) reads.
  public func revision(at time: LogTime) throws(LogError) -> Int {
    try reader.lastSeq(atOrBefore: time)
  }
}

extension History {
  /// Rebuilds the state at a revision.
  ///
  /// - Parameters:
  ///   - revision: The number of actions applied; `nil` is the end. When the log is damaged, the end is the last revision that
  ///     can be reached: the last intact one, and the report says so, unless a snapshot lies behind the damage.
  ///   - options: Whether snapshots and digests are used, and whom to tell of the progress.
  /// - Returns: The state, its revision, and the work that it took.
  /// - Throws: `LogError` (`LogError.Code.revisionOutOfRange` with the range there is, `LogError.Code.damaged` for
  ///   a revision behind damage); ``EventSourcingError``; `CancellationError`.
  /// - Complexity: O(distance to the nearest snapshot at or before the revision).
  public func state(at revision: Int? = nil, options: ReplayOptions = ReplayOptions()) throws -> Replayed<M.State> {
    try state(at: revision, options: options, keeping: nil)
  }

  /// Rebuilds the state at a revision, and tells of states on the way.
  package func state(
    at revision: Int?, options: ReplayOptions = ReplayOptions(), keeping: StateKeeping<M.State>?
  ) throws -> Replayed<M.State> {
    if options.onDivergence == .freezeBase {
      return try stateOnFrozenBase(at: revision, options: options, keeping: keeping)
    }
    try checkBeginning()
    if let revision, revision < 0 { throw try outOfRange(revision) }
    var report = ReplayReport()
    var start =
      options.usesSnapshots ? try newestSnapshot(atOrBefore: revision, options: options, report: &report) : nil
    let isLoaded = start != nil
    var fold = Fold<M>(
      from: start?.state ?? M.initialState, at: start?.revision ?? 0, isBeginningKnown: isLoaded, to: revision,
      decoder: decoder, options: options, keeping: keeping)
    // Whoever holds the state besides the fold makes its first write copy it.
    start = nil
    fold.report.snapshotsLoaded = isLoaded ? 1 : 0
    fold.report.snapshotsRefused = report.snapshotsRefused
    fold.report.actionsExamined = report.actionsExamined
    // The digest of the snapshot's own revision stands behind its action.
    let first = isLoaded ? fold.revision + (options.checksDigests ? 0 : 1) : 0
    return try finish(&fold, readingFrom: first, to: revision, options: options)
  }

  /// Goes on from a state that is known, without looking for snapshots.
  ///
  /// - Parameters:
  ///   - state: The state at `start`.
  ///   - start: The revision of `state`.
  ///   - revision: The revision to reach, not before `start`.
  ///   - options: Whom to tell of the progress; snapshots are not looked for.
  /// - Returns: The state, its revision, and the work that it took.
  /// - Throws: `LogError`, ``EventSourcingError``, `CancellationError`, as ``state(at:options:)``.
  /// - Complexity: O(`revision` − `start`).
  public func advance(
    _ state: M.State, from start: Int, to revision: Int, options: ReplayOptions = ReplayOptions()
  ) throws -> Replayed<M.State> {
    try advance(state, from: start, to: revision, options: options, keeping: nil)
  }

  /// Goes on from a state that is known, and tells of states on the way.
  package func advance(
    _ state: M.State, from start: Int, to revision: Int, options: ReplayOptions = ReplayOptions(),
    keeping: StateKeeping<M.State>?
  ) throws -> Replayed<M.State> {
    precondition(start >= 0 && revision >= start, "a fold goes forward")
    var fold = Fold<M>(
      from: state, at: start, to: revision, decoder: decoder, options: options, keeping: keeping)
    guard revision > start else { return Replayed(state: fold.state, revision: start, report: fold.report) }
    return try finish(&fold, readingFrom: start + 1, to: revision, options: options)
  }

  /// Folds a stretch of the history and shows every state of it.
  ///
  /// - Parameters:
  ///   - bound: The fold begins at the newest snapshot at or before this revision.
  ///   - last: The revision to end at, unless the visitor has seen enough before.
  ///   - options: Whether snapshots are used, and whom to tell of the progress.
  ///   - visitor: What looks at the states.
  /// - Returns: The state that the fold ended with.
  /// - Complexity: O(distance from the snapshot to `last`).
  package func walk(
    fromSnapshotAtOrBefore bound: Int, to last: Int, options: ReplayOptions = ReplayOptions(),
    visitor: StateVisitor<M.State>
  ) throws -> Replayed<M.State> {
    precondition(bound >= 0 && last >= bound, "a fold goes forward")
    try checkBeginning()
    var report = ReplayReport()
    var start = options.usesSnapshots ? try newestSnapshot(atOrBefore: bound, options: options, report: &report) : nil
    let isLoaded = start != nil
    var fold = Fold<M>(
      from: start?.state ?? M.initialState, at: start?.revision ?? 0, isBeginningKnown: isLoaded, to: last,
      decoder: decoder, options: options, keeping: nil, visitor: visitor)
    // As above: the fold is to be the only one who holds the state.
    start = nil
    fold.report.snapshotsLoaded = isLoaded ? 1 : 0
    fold.report.snapshotsRefused = report.snapshotsRefused
    fold.report.actionsExamined = report.actionsExamined
    let replayed = try finish(
      &fold, readingFrom: isLoaded ? fold.revision + 1 : 0, to: last, options: options)
    try fold.endVisit()
    return replayed
  }

  /// Goes on from a state that is known and shows every state on the way, the known one included.
  ///
  /// - Parameters:
  ///   - state: The state at `start`.
  ///   - start: The revision of `state`.
  ///   - last: The revision to end at, unless the visitor has seen enough before.
  ///   - options: Whom to tell of the progress; snapshots are not looked for.
  ///   - keeping: What is told of states on the way, to keep them.
  ///   - visitor: What looks at the states.
  /// - Returns: The state that the fold ended with.
  /// - Complexity: O(`last` − `start`).
  package func walk(
    _ state: M.State, from start: Int, to last: Int, options: ReplayOptions = ReplayOptions(),
    keeping: StateKeeping<M.State>? = nil, visitor: StateVisitor<M.State>
  ) throws -> Replayed<M.State> {
    precondition(start >= 0 && last >= start, "a fold goes forward")
    var fold = Fold<M>(
      from: state, at: start, to: last, decoder: decoder, options: options, keeping: keeping, visitor: visitor)
    if last > start { _ = try finish(&fold, readingFrom: start + 1, to: last, options: options) }
    try fold.endVisit()
    return Replayed(state: fold.state, revision: fold.revision, report: fold.report)
  }

  /// Runs a fold to its end.
  private func finish(
    _ fold: inout Fold<M>, readingFrom first: Int, to revision: Int?, options: ReplayOptions
  ) throws -> Replayed<M.State> {
    // Of a fold that ends soon, little more is read than it needs.
    let isShort = revision.map { revision in revision - first < Self.shortFold } ?? false
    let chunkBytes = isShort ? min(options.chunkBytes, Self.shortChunkBytes) : options.chunkBytes
    var pipeline = DecodingPipeline(
      try reader.batches(from: first, chunkBytes: chunkBytes), decoder: decoder, bounds: fold.bounds,
      executor: options.decodesAhead ? options.makeExecutor : nil)
    try fold.run(&pipeline)
    if let revision, fold.revision < revision, !fold.isEnough { throw try outOfRange(revision) }
    return Replayed(state: fold.state, revision: fold.revision, report: fold.report)
  }
}

extension History {
  /// A cursor's jump folds no more than this where it has been.
  private static var shortFold: Int { 1_024 }
  /// Some hundred actions of the usual length.
  private static var shortChunkBytes: Int { 1 << 16 }

  func outOfRange(_ revision: Int) throws(LogError) -> LogError {
    MissingRevision(revision, of: reader.revisions(upTo: try lastRevision())).error(in: path)
  }

  /// Whether the first action can be read: not in a later segment that was opened by itself.
  private var hasBeginning: Bool { !reader.isSingleSegment || reader.header.first == 1 }

  private func checkBeginning() throws(EventSourcingError) {
    guard !hasBeginning else { return }
    throw EventSourcingError(
      .incompleteHistory,
      "a state needs every action from the first one, and the segment begins with action \(reader.header.first)",
      path: path,
      advice: "Give the directory of the whole log."
    )
  }
}
