import ActionLog
import JSONCoding
import TimeTravel

extension Command {
  static let until = Command(
    "until",
    group: .question,
    summary: "the first point behind another at which a condition holds",
    details: """
      \(PointResolver.forms)
      \(CommandContext.conditionForms)
      The status is 1 when it holds nowhere.
      """,
    examples: [
      .init("until my-log '/value > 10'", "where the counter first passes ten"),
      .init(
        "until my-log 'type like \"*onTap*\" and /value changed' --from 5", "after revision 5, what tap changed it"),
    ],
    arguments: [.readLog, .condition],
    options: [
      .value("from", "POINT", "look behind this point (default: from the start on)"),
      .value("to", "POINT", "look up to this point (default: the end)"), .model,
    ],
    blocking: { context in try UntilCommand(context: context).forward() }
  )

  static let reverseUntil = Command(
    "reverse-until",
    group: .question,
    summary: "the last point before another at which a condition holds",
    details: """
      \(PointResolver.forms)
      \(CommandContext.conditionForms)
      The status is 1 when it holds nowhere.
      """,
    examples: [
      .init("reverse-until my-log '/value < 3'", "when the counter was last below three"),
      .init("reverse-until my-log '/value changed' --from 40", "what changed it last before revision 40"),
    ],
    arguments: [.readLog, .condition],
    options: [.value("from", "POINT", "look before this point (default: from the end on)"), .model],
    blocking: { context in try UntilCommand(context: context).backward() }
  )
}

/// `until` and `reverse-until`: a walk that ends where the condition holds.
private struct UntilCommand {
  let context: CommandContext

  func forward() throws -> ExitStatus {
    let condition = try context.conditionArgument(1)
    let history = try context.openHistory()
    let resolver = PointResolver(context, reader: history.reader)
    let first = try context.arguments.value(of: .from).map(resolver.revision)
    let last = try context.arguments.value(of: .to).map(resolver.revision)
    let answer = try context.ask { options in
      try history.firstRevision(where: condition, after: first, upTo: last, options: options)
    }
    // What was found is the first, whatever comes behind it.
    return try context.status(tell(answer, condition, history), of: history.reader, upTo: answer.revision ?? last)
  }

  func backward() throws -> ExitStatus {
    let condition = try context.conditionArgument(1)
    let history = try context.openHistory()
    let first = try context.arguments.value(of: .from).map(PointResolver(context, reader: history.reader).revision)
    let answer = try context.ask { options in
      try history.lastRevision(where: condition, before: first, options: options)
    }
    return try context.status(tell(answer, condition, history), of: history.reader, upTo: first)
  }

  private func tell(
    _ answer: ConditionAnswer, _ condition: Condition, _ history: any HistoryHandle
  ) throws -> ExitStatus {
    if context.isJSON {
      var object: JSONObject = ["condition": .string(condition.text)]
      object["revision"] = answer.revision.map(JSONValue.integer) ?? .null
      object["action"] = try answer.record.map { record throws(JSONError) in .object(try RecordText.json(record)) }
      object["work"] = .object(answer.work.json)
      try context.output.json(.object(object))
    } else if let record = answer.record {
      try context.printRecord(record)
      try context.remark(on: answer.work)
    } else if let revision = answer.revision {
      try context.output.line("revision \(revision), before any action")
      try context.remark(on: answer.work)
    } else {
      try context.remark(
        "it does not hold at any revision from \(answer.range.lowerBound) to \(answer.range.upperBound)")
      try context.remark(on: answer.work)
    }
    try context.remarkOnHints(
      of: answer.work, in: history, at: answer.revision ?? answer.range.upperBound)
    return answer.revision == nil ? .negative : .success
  }
}
