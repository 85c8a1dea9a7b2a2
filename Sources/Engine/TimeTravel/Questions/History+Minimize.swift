import ActionLog
public import EventSourcing

extension History {
  /// Finds a few actions that by themselves make a condition hold.
  ///
  /// Removes larger and smaller portions of the actions up to a revision while the condition still holds after the rest. This
  /// is delta debugging (Zeller and Hildebrandt, *Simplifying and Isolating Failure-Inducing Input*, 2002). No single action
  /// of the result can be removed; there may be a shorter selection of other actions. Actions that the reducer refuses in a
  /// selection are not part of it.
  ///
  /// - Parameters:
  ///   - condition: A condition over the state alone, which holds at the revision.
  ///   - start: Only actions after this revision are removed; 0 is the beginning of the log, also of a pruned one.
  ///   - revision: The revision at which the condition holds; `nil` is the end.
  ///   - trialLimit: The most selections to try.
  /// - Throws: ``TimeTravelError/Code/doesNotHold`` if the condition does not hold at the revision;
  ///   ``TimeTravelError/Code/unanswerable`` if it holds without any action, or reads the action or a change;
  ///   ``TimeTravelError/Code/revisionOutOfRange``; `CancellationError`; the errors of reading and folding.
  /// - Complexity: O(*n* · log *n*) folded actions if a few of *n* actions matter, O(*n*²) in the worst case; the actions are
  ///   held in memory.
  public func minimize(
    _ condition: Condition, after start: Int = 0, at revision: Int? = nil, trialLimit: Int = 10_000,
    options: ReplayOptions = ReplayOptions()
  ) throws -> MinimizedActions<M.Action> {
    try condition.requireState()
    let known = RevisionRange(of: self, last: try lastRevision())
    let revision = try known.checking(revision ?? known.last)
    let start = try known.checking(start == 0 ? known.first : start)
    try requireHolding(condition, at: revision, options: options)
    let initial = try state(at: start, options: options)
    let minimizer = Minimizer<M>(
      condition, initial, try actions(after: start, through: revision, options), trialLimit: trialLimit, options)
    let kept = try minimizer.run(revision)
    var work = QuestionWork()
    work.actionsFolded = minimizer.actionsFolded
    work.statesVisited = minimizer.trials
    return MinimizedActions(
      actions: try kept.map { index in try action(at: start + 1 + index) }, originalCount: revision - start,
      isMinimal: minimizer.isMinimal, trials: minimizer.trials, work: work)
  }

  private func requireHolding(_ condition: Condition, at revision: Int, options: ReplayOptions) throws {
    let evaluator = ConditionEvaluator<M.State>(condition)
    let end = try state(at: revision, options: options)
    guard try !evaluator.holds(at: end) else { return }
    throw try evaluator.refusal(of: condition, at: revision, in: end)
  }

  /// The actions of each record. The records are not kept, because they take several times the memory.
  private func actions(after start: Int, through last: Int, _ options: ReplayOptions) throws -> [[M.Action]] {
    var actions: [[M.Action]] = []
    guard last > start else { return actions }
    actions.reserveCapacity(last - start)
    var check = CancellationCheck(options.isCancelled)
    var batches = try reader.batches(from: start + 1)
    while actions.count < last - start, let batch = try batches.nextBatch() {
      for (index, entry) in batch.entries.enumerated()
      where !entry.isControl && (start + 1...last).contains(entry.revision) {
        try check.pass()
        actions.append(try recordedAction(in: batch, at: index).actions)
      }
      options.reportExamined(actions.count, of: last - start)
      batches.recycle(batch)
    }
    return actions
  }
}

extension ConditionEvaluator where State: Sendable {
  fileprivate func refusal(of condition: Condition, at revision: Int, in state: State) throws -> TimeTravelError {
    var error = TimeTravelError(.doesNotHold, "'\(condition)' does not hold at revision \(revision)")
    let emptiness = try missingPointers.first.flatMap { place in
      try QuestionHint(onNothingAt: place, in: VisitedState(state), where: "there is")
    }
    guard let hint = emptiness ?? hints.first else { return error }
    error.message += ": \(hint.message)"
    error.suggestions = hint.suggestions
    return error
  }
}

