import ActionLog
import JSONCoding
import TimeTravel

extension Command {
  static let minimise = Command(
    "minimise",
    group: .question,
    summary: "find a few actions that suffice to make a condition hold",
    details: """
      \(PointResolver.forms)
      \(CommandContext.conditionForms)
      Actions are removed while the condition still holds after the rest. Without any one of the printed actions it does not hold.
      The status is 1 if the condition does not hold at the point.
      """,
    examples: [
      .init("minimise my-log '/value < 0'", "which actions it takes to get below zero"),
      .init("minimise my-log '/value < 0' --at 42 --json", "those up to revision 42, for a program"),
    ],
    arguments: [.readLog, .condition],
    options: [MinimiseCommand.at, .model, .projection],
    answer: .lines,
    blocking: { context in try MinimiseCommand(context: context).run() }
  )
}

/// `minimise`: searches for a minimal list of actions.
private struct MinimiseCommand {
  static let at = CommandOption.value(
    "at", letter: "a", "POINT", "a point where the condition holds (default: the end)")

  let context: CommandContext

  func run() throws -> ExitStatus {
    let condition = try context.conditionArgument(1)
    let history = try context.openHistory()
    let revision = try context.revision(of: Self.at, in: history.reader)
    let minimized = try context.ask { options in try history.minimizedRecords(condition, at: revision, options: options)
    }
    var printer = RecordPrinter(context)
    for record in minimized.records { try printer.print(record) }
    try printer.finish()
    if !minimized.isMinimal { try context.warn("the search reached its limit: fewer actions may suffice") }
    try context.note(
      "\(minimized.records.count) of \(HumanText.count(minimized.originalCount, "action")) matter, found in "
        + "\(HumanText.count(minimized.trials, "trial"))")
    return try context.status(.success, of: history.reader, upTo: revision)
  }
}
