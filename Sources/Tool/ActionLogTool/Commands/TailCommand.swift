import ActionLog
import EventSourcing
import JSONCoding
import TimeTravel

extension Command {
  static let tail = Command(
    "tail",
    group: .read,
    effect: .reads,
    summary: "list the last actions, and with -f new ones",
    details: """
      Only complete lines are shown. With -f, an action that is not known to be durable is marked with ~ (with --json:
      "durable":false); Ctrl-C ends.
      With --format, actions are printed for other programs, a line each: as CloudEvents, as comma-separated values, or as the
      log's own lines. With -f, an action is printed only once it is known to be durable, so that no printed action is lost in a
      crash; --from continues after the last printed action, and may name a future one.
      \(PointResolver.forms)
      \(CommandContext.conditionForms)
      A condition on the state, and --touching, fold the actions, with -f each as it comes.
      \(CommandContext.mergedLogsForm) The last actions are those of all the logs together; -f follows at most \(FollowedLogs.limit) logs.
      \(CommandContext.manyLogsForm)
      """,
    examples: [
      .init("tail my-log", "the last ten"),
      .init("tail -f my-log --type 'ui.*'", "follow a live log"),
      .init("tail -f my-log --where '/value > 3'", "show the actions that lead to such a state, as they happen"),
      .init("tail -f customers", "follow many logs"),
      .init("tail -f my-log --from 4712 --format cloudevents | kcat -P -t actions", "feed a broker"),
    ],
    arguments: [.mergedLogs],
    options: [TailCommand.follow, TailCommand.count, TailCommand.from, TailCommand.format] + RecordFilter.options + [
      ActionSelection.touching, CausalChain.option, .model, .projection,
    ],
    answer: .lines,
    schema: LoggedRecord.schema(
      "A line for each action; with -f, durable reports whether the action survives a crash.", isFollowed: true),
    blocking: { context in try TailCommand(context: context).run() }
  )
}

/// `tail`: prints the last records, then those that a follower finds.
private struct TailCommand {
  static let follow = CommandOption.flag("follow", letter: "f", "continue with new actions")
  static let count = CommandOption.value(
    "lines", letter: "n", "COUNT", "the number of actions to begin with (default 10)")
  static let from = CommandOption.value("from", "POINT", "the first action to show, instead of --lines")
  static let format = CommandOption.choice(
    "format", of: ActionLineFormat.allCases.map(\.rawValue), "print actions for other programs, a line each")

  /// Bounds the memory of the first actions.
  private static let countLimit = 1_000_000
  /// Short enough to seem immediate, and long enough to cost nothing.
  private static let interval = Duration.milliseconds(200)

  let context: CommandContext

  func run() throws -> ExitStatus {
    let count = try context.arguments.integer(of: Self.count, in: 0...Self.countLimit)
    guard count == nil || !context.arguments.has(Self.from) else {
      throw ToolFailure.usage(
        "--from begins at a point, --lines at a number of actions before the end: give one of them")
    }
    try refuseHyphenCount()
    let format = try format()
    let isFollowing = context.arguments.has(Self.follow)
    guard !isFollowing || context.output.boundedAnswer == nil else {
      throw ToolFailure.usage(
        "-f has no end that a bound could move: leave out -f, or --limit, --max-bytes and --cursor",
        advice: "--from continues after the last printed action.")
    }
    if let logs = try context.manyLogs() {
      guard format == nil else {
        throw ToolFailure.usage(
          "--format prints one log", advice: "Use --json for many logs, or 'export' for a format.")
      }
      if isFollowing { return try FollowedLogs(context, logs).run(last: count ?? 10, every: Self.interval) }
      try context.output.countAnswerLines()
      let merged = try MergedLogs(context, logs)
      return try context.arguments.has(Self.from) ? merged.print(first: .max, last: nil) : merged.printLast(count ?? 10)
    }
    let reader = try context.openReader()
    guard !isFollowing || !reader.isSingleSegment else {
      throw ToolFailure.usage("one segment cannot be followed; give the log's directory")
    }
    let (start, selection) = try self.selection(of: reader, count, isFollowing: isFollowing)
    guard isFollowing else { return try printLast(start, selection, reader, format) }
    if case .revision(let first) = start { try noteWaiting(for: first, reader) }
    context.environment.stop.accept()
    if let format {
      try follow(reader, selection, from: start, format)
    } else {
      try follow(reader, selection, from: start)
    }
    return .success
  }

