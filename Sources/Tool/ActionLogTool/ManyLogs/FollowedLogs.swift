import ActionLog
import JSONCoding
import TimeTravel

/// `tail -f` on several logs: the last actions of all of them, and then new ones as they arrive.
///
/// The actions that arrive between two checks are in the order of their times. A log that cannot be read any more is reported, and
/// the others are followed.
struct FollowedLogs {
  /// Each followed log takes an open file, and is checked several times a second.
  static let limit = 64
  /// The number of records that are read from a log at a time.
  private static let batchCount = 1_000

  private struct Followed {
    let path: String
    let key: String?
    var follower: LogFollower
    var selection: FollowedSelection
  }

  private let context: CommandContext
  private let logs: NamedLogs

  init(_ context: CommandContext, _ logs: NamedLogs) throws(ToolFailure) {
    guard logs.paths.count <= Self.limit else {
      throw .usage(
        "-f follows at most \(Self.limit) logs, and these are \(HumanText.count(logs.paths.count))",
        advice: "Name some of them; without -f, 'tail' reads all of them.")
    }
    try context.refuseCause(of: logs)
    (self.context, self.logs) = (context, logs)
  }

  /// Follows the logs until the command is stopped.
  ///
  /// - Parameters:
  ///   - count: The number of last actions to begin with, unless `--from` is given.
  ///   - interval: The time between two checks.
  /// - Returns: The worst status of a log that could not be read.
  func run(last count: Int, every interval: Duration) throws -> ExitStatus {
    try context.noteSkippedLinks(logs)
    var status = ExitStatus.success
    for (path, failure) in logs.failures { status = max(status, try context.reportUnread(path, failure)) }
    let from = context.arguments.value(of: .from)
    var latest = LatestRecords(capacity: from == nil ? count : 0)
    var readers: [(reader: LogReader, path: String, selection: ActionSelection)] = []
    for path in logs.paths.sorted(by: { left, right in left.utf8.lexicographicallyPrecedes(right.utf8) }) {
      do {
        let reader = try context.openReader(path)
        guard !reader.isSingleSegment else {
          throw ToolFailure.usage("one segment cannot be followed; give the log's directory")
        }
        let selection = try ActionSelection(
          context, reader: reader, range: PointRange(from: reader.firstRevision, in: reader))
        latest.beginLog(path, key: reader.header.key)
        if from == nil { _ = try selection.forEachOfLast(count) { record in latest.append(record) } }
        readers.append((reader, path, selection))
      } catch let failure as ToolFailure where failure.codeName == "usage" {
        throw failure
      } catch {
        status = max(status, try context.reportUnread(path, error))
      }
    }
    context.environment.stop.accept()
    // The first action to print, by log: the followers read it again, with its durability.
    let firsts = Dictionary(latest.elements.map { element in (element.path, element.record.revision) }) { first, _ in
      first
    }
    var followed: [Followed] = []
    for (reader, path, selection) in readers {
      do {
        let first =
          try from.map { text in try PointResolver(context, reader: reader).firstAction(text, mayCome: true) }
          ?? firsts[path] ?? reader.extent().lastRevision + 1
        followed.append(
          Followed(
            path: path, key: reader.header.key,
            follower: try reader.follower(from: max(first, reader.firstRevision)),
            selection: FollowedSelection(selection, of: reader))
        )
      } catch {
        status = max(status, try context.reportUnread(path, error))
      }
    }
    return max(status, try follow(&followed, every: interval))
  }

  private func follow(_ followed: inout [Followed], every interval: Duration) throws -> ExitStatus {
    var status = ExitStatus.success
    var printer = RecordPrinter(context, hasLogs: true, isFollowing: true)
    while !followed.isEmpty {
      var arrived = LatestRecords(capacity: .max)
      var durable: [ExactName: Int] = [:]
      var lost: Set<ExactName> = []
      var isQuiet = true
      for index in followed.indices {
        let path = followed[index].path
        arrived.beginLog(path, key: followed[index].key)
        do {
          let records = try poll(&followed[index])
          if !records.isEmpty { isQuiet = false }
          for record in try followed[index].selection.pick(records) { arrived.append(record) }
          durable[ExactName(path)] = followed[index].follower.durableRevision
        } catch {
          status = max(status, try context.reportUnread(path, error))
          lost.insert(ExactName(path))
        }
      }
      for element in arrived.elements {
        let isDurable = element.record.revision <= durable[ExactName(element.path)] ?? 0
        try printer.print(
          LoggedRecord(record: element.record, isDurable: isDurable, path: element.path, key: element.key))
      }
      try printer.finish()
      try context.flush()
      followed.removeAll { log in lost.contains(ExactName(log.path)) }
      if context.environment.stop.isRequested { return status }
      if isQuiet, context.pause(interval) { return status }
    }
    return status
  }

  /// Returns new records. If the writer discarded some, warns and continues.
  private func poll(_ followed: inout Followed) throws -> [LogRecord] {
    do throws(LogError) {
      return try followed.follower.poll(maximumCount: Self.batchCount)
    } catch {
      guard error.code == .rejected else { throw error }
      try context.warn("\(error.message): \(followed.path). \(error.guidance ?? "")")
      try followed.selection.beginAgain()
      return []
    }
  }
}