/// Delta debugging over the actions of a history.
private final class Minimizer<M: Model> {
  private let condition: Condition
  private let evaluator: ConditionEvaluator<M.State>
  private let initial: M.State
  private let actions: [[M.Action]]
  private let trialLimit: Int
  private let options: ReplayOptions

  private(set) var trials = 0
  private(set) var actionsFolded = 0
  private(set) var isMinimal = false
  /// The state after all actions if the condition does not hold there.
  private var refused: M.State?

  init(
    _ condition: Condition, _ initial: M.State, _ actions: [[M.Action]], trialLimit: Int,
    _ options: ReplayOptions
  ) {
    self.condition = condition
    self.evaluator = ConditionEvaluator(condition)
    self.initial = initial
    self.actions = actions
    self.trialLimit = trialLimit
    self.options = options
  }

  func run(_ revision: Int) throws -> [Int] {
    guard let all = try trial(Array(actions.indices)) else {
      throw try evaluator.refusal(of: condition, at: revision, in: refused ?? initial)
    }
    guard try trial([]) == nil else {
      throw try needlessness()
    }
    var kept = all
    var portions = 2
    while kept.count > 1 {
      guard trials < trialLimit else { return kept }
      if let fewer = try shortened(kept, portions) {
        (kept, portions) = fewer
      } else if portions >= kept.count {
        break
      } else {
        portions = min(kept.count, portions * 2)
      }
    }
    isMinimal = true
    return kept
  }

  private func needlessness() throws -> TimeTravelError {
    let absent = try condition.pointers.first { pointer in
      try !condition.uses.absences.contains(.state(pointer)) && !StateProbe<M.State>(pointer).isThere(in: initial)
    }
    let advice =
      absent.map { pointer in
        "there is no \(ConditionTerm.state(pointer)) yet, so add: and \(ConditionTerm.state(pointer)) exists"
      }
      ?? "write a condition that does not hold there, for instance with a value that an action set"
    return TimeTravelError(
      .unanswerable, "'\(condition)' holds before any action, so no action is needed for it; \(advice)")
  }

  /// Tries each portion by itself, then everything except each portion.
  private func shortened(_ kept: [Int], _ portions: Int) throws -> (kept: [Int], portions: Int)? {
    let bounds = (0...portions).map { portion in portion * kept.count / portions }
    // With two portions, one portion is everything except the other.
    for (start, end) in zip(bounds, bounds.dropFirst()) where portions > 2 || end > start {
      if trials >= trialLimit { return nil }
      if let fewer = try trial(Array(kept[start..<end])) { return (fewer, 2) }
    }
    guard portions > 2 else { return nil }
    for (start, end) in zip(bounds, bounds.dropFirst()) {
      if trials >= trialLimit { return nil }
      if let fewer = try trial(Array(kept[..<start] + kept[end...])) { return (fewer, max(2, portions - 1)) }
    }
    return nil
  }

  private func trial(_ selection: [Int]) throws -> [Int]? {
    trials += 1
    var fold = TolerantFold<M>(from: initial)
    var accepted: [Int] = []
    accepted.reserveCapacity(selection.count)
    for (place, index) in selection.enumerated() {
      if place & 1023 == 0 {
        if options.isCancelled() { throw CancellationError() }
        options.reportExamined(actions.count + min(actionsFolded + place, actions.count), of: actions.count)
      }
      if try fold.fold(actions[index]) == nil { accepted.append(index) }
    }
    actionsFolded += fold.actionsFolded
    guard try !evaluator.holds(at: fold.state) else { return accepted }
    if trials == 1 { refused = fold.state }
    return nil
  }
}

/// A few actions of a history that by themselves make a condition hold.
public struct MinimizedActions<Action: Sendable>: Sendable {
  /// The actions, in order.
  public let actions: [RecordedAction<Action>]
  /// The number of actions before.
  public let originalCount: Int
  /// Whether the condition fails without any one of the actions. If not, the limit of trials ended the search.
  public let isMinimal: Bool
  /// The number of selections that were tried.
  public let trials: Int
  /// The work of the search.
  public let work: QuestionWork
}
