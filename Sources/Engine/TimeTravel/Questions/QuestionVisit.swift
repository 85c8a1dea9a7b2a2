import ActionLog
import EventSourcing
import Platform

// A question that visits every state of a long range divides it at snapshots, and a thread visits each part. The findings are consumed
// in order, so the answer is that of one visit.

/// A question about consecutive states, on one thread.
protocol StateQuestion<State>: SendableMetatype {
  associatedtype State: Sendable
  associatedtype Finding: Sendable
  /// The observations of a question: the basis of its hints.
  associatedtype Observations: Sendable

  /// Reads the state before the first action.
  ///
  /// - Parameter isFirst: Whether no other instance visits the state. Otherwise this one is only compared with the next state.
  func begin(_ state: State, isFirst: Bool) throws

  /// Visits the state that a record led to.
  ///
  /// - Parameter pass: Receives a finding with its share of `OrderedJobs.bufferLimit`, and returns whether to continue.
  /// - Returns: Whether to continue.
  func visit(
    _ state: State, _ batch: RecordBatch, _ index: Int, _ pass: (_ finding: Finding, _ weight: Int) throws -> Bool
  ) throws -> Bool

  var observations: Observations { get }

  /// Adds what another instance has met in the states that follow.
  func add(_ later: Observations)
}

extension History {
  /// Visits the states of a plan; those of a long range side by side, with the findings of one visit in the same order.
  ///
  /// - Parameters:
  ///   - plan: The states.
  ///   - options: Whether snapshots are used, progress and cancellation.
  ///   - makeQuestion: Makes the question on each thread.
  ///   - consume: Receives the findings on the caller's thread, and returns whether to continue.
  /// - Returns: The finished visit.
  /// - Throws: The errors of `walk` and of the question, after the findings before them; the error of `consume`.
  func visit<Question: StateQuestion<M.State>>(
    _ plan: ChangePlan, options: ReplayOptions, by makeQuestion: @escaping @Sendable () -> Question,
    consume: (Question.Finding) throws -> Bool
  ) throws -> QuestionVisit<M, Question> {
    let (first, last) = (plan.parts[0].first, plan.parts[plan.parts.count - 1].last)
    let isDivided =
      plan.isComplete && options.usesSnapshots && options.decodesAhead && last - first >= 3 * options.shortestVisit
    var visit = QuestionVisit(
      history: self, options: isDivided ? options.countingFolds(upTo: last - first) : options,
      makeQuestion: makeQuestion)
    visit.work.actionsIndexed = plan.index?.actionsAdded ?? 0
    guard isDivided else {
      try visit.visitAlone(plan, consume)
      return visit
    }
    // An early answer needs no second thread, which would load a snapshot.
    let opening = first + options.shortestVisit
    var findings = 0
    try visit.visitAlone(ChangePlan(from: first, to: opening)) { finding in
      findings += 1
      return try consume(finding)
    }
    if visit.isEnded { return visit }
    do {
      try visit.visitLater(
        from: opening, to: last, first: first, inRanges: findings <= options.mostFindings, consume)
    } catch let error as LogError {
      // A range may begin to read later than the question.
      throw error.reading(from: visit.firstRead)
    }
    return visit
  }
}

/// The visit of consecutive states by one question, alone and then in ranges.
struct QuestionVisit<M: Model, Question: StateQuestion<M.State>> {
  private let history: History<M>
  private let options: ReplayOptions
  private let makeQuestion: @Sendable () -> Question
  /// The question with everything that was met.
  let question: Question
  /// The work, without that of ranges that were begun and not needed.
  fileprivate(set) var work = QuestionWork()
  /// The last visited revision.
  private var revision = 0
  /// The state at ``revision``; `nil` if the consumer ended the visit when a thread was beyond it.
  private var state: M.State?
  /// Whether the consumer has ended the visit.
  fileprivate var isEnded = false
  /// The first action that was read.
  fileprivate var firstRead = 1

  /// The output of a range.
  private enum Output: Sendable {
    case findings([Found])
    case end(End)
  }

