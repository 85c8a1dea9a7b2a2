import ActionLog
import EventSourcing
import JSONCoding

/// Finds states near each other with little folding, and counts the work.
///
/// A state is folded from the nearest earlier state that is kept, or from a nearer snapshot. On the way the walker keeps
/// states: a few far from the target, more and more near it. So every part of the history that was folded once is near a kept
/// state, and moving back from the target is cheap.
struct HistoryWalker<M: Model>: Sendable {
  private(set) var history: History<M>
  private(set) var lastRevision: Int
  private(set) var work = CursorWork()
  var options = ReplayOptions()

  private var keyframes: KeyframeCache<M.State>
  /// Whether states are kept for later moves and questions. A single question does not need them, and keeping a state makes
  /// the fold copy what it writes.
  let keepsStates: Bool
  private var actions = RecordWindow<Result<RecordedAction<M.Action>, any Error>>()

  /// At this distance a snapshot is worth searching for: listing the snapshots costs about as much as folding.
  static var snapshotDistance: Int { 1_024 }

  init(
    _ history: History<M>, keepsStates: Bool = true, coarseLimit: Int = KeyframeCache<M.State>.coarseLimit
  ) throws {
    self.history = history
    self.keepsStates = keepsStates
    keyframes = KeyframeCache(coarseLimit: coarseLimit)
    self.lastRevision = try history.lastRevision()
  }

  var revisionRange: RevisionRange { RevisionRange(of: history, last: lastRevision) }

  mutating func refresh() throws {
    let refreshed = try history.refreshed()
    lastRevision = max(lastRevision, try refreshed.lastRevision())
    history = refreshed
    // The last block may have been short.
    actions = RecordWindow()
  }

  mutating func action(at revision: Int) throws -> RecordedAction<M.Action> {
    let bytesBefore = actions.bytesRead
    var decodedCount = 0
    defer {
      work.bytesRead += actions.bytesRead - bytesBefore
      work.actionsRead += decodedCount
    }
    let found = try actions.value(at: revision, in: history.reader, last: lastRevision) { [history] batch, index in
      decodedCount += 1
      return Result { try history.recordedAction(in: batch, at: index) }
    }
    return try found?.get() ?? history.action(at: revision)
  }

  /// The most states far from the cursor that are kept.
  var coarseLimit: Int { keyframes.lightCoarseLimit }

  func isKept(at revision: Int) -> Bool { keyframes.contains(revision) }

  mutating func state(at revision: Int) throws -> M.State {
    let start = keyframes.nearest(atOrBefore: revision)
    guard let start, isNearest(start.revision, to: revision) else {
      return try keepingStates(to: revision) { history, options, keeping in
        try history.fold(FoldRequest(at: revision, to: revision, keeping: keeping), options: options)
      }
    }
    guard revision - start.revision > KeyframeCache<M.State>.spacing else {
      var state = start.state
      for place in start.revision..<revision { state = try next(after: state, at: place) }
      return state
    }
    return try keepingStates(to: revision) { history, options, keeping in
      try history.fold(
        FoldRequest(start.state, at: start.revision, to: revision, keeping: keeping), options: options)
    }
  }

  mutating func next(after state: M.State, at revision: Int) throws -> M.State {
    if let next = keyframes.state(at: revision + 1) { return next }
    keyframes.insert(state, at: revision)
    let record = try action(at: revision + 1)
    var next = state
    for action in record.actions {
      try history.decoder.fold(action, into: &next, at: RecordSite(record.record))
    }
    work.actionsFolded += 1
    keyframes.insert(next, at: revision + 1)
    return next
  }

  /// Folds a few of the actions that the next steps back need, so that no step has to fold a complete gap.
  ///
  /// Does nothing in a step that read a block. An error is left to the step that needs the action and reports it.
  mutating func prepareStepBack(from revision: Int, since before: CursorWork) {
    guard before.bytesRead == work.bytesRead, let gap = keyframes.gap(before: revision) else { return }
    for _ in 0..<gap.actions {
      guard let start = keyframes.nearest(atOrBefore: gap.last), start.revision < gap.last else { return }
      do { _ = try next(after: start.state, at: start.revision) } catch { return }
    }
  }

  /// Returns the actions from one revision to the next, with the state before each.
  ///
  /// A record that an upcaster split has several actions; one that it dropped has none.
  mutating func crossing(
    from state: M.State, at revision: Int
  ) throws -> [(oldState: M.State, action: M.Action)] {
    let record = try action(at: revision + 1)
    if let action = record.action { return [(oldState: state, action: action)] }
    var state = state
    var crossed: [(oldState: M.State, action: M.Action)] = []
    for action in record.actions {
      crossed.append((oldState: state, action: action))
      try history.decoder.fold(action, into: &state, at: RecordSite(record.record))
    }
    return crossed
  }

  func isNear(_ revision: Int) -> Bool {
    keyframes.nearest(atOrBefore: revision).map { kept in revision - kept.revision <= Self.snapshotDistance } ?? false
  }

  /// Discards states that are far from the position of the cursor.
  mutating func settle(at revision: Int) {
    keyframes.trim(around: revision)
    work.keyframesHeld = keyframes.count
  }
}

// MARK: - Existing states

extension HistoryWalker {
  func lineBytes(ofActions count: Int) -> Int {
    let total = history.reader.segments.reduce(0) { sum, segment in sum + segment.sizeBytes }
    return total / max(1, lastRevision - history.firstRevision) * count
  }

