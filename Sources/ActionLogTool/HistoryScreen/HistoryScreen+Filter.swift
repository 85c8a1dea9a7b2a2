import ActionLog
import EventSourcing
import JSONCoding
import Locking
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
    filter = nil
    scrolls.actions = 0
  }

  private func start(_ search: ActionSearch) {
    leaveFilter()
    let number = nextNumber()
    filter = ActionFilter(search: search, number: number)
    pane = .actions
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
        filter?.take(finding, showsProgress: showsProgress)
      }
    } catch {
      if filter?.number == number { tell(error) }
    }
    if filter?.number == number { filter?.isRunning = false }
  }
}
