import ActionLog
import EventSourcing
import JSONCoding
import Platform
import TimeTravel

// The list of actions, narrowed to those that somebody looks for.
extension HistoryScreen {
  /// Looks for the actions that a person has typed; nothing ends the filter.
  ///
  /// - Throws: ``TimeTravelError`` for a condition that makes no sense; the filter that was there stays.
  func startFilter(_ text: String) throws {
    guard !text.isEmpty else { return leaveFilter() }
    start(try ActionSearch(text))
  }

  /// Lists the actions that changed the selected value, with the values.
  func showHistory() { start(ActionSearch(historyOf: pointer)) }

  /// Shows all actions again.
  func leaveFilter() {
    filter?.isUnwanted.withLock { flag in flag = true }
    filter = nil
    scrolls.actions = 0
  }

  private func start(_ search: ActionSearch) {
    leaveFilter()
    let number = nextNumber()
    let filter = ActionFilter(search: search, number: number)
    self.filter = filter
    pane = .actions
    let (history, place, last) = (history, place, last)
    let (findings, continuation) = AsyncThrowingStream<ActionSearch.Finding, any Error>.makeStream()
    let isUnwanted = filter.isUnwanted
    continuation.onTermination = { _ in isUnwanted.withLock { flag in flag = true } }
    Task {
      do {
        try await OffPool.run {
          let isCancelled: @Sendable () -> Bool = { isUnwanted.withLock { flag in flag } }
          let hints = try search.run(in: history, at: place, upTo: last, isCancelled: isCancelled) { finding in
            continuation.yield(finding)
          }
          continuation.yield(ActionSearch.Finding(revisions: [], reached: last, hints: hints))
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
        filter?.take(finding, showsProgress: showsProgress)
        if let hint = finding.hints.first { tell(hint) }
      }
    } catch {
      if filter?.number == number { tell(error) }
    }
    if filter?.number == number { filter?.isRunning = false }
  }
}
