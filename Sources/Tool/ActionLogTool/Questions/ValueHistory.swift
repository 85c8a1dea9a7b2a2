import ActionLog
import JSONCoding
import TerminalUI
import TimeTravel

extension Command {
  static let history = Command(
    "history",
    group: .question,
    summary: "list every action that changed one of some values",
    details: """
      Each change is a row; of several values, the row names the one that changed.
      A change that a later action undoes is listed, too. For a large dictionary, the changes inside are printed: with --json as
      "changes", a JSON Patch of the value. The status is 1 if no action changed a value.
      """,
    examples: [
      .init("history my-log /animals/data/Dog/diet", "what the dog ate, and when that changed"),
      .init("history my-log /status /animals/data/Dog", "two values over time"),
      .init("history my-log /value --from -100 --json", "from a hundred actions before the end on, for a program"),
    ],
    arguments: [.readLog, .pointers],
    options: [.from, .to, .model, .projection],
    tool: ToolDeclaration(
      title: "History of values",
      help: "Lists every action that changed one of some values of the state, with the old and new values.",
      inputs: [.from, .to]),
    row: ValueHistory.row,
    ask: { context, rows in try ValueHistory(context: context).run(&rows) }
  )
}

/// `history`: visits the changes of values.
private struct ValueHistory {
  let context: CommandContext

  static let row = AnswerRow(
    help: "A line for each action that changed a value.",
    shape: AnswerShape<ValueChange>.briefChange, columns: [.right, .left, .left, .left]
  ) { change, table, context in
    let name = context.arguments.positionals.count > 2 ? "\(TerminalText.escaping(change.pointer.description)): " : ""
    try table.append(
      RecordText.heading(change.record, style: context.output.style, columns: context.outputColumns)
        + [.init(name + context.text(change))])
  }

  func run(_ rows: inout AnswerRows<ValueChange>) throws -> ExitStatus {
    let pointers = try (1..<context.arguments.positionals.count).map { index in try context.pointerArgument(index) }
    let history = try context.openHistory()
    let pointRange = try PointRange(context, reader: history.reader)
    guard let range = try pointRange.revisions(in: history.reader) else { return try context.emptyRangeAnswer() }
    try context.warnOfBeginning(of: history.reader, pointRange)
    var isChanged = false
    let work = try context.ask { options in
      try history.changes(of: pointers, in: range, options: options) { change in
        isChanged = true
        return try rows.add(change)
      }
    }
    if rows.isFull { return .success }
    // Paths without any value are probably a mistake.
    if !isChanged {
      let state = try context.replay(history, to: range.upperBound)
      let found = pointers.map { pointer in Result { try state.value(at: pointer) } }
      if case .failure(let failure)? = found.first, found.allSatisfy({ value in (try? value.get()) == nil }) {
        throw failure
      }
    }
    try rows.finish()
    if !isChanged {
      if let first = pointRange.prunedBeginning, !context.isJSON {
        try context.output.line(CommandContext.value(atBeginning: first))
      }
      try context.note("no action from \(max(1, range.lowerBound)) to \(range.upperBound) changed it")
    }
    try context.note(on: work)
    try context.printHints(of: work)
    return try context.status(
      isChanged ? .success : .negative, of: history.reader, upTo: pointRange.end(of: range))
  }
}
