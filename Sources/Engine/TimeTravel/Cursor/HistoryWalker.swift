import ActionLog
import EventSourcing

/// Finds states near each other with little folding, and counts it.
///
/// A state that is not kept is folded from the nearest one before it that is, or from a snapshot where that is nearer. On the
/// way the walker keeps states: now and then far from where it ends, more and more of them near it. So a part of the history
/// that was folded once is near to a kept state everywhere, and going back from where a move ended is cheap.
struct HistoryWalker<M: Model>: Sendable {
  private(set) var history: History<M>
  private(set) var lastRevision: Int
  private(set) var work = CursorWork()
  /// Whom to tell of long folds, and who ends them.
  var options = ReplayOptions()

  private var keyframes = KeyframeCache<M.State>()
  /// Whether states are kept for later moves and questions; without them, keeping would only make the fold copy what it writes.
  private let keepsStates: Bool
  private var actions = ActionWindow<M>()

  /// From so far away a state is looked for among the snapshots too: reading their names costs about as much.
  private static var snapshotDistance: Int { 1_024 }

  init(_ history: History<M>, keepsStates: Bool = true) throws {
    self.history = history
    self.keepsStates = keepsStates
    self.lastRevision = try history.lastRevision()
  }

  /// Looks at the end of the log anew.
  mutating func refresh() throws {
    let refreshed = try history.refreshed()
    lastRevision = max(lastRevision, try refreshed.lastRevision())
    history = refreshed
    // The last block may have been short.
    actions = ActionWindow()
  }

  /// The action that leads to a revision of the history.
  mutating func action(at revision: Int) throws -> RecordedAction<M.Action> {
    try actions.action(at: revision, in: history, lastRevision: lastRevision, work: &work)
  }

  /// Whether the state at a revision can be had without folding anything.
  func isKept(at revision: Int) -> Bool { keyframes.contains(revision) }

  /// The state at a revision of the history.
  mutating func state(at revision: Int) throws -> M.State {
    let start = keyframes.nearest(atOrBefore: revision)
    guard let start, try isNearest(start.revision, to: revision) else {
      return try keepingStates(to: revision) { history, options, keeping in
        try history.state(at: revision, options: options, keeping: keeping)
      }
    }
    guard revision - start.revision > KeyframeCache<M.State>.spacing else {
      var state = start.state
      for place in start.revision..<revision { state = try next(after: state, at: place) }
      return state
    }
    return try keepingStates(to: revision) { history, options, keeping in
      try history.advance(start.state, from: start.revision, to: revision, options: options, keeping: keeping)
    }
  }

  /// The state after the action that follows `state`, kept or folded.
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

  /// Folds a few of the actions that the next steps back will need, instead of leaving all of a gap to one of them.
  ///
  /// Nothing is done in a step that had to read a block. What cannot be folded is left to the step that needs it, which says why.
  ///
  /// - Parameters:
  ///   - revision: Where the cursor is.
  ///   - before: The work that was done when the step began.
  mutating func prepareStepBack(from revision: Int, since before: CursorWork) {
    guard before.bytesRead == work.bytesRead, let gap = keyframes.gap(before: revision) else { return }
    for _ in 0..<gap.actions {
      guard let start = keyframes.nearest(atOrBefore: gap.last), start.revision < gap.last else { return }
      do { _ = try next(after: start.state, at: start.revision) } catch { return }
    }
  }

  /// What is crossed from one revision to the next, each action with the state that it met.
  ///
  /// Of a record that an upcaster made several actions of, each meets the state that the one before it led to; of one that
  /// became none, nothing is told.
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

  /// Whether a kept state is so near before a revision that the state there takes no longer than a key press may.
  func isNear(_ revision: Int) -> Bool {
    keyframes.nearest(atOrBefore: revision).map { kept in revision - kept.revision <= Self.snapshotDistance } ?? false
  }

  /// Tells where the cursor is, so that states far from it can go.
  mutating func settle(at revision: Int) {
    keyframes.trim(around: revision)
    work.keyframesHeld = keyframes.count
  }
}

// MARK: - States that exist already

extension HistoryWalker {
  /// The revisions of a range that have a snapshot.
  func snapshots(in range: ClosedRange<Int>) throws -> [Int] {
    guard options.usesSnapshots, let snapshots = history.snapshots else { return [] }
    return try snapshots.revisions().filter(range.contains)
  }

  /// The state near a revision that needs no fold: one that is kept, or that of a snapshot where none is as near.
  ///
  /// - Parameters:
  ///   - range: Where the state must be.
  ///   - middle: The revision that it is to be near to.
  ///   - snapshots: The revisions whose snapshots may be loaded. Those that were are removed, and those that cannot be used.
  mutating func atHand(
    in range: Range<Int>, near middle: Int, snapshots: inout [Int]
  ) throws -> (revision: Int, state: M.State)? {
    let kept = keyframes.nearest(to: middle, in: range)
    func distance(_ revision: Int) -> Int { abs(revision - middle) }
    while let nearest = snapshots.filter(range.contains).min(by: { distance($0) < distance($1) }) {
      if let kept, distance(kept.revision) <= distance(nearest) { return kept }
      snapshots.removeAll { revision in revision == nearest }
      guard let state = try history.state(ofSnapshotAt: nearest, options: options) else { continue }
      work.snapshotsLoaded += 1
      return (nearest, state)
    }
    return kept
  }
}

extension HistoryWalker {
  /// Whether no snapshot is nearer to a revision than a kept state, or not by much.
  private func isNearest(_ keyframe: Int, to revision: Int) throws -> Bool {
    guard options.usesSnapshots, revision - keyframe > Self.snapshotDistance, let snapshots = history.snapshots else {
      return true
    }
    return try !snapshots.revisions().contains { snapshot in snapshot > keyframe && snapshot <= revision }
  }

  /// Rebuilds a state, keeps some on the way, and counts.
  ///
  /// - Parameter target: The revision that is decoded; the replay may end before it.
  private mutating func keepingStates(
    to target: Int, _ replay: (History<M>, ReplayOptions, StateKeeping<M.State>) throws -> Replayed<M.State>
  ) throws -> M.State {
    var kept = KeyframeCache<M.State>()
    swap(&kept, &keyframes)
    defer { swap(&kept, &keyframes) }
    let replayed = try replay(
      history, options,
      StateKeeping(
        next: { revision in kept.nextWanted(after: revision, to: target) },
        keep: { state, revision in kept.insert(state, at: revision) }))
    kept.insert(replayed.state, at: replayed.revision)
    count(replayed.report)
    return replayed.state
  }

  /// Shows every state of a stretch, and keeps some of them.
  ///
  /// The first of them comes from wherever it is nearest.
  ///
  /// - Parameters:
  ///   - first: The revision to begin at.
  ///   - last: The revision to end at, unless the visitor has seen enough before.
  ///   - visitor: What looks at the states.
  mutating func visit(from first: Int, to last: Int, _ visitor: StateVisitor<M.State>) throws {
    guard keepsStates else {
      var visitor = visitor
      visitor.first = first
      return count(
        try history.walk(fromSnapshotAtOrBefore: first, to: last, options: options, visitor: visitor).report)
    }
    let start = try state(at: first)
    _ = try keepingStates(to: last) { history, options, keeping in
      try history.walk(start, from: first, to: last, options: options, keeping: keeping, visitor: visitor)
    }
  }

  /// Takes over the states that another walker through the same history has kept, and what it knows of its end.
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
