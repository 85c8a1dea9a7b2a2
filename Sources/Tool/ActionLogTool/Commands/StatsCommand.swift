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
      \(PointResolver.forms)
      \(PointRange.forms)
      \(CommandContext.conditionForms)
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
    schema: .anyOf(
      "One object for one log, and one for several logs together.",
      [StatsCommand.shape.schema, CountedLogs.shape.schema]),
    blocking: { context in try StatsCommand(context: context).run() }
  )
}

/// `stats`: counts in one pass over the records and prints the page.
struct StatsCommand {
  /// The number of actors on the page.
  private static let actorLimit = 20

  static let shape = AnswerShape<(reader: LogReader, statistics: LogStatistics, segmentCount: Int)>.object(
    "Of one log.", isBounded: true,
    [
      .member("path", .file, \.reader.path), .member("log", .text, \.reader.header.log),
      .member("model", .text, \.reader.header.model), .member("schema", .integer, \.reader.header.schema),
      .member("segments", .count, \.segmentCount),
    ] + AnswerShape.totals(\.statistics) + [
      .optional("first", moment, \.statistics.first), .optional("last", moment, \.statistics.last),
      .optional("spanSeconds", .decimal) { answer in
        answer.statistics.first.map { _ in answer.statistics.span / .seconds(1) }
      },
      .optional("actionsPerSecond", .decimal) { answer in
        let seconds = answer.statistics.span / .seconds(1)
        return seconds > 0 ? Double(answer.statistics.actionCount) / seconds : nil
      },
      .optional("longestGap", gap, \.statistics.longestGap),
    ] + AnswerShape.counts(\.statistics))

  private static let moment = AnswerShape<LogStatistics.Moment>.object(
    nil, [.member("seq", .revision, \.revision), .member("time", .time, \.time)])
  private static let gap = AnswerShape<(duration: Duration, revision: Int)>.object(
    nil,
    [
      .member("seconds", .decimal) { gap in gap.duration / .seconds(1) }, .member("seq", .revision, \.revision),
    ])

  let context: CommandContext

  func run() throws -> ExitStatus {
    if let logs = try context.manyLogs() { return try CountedLogs(context, logs).run() }
    let reader = try context.openReader()
    let selection = try ActionSelection(context, reader: reader, control: .ofWholeLog)
    var statistics = LogStatistics()
    let outcome = try selection.forEach("reading") { record in
      try statistics.add(record)
      return true
    }
    let selecting = ActionSelection.filters + [.from, .to]
    let isComplete = outcome.damage == nil && !selecting.contains(where: context.arguments.has)
    let segmentCount = isComplete ? reader.segments.count : statistics.segmentCount(of: reader.segments)
    try context.answer((reader, statistics, segmentCount), Self.shape) {
      try printPage(statistics, of: reader, segmentCount)
    }
    return try selection.conclude(outcome, count: statistics.actionCount)
  }

  private func printPage(_ statistics: LogStatistics, of reader: LogReader, _ segmentCount: Int) throws {
    let style = context.output.style
    try context.output.line(
      style.bold(TerminalText.escaping(reader.header.model))
        + ", schema \(reader.header.schema), log \(reader.header.log)")
    try context.output.lines(facts(statistics, of: reader, segmentCount).lines(indent: 2))
    try printTables(statistics)
  }

  /// Prints the counts by type, actor and time.
  func printTables(_ statistics: LogStatistics) throws {
    let style = context.output.style
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
    let chart = TimeChart(statistics.timesPerBucket, style: style)
    if !chart.lines.isEmpty {
      try context.output.line()
      try context.output.lines(chart.lines)
    }
  }

  private func facts(_ statistics: LogStatistics, of reader: LogReader, _ segmentCount: Int) -> TextTable {
    var table = TextTable([.left, .left])
    table.append(["actions", HumanText.count(statistics.actionCount)])
    // Options that select actions exclude control records.
    if !ActionSelection.filters.contains(where: context.arguments.has) {
      table.append(["other records", HumanText.count(statistics.controlCount)])
    }
    let segments = HumanText.count(segmentCount, "segment")
    table.append(["size", "\(HumanText.bytes(statistics.byteCount)) in \(segments)"])
    if let first = statistics.first, let last = statistics.last {
      table.append(["revisions", "\(first.revision)…\(last.revision)"])
      table.append(["first", RecordText.time(first.time)])
      table.append(["last", RecordText.time(last.time)])
      let span = statistics.span
      if span > .zero { table.append(["rate", HumanText.rate(statistics.actionCount, "actions", in: span)]) }
    }
    if let gap = statistics.longestGap {
      table.append(["longest gap", "\(HumanText.duration(gap.duration)) before revision \(gap.revision)"])
    }
    return table
  }

  /// A table of counts by name, with their shares.
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

extension AnswerShape {
  /// The members of the counts by time, type and actor.
  static func counts(_ statistics: @escaping @Sendable (Value) -> LogStatistics) -> [AnswerMember<Value>] {
    [
      .member("histogram", histogram) { value in statistics(value).timesPerBucket },
      .member("types", .array(of: typeCount)) { value in statistics(value).typesByCount },
      .member("actors", .array(of: actorCount)) { value in statistics(value).actorsByCount },
    ]
  }

  /// The members of the records that are counted.
  static func totals(_ statistics: @escaping @Sendable (Value) -> LogStatistics) -> [AnswerMember<Value>] {
    [
      .member("actions", .count, { value in statistics(value).actionCount }),
      .member("controlRecords", .count, { value in statistics(value).controlCount }),
      .member("bytes", .count, { value in statistics(value).byteCount }),
    ]
  }

