import ActionLog
import EventSourcing
import JSONCoding
import TimeTravel

extension Command {
  static let until = Command(
    "until",
    group: .question,
    summary: "find the first point of a range where a condition holds",
    details: """
      \(PointResolver.forms)
      \(PointRange.forms)
      \(CommandContext.conditionForms)
      Without --from, the initial state is checked, too. To continue after an answer, begin with the next action. The status is 1
      if the condition holds nowhere.
      """,
    examples: [
      .init("until my-log '/value > 10'", "where the counter first exceeds ten"),
      .init(
        "until my-log 'type like \"*onTap*\" and /value changed' --from 5",
        "the first tap from action 5 on that changed it"),
    ],
    arguments: [.readLog, .condition],
    options: [.from, .to, .model, .projection],
    answer: .object,
    blocking: { context in try UntilCommand(context: context).forward() }
  )

  static let reverseUntil = Command(
    "reverse-until",
    group: .question,
    summary: "find the last point of a range where a condition holds",
    details: """
      \(PointResolver.forms)
      \(PointRange.forms)
      \(CommandContext.conditionForms)
      The search goes backward from the end of the range. Without --from, the initial state is checked, too. The status is 1 if the
      condition holds nowhere.
      """,
    examples: [
      .init("reverse-until my-log '/value < 3'", "when the counter was last below three"),
      .init("reverse-until my-log '/value changed' --to 40", "the last change up to action 40"),
    ],
    arguments: [.readLog, .condition],
    options: [.from, .to, .model, .projection],
    answer: .object,
    blocking: { context in try UntilCommand(context: context).backward() }
  )
}

/// `until` and `reverse-until`: search for a revision where the condition holds.
private struct UntilCommand {
  let context: CommandContext

  func forward() throws -> ExitStatus {
    // The first match is final, even if damage follows.
    try ask(isFinal: true) { history, condition, range, options in
      try history.firstRevision(
        where: condition, after: range.lowerBound == history.reader.firstRevision ? nil : range.lowerBound - 1,
        upTo: range.upperBound,
        options: options)
    }
  }

  func backward() throws -> ExitStatus {
    try ask(isFinal: false) { history, condition, range, options in
      let isUpToEnd = try range.upperBound == history.reader.extent().lastRevision
      return try history.lastRevision(
        where: condition, before: isUpToEnd ? nil : range.upperBound + 1, downTo: range.lowerBound, options: options)
    }
  }

  /// Runs the query on the range and prints the answer.
  ///
  /// - Parameter isFinal: Whether an answer is valid even if later actions are unreadable.
  private func ask(
    isFinal: Bool,
    _ question: (any HistoryHandle, Condition, ClosedRange<Int>, ReplayOptions) throws -> ConditionAnswer
  ) throws -> ExitStatus {
    let condition = try context.conditionArgument(1)
    let history = try context.openHistory()
    let pointRange = try PointRange(context, reader: history.reader)
    guard let range = try pointRange.revisions(in: history.reader) else { return try context.emptyRangeAnswer() }
    let answer = try context.ask { options in try question(history, condition, range, options) }
    // The condition may have held before the base of a pruned log. The last revision at which it holds is known, though.
    let isUnknown =
      isFinal && answer.record == nil && answer.revision != nil && pointRange.prunedBeginning == answer.revision
    // The last point is known if there is one; the first one may be before the base.
    if !isUnknown, isFinal || answer.revision == nil { try context.warnOfBeginning(of: history.reader, pointRange) }
    let status = try print(answer, condition, range, history, isUnknown: isUnknown)
    return try context.status(
      status, of: history.reader, upTo: (isFinal ? answer.revision : nil) ?? pointRange.end(of: range))
  }

  private func print(
    _ answer: ConditionAnswer, _ condition: Condition, _ range: ClosedRange<Int>, _ history: any HistoryHandle,
    isUnknown: Bool
  ) throws -> ExitStatus {
    if context.isJSON {
      let values =
        answer.revision == nil
        ? try context.printValues(of: condition, from: answer.work, at: range.upperBound) : nil
      var object: JSONObject = ["condition": .string(condition.text)]
      object["revision"] = answer.revision.map(JSONValue.integer) ?? .null
      object["action"] = try answer.record.map { record throws(JSONError) in .object(try RecordText.json(record)) }
      object["values"] = values
      if isUnknown { object["begins"] = answer.revision.map(JSONValue.integer) }
      object["work"] = .object(answer.work.json)
      try context.output.json(.object(object))
    } else if let record = answer.record {
      try context.printRecord(record)
      try context.note(on: answer.work)
    } else if let revision = answer.revision {
      try context.output.line(
        isUnknown
          ? CommandContext.condition(atBeginning: revision)
          : "revision \(revision), " + (revision == 0 ? "before any action" : "where the log begins"))
      try context.note(on: answer.work)
    } else {
      try context.note(
        range.count == 1
          ? "it does not hold at revision \(range.lowerBound)"
          : "it does not hold at any revision from \(range.lowerBound) to \(range.upperBound)")
      _ = try context.printValues(of: condition, from: answer.work, at: range.upperBound)
      try context.note(on: answer.work)
    }
    try context.printHints(of: answer.work)
    return answer.revision == nil || isUnknown ? .negative : .success
  }
}
