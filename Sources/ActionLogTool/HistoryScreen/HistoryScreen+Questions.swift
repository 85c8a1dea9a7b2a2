import ActionLog
import EventSourcing
import JSONCoding
import Locking
import TimeTravel

// Questions that look at much of the log. They run aside; the screen goes on.
extension HistoryScreen {
  /// Looks for the actions that a person has typed; nothing ends the filter.
  func startFilter(_ text: String) {
    filterCount += 1
    let number = filterCount
    filter = nil
    scrolls.actions = 0
    guard !text.isEmpty else { return }
    let search: ActionSearch
    do {
      search = try ActionSearch(text)
    } catch {
      return tell(error)
    }
    filter = ActionFilter(search: search, number: number)
    let (history, last) = (history, last)
    let (findings, continuation) = AsyncThrowingStream<ActionSearch.Finding, any Error>.makeStream()
    let isUnwanted = Locked(false)
    continuation.onTermination = { _ in isUnwanted.withLock { flag in flag = true } }
    Task {
      do {
        try await OffPool.run {
          try search.run(in: history, upTo: last, isCancelled: { isUnwanted.withLock { flag in flag } }) { finding in
            continuation.yield(finding)
          }
        }
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    filtering = Task { await take(findings, of: number) }
  }

  private func take(_ findings: AsyncThrowingStream<ActionSearch.Finding, any Error>, of number: Int) async {
    do {
      for try await finding in findings {
        // Leaving the loop ends the search.
        guard filter?.number == number else { return }
        filter?.revisions += finding.revisions
        filter?.reached = finding.reached
      }
    } catch {
      if filter?.number == number { tell(error) }
    }
    if filter?.number == number { filter?.isRunning = false }
  }

  /// Asks which action changed the selected value last, at or before the place that is shown.
  func askForBlame() {
    let (pointer, revision, history) = (pointer, place.revision, history)
    guard place.tree[pointer] != nil else { return tell("the value is not there at revision \(revision)") }
    forgetBlame()
    blamed = Blamed(pointer: pointer, revision: revision)
    scrolls.changes = 0
    let isUnwanted = isAnswerUnwanted
    asking = Task {
      do {
        let answer = try await OffPool.run {
          var options = ReplayOptions()
          options.isCancelled = { isUnwanted.withLock { flag in flag } }
          return try history.blame(pointer, at: revision, options: options)
        }
        if !isUnwanted.withLock({ flag in flag }) { blamed?.answer = answer }
      } catch {
        // Nobody waits for an answer that was cancelled.
        guard !isUnwanted.withLock({ flag in flag }) else { return }
        blamed = nil
        tell(error)
      }
    }
  }

  /// Takes the answer off the screen; a search that still goes on is ended.
  func forgetBlame() {
    isAnswerUnwanted.withLock { flag in flag = true }
    isAnswerUnwanted = Locked(false)
    blamed = nil
  }

  /// Waits until nothing is being looked for any more.
  func settled() async {
    await filtering?.value
    await asking?.value
  }

  /// Goes to the action that changed the value.
  func goToBlamed() {
    guard let change = blamed?.answer?.change else { return tell("b asks who changed the selected value") }
    go(to: change.record.seq)
  }

  /// Looks for a text in the state.
  func search(_ text: String) {
    guard !text.isEmpty else { return }
    searched = text
    guard let found = StateSearch(text).next(in: place.tree, after: pointer) else {
      return tell("nothing in this state is called or holds '\(text)'")
    }
    select(found)
    pane = .state
  }

  /// Compares with the state here from now on, or again with the one before each action.
  func toggleComparison() {
    do {
      try place.compare(with: place.base == nil ? place.revision : nil)
      showChanges()
      tell(place.base.map { base in "compared with revision \(base) from now on; c ends that" } ?? "")
    } catch {
      tell(error)
    }
  }
}