  /// Returns the existing state that is nearest to a revision: a kept one, or that of a nearer snapshot.
  mutating func existingState(
    in range: Range<Int>, near middle: Int, snapshots: inout [Int: Int], room: inout Int
  ) -> ExistingState<M.State>? {
    let kept = keyframes.nearest(to: middle, in: range)
      .map { kept in ExistingState(revision: kept.revision, state: kept.state) }
    func distance(_ revision: Int) -> Int { abs(revision - middle) }
    let limit = room
    let candidates = snapshots.filter { revision, sizeBytes in range.contains(revision) && sizeBytes <= limit }.keys
      .sorted { left, right in (distance(left), left) < (distance(right), right) }
    for nearest in candidates {
      if let kept, distance(kept.revision) <= distance(nearest) { return kept }
      room -= snapshots.removeValue(forKey: nearest) ?? 0
      guard let state = history.snapshotState(at: nearest, options: options) else { continue }
      work.snapshotsLoaded += 1
      return ExistingState(revision: nearest, state: state)
    }
    return kept
  }
}

/// A state that need not be folded.
struct ExistingState<State: Sendable>: Sendable {
  var revision: Int
  var state: State
}

extension HistoryWalker {
  /// Whether no snapshot is much nearer to a revision than a kept state.
  private func isNearest(_ keyframe: Int, to revision: Int) -> Bool {
    guard options.usesSnapshots, revision - keyframe > Self.snapshotDistance else { return true }
    return !history.snapshotRevisions(options).contains { snapshot in snapshot > keyframe && snapshot <= revision }
  }

  private mutating func keepingStates(
    to target: Int, _ replay: (History<M>, ReplayOptions, StateKeeping<M.State>) throws -> Replayed<M.State>
  ) throws -> M.State {
    var kept = KeyframeCache<M.State>()
    swap(&kept, &keyframes)
    defer { swap(&kept, &keyframes) }
    var isPrepared = false
    var made = 0
    defer { work.keyframesMade += made }
    let replayed = try replay(
      history, options,
      StateKeeping(
        next: { revision in
          // The first call is for the beginning of the replay.
          if !isPrepared { kept.prepare(toMoveFrom: revision, to: target) }
          isPrepared = true
          return kept.nextWanted(after: revision, to: target)
        },
        keep: { state, revision in
          kept.insert(state, at: revision)
          made += 1
        }))
    kept.insert(replayed.state, at: replayed.revision)
    count(replayed.report)
    return replayed.state
  }

  /// Visits every state of a range. A walker that keeps states keeps some of them.
  ///
  /// - Parameters:
  ///   - first: The first revision; `nil` for the last snapshot before `last`, without a kept state.
  ///   - pointers: If they are not empty, a walker that keeps no states may omit those with the same values as the state before.
  mutating func visit(
    from first: Int?, _ known: M.State? = nil, to last: Int, of pointers: [JSONPointer] = [],
    _ visitor: StateVisitor<M.State>
  ) throws -> M.State {
    guard keepsStates, let first else {
      let replayed: Replayed<M.State>
      if let first {
        let plan = try history.changePlan(from: first, to: last, of: pointers, options: options.readingIndex)
        replayed = try history.walk(plan, from: known, options: options, visitor: visitor)
      } else {
        var visitor = visitor
        visitor.first = nil
        replayed = try history.fold(
          FoldRequest(at: max(history.firstRevision, last - 1), to: last, visitor: visitor), options: options)
      }
      count(replayed.report)
      return replayed.state
    }
    let start = try known ?? state(at: first)
    return try keepingStates(to: last) { history, options, keeping in
      try history.fold(
        FoldRequest(start, at: first, to: last, keeping: keeping, visitor: visitor), options: options)
    }
  }

  /// Takes over the kept states of another walker through the same history, and its end of the history.
  mutating func adopt(_ other: HistoryWalker) {
    keyframes.merge(other.keyframes)
    if other.work.actionsFolded > work.actionsFolded { work = other.work }
    guard other.lastRevision >= lastRevision else { return }
    (history, lastRevision, actions) = (other.history, other.lastRevision, other.actions)
  }

  private mutating func count(_ report: ReplayReport) {
    if report.actionsFolded > Self.snapshotDistance || report.snapshotsLoaded > 0 { work.replays += 1 }
    work.actionsFolded += report.actionsFolded
    work.actionsRead += report.actionsFolded
    work.snapshotsLoaded += report.snapshotsLoaded
    work.bytesRead += report.bytesRead
  }
}

// MARK: - Questions

extension HistoryWalker {
  mutating func asking<Answer>(
    _ options: ReplayOptions, _ body: (inout HistoryWalker) throws -> Answer
  ) rethrows -> Answer {
    let usual = self.options
    self.options = options
    defer { self.options = usual }
    return try body(&self)
  }

  /// The work that was done since `before`, as a replay reports it.
  func report(since before: CursorWork) -> ReplayReport {
    var report = ReplayReport()
    report.actionsFolded = work.actionsFolded - before.actionsFolded
    report.snapshotsLoaded = work.snapshotsLoaded - before.snapshotsLoaded
    report.bytesRead = work.bytesRead - before.bytesRead
    return report
  }

  /// The beginning of a range of `length` to twice as many revisions before another: a revision whose state is kept, if there is one.
  func start(of length: Int, before last: Int) -> Int {
    let first = max(0, last - length)
    let start = max(history.firstRevision, first - first % Self.firstRange)
    // Far apart states would be folded to, although the next range visits the same actions.
    guard let kept = keyframes.nearest(atOrBefore: start)?.revision, start - kept < length else { return start }
    return kept
  }

  /// The length of the first range of a search: a multiple of the distance of kept states in a history of 10⁶ actions.
  static var firstRange: Int { 256 }
  static var longestRange: Int { 1 << 16 }
}
