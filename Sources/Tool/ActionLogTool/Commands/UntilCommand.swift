import ActionLog
import EventSourcing
import JSONCoding
import TimeTravel

extension Command {
  static let until = Command(
    "until",
    group: .question,
    summary: "the first point of a stretch at which a condition holds",
    details: """
      \(PointResolver.forms)
      \(PointRange.forms)
      \(CommandContext.conditionForms)
      Without --from the state before any action is looked at, too. To look on behind an answer, begin with the next action. The
      status is 1 when it holds nowhere.
      """,
    examples: [
      .init("until my-log '/value > 10'", "where the counter first passes ten"),
      .init(
        "until my-log 'type like \"*onTap*\" and /value changed' --from 5",
        "what tap changed it first, from action 5 on"),
    ],
    arguments: [.readLog, .condition],
    options: [.from, .to, .model],
    blocking: { context in try UntilCommand(context: context).forward() }
  )

  static let reverseUntil = Command(
    "reverse-until",
    group: .question,
    summary: "the last point of a stretch at which a condition holds",
    details: """
      \(PointResolver.forms)
      \(PointRange.forms)
      \(CommandContext.conditionForms)
      It is looked for from the end of the stretch back. Without --from the state before any action is looked at, too. The status is 1 when it holds nowhere.
      """,
    examples: [
      .init("reverse-until my-log '/value < 3'", "when the counter was last below three"),
      .init("reverse-until my-log '/value changed' --to 40", "what changed it last, up to action 40"),
    ],
    arguments: [.readLog, .condition],
    options: [.from, .to, .model],
    blocking: { context in try UntilCommand(context: context).backward() }
  )
}

/// `until` and `reverse-until`: a walk that ends where the condition holds.
private struct UntilCommand {
  let context: CommandContext

  func forward() throws -> ExitStatus {
    // What was found is the first, whatever comes behind it.
    try ask(isFinal: true) { history, condition, range, options in
      try history.firstRevision(
        where: condition, after: range.lowerBound == 0 ? nil : range.lowerBound - 1, upTo: range.upperBound,
        options: options)
    }
  }

  func backward() throws -> ExitStatus {
    try ask(isFinal: false) { history, condition, range, options in
      let isUpToEnd = try range.upperBound == history.reader.extent().lastSeq
      return try history.lastRevision(
        where: condition, before: isUpToEnd ? nil : range.upperBound + 1, downTo: range.lowerBound, options: options)
    }
  }

  /// Asks about the stretch, and tells.
  ///
  /// - Parameter isFinal: Whether an answer stands also where damage hides what follows.
  private func ask(
    isFinal: Bool,
    _ question: (any HistoryHandle, Condition, ClosedRange<Int>, ReplayOptions) throws -> ConditionAnswer
  ) throws -> ExitStatus {
    let condition = try context.conditionArgument(1)
    let history = try context.openHistory()
    let stretch = try PointRange(context, reader: history.reader)
    guard let range = try stretch.revisions(in: history.reader) else { return try context.emptyRangeAnswer() }
    let answer = try context.ask { options in try question(history, condition, range, options) }
    let status = try tell(answer, condition, range, history)
    return try context.status(
      status, of: history.reader, upTo: (isFinal ? answer.revision : nil) ?? stretch.end(of: range))
  }

  private func tell(
    _ answer: ConditionAnswer, _ condition: Condition, _ range: ClosedRange<Int>, _ history: any HistoryHandle
  ) throws -> ExitStatus {
    if context.isJSON {
      var object: JSONObject = ["condition": .string(condition.text)]
      object["revision"] = answer.revision.map(JSONValue.integer) ?? .null
      object["action"] = try answer.record.map { record throws(JSONError) in .object(try RecordText.json(record)) }
      object["work"] = .object(answer.work.json)
      try context.output.json(.object(object))
    } else if let record = answer.record {
      try context.printRecord(record)
      try context.note(on: answer.work)
    } else if let revision = answer.revision {
      try context.output.line("revision \(revision), before any action")
      try context.note(on: answer.work)
    } else {
      try context.note(
        range.count == 1
          ? "it does not hold at revision \(range.lowerBound)"
          : "it does not hold at any revision from \(range.lowerBound) to \(range.upperBound)")
      try context.note(on: answer.work)
    }
    try context.printHints(of: answer.work, in: history, at: answer.revision ?? range.upperBound)
    return answer.revision == nil ? .negative : .success
  }
}
