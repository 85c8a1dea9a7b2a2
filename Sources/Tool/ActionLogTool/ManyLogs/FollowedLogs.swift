import ActionLog
import EventSourcing
import TimeTravel

/// `list --follow`: the last actions of one or several logs, and then new ones as they arrive.
///
/// The actions that arrive between two checks are in the order of their times. One of several logs that cannot be read any more is
/// reported, and the others are followed.
struct FollowedLogs {
  /// Each followed log takes an open file, and is checked several times a second.
  static let limit = 64
  private static let batchCount = 1_000
  /// Short enough to seem immediate, and long enough to cost nothing.
  private static let interval = Duration.milliseconds(200)

  private struct Followed {
    let path: String
    let reader: LogReader
    var follower: LogFollower
    var selection: FollowedSelection
    /// The next action to print, if only durable ones are printed.
    var next: Int
  }

  private let context: CommandContext
  private let logs: NamedLogs
  private let format: RecordFormat?

  init(_ context: CommandContext, _ logs: NamedLogs, _ format: RecordFormat?) throws(ToolFailure) {
    guard format == nil || !context.arguments.has(RecordFilter.all) else {
      throw .usage(
        "\(option: ListCommand.follow) prints only actions with \(option: ListCommand.format): leave out \(option: RecordFilter.all)"
      )
    }
    guard logs.paths.count <= Self.limit else {
      throw .usage(
        "\(option: ListCommand.follow) takes at most \(Self.limit) logs, and these are \(HumanText.count(logs.paths.count))",
        advice: "Name some of them; without \(option: ListCommand.follow), all of them are read.")
    }
    if logs.only == nil { try context.refuseCause(of: logs) }
    (self.context, self.logs, self.format) = (context, logs, format)
  }

  /// - Parameter count: The number of last actions to begin with; `nil` for all of the range.
  func run(last count: Int?) throws -> ExitStatus {
    var status = try context.reportUnfound(logs)
    var latest = LatestRecords(capacity: count ?? 0)
    var opened: [(reader: LogReader, path: String, selection: ActionSelection)] = []
    for path in logs.only.map({ path in [path] }) ?? logs.sortedPaths {
      try read(path, &status) {
        let reader = try context.openReader(path)
        guard !reader.isSingleSegment else {
          throw ToolFailure.usage("one segment cannot be followed; give the log's directory")
        }
        let first = try context.arguments.value(of: .from).map { text in
          try PointResolver(context, reader: reader).firstAction(text, mayCome: true)
        }
        let selection = try ActionSelection(
          context, reader: reader, range: PointRange(from: first ?? reader.firstRevision, in: reader))
        latest.beginLog(path, reader.header)
        // Damage ends the following after the actions before it are shown.
        if let count { _ = try selection.forEachOfLast(count) { record in latest.append(record) } }
        opened.append((reader, path, selection))
      }
    }
    context.environment.stop.accept()
    // The first action to print, by log: the followers read it again, with its durability.
    let firsts = Dictionary(latest.elements.map { element in (element.path, element.record.revision) }) { first, _ in
      first
    }
    var followed: [Followed] = []
    for (reader, path, selection) in opened {
      try read(path, &status) {
        let end = try reader.extent().lastRevision
        let first = count == nil ? selection.range.first : firsts[path] ?? end + 1
        if count == nil, first > end {
          try context.note("the log ends with revision \(end): waiting for action \(first)")
          try context.flush()
        }
        followed.append(
          Followed(
            path: path, reader: reader, follower: try reader.follower(from: first),
            selection: FollowedSelection(selection, of: reader), next: first))
      }
    }
    return max(status, try follow(&followed))
  }

  private func read(_ path: String, _ status: inout ExitStatus, _ body: () throws -> Void) throws {
    if logs.only != nil { try body() } else { try context.read(path, &status, body) }
  }

  private func follow(_ followed: inout [Followed]) throws -> ExitStatus {
    var status = ExitStatus.success
    var printer = RecordPrinter(context, format, hasLogs: logs.only == nil, isFollowing: true)
    while !followed.isEmpty {
      var arrived = LatestRecords(capacity: .max)
      var isQuiet = true
      var lost = Set(followed.indices)
      for index in followed.indices {
        let path = followed[index].path
        arrived.beginLog(path, followed[index].reader.header)
        try read(path, &status) {
          let (records, isAtEnd) = try poll(&followed[index])
          if !isAtEnd { isQuiet = false }
          for record in try followed[index].selection.pick(records) {
            arrived.append(record, isDurable: followed[index].follower.isDurable(record))
          }
          lost.remove(index)
        }
      }
      for var element in arrived.elements {
        if logs.only != nil { element.path = nil }
        try printer.print(element)
      }
      try printer.finish()
      try context.flush()
      for index in lost.sorted(by: >) { followed.remove(at: index) }
      if context.environment.stop.isRequested { return status }
      if isQuiet, context.pause(Self.interval) { return status }
    }
    return status
  }

  /// Returns new records, and whether there are no more. If the writer discarded some, warns and continues.
  private func poll(_ followed: inout Followed) throws -> (records: [LogRecord], isAtEnd: Bool) {
    let records: [LogRecord]
    do throws(LogError) {
      records = try followed.follower.poll(maximumCount: Self.batchCount)
    } catch {
      guard error.code == .rejected else { throw error }
      let log = logs.only != nil ? "" : ": \(followed.path)"
      try context.warn("\(error.message)\(log). \(error.guidance ?? "")")
      try followed.selection.beginAgain()
      return ([], true)
    }
    guard format != nil else { return (records, records.isEmpty) }
    // Records that are not durable are read again later, so that memory does not grow while a writer does not sync.
    let last = followed.follower.durableRevision
    guard last >= followed.next else { return ([], records.isEmpty) }
    var cursor = try followed.reader.records(from: followed.next)
    var durable: [LogRecord] = []
    while durable.count < Self.batchCount, let record = try cursor.next(), record.revision <= last {
      if !record.isControl, record.revision >= followed.next { durable.append(record) }
    }
    followed.next = durable.count < Self.batchCount ? last + 1 : (durable.last?.revision ?? last) + 1
    return (durable, records.isEmpty && followed.next > last)
  }
}

/// Selects actions of a followed log, as ``ActionSelection`` selects recorded ones.
struct FollowedSelection {
  private let selection: ActionSelection
  private let reader: LogReader
  private var chain: CausalChain?
  private var question: (any FollowedQuestionHandle)?

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
