import ActionLog
import TimeTravel

extension Command {
  static let cat = Command(
    "cat",
    group: .read,
    summary: "the log's lines as they are, for jq, DuckDB and other readers of JSON Lines",
    details: """
      Every line is checked before it is printed. Nothing is converted; a torn tail is left out.
      \(PointResolver.forms)
      \(PointRange.forms)
      \(RecordFilter.conditionForms)
      """,
    examples: [
      .init("cat my-log --actions | jq -r .type | sort | uniq -c", "count the types with other tools"),
      .init("cat my-log --to 100 > first.jsonl", "the first hundred"),
      .init("cat my-log --where 'meta/actor exists'", "whatever somebody did"),
    ],
    arguments: [.readLog],
    options: [CatCommand.actionsOnly, RecordFilter.condition, CausalChain.option, .from, .to],
    blocking: { context in try CatCommand(context: context).run() }
  )
}

/// `cat`: copies checked lines.
private struct CatCommand {
  static let actionsOnly = CommandOption.flag("actions", "leave out the control records")

  let context: CommandContext

  func run() throws -> ExitStatus {
    let reader = try context.openReader()
    let range = try PointRange(context, reader: reader)
    let skipsControl = context.arguments.has(Self.actionsOnly)
    let question = try RecordFilter.condition(context.arguments).map(RecordQuestion.init)
    let chain = try context.causalChain(in: reader)
    var records = try reader.records(from: range.first)
    var lastSeq = 0
    func next() throws(LogError) -> LogRecord? {
      do throws(LogError) { return try records.next() } catch {
        // What does not check behind the last action of the stretch was not asked for.
        guard lastSeq >= range.last else { throw error }
        return nil
      }
    }
    while let record = try next(), record.seq <= range.last {
      lastSeq = record.seq
      guard record.seq >= range.first, !(skipsControl && record.isControl), chain?.contains(record) ?? true,
        try question?.holds(for: record) ?? true
      else { continue }
      try context.output.jsonLine(record.rawLine)
    }
    try context.remark(on: question?.hints ?? [])
    try context.remarkOnEnding(records.ending)
    return .success
  }
}