  /// Throws for a word like `-3`, which `tail` of other systems takes as a count of lines, unless a log has that name.
  private func refuseHyphenCount() throws {
    for word in context.arguments.positionals where word.count > 1 && word.first == "-" {
      guard word.dropFirst().allSatisfy(\.isASCIIDigit), try context.files.status(of: word) == nil else { continue }
      throw ToolFailure.usage(
        "there is no log '\(word)'", advice: "For the last actions, write '-n \(word.dropFirst())'.")
    }
  }

  /// The selected actions of a log, and the first one.
  private func selection(
    of reader: LogReader, _ count: Int?, isFollowing: Bool
  ) throws -> (start: Start, selection: ActionSelection) {
    let first = try context.arguments.value(of: Self.from).map { text in
      try PointResolver(context, reader: reader).firstAction(text, mayCome: isFollowing)
    }
    let selection = try ActionSelection(
      context, reader: reader, range: PointRange(from: first ?? reader.firstRevision, in: reader))
    return (first.map { first in .revision(max(first, reader.firstRevision)) } ?? .last(count ?? 10), selection)
  }

  /// Notes that the first action is not recorded yet.
  private func noteWaiting(for first: Int, _ reader: LogReader) throws {
    let last = try reader.extent().lastRevision
    guard first > last else { return }
    try context.note("the log ends with revision \(last): waiting for action \(first)")
    try context.flush()
  }

  /// The first action to print.
  private enum Start {
    case revision(Int)
    case last(Int)
  }

  private func format() throws(ToolFailure) -> ActionLineFormat? {
    guard let format = context.arguments.value(of: Self.format).flatMap(ActionLineFormat.init(rawValue:)) else {
      return nil
    }
    guard !context.isJSON else { throw .usage("--format determines the output: omit --json") }
    guard !context.arguments.has(RecordFilter.all) else {
      throw .usage("--all shows control records, and --format prints only actions: give one of them")
    }
    return format
  }

  /// Prints the last selected actions, or those from a point on.
  private func printLast(
    _ start: Start, _ selection: ActionSelection, _ reader: LogReader, _ format: ActionLineFormat?
  ) throws -> ExitStatus {
    var table = RecordPrinter(context)
    var lines = format.map { format in ActionLinePrinter(format, reader.header, context) }
    var count = 0
    func print(_ record: LogRecord) throws {
      count += 1
      if lines == nil { try table.print(record) } else { try lines?.print(record) }
    }
    try lines?.begin()
    let outcome: ActionSelection.Outcome
    switch start {
    case .last(let limit):
      outcome = try selection.forEachOfLast(limit, print)
      // For a count of 0, an empty list is not worth a note.
      if limit == 0, outcome.damage == nil { return .success }
    case .revision:
      outcome = try selection.forEach("reading") { record in
        try print(record)
        return context.output.boundedAnswer?.isFull != true
      }
    }
    try table.finish()
    return try selection.conclude(outcome, count: count)
  }

  /// The revision at which a follower has to begin to find the first selected action.
  private func first(_ start: Start, _ selection: ActionSelection, _ reader: LogReader) throws -> Int {
    switch start {
    case .revision(let first): return first
    case .last(0): return try reader.extent().lastRevision + 1
    case .last(let count):
      var first: Int?
      // Damage ends the following after the actions before it are shown.
      _ = try selection.forEachOfLast(count) { record in first = first ?? record.revision }
      return try first ?? reader.extent().lastRevision + 1
    }
  }

