import ActionLog
import EventSourcing

extension History {
  func visit(
    _ plan: ChangePlan, options: ReplayOptions, begin: (M.State) throws -> Void,
    _ visit: (M.State, RecordBatch, Int) throws -> Bool
  ) throws -> (work: QuestionWork, state: M.State) {
    var work = QuestionWork()
    work.actionsIndexed = plan.index?.actionsAdded ?? 0
    var check = CancellationCheck(options.isCancelled)
    // The visitor does not use the closures after `walk` returns.
    let replayed = try withoutActuallyEscaping(begin) { begin in
      try withoutActuallyEscaping(visit) { visit in
        try walk(
          plan, options: options,
          visitor: StateVisitor(
            from: plan.parts[0].first,
            begin: { state, _ in
              work.statesVisited += 1
              try begin(state)
              return true
            },
            visit: { state, batch, index in
              work.statesVisited += 1
              try check.pass()
              return try visit(state, batch, index)
            }))
      }
    }
    work.add(replayed.report)
    return (work, replayed.state)
  }
}
