import ActionLog
import TerminalUI
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
        throw MissingRevision(beforeEnd: count, of: reader.revisions(upTo: last)).error(in: reader.path)
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

extension CommandOption {
  static let from = value("from", "POINT", "the first action of the stretch, which is in it (default: the start)")
  static let to = value("to", "POINT", "the last action of the stretch, which is in it (default: the end)")
}

/// The stretch of a log between `--from` and `--to`, both included: its actions, and the states that they lead to.
///
/// One meaning for every command. Without `--from` the state before any action is in it, too.
struct PointRange: Equatable {
  /// What a stretch is, for help.
  static let forms = """
    A range has a first and a last action, and both are in it, whether they are given as A B or as --from A --to B: 5 8 is the
    actions 5, 6, 7 and 8, and the states that they lead to. Where the state before the first action is needed, it is that of
    revision 4. A time begins a range at the first action after the last one that is earlier, and ends it with the last one that
    is not later; a day is in it completely. So ranges of time that follow each other have each action once, also where a clock
    was set back.
    """

  /// The first action; 0 where the state before any action is in it, too.
  let first: Int
  /// The last action; `.max` where the stretch ends with the log.
  let last: Int

  /// Everything that a log holds.
  static let all = PointRange(first: 0, last: .max)

  private init(first: Int, last: Int) {
    (self.first, self.last) = (first, last)
  }

  /// Everything from an action on.
  init(from first: Int) {
    self.init(first: first, last: .max)
  }

  /// The same range, as far as the log goes.
  var toTheEnd: PointRange { PointRange(from: first) }

  /// Reads the two options.
  ///
  /// A time at the beginning is that of the first action or before it, so there may be no action: then the stretch ends one action
  /// before it begins.
  ///
  /// - Throws: A usage error when it ends before it begins; what a point throws that is not in the log.
  init(_ context: CommandContext, reader: LogReader) throws {
    try self.init(
      context, reader: reader, from: context.arguments.value(of: .from), to: context.arguments.value(of: .to),
      names: ("--from", "--to"))
  }

  /// Reads two arguments, A and B, that mean what `--from` and `--to` mean.
  ///
  /// - Parameter index: The position of A on the command line; B follows it.
  /// - Throws: As ``init(_:reader:)``.
  init(_ context: CommandContext, reader: LogReader, fromArgument index: Int) throws {
    try self.init(
      context, reader: reader, from: context.arguments.positional(index), to: context.arguments.positional(index + 1),
      names: ("A", "B"))
  }

  private init(
    _ context: CommandContext, reader: LogReader, from: String?, to: String?, names: (from: String, to: String)
  ) throws {
    let resolver = PointResolver(context, reader: reader)
    first = try from.map { text in try resolver.firstAction(text) } ?? 0
    // What is recorded while the log is read belongs to its end, and what damage hides, too.
    last = try to == "end" ? .max : to.map(resolver.lastAction) ?? .max
    guard try first <= last || from.map(resolver.revision) ?? 0 <= last else {
      throw ToolFailure.usage("\(names.from) (revision \(first)) lies behind \(names.to) (revision \(last))")
    }
  }

  /// The revisions of its states, up to the last one that can be read.
  ///
  /// - Returns: `nil` when no action lies in it.
  func revisions(in reader: LogReader) throws(LogError) -> ClosedRange<Int>? {
    let end = min(last, try reader.extent().lastSeq)
    return first <= end ? first...end : nil
  }

  /// The revisions of the state before its first action and of those after its actions, as far as the log can be read.
  ///
  /// - Throws: The damage, if no action of it can be read, or if it ends at a given action that cannot be read.
  func states(upTo extent: LogExtent) throws -> ClosedRange<Int> {
    if let damage = extent.ending.damage, first > extent.lastSeq || last != .max && last > extent.lastSeq {
      throw damage
    }
    let end = min(last, extent.lastSeq)
    return min(max(0, first - 1), end)...end
  }

  /// The revision that an answer about the stretch goes up to; `nil` where it ends with what can be read of the log.
  ///
  /// - Parameter revisions: Those of ``revisions(in:)``.
  func end(of revisions: ClosedRange<Int>?) -> Int? {
    guard last < .max, revisions.map({ revisions in revisions.upperBound == last }) ?? true else { return nil }
    return last
  }
}

extension CommandContext {
  /// What a question about the states of a stretch is answered with when no action lies in it.
  func emptyRangeAnswer() throws -> ExitStatus {
    try note("no action lies in the stretch")
    return .negative
  }
}