  /// The result of a range, which may have ended early because of too many findings.
  private struct End: Sendable {
    let observations: Question.Observations
    let report: ReplayReport
    let revision: Int
    /// The state, if it is needed: of the last range, and of one that ended early.
    let state: M.State?
    let hasTooManyFindings: Bool
  }

  /// A finding of a range, with what the question had met until then.
  private struct Found: Sendable {
    let finding: Question.Finding
    let revision: Int
    let observations: Question.Observations
  }

  /// Findings that are passed together, because passing one wakes the consumer: the first one at once, and later ones in batches
  /// whose size doubles, but not long after they were found.
  private struct FoundBatch {
    private static var longest: Int { 256 }
    /// A batch waits for more findings for at most this many actions.
    private static var patience: Int { 4_096 }

    private(set) var findings: [Found] = []
    private(set) var weight = 0
    private var limit = 1
    /// The findings since the beginning of the window, which has `shortestVisit` actions.
    private var count = 0
    private var windowStart = 0

    mutating func add(_ found: Found, weight: Int) {
      findings.append(found)
      self.weight += weight
    }

    /// Counts the last finding.
    ///
    /// - Returns: Whether the window has so many that one thread is to visit the rest.
    mutating func isTooMany(_ options: ReplayOptions) -> Bool {
      guard let revision = findings.last?.revision else { return false }
      if revision - windowStart >= options.shortestVisit { (windowStart, count) = (revision, 0) }
      count += 1
      return count > options.mostFindings
    }

    /// Whether the batch is to be passed after the visit of a revision.
    func isDue(at revision: Int) -> Bool {
      guard let first = findings.first else { return false }
      return findings.count >= limit || weight >= Self.longest || revision - first.revision >= Self.patience
    }

    mutating func take() -> (findings: [Found], weight: Int) {
      defer { (findings, weight, limit) = ([], 0, min(2 * limit, Self.longest)) }
      return (findings, weight)
    }
  }

  fileprivate init(
    history: History<M>, options: ReplayOptions, makeQuestion: @escaping @Sendable () -> Question
  ) {
    (self.history, self.options, self.makeQuestion) = (history, options, makeQuestion)
    question = makeQuestion()
  }

  /// Returns the last visited state.
  ///
  /// - Complexity: O(1); O(distance from the last snapshot) if the consumer ended the visit of a range.
  func lastState() throws -> M.State { try state ?? history.state(at: revision, options: options) }

  /// Visits the states of a plan on the caller's thread.
  fileprivate mutating func visitAlone(_ plan: ChangePlan, _ consume: (Question.Finding) throws -> Bool) throws {
    try walk(from: plan.parts[0].first, isFirst: true, consume) { [history, options] visitor in
      try history.walk(plan, options: options, visitor: visitor)
    }
  }

  private mutating func walk(
    from first: Int, isFirst: Bool, _ consume: (Question.Finding) throws -> Bool,
    _ walk: (StateVisitor<M.State>) throws -> Replayed<M.State>
  ) throws {
    var isEnded = false
    // The visitor does not use `consume` after `walk` returns.
    let replayed = try withoutActuallyEscaping(consume) { consume in
      try walk(
        Self.visitor(question, from: first, isFirst: isFirst, options) { finding, _, _ in
          isEnded = try !consume(finding)
          return !isEnded
        })
    }
    if isFirst { firstRead = replayed.report.startRevision + 1 }
    work.add(replayed.report)
    (revision, state, self.isEnded) = (replayed.revision, replayed.state, isEnded)
  }

  /// Visits the later states.
  ///
  /// - Parameters:
  ///   - first: The first revision of the question.
  ///   - inRanges: Whether to divide them at snapshots.
  fileprivate mutating func visitLater(
    from start: Int, to last: Int, first: Int, inRanges: Bool, _ consume: (Question.Finding) throws -> Bool
  ) throws {
    // The fold is the only owner of the state.
    let known = Locked(state.take())
    if inRanges {
      var options = options
      options.shortestRange = options.shortestVisit
      let bounds = history.rangeBounds(
        from: start, to: last, options: options, rangesPerThread: 1, bytesPerAction: ChangePlan.snapshotBytesPerAction)
      if bounds.count > 2, try visitRanges(bounds, known, options: options, consume) { return }
      // The end of a range with too many findings.
      if let state = state.take() { known.withLock { known in known = state } }
    }
    let start = revision
    try walk(from: start, isFirst: false, consume) { [history, options] visitor in
      let beginning = known.withLock { state in state == nil } ? first : start
      return try history.walk(
        knowing: known.withLock { state in state.take() }, from: beginning, to: last, options: options,
        visitor: visitor)
    }
  }

