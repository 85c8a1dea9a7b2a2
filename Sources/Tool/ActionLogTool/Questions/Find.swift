import ActionLog
import EventSourcing
import JSONCoding
import TimeTravel

extension Command {
  static let find = Command(
    "find",
    group: .question,
    summary: "find the first or the last point of a range where a condition holds",
    details: """
      Without --from, the initial state is checked, too. To continue after an answer, begin with the next action. The status is 1
      if the condition holds nowhere. 'list --where' prints all actions after which it holds.
      --bisect is for a condition on the state that continues to hold once it holds: the range is bisected over its snapshots, and the
      rest is scanned. If a snapshot contradicts the assumption, or there is none, the range is scanned from its beginning. If an
      earlier question made an index of changes, a scan omits blocks of actions that cannot change the condition.
      """,
    examples: [
      .init("find my-log '/value > 10'", "where the counter first exceeds ten"),
      .init(
        "find my-log 'type like \"*onTap*\" and /value changed' --from 5",
        "the first tap from action 5 on that changed it"),
      .init("find my-log '/value < 3' --last", "when the counter was last below three"),
      .init("find my-log 'not /animals/data/Dog exists' --bisect --from 20", "when the dog disappeared"),
    ],
    arguments: [.readLog, .condition],
    options: [Find.first, Find.last, Find.bisect, .from, .to, .model, .projection],
    rules: [.oneOf([Find.first, Find.last, Find.bisect])],
    tool: ToolDeclaration(
      title: "Find where a condition holds",
      help:
        "Finds the first or the last point of a range where a condition holds, and the action that led to it. A condition, such as "
        + "/value > 10, /animals/data/Dog exists, or type like \"*.didUpdate*\" and /value changed, compares values of the state by "
        + "JSON Pointers, and type, seq, time, data/… and meta/… of the action, with == != < <= > >=, contains, like, exists, changed, "
        + "and, or, not. If it holds nowhere, values has what it reads, at the end.",
      inputs: [Find.first, Find.last, Find.bisect, .from, .to],
      hint: { answer in
        guard answer["action"] != nil, case .number(let revision)? = answer["revision"] else { return nil }
        return
          "show with at \(revision) has the changes of this action, and for a condition on the state alone, minimize has the actions that it takes."
      }),
    shape: Find.shape,
    ask: Find.ask,
    print: { found, context in try found.print(context) }
  )
}

/// The answer of `find`: a point where a condition holds.
private struct Find {
  static let first = CommandOption.flag("first", "the first point where the condition holds (default)")
  static let last = CommandOption.flag("last", "the last point, searched backward")
  static let bisect = CommandOption.flag("bisect", "the first point, if the condition continues to hold once it holds")

  let condition: Condition
  /// The revisions that were searched.
  let range: ClosedRange<Int>
  /// The revision where it holds, and the action that led there; `nil` if it holds nowhere.
  let revision: Int?
  let record: LogRecord?
  let work: QuestionWork
  let bisection: BisectAnswer?
  /// Whether the condition may have held before the base of a pruned log.
  let isUnknown: Bool
  /// The values that the condition reads at the end of the range, if it holds nowhere.
  var values: [(pointer: JSONPointer, value: JSONValue)] = []

  static let shape = AnswerShape<Find>.object(
    "One object: the revision where the condition holds, and the action that led to it. begins replaces the answer if it may be before "
      + "the base of a pruned log. With --bisect also the probed revisions: isMonotonic is false if the condition does not hold "
      + "continuously, wasScanned is true if the range was read from its beginning.", isBounded: true,
    [
      .member("condition", .text, \.condition.text),
      .nullable("revision", .revision, \.revision, "The revision, or null if the condition holds nowhere."),
      .optional("action", .action, \.record),
      .optional("isMonotonic", .flag, \.bisection?.isMonotonic),
      .optional("wasScanned", .flag, \.bisection?.wasScanned),
      .optional("probes", .array(of: probe), \.bisection?.probes),
      .optional("values", ValueOutline.endValues) { found in found.values.isEmpty ? nil : found.values },
      .optional("begins", .revision) { found in found.isUnknown ? found.revision : nil },
      .member("work", .work, \.work),
    ])

  private static let probe = AnswerShape<BisectAnswer.Probe>.object([
    .member("revision", .revision, \.revision), .member("holds", .flag, \.holds),
  ])

  static func ask(_ context: CommandContext) throws -> (Find?, status: () throws -> ExitStatus) {
    let condition = try context.conditionArgument(1)
    let history = try context.openHistory()
    let pointRange = try PointRange(context, reader: history.reader)
    guard let range = try pointRange.revisions(in: history.reader) else {
      return (nil, status: { try context.emptyRangeAnswer() })
    }
    let isLast = context.arguments.has(last)
    var found = try context.ask { options in
      func find(_ revision: Int?, _ record: LogRecord?, _ work: QuestionWork, _ bisection: BisectAnswer? = nil) -> Find
      {
        // The last point is known if there is one; the first one may be before the base.
        let isUnknown = !isLast && record == nil && revision != nil && pointRange.prunedBeginning == revision
        return Find(
          condition: condition, range: range, revision: revision, record: record, work: work, bisection: bisection,
          isUnknown: isUnknown)
      }
      if context.arguments.has(bisect) {
        let answer: BisectAnswer
        do { answer = try history.bisect(condition, in: range, options: options) } catch let error as TimeTravelError
          where error.code == .unanswerable
        {
          var failure = error.failure
          failure.advice = "Leave out \(option: bisect)."
          throw failure
        }
        return find(answer.revision, answer.record, answer.work, answer)
      }
      let answer = try history.revision(where: condition, in: range, isLast: isLast, options: options)
      return find(answer.revision, answer.record, answer.work)
    }
    if !found.isUnknown, !isLast || found.revision == nil {
      try context.warnOfBeginning(of: history.reader, pointRange)
    }
    if found.revision == nil { found.values = try context.endValues(of: condition, from: found.work) }
    // The first match of a scan is final, even if damage follows.
    let isFinal = !isLast && found.bisection == nil
    let status: ExitStatus = found.revision == nil || found.isUnknown ? .negative : .success
    let answer = found
    return (
      answer,
      status: {
        try context.printHints(of: answer.work)
        return try context.status(
          status, of: history.reader, upTo: (isFinal ? answer.revision : nil) ?? pointRange.end(of: range))
      }
    )
  }

  func print(_ context: CommandContext) throws {
    if let record {
      try context.printRecord(record)
    } else if let revision {
      let place =
        bisection != nil ? "where the range begins" : revision == 0 ? "before any action" : "where the log begins"
      try context.output.line(
        isUnknown ? CommandContext.condition(atBeginning: revision) : "revision \(revision), \(place)")
    } else {
      try context.note(
        range.count == 1
          ? "it does not hold at revision \(range.lowerBound)"
          : "it does not hold at any revision from \(range.lowerBound) to \(range.upperBound)")
      if !values.isEmpty { try context.note("at revision \(range.upperBound) \(context.text(values))") }
    }
    if bisection?.isMonotonic == false {
      try context.warn("the condition does not hold continuously; this is the first revision where it holds")
    }
    try context.note(on: work)
  }
}
