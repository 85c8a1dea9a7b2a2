import ActionLog
import TerminalUI
import TimeTravel

/// Resolves a point to a revision of a log, also if its model is unknown.
struct PointResolver {
  static let forms = """
    A point is a revision (42), start, end, a distance from the end (-3), a time (2026-11-21T09:00:05Z), a day (2026-11-21, today or
    yesterday, from midnight UTC), an age ('5m ago'), or the name of a mark (see 'mark').
    """

  let reader: LogReader
  let now: LogTime
  private let context: CommandContext
  /// Whether the point is for many logs, so that a revision after the end of this one is no error.
  private let isOneOfMany: Bool

  init(_ context: CommandContext, reader: LogReader, isOneOfMany: Bool = false) {
    self.reader = reader
    self.isOneOfMany = isOneOfMany
    self.now = context.environment.logEnvironment.now()
    self.context = context
  }

  func revision(_ text: String) throws -> Int { try revision(of: point(text)) }

  /// The first action of a range that begins at a point: the revision itself, or for a time, the one after the last
  /// earlier action.
  ///
  /// Consecutive ranges of time therefore contain each action once, even if the clock was set back.
  ///
  /// - Returns: 0 for a revision before the base of a pruned log: a range begins where the log does.
  func firstAction(_ text: String, mayCome: Bool = false) throws -> Int {
    switch try point(text) {
    case .time(let time), .day(let time):
      // No action is earlier than the earliest time.
      guard time > .earliest else { return 1 }
      return try reader.lastKnownRevision(atOrBefore: time.advanced(by: .microseconds(-1))) + 1
    case .revision(let revision) where mayCome: return revision
    case let point:
      do { return try revision(of: point) } catch let error as LogError where error.code == .pruned { return 0 }
    }
  }

  /// The last action of a range that ends at a point: the revision itself, for a time the last one that is not later,
  /// and for a day its last one.
  ///
  /// A revision after damage is returned without a check: the range is readable up to the damage.
  func lastAction(_ text: String) throws -> Int {
    let point = try point(text)
    do {
      if case .day(let start) = point { return try lastAction(at: ZonedTime.lastMoment(ofDayFrom: start)) }
      if case .time(let time) = point { return try lastAction(at: time) }
      return try revision(of: point)
    } catch let error as LogError where error.code == .damaged {
      guard case .revision(let revision) = point else { throw error }
      return revision
    }
  }

  /// The last action at or before a time. Of many logs, one that begins later contributes nothing.
  private func lastAction(at time: LogTime) throws(LogError) -> Int {
    isOneOfMany ? try reader.lastKnownRevision(atOrBefore: time) : try reader.lastRevision(atOrBefore: time)
  }

  private func point(_ text: String) throws -> HistoryPoint {
    if let point = try HistoryPoint.form(text, now: now) { return point }
    let marks = try context.markList(of: reader).marks
    do throws(TimeTravelError) { return try HistoryPoint(parsing: text, now: now, marks: marks) } catch {
      var failure = error.failure
      if error.code == .invalidPoint, !marks.isEmpty { failure.advice = context.sentence(naming: marks, of: reader) }
      throw failure
    }
  }

  private func revision(of point: HistoryPoint) throws -> Int {
    switch point {
    case .revision(let number):
      guard !isOneOfMany else { return number }
      let first = reader.firstRevision
      guard number >= first else { throw reader.pruned(number) }
      // Finding the record is faster than finding the end of the log.
      if number != first { _ = try reader.record(at: number) }
      return number
    case .start: return reader.firstRevision
    case .end: return try reader.extent().lastRevision
    case .fromEnd(let count):
      let last = try reader.extent().lastRevision
      guard count <= last - reader.firstRevision || isOneOfMany else {
        let missing = MissingRevision(beforeEnd: count, of: reader.revisions(upTo: last))
        throw missing.isPruned ? reader.pruned(last - count) : missing.error(in: reader.path)
      }
      return max(reader.firstRevision, last - count)
    case .time(let time), .day(let time): return try reader.lastRevision(atOrBefore: time)
    }
  }
}

extension CommandContext {
  func sentence(naming marks: [Mark], of reader: LogReader) -> MessageText {
    // The number of marks to list; 'mark' lists all.
    let limit = 8
    let names = marks.prefix(limit).map { mark in "'\(TerminalText.escaping(mark.name))'" }.joined(separator: ", ")
    guard !marks.isEmpty else { return "The log has no marks; \(command: .mark) adds one." }
    if marks.count > limit {
      return
        "The log has \(HumanText.count(marks.count)) marks: \(names), … \(command: .mark, .path(reader.path)) lists all."
    }
    return marks.count == 1 ? "The log has one mark: \(names)." : "The log has the marks \(names)."
  }
}

extension CommandOption {
  static let from = value(
    "from", "POINT", kind: .point, "the first action of the range, inclusive (default: the start)")
  static let to = value("to", "POINT", kind: .point, "the last action of the range, inclusive (default: the end)")
}

/// The range of a log from `--from` to `--to`, both inclusive: its actions, and the states after them.
///
/// It has the same meaning in every command. Without `--from`, it includes the initial state.
struct PointRange: Equatable {
  static let forms = """
    A range includes its first and last action: from 5 to 8 means the actions 5, 6, 7 and 8, and the states after them. The state before the first action is that of revision 4. A range that begins at a time
    begins after the last earlier action; a range that ends at a time ends with the last action that is not later; a day is
    included completely. Consecutive ranges of time contain each action once, even if a clock was set back.
    """

