import ActionLog
import JSONCoding
import TerminalUI
import TimeTravel

extension Command {
  static let stats = Command(
    "stats",
    group: .read,
    effect: .readsLog,
    summary: "count actions and bytes by type, actor and time",
    details: """
      Options that select actions also exclude control records from all counts.
      Several logs, or a directory of logs, are counted together; 'each' counts each of them.
      \(CommandContext.manyLogsForm)
      """,
    examples: [
      .init("stats my-log", "an overview"),
      .init("stats my-log --actor ann", "the actions of one actor"),
      .init("stats my-log --from '1d ago' --json", "the last day, for a program"),
      .init("stats customers --from '7d ago'", "the last week of many logs"),
      .init("stats - < paths.txt", "logs that another program names"),
    ],
    arguments: [.mergedLogs],
    options: ActionSelection.filters + [.from, .to, .model, .projection],
    answer: .object,
    tool: ToolDeclaration(
      name: "overview", title: "Overview of the logs",
      help:
        "Lists the logs with their model, size, last action and end. For one log also counts actions by type, actor and time."
    ),
    schema: StatsCommand.shape.schema,
    blocking: { context in try StatsCommand(context: context).run() }
  )
}

private struct StatsCommand {
  private static let (actorLimit, modelLimit) = (20, 8)

  struct Answer {
    var statistics: LogStatistics
    /// The only log, and the number of its segments; `nil` for many.
    var log: (reader: LogReader, segmentCount: Int)?
    /// The number of logs by model, of those that are read at least in part.
    var models: [ExactName: Int] = [:]

    var logCount: Int? { log == nil ? models.values.reduce(0, +) : nil }
  }

  static let shape = AnswerShape<Answer>.object(
    "One object for one log, or for several together: logs and models then replace its path, log, model, schema and segments.",
    isBounded: true,
    [
      .optional("path", .file, \.log?.reader.path), .optional("log", .text, \.log?.reader.header.log),
      .optional("model", .text, \.log?.reader.header.model), .optional("schema", .integer, \.log?.reader.header.schema),
      .optional("segments", .count, \.log?.segmentCount), .optional("logs", .count, \.logCount),
      .optional("models", .array(of: modelCount)) { answer in
        guard answer.log == nil else { return nil }
        return answer.models.sorted { left, right in left.key < right.key }.map { name, count in (name.text, count) }
      },
      .member("actions", .count, \.statistics.actionCount),
      .member("controlRecords", .count, \.statistics.controlCount), .member("bytes", .count, \.statistics.byteCount),
      .optional("first", moment, \.statistics.first), .optional("last", moment, \.statistics.last),
      .optional("spanSeconds", .decimal) { answer in
        answer.statistics.first.map { _ in answer.statistics.span / .seconds(1) }
      },
      .optional("actionsPerSecond", .decimal) { answer in
        let span = answer.statistics.span
        return span > .zero ? Double(answer.statistics.actionCount) / (span / .seconds(1)) : nil
      },
      .optional("longestGap", gap, \.statistics.longestGap),
      .member("types", .array(of: typeCount), \.statistics.typesByCount),
      .member("actors", .array(of: actorCount), \.statistics.actorsByCount),
    ])

  private static let modelCount = AnswerShape<(model: String, logs: Int)>.object([
    .member("model", .text, \.model), .member("logs", .count, \.logs),
  ])
  private static let moment = AnswerShape<(revision: Int?, time: LogTime)>.object([
    .optional("seq", .revision, \.revision), .member("time", .time, \.time),
  ])
  private static let gap = AnswerShape<(duration: Duration, revision: Int)>.object([
    .member("seconds", .decimal) { gap in gap.duration / .seconds(1) }, .member("seq", .revision, \.revision),
  ])
  private static let typeCount = AnswerShape<(type: String, count: LogStatistics.Count)>.object([
    .member("type", .text, \.type), .member("actions", .count, \.count.actions),
    .member("bytes", .count, \.count.bytes),
  ])
  private static let actorCount = AnswerShape<(actor: String?, count: LogStatistics.Count)>.object([
    .nullable("actor", .text, \.actor), .member("actions", .count, \.count.actions),
    .member("bytes", .count, \.count.bytes),
  ])

