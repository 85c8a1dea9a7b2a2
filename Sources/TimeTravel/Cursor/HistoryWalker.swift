import ActionLog
import EventSourcing

/// Finds states near each other with little folding, and counts it.
///
/// A state that is not kept is folded from the nearest one that is. If that is too far away, the history rebuilds a
/// state a *window* before the one that is wanted, and the walker folds the window itself and keeps a state now and
/// then: going back through the window is then cheap. Walking back out of a window doubles the next one, so that a
/// long walk back replays the beginning of the history a few times, not once a window.
struct HistoryWalker<M: Model>: Sendable {
  private(set) var history: History<M>
  private(set) var lastRevision: Int
  private(set) var work = CursorWork()

  private var keyframes = KeyframeCache<M.State>()
  private var actions = ActionWindow<M>()
  private var window = Self.firstWindow

  /// As much as a cursor folds in some milliseconds.
  private static var firstWindow: Int { 1_024 }

  /// 256 keyframes.
  private static var largestWindow: Int { 16_384 }

  init(_ history: History<M>) throws {
    self.history = history
    self.lastRevision = try history.lastRevision()
  }

  /// Looks at the end of the log anew.
  mutating func refresh() throws {
    let refreshed = try history.refreshed()
    lastRevision = max(lastRevision, try refreshed.lastRevision())
    history = refreshed
  }

  /// The action that leads to a revision of the history.
  mutating func action(at revision: Int) throws -> RecordedAction<M.Action> {
    try actions.action(at: revision, in: history, lastRevision: lastRevision, actionsRead: &work.actionsRead)
  }

  /// The state at a revision of the history.
  ///
  /// - Parameter isWalkingBack: Whether the revisions before are likely to be wanted next.
  mutating func state(at revision: Int, isWalkingBack: Bool = false) throws -> M.State {
    if !isWalkingBack { window = Self.firstWindow }
    var start = keyframes.nearest(atOrBefore: revision)
    if start.map({ start in revision - start.revision > window }) ?? true {
      start = try replay(from: start, to: windowStart(before: revision))
      window = min(2 * window, Self.largestWindow)
    }
    guard let start else { preconditionFailure("a replay gives a state") }
    return try fold(start.state, from: start.revision, to: revision)
  }

  /// The state after the action that follows `state`, kept or folded.
  mutating func next(after state: M.State, at revision: Int) throws -> M.State {
    if let next = keyframes.state(at: revision + 1) { return next }
    keyframes.insert(state, at: revision)
    return try fold(state, from: revision, to: revision + 1)
  }

  /// Tells where the cursor is, so that states far from it can go.
  mutating func settle(at revision: Int) {
    keyframes.trim(around: revision)
    work.keyframesHeld = keyframes.count
  }
}

extension HistoryWalker {
  private func windowStart(before revision: Int) -> Int {
    let start = max(0, revision - window)
    return start - start % KeyframeCache<M.State>.spacing
  }

  /// Rebuilds a state from what is nearest: a snapshot, the beginning, or a keyframe.
  private mutating func replay(
    from keyframe: (revision: Int, state: M.State)?, to revision: Int
  ) throws -> (revision: Int, state: M.State) {
    let snapshot = try history.snapshots?.revisions().last { snapshot in snapshot <= revision } ?? 0
    let replayed: Replayed<M.State>
    if let keyframe, keyframe.revision <= revision, keyframe.revision >= snapshot {
      replayed = try history.advance(keyframe.state, from: keyframe.revision, to: revision)
    } else {
      replayed = try history.state(at: revision)
    }
    work.replays += 1
    work.actionsFolded += replayed.report.actionsFolded
    keyframes.insert(replayed.state, at: revision)
    return (revision, replayed.state)
  }

  /// Folds forward and keeps states: those at a multiple of the spacing, and all of the last stretch.
  private mutating func fold(_ start: M.State, from revision: Int, to target: Int) throws -> M.State {
    var state = start
    for next in stride(from: revision + 1, through: target, by: 1) {
      try reduce(&state, try action(at: next))
      work.actionsFolded += 1
      let spacing = KeyframeCache<M.State>.spacing
      if next.isMultiple(of: spacing) || target - next < spacing { keyframes.insert(state, at: next) }
    }
    return state
  }

  private func reduce(_ state: inout M.State, _ action: RecordedAction<M.Action>) throws {
    do {
      try M.reduce(into: &state, action: action.action)
    } catch {
      throw EventSourcingError(
        .refusedInReplay,
        "the reducer refused an action that was accepted when it was recorded (\(action.record.type))",
        path: action.record.place.path,
        seq: action.seq,
        advice: "Revisions 0…\(action.seq - 1) can be read.",
        underlying: error
      )
    }
  }
}