  /// The first action; 0 if the range includes the initial state.
  let first: Int
  /// The last action; `.max` if the range ends with the log.
  let last: Int
  /// The revision that a pruned log begins with, if the range was given to begin earlier.
  let prunedBeginning: Int?

  private init(first: Int, last: Int, prunedBeginning: Int?) {
    (self.first, self.last, self.prunedBeginning) = (first, last, prunedBeginning)
  }

  init(from first: Int, in reader: LogReader) {
    self.init(
      first: max(first, reader.firstRevision), last: .max,
      prunedBeginning: first < reader.firstRevision ? reader.firstRevision : nil)
  }

  var toTheEnd: PointRange { PointRange(first: first, last: .max, prunedBeginning: prunedBeginning) }

  /// No action may follow a time at the beginning. The range is then empty: its last action is the one before its
  /// first.
  ///
  /// - Parameter isOneOfMany: Whether the range is that of one of many logs: it may be empty, and its bounds may be later than
  ///   the last revision of the log.
  init(_ context: CommandContext, reader: LogReader, isOneOfMany: Bool = false) throws {
    try self.init(
      context, reader: reader, from: context.arguments.value(of: .from), to: context.arguments.value(of: .to),
      names: ("\(option: .from)", "\(option: .to)"), isOneOfMany: isOneOfMany)
    // A continued answer reads from its first line on. The other lines of that revision are skipped when they are printed.
    guard !isOneOfMany, let next = context.output.boundedAnswer?.firstRevision, next > first, next <= last else {
      return
    }
    self = PointRange(first: next, last: last, prunedBeginning: nil)
  }

  /// Reads two arguments, A and B, with the meaning of `--from` and `--to`.
  init(_ context: CommandContext, reader: LogReader, fromArgument index: Int) throws {
    try self.init(
      context, reader: reader, from: context.arguments.positional(index), to: context.arguments.positional(index + 1),
      names: ("A", "B"))
  }

  private init(
    _ context: CommandContext, reader: LogReader, from: String?, to: String?,
    names: (from: MessageText, to: MessageText),
    isOneOfMany: Bool = false
  ) throws {
    let resolver = PointResolver(context, reader: reader, isOneOfMany: isOneOfMany)
    let first = try from.map { text in try resolver.firstAction(text) } ?? 0
    self.first = max(first, reader.firstRevision)
    prunedBeginning = first < reader.firstRevision ? reader.firstRevision : nil
    // Actions recorded during the command belong to the end, and so do those hidden by damage.
    last = try to == "end" ? .max : to.map(resolver.lastAction) ?? .max
    // In some of many logs, a range from a time to a revision is empty; one between two revisions is a mistake.
    if isOneOfMany, from.flatMap({ from in Int(from) }) == nil || to.flatMap({ to in Int(to) }) == nil { return }
    guard try self.first <= last || from.map(resolver.revision) ?? 0 <= last else {
      throw ToolFailure.usage("\(names.from) (revision \(self.first)) is after \(names.to) (revision \(last))")
    }
  }

  /// The revisions of its states, up to the last readable one.
  ///
  /// - Throws: The damage, if the range begins after it.
  func revisions(in reader: LogReader) throws(LogError) -> ClosedRange<Int>? {
    let extent = try reader.extent()
    if first > extent.lastRevision, let damage = extent.ending.damage { throw damage }
    let end = min(last, extent.lastRevision)
    return first <= end ? first...end : nil
  }

  /// The revisions from the state before its first action to its last one, as far as the log is readable.
  ///
  /// - Throws: The damage, if no action of the range is readable, or if its end is given and unreadable.
  func states(upTo extent: LogExtent) throws -> ClosedRange<Int> {
    if let damage = extent.ending.damage, first > extent.lastRevision || last != .max && last > extent.lastRevision {
      throw damage
    }
    let end = min(last, extent.lastRevision)
    return min(max(extent.firstRevision, first - 1), end)...end
  }

  /// The last revision of an answer about the range; `nil` if it ends with the readable part of the log.
  func end(of revisions: ClosedRange<Int>?) -> Int? {
    guard last < .max, revisions.map({ revisions in revisions.upperBound == last }) ?? true else { return nil }
    return last
  }
}

extension LogReader {
  /// The first revision whose state can be rebuilt: 0, or that of the base of a pruned log.
  var firstRevision: Int { base?.revision ?? 0 }
}

extension CommandContext {
  /// Says once on standard error where a pruned log begins, whatever `--quiet` says: the output lacks what was before.
  func warnOfBeginning(of reader: LogReader, _ range: PointRange? = nil) throws(ToolStreamError) {
    let beginning = range == nil ? reader.base?.revision : range?.prunedBeginning
    guard let beginning else { return }
    try warn("\(reader.path): the log begins at \(beginning), and earlier revisions are gone")
  }

  static func value(atBeginning revision: Int) -> String {
    "already the value at revision \(revision), where the log begins"
  }

  static func condition(atBeginning revision: Int) -> String {
    "the condition already held at revision \(revision), where the log begins"
  }

  func emptyRangeAnswer() throws -> ExitStatus {
    try note("the range has no action")
    return .negative
  }
}