  let context: CommandContext

  func run() throws -> ExitStatus {
    let logs = try context.namedLogs()
    var answer = Answer(statistics: LogStatistics(isOfMany: logs.only == nil))
    func count(_ selection: ActionSelection) throws -> ActionSelection.Outcome {
      try selection.forEach("reading") { record in
        try answer.statistics.add(record)
        return true
      }
    }
    guard let path = logs.only else {
      var pass = try ManyLogsPass(context, logs, includesControl: true, hasRows: false)
      try pass.forEachLog { _, reader, selection in
        answer.models[ExactName(reader.header.model), default: 0] += 1
        return try count(selection)
      }
      pass.count = answer.statistics.actionCount
      try context.answer(answer, Self.shape) { try printPage(answer, of: logs) }
      return try pass.conclude()
    }
    let reader = try context.openReader(path)
    let selection = try ActionSelection(context, reader: reader, includesControl: true)
    let outcome = try count(selection)
    let selecting = ActionSelection.filters + [.from, .to]
    let isComplete = outcome.damage == nil && !selecting.contains(where: context.arguments.has)
    answer.log = (
      reader, isComplete ? reader.segments.count : answer.statistics.segmentCount(of: reader.segments)
    )
    try context.answer(answer, Self.shape) { try printPage(answer, of: logs) }
    return try selection.conclude(outcome, count: answer.statistics.actionCount)
  }

  private func printPage(_ answer: Answer, of logs: NamedLogs) throws {
    let style = context.output.style
    if let header = answer.log?.reader.header {
      try context.output.line(
        style.bold(TerminalText.escaping(header.model)) + ", schema \(header.schema), log \(header.log)")
    } else {
      let (count, total) = (answer.logCount ?? 0, logs.paths.count + logs.failures.count)
      try context.output.line(
        style.bold(HumanText.count(count, "log")) + (count < total ? " of \(HumanText.count(total))" : ""))
    }
    try context.output.lines(facts(answer).lines(indent: 2))
    try printTables(answer.statistics)
  }

  private func printTables(_ statistics: LogStatistics) throws {
    guard statistics.actionCount > 0 else { return }
    try context.output.line()
    try context.output.lines(
      table(of: "type", statistics.typesByCount.map { type, count in (type, count) }, of: statistics))
    let actors = statistics.actorsByCount
    if !actors.isEmpty {
      try context.output.line()
      let named = actors.prefix(Self.actorLimit).map { actor, count in (actor ?? "(not named)", count) }
      try context.output.lines(table(of: "actor", Array(named), of: statistics))
      if actors.count > named.count {
        try context.output.line("  … and \(HumanText.count(actors.count - named.count)) more; --json has all")
      }
    }
  }

  private func facts(_ answer: Answer) -> TextTable {
    let statistics = answer.statistics
    let models = answer.models.sorted { left, right in (right.value, left.key) < (left.value, right.key) }
    let shown = models.prefix(Self.modelLimit).map { name, count in "\(name.text) (\(HumanText.count(count)))" }
    let hidden = models.count - shown.count
    let segments = answer.log.map { log in " in \(HumanText.count(log.segmentCount, "segment"))" } ?? ""
    // Options that select actions exclude control records.
    let isSelective = ActionSelection.filters.contains(where: context.arguments.has)
    return TextTable(facts: [
      "models": models.isEmpty
        ? nil : (shown + (hidden > 0 ? ["and \(HumanText.count(hidden)) more"] : [])).joined(separator: ", "),
      "actions": HumanText.count(statistics.actionCount),
      "other records": isSelective ? nil : HumanText.count(statistics.controlCount),
      "size": HumanText.bytes(statistics.byteCount) + segments,
      "revisions": statistics.first?.revision.map { first in "\(first)…\(statistics.last?.revision ?? first)" },
      "first": statistics.first.map { first in RecordText.time(first.time) },
      "last": statistics.last.map { last in RecordText.time(last.time) },
      "rate": statistics.span > .zero ? HumanText.rate(statistics.actionCount, "actions", in: statistics.span) : nil,
      "longest gap": statistics.longestGap.map { gap in
        "\(HumanText.duration(gap.duration)) before revision \(gap.revision)"
      },
    ])
  }

