import ActionLog
import TextDisplay
import TimeTravel

/// Finds the revision that a point means in a log, also in one whose model is not known.
///
/// Here, and nowhere else, it is said which revisions a log has: a point that is not in it is an error of one wording, whatever the
/// command.
struct PointResolver {
  /// What can be written, for help.
  static let forms = """
    A point is a revision (42), start, end, a place from the end (-3), a time (2026-11-21T09:00:05Z), a day (2026-11-21, which
    begins at midnight UTC), how long ago ('5m ago'), or the name of a mark ('mark' makes one).
    """

  let reader: LogReader
  let now: LogTime
  private let context: CommandContext

  init(_ context: CommandContext, reader: LogReader) {
    self.reader = reader
    self.now = context.environment.logEnvironment.now()
    self.context = context
  }

  /// The revision of a point as it was typed.
  ///
  /// - Throws: ``LogError/Code/revisionOutOfRange`` for one that the log does not have, and what reading throws: damage, for one
  ///   that lies behind it.
  func revision(_ text: String) throws -> Int { try revision(of: point(text)) }

  /// The first action of a stretch that begins at a point: a revision's own, and of a time the one behind the last that is earlier.
  ///
  /// So it goes on where the stretch ends that ends just before the time: whatever the clock did, each action is in one of them.
  ///
  /// - Parameter mayCome: Whether it may be an action that is not recorded yet.
  func firstAction(_ text: String, mayCome: Bool = false) throws -> Int {
    switch try point(text) {
    case .time(let time), .day(let time):
      // No action is earlier than the first moment that there is.
      guard time > .earliest else { return 1 }
      return try reader.lastSeq(atOrBefore: time.advanced(by: .microseconds(-1))) + 1
    case .revision(let revision) where mayCome: return revision
    case let point: return try revision(of: point)
    }
  }

  /// The last action of a stretch that ends at a point: a revision's own, of a time the last one that is not later, and of a day the
  /// last one of it.
  ///
  /// A revision behind damage is taken as it is: up to the damage the stretch can be read.
  func lastAction(_ text: String) throws -> Int {
    let point = try point(text)
    do {
      if case .day(let start) = point { return try reader.lastSeq(atOrBefore: ZonedTime.lastMoment(ofDayFrom: start)) }
      return try revision(of: point)
    } catch let error as LogError where error.code == .damaged {
      guard case .revision(let revision) = point else { throw error }
      return revision
    }
  }

  private func point(_ text: String) throws -> HistoryPoint {
    if let point = try HistoryPoint.form(text, now: now) { return point }
    let marks = try context.markList(of: reader).marks
    do throws(TimeTravelError) { return try HistoryPoint(parsing: text, now: now, marks: marks) } catch {
      var failure = ToolFailure(error)
      if error.code == .invalidPoint, !marks.isEmpty { failure.advice = context.sentence(naming: marks, of: reader) }
      throw failure
    }
  }

  private func revision(of point: HistoryPoint) throws -> Int {
    switch point {
    case .revision(let number):
      // The record of an action is found sooner than the end of the log.
      if number != 0 { _ = try reader.record(at: number) }
      return number
    case .start: return 0
    case .end: return try reader.extent().lastSeq
    case .fromEnd(let count):
      let last = try reader.extent().lastSeq
      guard count <= last else {
        throw MissingRevision(beforeTheEnd: count, of: reader.revisions(upTo: last)).error(in: reader.path)
      }
      return last - count
    case .time(let time), .day(let time): return try reader.lastSeq(atOrBefore: time)
    }
  }
}

extension CommandContext {
  /// The marks that there are, in a sentence.
  func sentence(naming marks: [Mark], of reader: LogReader) -> String {
    // More are found sooner in a list of their own.
    let limit = 8
    let names = marks.prefix(limit).map { mark in "'\(TerminalText.escaping(mark.name))'" }.joined(separator: ", ")
    let list = "'\(tool.name) marks \(ShellWord(reader.path))'"
    guard !marks.isEmpty else { return "The log has no marks; '\(tool.name) mark' makes one." }
    if marks.count > limit {
      return "The log has \(HumanText.count(marks.count)) marks: \(names), … \(list) lists all."
    }
    return marks.count == 1 ? "The log has one mark: \(names)." : "The log has the marks \(names)."
  }
}