  private static var histogram: AnswerShape<TimeBuckets> {
    .object(
      nil,
      [
        .member("secondsPerBucket", .count) { buckets in Int(buckets.lengthSeconds) },
        .member("buckets", .array(of: bucket), \.rows),
      ])
  }
  private static var bucket: AnswerShape<(start: LogTime, count: Int)> {
    .object(nil, [.member("time", .time, \.start), .member("actions", .count, \.count)])
  }
  private static var typeCount: AnswerShape<(type: String, count: LogStatistics.Count)> {
    .object(
      nil,
      [
        .member("type", .text, \.type), .member("actions", .count, \.count.actions),
        .member("bytes", .count, \.count.bytes),
      ])
  }
  private static var actorCount: AnswerShape<(actor: String?, count: LogStatistics.Count)> {
    .object(
      nil,
      [
        .nullable("actor", .text, \.actor), .member("actions", .count, \.count.actions),
        .member("bytes", .count, \.count.bytes),
      ])
  }
}

extension LogStatistics {
  /// The number of segments from that of the first counted action to that of the last.
  func segmentCount(of segments: [LogSegment]) -> Int {
    guard let first, let last else { return 0 }
    let before = segments.count { segment in segment.first <= first.revision }
    let through = segments.count { segment in segment.first <= last.revision }
    return through - max(before, 1) + 1
  }
}

/// Counts over the records of a log, from one pass.
struct LogStatistics {
  struct Count {
    var actions = 0
    var bytes = 0
  }

  /// The revision and time of an action.
  struct Moment {
    var revision: Int
    var time: LogTime
  }

  private(set) var actionCount = 0
  private(set) var controlCount = 0
  private(set) var byteCount = 0
  private(set) var first: Moment?
  private(set) var last: Moment?
  private(set) var longestGap: (duration: Duration, revision: Int)?
  private var types: [ExactName: Count] = [:]
  /// By actor; `nil` for actions without one.
  private var actors: [ExactName?: Count] = [:]
  private(set) var timesPerBucket = TimeBuckets()
  /// The times of the earliest and the latest action.
  private(set) var times: ClosedRange<LogTime>?

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
    timesPerBucket.add(record.time)
    times =
      times.map { times in min(times.lowerBound, record.time)...max(times.upperBound, record.time) }
      ?? record.time...record.time
    if let last {
      let gap = Duration.microseconds(record.time.microseconds - last.time.microseconds)
      if gap > longestGap?.duration ?? .zero { longestGap = (gap, record.revision) }
    }
    last = Moment(revision: record.revision, time: record.time)
    first = first ?? last
  }

  /// Begins another log, whose records are counted with those so far. Its first action follows no action.
  mutating func beginLog() {
    last = nil
  }

  /// The time from the first action to the last; not negative, although clocks can be set back.
  var span: Duration {
    guard let first, let last else { return .zero }
    return .microseconds(max(0, last.time.microseconds - first.time.microseconds))
  }

  /// The types by descending count, then by name.
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

/// Counts for intervals of time. The intervals grow with the time range, so that there are never many.
struct TimeBuckets: Sendable {
  /// Usual lengths in seconds, from a second to 52 weeks; each is a multiple of the previous one.
  private static let lengths: [Int64] = [
    1, 5, 10, 30, 60, 300, 600, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400, 604_800, 2_419_200, 31_449_600,
  ]
  /// The number of buckets that fit on a screen below the rest of the page.
  private static let limit = 24

  private(set) var counts: [Int64: Int] = [:]
  private var level = 0

  /// Seconds per bucket.
  var lengthSeconds: Int64 { Self.lengths[level] }

  mutating func add(_ time: LogTime) {
    counts[bucket(of: time.microseconds / 1_000_000), default: 0] += 1
    while spread > Self.limit, level < Self.lengths.count - 1 { coarsen() }
  }

  /// The number of buckets from the first to the last, including empty ones.
  private var spread: Int64 {
    guard let low = counts.keys.min(), let high = counts.keys.max() else { return 0 }
    return high - low + 1
  }

  private func bucket(of second: Int64) -> Int64 {
    second >= 0 ? second / lengthSeconds : (second + 1) / lengthSeconds - 1
  }

  private mutating func coarsen() {
    let old = counts
    let oldLength = lengthSeconds
    level += 1
    counts = [:]
    for (index, count) in old { counts[bucket(of: index * oldLength), default: 0] += count }
  }

  /// The buckets in order, including empty ones; at most a screen of them.
  var rows: [(start: LogTime, count: Int)] {
    guard let low = counts.keys.min(), let high = counts.keys.max(), high - low < 1_000 else { return [] }
    return (low...high).map { index in
      (start: LogTime(microseconds: index * lengthSeconds * 1_000_000), count: counts[index] ?? 0)
    }
  }
}

/// A bar for each interval of time.
struct TimeChart {
  private static let barColumns = 40

  let lines: [String]

  init(_ buckets: TimeBuckets, style: Style) {
    let rows = buckets.rows
    let most = rows.map(\.count).max() ?? 0
    guard rows.count > 1, most > 0 else {
      lines = []
      return
    }
    var table = TextTable([.left, .right, .left])
    for row in rows {
      let start = row.start.description
      let label =
        buckets.lengthSeconds >= 86_400 ? start.prefix(10) : start.prefix(10) + " " + start.dropFirst(11).prefix(8)
      let columns = row.count == 0 ? 0 : max(1, row.count * Self.barColumns / most)
      table.append([
        .init(String(label), paint: style.dim), .init(HumanText.count(row.count)),
        .init(String(repeating: "█", count: columns), paint: style.cyan),
      ])
    }
    lines = table.lines(indent: 2)
  }
}
