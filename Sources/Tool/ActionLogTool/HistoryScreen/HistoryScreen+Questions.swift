import ActionLog
import EventSourcing
import JSONCoding
import TimeTravel

extension HistoryScreen {
  /// Asks which action changed the selected value last, at or before the place that is shown.
  func askForBlame() {
    let (pointer, revision) = (pointer, place.revision)
    guard place.tree[pointer] != nil else { return tell("the value is not there at revision \(revision)") }
    scrolls.changes = 0
    askHistory("who changed \(name(of: pointer))?") { walk, options in
      try walk.blame(pointer, at: revision, options: options)
    } take: { [self] answer in
      blamed = nil
      switch answer {
      case .success(let answer): blamed = Blamed(pointer: pointer, revision: revision, answer: answer)
      case .failure(let error): tell(error)
      }
    }
    blamed = Blamed(pointer: pointer, revision: revision)
  }

  /// Takes the answer off the screen, and the question if there is no answer yet.
  func forgetBlame() {
    if let blamed, blamed.answer == nil { leaveErrand() }
    blamed = nil
  }

  /// Goes to the action that changed the value.
  func goToBlamed() {
    guard let change = blamed?.answer?.change else { return tell("b asks who changed the selected value") }
    go(to: change.record.seq)
  }

  /// Goes to the first revision behind here at which a condition holds, or to the last one before.
  ///
  /// - Throws: ``TimeTravelError`` for a condition that makes no sense.
  func goUntil(_ text: String, isForward: Bool) throws {
    let condition = try Condition(parsing: text)
    self.condition = text
    let here = here
    askHistory((isForward ? "forward until " : "back until ") + text) { walk, options in
      // What was recorded since counts.
      if isForward { try walk.refresh() }
      let answer =
        isForward
        ? try walk.firstRevision(where: condition, after: here, options: options)
        : try walk.lastRevision(where: condition, before: here, options: options)
      let edge = isForward ? walk.revisions.upperBound : max(0, here - 1)
      let hints = try answer.work.hints { try walk.tree(at: answer.revision ?? edge, options: options) }
      return (revision: answer.revision, hints: hints)
    } take: { [self] answer in
      switch answer {
      case .success(let answer):
        guard let revision = answer.revision else {
          return tell(text, "holds nowhere \(isForward ? "behind" : "before") revision \(here)", answer.hints)
        }
        go(to: revision)
        tell(text, "holds at revision \(revision)", answer.hints)
      case .failure(let error): tell(error)
      }
    }
  }

  /// Goes to the first revision at which a condition on the state holds, found by halving.
  ///
  /// - Throws: ``TimeTravelError`` for a condition that makes no sense.
  func bisect(_ text: String) throws {
    let condition = try Condition(parsing: text)
    self.condition = text
    askHistory("bisect \(text)") { walk, options in
      try walk.refresh()
      let answer = try walk.bisect(condition, options: options)
      let hints = try answer.work.hints { try walk.tree(at: walk.revisions.upperBound, options: options) }
      return (answer: answer, hints: hints)
    } take: { [self] found in
      switch found {
      case .success(let (answer, hints)):
        guard let revision = answer.revision else { return tell(text, "holds nowhere", hints) }
        go(to: revision)
        tell(text, "holds first at revision \(revision)\(Self.remark(on: answer))", hints)
      case .failure(let error): tell(error)
      }
    }
  }

  /// What the command warns of, shorter.
  private static func remark(on answer: BisectAnswer) -> String {
    if !answer.isMonotonic { return "; it comes and goes" }
    return ", found by looking at \(answer.work.statesVisited) states"
  }

  /// Searches the state for a text, from the value that the user selected, or else from the start.
  func search(_ text: String) {
    guard !text.isEmpty else { return }
    searched = text
    let (tree, pointer) = (place.tree, isPointerChosen ? pointer : .root)
    ask("searching the state for \(text)") { options in
      try StateSearch(text, isCancelled: options.isCancelled).next(in: tree, after: pointer)
    } take: { [self] answer in
      switch answer {
      case .success(let found?):
        select(found)
        pane = .state
      case .success(nil): tell("nothing in this state is called or holds '\(text)'")
      case .failure(let error): tell(error)
      }
    }
  }

  /// Compares with the state here from now on, or again with the one before each action.
  func toggleComparison() {
    // What is compared is the state that is shown, and another one is on its way.
    guard travel == nil else { return tell("c compares from where one is: wait, or press Esc to stay") }
    do {
      try place.compare(with: place.base == nil ? place.revision : nil)
      showChanges()
      tell(place.base.map { base in "compared with revision \(base) from now on; c ends that" } ?? "")
    } catch {
      tell(error)
    }
  }

  /// How a place of the state is called.
  func name(of pointer: JSONPointer) -> String { pointer == .root ? "the whole state" : pointer.description }
}
