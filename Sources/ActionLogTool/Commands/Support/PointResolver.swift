import ActionLog

/// Finds the revision that a point means in one log.
struct PointResolver {
  let reader: LogReader
  let now: LogTime

  init(_ context: CommandContext, reader: LogReader) {
    self.reader = reader
    self.now = context.environment.logEnvironment.now()
  }

  /// The revision of a point. Plain revisions are not looked up: whoever uses them says whether they exist.
  ///
  /// - Throws: ``LogError/Code/revisionOutOfRange`` for a point before the start, and what reading throws.
  func revision(_ point: Point) throws -> Int {
    switch point {
    case .revision(let number): return number
    case .start: return 0
    case .end: return try reader.extent().lastSeq
    case .beforeEnd(let count):
      let last = try reader.extent().lastSeq
      guard count <= last else {
        throw LogError(
          .revisionOutOfRange, "there is no revision \(count) before the end", path: reader.path,
          advice: "The log has revisions 0…\(last).")
      }
      return last - count
    case .time(let time): return try revision(at: time)
    case .ago(let age): return try revision(at: now.advanced(by: .zero - age))
    }
  }

  /// The last revision at or before a time; the start when all is later.
  private func revision(at time: LogTime) throws -> Int {
    try reader.lastSeq(atOrBefore: time)
  }
}

/// The stretch of a log between `--from` and `--to`, both included.
struct PointRange {
  let first: Int
  let last: Int

  init(_ context: CommandContext, reader: LogReader) throws {
    let resolver = PointResolver(context, reader: reader)
    let from = try context.arguments.value(of: .from).map { text in try Point(text) }
    let to = try context.arguments.value(of: .to).map { text in try Point(text) }
    first = try from.map(resolver.revision) ?? 0
    last = try to.map(resolver.revision) ?? .max
    guard first <= last else { throw ToolFailure.usage("--from (revision \(first)) lies behind --to (\(last))") }
  }
}
