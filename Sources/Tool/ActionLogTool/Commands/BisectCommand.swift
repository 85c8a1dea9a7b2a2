import ActionLog
import JSONCoding
import TimeTravel

extension Command {
  static let bisect = Command(
    "bisect",
    group: .question,
    summary: "find the first point where a condition on the state holds, by bisection",
    details: """
      \(PointResolver.forms)
      \(PointRange.forms)
      \(CommandContext.conditionForms)
      The range is bisected over its snapshots, and the rest is scanned, on the assumption that the condition continues to hold
      once it holds. If a snapshot contradicts this, or there is none, the range is scanned from its beginning. If an
      earlier question made an index of changes, the scan omits blocks of actions that cannot change the condition. The status
      is 1 if the condition holds nowhere.
      """,
    examples: [
      .init("bisect my-log '/value < 0'", "which action took the counter below zero"),
      .init("bisect my-log 'not /animals/data/Dog exists' --from 20", "when the dog disappeared"),
    ],
    arguments: [.readLog, .condition],
    options: [.from, .to, .model, .projection],
    answer: .object,
    blocking: { context in try BisectCommand(context: context).run() }
  )
}

/// `bisect`: finds the first revision where a condition holds.
private struct BisectCommand {
  let context: CommandContext

  func run() throws -> ExitStatus {
    let condition = try context.conditionArgument(1)
    let history = try context.openHistory()
    let pointRange = try PointRange(context, reader: history.reader)
    guard let range = try pointRange.revisions(in: history.reader) else { return try context.emptyRangeAnswer() }
    let answer = try context.ask { options in try history.bisect(condition, in: range, options: options) }
    // The condition may have held before the base of a pruned log.
    let isUnknown = answer.record == nil && answer.revision != nil && pointRange.prunedBeginning == answer.revision
    if context.isJSON {
      var object = try json(answer, condition)
      if answer.revision == nil {
        object["values"] = try context.printValues(of: condition, from: answer.work, at: range.upperBound)
      }
      if isUnknown { object["begins"] = answer.revision.map(JSONValue.integer) }
      try context.output.json(.object(object))
    } else {
      try print(answer, isUnknown: isUnknown)
      if answer.revision == nil {
        _ = try context.printValues(of: condition, from: answer.work, at: range.upperBound)
      }
    }
    if !isUnknown { try context.warnOfBeginning(of: history.reader, pointRange) }
    try context.printHints(of: answer.work)
    return try context.status(
      answer.revision == nil || isUnknown ? .negative : .success, of: history.reader, upTo: pointRange.end(of: range))
  }

  private func print(_ answer: BisectAnswer, isUnknown: Bool) throws {
    if let record = answer.record {
      try context.printRecord(record)
    } else if let revision = answer.revision, isUnknown {
      try context.output.line(CommandContext.condition(atBeginning: revision))
    } else if let revision = answer.revision {
      try context.output.line("revision \(revision), where the range begins")
    } else {
      try context.note("it holds at no revision")
    }
    if !answer.isMonotonic {
      try context.warn("the condition does not hold continuously; this is the first revision where it holds")
    }
    try context.note(on: answer.work)
  }

  private func json(_ answer: BisectAnswer, _ condition: Condition) throws -> JSONObject {
    var object: JSONObject = ["condition": .string(condition.text)]
    object["revision"] = answer.revision.map(JSONValue.integer) ?? .null
    object["action"] = try answer.record.map { record throws(JSONError) in .object(try RecordText.json(record)) }
    object["isMonotonic"] = .bool(answer.isMonotonic)
    object["wasScanned"] = .bool(answer.wasScanned)
    object["probes"] = .array(
      answer.probes.map { probe in ["revision": .integer(probe.revision), "holds": .bool(probe.holds)] })
    object["work"] = .object(answer.work.json)
    return object
  }
}

extension Command {
  static let minimize = Command(
    "minimize",
    group: .question,
    summary: "find a few actions that suffice to make a condition hold",
    details: """
      \(PointResolver.forms)
      \(CommandContext.conditionForms)
      The condition is one on the state alone, and does not hold before the first action.
      Actions are removed while the condition still holds after the rest. Without any one of the printed actions it does not hold.
      The status is 1 if the condition does not hold at the point.
      """,
    examples: [
      .init("minimize my-log '/value < 0'", "which actions it takes to get below zero"),
      .init("minimize my-log '/value < 0' --at 42 --json", "those up to revision 42, for a program"),
    ],
    arguments: [.readLog, .condition],
    options: [MinimizeCommand.at, .model, .projection],
    answer: .lines,
    blocking: { context in try MinimizeCommand(context: context).run() }
  )
}

/// `minimize`: searches for a minimal list of actions.
private struct MinimizeCommand {
  static let at = CommandOption.value(
    "at", letter: "a", "POINT", "a point where the condition holds (default: the end)")

  let context: CommandContext

  func run() throws -> ExitStatus {
    let condition = try context.conditionArgument(1)
    let history = try context.openHistory()
    let revision = try context.revision(of: Self.at, in: history.reader)
    try context.requireReadable(revision, in: history.reader)
    let minimized = try context.askForActions(
      sufficingFor: condition, in: history, at: revision
    ) { options in try history.minimizedRecords(condition, at: revision, options: options) }
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
