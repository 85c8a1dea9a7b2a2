import ActionLog
import JSONCoding
import TimeTravel

extension Command {
  static let tail = Command(
    "tail",
    group: .read,
    summary: "the last actions, and with -f those that come",
    details: """
      Only whole lines are shown. While following, an action that is not known to be durable yet is marked with ~ (with
      --json: "durable":false); Ctrl-C ends.
      """,
    examples: [
      .init("tail my-log", "the last ten"),
      .init("tail -f my-log --type 'ui.*'", "follow a live log"),
    ],
    arguments: [.readLog],
    options: [TailCommand.follow, TailCommand.count] + RecordFilter.options,
    blocking: { context in try TailCommand(context: context).run() }
  )
}

/// `tail`: the last records, then whatever a follower finds.
private struct TailCommand {
  static let follow = CommandOption.flag("follow", letter: "f", "go on showing what is recorded")
  static let count = CommandOption.value("lines", letter: "n", "COUNT", "how many to begin with (default 10)")

  /// What is kept in memory to begin with is bounded.
  private static let countLimit = 1_000_000
  /// Often enough to seem immediate, seldom enough to cost nothing.
  private static let interval = Duration.milliseconds(200)

  let context: CommandContext

  func run() throws -> ExitStatus {
    let reader = try context.openReader()
    let filter = try RecordFilter(context.arguments)
    let count = try context.arguments.integer(of: Self.count, in: 0...Self.countLimit) ?? 10
    guard context.arguments.has(Self.follow) else { return try printLast(count, filter, reader) }
    guard !reader.isSingleSegment else {
      throw ToolFailure.usage("one segment cannot be followed; give the log's directory")
    }
    context.environment.stop.accept()
    try follow(reader, filter, beginningWith: count)
    return .success
  }

  /// Prints the last records that the filter wants, from as far back as that takes.
  private func printLast(_ count: Int, _ filter: RecordFilter, _ reader: LogReader) throws -> ExitStatus {
    var kept = RecentRecords(capacity: count)
    var records = try reader.records(from: try start(count, filter, reader))
    var damage: (any Error)?
    do {
      while let record = try records.next() {
        if try filter.matches(record) { kept.append(record) }
      }
    } catch let error as LogError {
      damage = error
    }
    var printer = RecordPrinter(context)
    for record in kept.records { try printer.print(record) }
    try printer.finish()
    if let damage { throw damage }
    try context.remarkOnEnding(records.ending)
    return .success
  }

  /// Where to begin reading: without a filter the last actions are found without reading those before.
  private func start(_ count: Int, _ filter: RecordFilter, _ reader: LogReader) throws -> Int {
    guard !filter.isSelective, !filter.includesControl else { return 0 }
    return max(0, try reader.extent().lastSeq - count + 1)
  }

  private func follow(_ reader: LogReader, _ filter: RecordFilter, beginningWith count: Int) throws {
    var follower = try reader.follower(from: try start(count, filter, reader))
    var printer = FollowPrinter(context)
    var kept: RecentRecords? = RecentRecords(capacity: count)
    while true {
      let records = try poll(&follower)
      for record in records where try filter.matches(record) {
        if kept == nil { try printer.print(record, isDurable: follower.isDurable(record)) }
        kept?.append(record)
      }
      if let last = kept, records.count < LogFollower.defaultMaximumCount {
        // Everything that was there is read: from here on records are shown as they come.
        for record in last.records { try printer.print(record, isDurable: follower.isDurable(record)) }
        kept = nil
      }
      try printer.finish()
      try context.flush()
      if context.environment.stop.isRequested { return }
      if records.isEmpty, context.environment.pause(Self.interval) { return }
    }
  }

  /// New records. When the writer took some back, that is told, and following goes on.
  private func poll(_ follower: inout LogFollower) throws -> [LogRecord] {
    do throws(LogError) {
      return try follower.poll()
    } catch {
      guard error.code == .rejected else { throw error }
      try context.warn("\(error.message). \(error.advice ?? "")")
      return []
    }
  }
}

/// Records as they come, each with a mark while it is not known to be durable.
private struct FollowPrinter {
  private let context: CommandContext
  private var table: PagedTable

  init(_ context: CommandContext) {
    self.context = context
    self.table = PagedTable([.left] + RecordText.alignments, printer: context.output, columns: context.outputColumns)
  }

  mutating func print(_ record: LogRecord, isDurable: Bool) throws {
    if context.isJSON {
      var object = try RecordText.json(record)
      object["durable"] = .bool(isDurable)
      try context.output.json(.object(object))
    } else {
      let style = context.output.style
      try table.append(
        [.init(isDurable ? " " : "~", paint: style.yellow)]
          + (try RecordText.cells(record, style: style, columns: context.outputColumns)))
    }
  }

  mutating func finish() throws(ToolStreamError) {
    try table.flush()
  }
}
