import ActionLog
import TimeTravel

extension Command {
  static let minimize = Command(
    "minimize",
    group: .question,
    summary: "find a few actions that suffice to make a condition hold",
    details: """
      The condition is one on the state alone, and does not hold before the first action.
      Actions are removed while the condition still holds after the rest. Without any one of the printed actions it does not hold.
      The status is 1 if the condition does not hold at the point.
      """,
    examples: [
      .init("minimize my-log '/value < 0'", "which actions it takes to get below zero"),
      .init("minimize my-log '/value < 0' --at 42 --json", "those up to revision 42, for a program"),
    ],
    arguments: [.readLog, .condition],
    options: [Minimize.at, .model, .projection],
    tool: ToolDeclaration(
      title: "Actions that suffice",
      help:
        "Finds a few actions that suffice to make a condition hold: without any one of them it does not. The condition is on the "
        + "state alone, without changed, type, seq, time, data/… and meta/…. Name the wrong value with ==: != and not also hold before "
        + "there is a value.", inputs: [Minimize.at]),
    row: .action("A line for each action that is needed."),
    ask: Minimize.ask
  )
}

/// `minimize`: searches for a minimal list of actions.
private enum Minimize {
  static let at = CommandOption.value(
    "at", letter: "a", "POINT", kind: .point, "a point where the condition holds (default: the end)")

  static func ask(_ context: CommandContext, _ rows: inout AnswerRows<LogRecord>) throws -> ExitStatus {
    let condition = try context.conditionArgument(1)
    let history = try context.openHistory()
    let revision = try context.revision(of: at, in: history.reader)
    try context.requireReadable(revision, in: history.reader)
    let minimized = try context.ask { options in try history.minimizedRecords(condition, at: revision, options: options)
    }
    for record in minimized.records { guard try rows.add(record) else { break } }
    if rows.isFull { return .success }
    try rows.finish()
    if !minimized.isMinimal { try context.warn("the search reached its limit: fewer actions may suffice") }
    try context.note(
      "\(minimized.records.count) of \(HumanText.count(minimized.originalCount, "action")) matter, found in "
        + "\(HumanText.count(minimized.trials, "trial"))")
    return try context.status(.success, of: history.reader, upTo: revision)
  }
}