  private func table(
    of name: String, _ counts: [(String, LogStatistics.Count)], of statistics: LogStatistics
  ) -> [String] {
    let style = context.output.style
    var table = TextTable([.right, .right, .right, .left])
    table.append(["actions", "share", "bytes", name].map { text in .init(text, paint: style.dim) })
    for (name, count) in counts {
      let share = HumanText.decimal(100 * Double(count.actions) / Double(statistics.actionCount))
      table.append([
        HumanText.count(count.actions), share + "%", HumanText.bytes(count.bytes), TerminalText.escaping(name),
      ])
    }
    return table.lines(indent: 2)
  }
}

struct LogStatistics {
  struct Count {
    var actions = 0
    var bytes = 0
  }

  private(set) var actionCount = 0
  private(set) var controlCount = 0
  private(set) var byteCount = 0
  /// The first and the last action by their revisions, or those of many logs by their times.
  private(set) var first: (revision: Int?, time: LogTime)?
  private(set) var last: (revision: Int?, time: LogTime)?
  private(set) var longestGap: (duration: Duration, revision: Int)?
  private var types: [ExactName: Count] = [:]
  /// By actor; `nil` for actions without one.
  private var actors: [ExactName?: Count] = [:]
  private let isOfMany: Bool

  init(isOfMany: Bool) { self.isOfMany = isOfMany }

  /// The time from the first action to the last; not negative, although clocks can be set back.
  var span: Duration {
    guard let first, let last else { return .zero }
    return .microseconds(max(0, last.time.microseconds - first.time.microseconds))
  }

  mutating func add(_ record: LogRecord) throws(JSONError) {
    // The line feed counts.
    let bytes = record.rawLine.count + 1
    byteCount += bytes
    guard !record.isControl else {
      controlCount += 1
      return
    }
    actionCount += 1
    types[ExactName(record.type), default: Count()].add(bytes)
    actors[try record.actor().map(ExactName.init), default: Count()].add(bytes)
    guard !isOfMany else {
      first = (nil, min(first?.time ?? record.time, record.time))
      last = (nil, max(last?.time ?? record.time, record.time))
      return
    }
    if let last {
      let gap = Duration.microseconds(record.time.microseconds - last.time.microseconds)
      if gap > longestGap?.duration ?? .zero { longestGap = (gap, record.revision) }
    }
    last = (record.revision, record.time)
    first = first ?? last
  }

  /// The number of segments from that of the first counted action to that of the last.
  func segmentCount(of segments: [LogSegment]) -> Int {
    guard let first = first?.revision, let last = last?.revision else { return 0 }
    let before = segments.count { segment in segment.first <= first }
    let through = segments.count { segment in segment.first <= last }
    return through - max(before, 1) + 1
  }

  var typesByCount: [(type: String, count: Count)] {
    types.map { type, count in (type: type.text, count: count) }
      .sorted { left, right in (right.count.actions, left.type) < (left.count.actions, right.type) }
  }

  /// The actors by descending count, then by name; empty if no action has an actor.
  var actorsByCount: [(actor: String?, count: Count)] {
    guard actors.contains(where: { actor, _ in actor != nil }) else { return [] }
    return actors.map { actor, count in (actor: actor?.text, count: count) }
      .sorted { left, right in (right.count.actions, left.actor ?? "") < (left.count.actions, right.actor ?? "") }
  }
}

extension LogStatistics.Count {
  fileprivate mutating func add(_ bytes: Int) {
    actions += 1
    self.bytes += bytes
  }
}
