import ActionLog
import TimeTravel

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
  func answerOfEmptyStretch() throws -> ExitStatus {
    try remark("no action lies in the stretch")
    return .negative
  }
}