  private func follow(_ reader: LogReader, _ selection: ActionSelection, from start: Start) throws {
    var follower = try reader.follower(from: try first(start, selection, reader))
    var followed = FollowedSelection(selection, of: reader)
    var printer = RecordPrinter(context, hasLogs: false, isFollowing: true)
    var kept: RecentRecords?
    if case .last(let count) = start { kept = RecentRecords(capacity: count) }
    while true {
      let records = try poll(&follower, &followed)
      for record in try followed.pick(records) {
        if kept == nil { try printer.print(LoggedRecord(record: record, isDurable: follower.isDurable(record))) }
        kept?.append(record)
      }
      if let last = kept, records.count < LogFollower.defaultMaximumCount {
        // All existing records are read. From here on records are shown as they arrive.
        for record in last.records {
          try printer.print(LoggedRecord(record: record, isDurable: follower.isDurable(record)))
        }
        kept = nil
      }
      try printer.finish()
      try context.flush()
      if context.environment.stop.isRequested { return }
      if records.isEmpty, context.pause(Self.interval) { return }
    }
  }

  /// Prints actions once they are durable. Actions that are not durable are discarded and read again later, so that
  /// memory does not grow while a writer does not sync.
  private func follow(
    _ reader: LogReader, _ selection: ActionSelection, from start: Start, _ format: ActionLineFormat
  ) throws {
    var next = try first(start, selection, reader)
    var follower = try reader.follower(from: next)
    var followed = FollowedSelection(selection, of: reader)
    var printer = ActionLinePrinter(format, reader.header, context)
    try printer.begin()
    while true {
      let isAtEnd = try poll(&follower, &followed).isEmpty
      if follower.durableRevision >= next {
        var records = try reader.records(from: next)
        var batch: [LogRecord] = []
        while let record = try records.next(), record.revision <= follower.durableRevision {
          if !record.isControl, record.revision >= next { batch.append(record) }
          guard batch.count == LogFollower.defaultMaximumCount else { continue }
          for record in try followed.pick(batch) { try printer.print(record) }
          batch = []
        }
        for record in try followed.pick(batch) { try printer.print(record) }
        next = follower.durableRevision + 1
      }
      try context.flush()
      if context.environment.stop.isRequested { return }
      if isAtEnd, context.pause(Self.interval) { return }
    }
  }

  /// Returns new records. If the writer discarded some, warns and continues.
  private func poll(_ follower: inout LogFollower, _ followed: inout FollowedSelection) throws -> [LogRecord] {
    do throws(LogError) {
      return try follower.poll()
    } catch {
      guard error.code == .rejected else { throw error }
      try context.warn("\(error.message). \(error.guidance ?? "")")
      try followed.beginAgain()
      return []
    }
  }
}

/// Selects actions of a followed log, as ``ActionSelection`` selects recorded ones.
struct FollowedSelection {
  private let selection: ActionSelection
  private let reader: LogReader
  private var chain: CausalChain?
  /// The query on the states; `nil` before the first action.
  private var question: (any FollowedQuestionHandle)?

  /// - Parameters:
  ///   - selection: The selection.
  ///   - reader: The log.
  init(_ selection: ActionSelection, of reader: LogReader) {
    self.selection = selection
    self.reader = reader
    chain = selection.chain
  }

  /// Returns the selected records. Each call takes the records that follow those of the previous call.
  mutating func pick(_ records: [LogRecord]) throws -> [LogRecord] {
    let fitting = try fittingRevisions(of: records)
    return try records.filter { record in
      try chain?.take(record)
      guard try selection.filter.matches(record), chain?.contains(record) ?? true else { return false }
      return fitting.map { revisions in !record.isControl && revisions.contains(record.revision) } ?? true
    }
  }

  /// Resets the selection after the writer discarded the last records.
  mutating func beginAgain() throws {
    question = nil
    if let revision = chain?.revision { chain = try CausalChain(of: revision, in: reader) }
  }

  /// The revisions of the actions whose states match; `nil` without a query on states.
  private mutating func fittingRevisions(of records: [LogRecord]) throws -> Set<Int>? {
    guard let history = selection.history else { return nil }
    let actions = records.lazy.filter { record in !record.isControl }
    guard let first = actions.first?.revision, let last = records.last(where: { record in !record.isControl })?.revision
    else {
      return []
    }
    do {
      var question =
        try self.question
        ?? history.follow(
          after: first - 1, where: selection.filter.stateCondition, touching: selection.pointers,
          options: ReplayOptions())
      let revisions = try question.revisions(upTo: last)
      self.question = question
      return Set(revisions)
    } catch let error as LogError where error.code == .revisionOutOfRange {
      // The writer just discarded them: the follower finds that next.
      self.question = nil
      return []
    }
  }
}
