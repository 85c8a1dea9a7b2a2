import EventSourcing
import Platform

extension ReplayOptions {
  /// The same options, with one progress for all folds of a question.
  ///
  /// - Parameter limit: The most actions that the question folds.
  func countingFolds(upTo limit: Int) -> ReplayOptions {
    guard let report = progress else { return self }
    let sum = Locked((finished: 0, planned: 0))
    var options = self
    options.progress = { step in
      let folded = sum.withLock { sum in
        // A fold reports its beginning first. The one before it has reached its end: only the last one of a question ends early.
        if step.actionsFolded == 0 {
          sum.finished += sum.planned
          sum.planned = step.actionsLimit ?? 0
        }
        return sum.finished + step.actionsFolded
      }
      var step = step
      (step.actionsFolded, step.actionsLimit) = (min(folded, limit), limit)
      report(step)
    }
    return options
  }
}
