import ActionLog
import TimeTravel

/// Finds the revision that a point means in a log, also in one whose model is not known.
struct PointResolver {
  /// What can be written, for help.
  static let forms = """
    A point is a revision (42), start, end, a place from the end (-3), a time (2026-11-21T09:00:05Z), how long ago
    ('5m ago'), or the name of a mark ('mark' makes one).
    """

  let reader: LogReader
  let now: LogTime
  private let context: CommandContext

  init(_ context: CommandContext, reader: LogReader) {
    self.reader = reader
    self.now = context.environment.logEnvironment.now()
    self.context = context
  }

  /// The revision of a point as it was typed. Plain revisions are not looked up: whoever uses them says whether they
  /// exist.
  ///
  /// - Throws: ``LogError/Code/revisionOutOfRange`` for a point before the start, and what reading throws.
  func revision(_ text: String) throws -> Int { try revision(of: point(text)) }

  /// The first action of a stretch that begins at a point: a revision's own, and of a time the first one that is not older.
  func firstAction(_ text: String) throws -> Int {
    guard case .time(let time) = try point(text) else { return try revision(text) }
    return try reader.lastSeq(atOrBefore: time.advanced(by: .microseconds(-1))) + 1
  }

  private func point(_ text: String) throws -> HistoryPoint {
    try HistoryPoint.form(text, now: now)
      ?? HistoryPoint(parsing: text, now: now, marks: context.markList(of: reader).marks)
  }

  private func revision(of point: HistoryPoint) throws -> Int {
    switch point {
    case .revision(let number): return number
    case .start: return 0
    case .end: return try reader.extent().lastSeq
    case .fromEnd(let count):
      let last = try reader.extent().lastSeq
      guard count <= last else {
        throw LogError(
          .revisionOutOfRange, "there is no revision \(count) before the end", path: reader.path,
          advice: "The log holds the revisions 0…\(last).")
      }
      return last - count
    case .time(let time): return try reader.lastSeq(atOrBefore: time)
    }
  }
}

/// The stretch of a log between `--from` and `--to`, both included.
struct PointRange {
  let first: Int
  let last: Int

  /// Everything that a log holds.
  static let all = PointRange(first: 0, last: .max)

  private init(first: Int, last: Int) {
    (self.first, self.last) = (first, last)
  }

  init(_ context: CommandContext, reader: LogReader) throws {
    let resolver = PointResolver(context, reader: reader)
    first = try context.arguments.value(of: .from).map(resolver.revision) ?? 0
    last = try context.arguments.value(of: .to).map(resolver.revision) ?? .max
    guard first <= last else { throw ToolFailure.usage("--from (revision \(first)) lies behind --to (\(last))") }
  }

  /// A stretch of actions. A time at its beginning is that of its first action or before it, so there may be none: then it ends
  /// one action before it begins.
  init(actionsOf context: CommandContext, reader: LogReader) throws {
    let resolver = PointResolver(context, reader: reader)
    let from = context.arguments.value(of: .from)
    first = try from.map(resolver.firstAction) ?? 0
    last = try context.arguments.value(of: .to).map(resolver.revision) ?? .max
    guard try first <= last || from.map(resolver.revision) ?? 0 <= last else {
      throw ToolFailure.usage("--from (revision \(first)) lies behind --to (\(last))")
    }
  }
}