  /// Visits ranges side by side.
  ///
  /// - Parameter known: The state at the first bound. It is taken if a range begins.
  /// - Returns: Whether the visit is complete.
  private mutating func visitRanges(
    _ bounds: [Int], _ known: Locked<M.State?>, options: ReplayOptions, _ consume: (Question.Finding) throws -> Bool
  ) throws -> Bool {
    var isComplete = true
    let ending = try history.foldRanges(bounds, options: options, trustsExaminations: true) {
      [history, makeQuestion] (range: inout FoldRange<M.State, Output>) in
      let (question, pass) = (makeQuestion(), range.pass)
      let isLast = range.last == bounds[bounds.count - 1]
      var found = FoundBatch()
      var hasTooMany = false
      var visitor = Self.visitor(question, from: range.first, isFirst: false, range.options) {
        finding, revision, weight in
        found.add(Found(finding: finding, revision: revision, observations: question.observations), weight: weight)
        // The thread of a later range would wait for the consumer with a full buffer, after copying each finding.
        if found.isTooMany(options) { hasTooMany = true }
        return true
      }
      visitor.visit = { [visit = visitor.visit] state, batch, index in
        // The other findings of the same action belong to this range, too.
        let continues = try visit(state, batch, index) && !hasTooMany
        if found.isDue(at: batch.entries[index].revision) {
          let (findings, weight) = found.take()
          try pass(.findings(findings), weight)
        }
        return continues
      }
      let walked = Result {
        try history.walk(
          knowing: range.state.take() ?? known.withLock { state in state.take() }, from: range.first, to: range.last,
          options: range.options, visitor: visitor)
      }
      // An error comes after the findings before it.
      try pass(.findings(found.take().findings), 1)
      let replayed = try walked.get()
      let end = End(
        observations: question.observations, report: replayed.report, revision: replayed.revision,
        state: isLast || hasTooMany ? replayed.state : nil, hasTooManyFindings: hasTooMany)
      try pass(.end(end), 1)
      return hasTooMany ? nil : replayed.state
    } consume: { output in
      switch output {
      case .findings(let findings):
        for found in findings {
          if try consume(found.finding) { continue }
          // The thread is beyond the finding, and ends when it notices.
          question.add(found.observations)
          work.actionsFolded += found.revision - revision
          noteSnapshot(ofRangeAfter: bounds[0])
          (revision, isEnded) = (found.revision, true)
          return false
        }
        return true
      case .end(let end):
        question.add(end.observations)
        work.add(end.report)
        noteSnapshot(ofRangeAfter: bounds[0])
        (revision, state, isComplete) = (end.revision, end.state, !end.hasTooManyFindings)
        return isComplete
      }
    }
    return ending == .complete && isComplete
  }

  /// Counts the snapshot of the range that begins at ``revision``. The first range has the state of the visit before it.
  private mutating func noteSnapshot(ofRangeAfter first: Int) {
    if revision != first { work.snapshotsLoaded += 1 }
  }

  private static func visitor(
    _ question: Question, from first: Int, isFirst: Bool, _ options: ReplayOptions,
    _ pass: @escaping (_ finding: Question.Finding, _ revision: Int, _ weight: Int) throws -> Bool
  ) -> StateVisitor<M.State> {
    var check = CancellationCheck(options.isCancelled)
    return StateVisitor(
      from: first,
      begin: { state, _ in
        try question.begin(state, isFirst: isFirst)
        return true
      },
      visit: { state, batch, index in
        try check.pass()
        return try question.visit(state, batch, index) { finding, weight in
          try pass(finding, batch.entries[index].revision, weight)
        }
      })
  }
}
