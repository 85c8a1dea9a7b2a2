import ActionLog
import EventSourcing
import JSONCoding
import Platform
import TimeTravel

// Queries run on another thread, one at a time, while the screen stays responsive.
extension HistoryScreen {
  /// Starts a query, and cancels the one in progress. Its error is shown.
  ///
  /// - Parameters:
  ///   - question: It may block, and ends when the options are canceled.
  ///   - learn: Called with the answer, even if the query was canceled.
  func ask<Answer: Sendable>(
    _ text: String, _ question: @escaping @Sendable (ReplayOptions) throws -> Answer,
    learn: @escaping @MainActor (Answer) -> Void = { _ in }, take: @escaping @MainActor (Answer) throws -> Void
  ) {
    cancelQuestion()
    let pendingQuestion = PendingQuestion(text: text)
    let operation = pendingQuestion.operation
    self.pendingQuestion = pendingQuestion
    questionTask = Task {
      let answer = await operation.perform { options, report -> Result<Answer, any Error> in
        var options = options
        options.progress = { step in report(step.revision) }
        return Result { try question(options) }
      } note: { [self] (reached: Int) in
        if self.pendingQuestion?.operation === operation, showsProgress { self.pendingQuestion?.reached = reached }
      }
      if case .success(let answer) = answer { learn(answer) }
      guard self.pendingQuestion?.operation === operation else { return }
      endQuestion()
      do {
        try take(answer.get())
      } catch {
        report(error)
      }
    }
  }

  /// Starts a query of the history, from the cached states. The states folded for the answer are cached for later queries and
  /// moves, even if the query is canceled.
  func askHistory<Answer: Sendable>(
    _ text: String, _ question: @escaping @Sendable (inout any WalkHandle, ReplayOptions) throws -> Answer,
    take: @escaping @MainActor (Answer) -> Void
  ) {
    let place = place
    ask(text) { options in
      var place = place
      let answer = Result { try place.ask { walk in try question(&walk, options) } }
      return (answer: answer, place: place)
    } learn: { [self] found in
      self.place.adoptStates(of: found.place)
    } take: { found in
      take(try found.answer.get())
    }
  }

  @discardableResult func cancelQuestion() -> Bool {
    guard let pendingQuestion else { return false }
    pendingQuestion.operation.cancel()
    endQuestion()
    return true
  }

  private func endQuestion() {
    pendingQuestion = nil
    if blamed?.answer == nil { blamed = nil }
  }

  func settled() async {
    // An answer can start a move.
    await questionTask?.value
    await moveTask?.value
    await filterTask?.value
    await whatIfTask?.value
  }
}

extension HistoryScreen {
  func askForBlame() {
    let (pointer, revision) = (pointer, place.revision)
    guard place.tree[pointer] != nil else { return report("the value does not exist at revision \(revision)") }
    scrolls[.changes].offset = 0
    askHistory("who changed \(name(of: pointer))?") { walk, options in
      try walk.blame(pointer, at: revision, options: options)
    } take: { [self] answer in
      blamed = Blamed(pointer: pointer, answer: answer)
    }
    blamed = Blamed(pointer: pointer)
  }

  func forgetBlame() {
    if let blamed, blamed.answer == nil { cancelQuestion() }
    blamed = nil
  }

  func goToBlamed() {
    guard let change = blamed?.answer?.change else { return report("b asks who changed the selected value") }
    go(to: change.record.revision)
  }

  /// - Throws: For an invalid condition.
  func go(where text: String, _ kind: ScreenPrompt.Kind) throws {
    let condition = try Condition(parsing: text)
    self.condition = text
    let here = here
    askHistory("\(ScreenPrompt(kind: kind).label) \(text)") {
      walk, options -> (revision: Int?, text: String, hints: [QuestionHint]) in
      // Includes actions recorded in the meantime.
      if kind != .reverseUntil { try walk.refresh() }
      if kind == .bisect {
        let answer = try walk.bisect(condition, options: options)
        let note = answer.isMonotonic ? ", after checking \(answer.work.statesVisited) states" : "; it comes and goes"
        let text = answer.revision.map { revision in "holds first at revision \(revision)\(note)" }
        return (answer.revision, text ?? "holds nowhere", try answer.work.allHints())
      }
      let isForward = kind == .until
      let answer =
        isForward
        ? try walk.firstRevision(where: condition, after: here, options: options)
        : try walk.lastRevision(where: condition, before: here, options: options)
      let text = answer.revision.map { revision in "holds at revision \(revision)" }
      return (
        answer.revision, text ?? "holds nowhere \(isForward ? "after" : "before") revision \(here)",
        try answer.work.allHints()
      )
    } take: { [self] answer in
      if let revision = answer.revision { go(to: revision) }
      report(text, answer.text, answer.hints)
    }
  }

  /// Starts at the value that the user selected, or else at the beginning.
  func search(_ text: String) {
    guard !text.isEmpty else { return }
    searched = text
    let (tree, pointer) = (place.tree, isPointerChosen ? pointer : .root)
    ask("searching the state for \(text)") { options in
      try StateSearch(text, isCancelled: options.isCancelled).next(in: tree, after: pointer)
    } take: { [self] found in
      guard let found else { return report("no name or value in this state contains '\(text)'") }
      select(found)
      pane = .state
    }
  }

  func toggleComparison() {
    // The base of the comparison must be the state that is shown.
    guard pendingMove == nil else { return report("the state is still being folded: wait, or press Esc to cancel") }
    do {
      try place.move(to: place.revision, comparedWith: place.base == nil ? place.revision : nil)
      showChanges()
      report(place.base.map { base in "comparing with revision \(base); c ends the comparison" } ?? "")
    } catch {
      report(error)
    }
  }

  func name(of pointer: JSONPointer) -> String { pointer == .root ? "the whole state" : pointer.description }
}

// Files for others.
extension HistoryScreen {
  /// Writes a test, like the command `test`.
  func writeTest(_ path: String) {
    write(path, "a test") { [context, history] states, options in
      try NewFile.make(path, for: context) { file in
        let test = try history.replayTest(
          of: states, minimizedFor: nil, expecting: nil, isTestable: false, options: options)
        try file?.append(Array(test.source.utf8))
      }
    }
  }

  /// Writes a bug report, like the command `bug-report`.
  func writeReport(_ path: String) {
    write(path, "a bug report") { [context, history] states, options in
      _ = try history.writeBugReport(
        of: states, to: path, on: context.files, remark: nil, against: nil,
        environment: context.environment.logEnvironment, options: options)
    }
  }

  /// Writes a file about the actions since the base of the comparison, or since the start.
  private func write(
    _ path: String, _ name: String, _ write: @escaping @Sendable (ClosedRange<Int>, ReplayOptions) throws -> Void
  ) {
    let base = place.base ?? first
    let states = min(base, place.revision)...max(base, place.revision)
    ask("writing \(name)") { options in
      try write(states, options)
    } take: { [self] _ in
      report("\(path): \(name) of \(HumanText.count(states.count - 1, "action")) to revision \(states.upperBound)")
    }
  }
}
