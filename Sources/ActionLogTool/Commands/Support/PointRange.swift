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
    --from and --to name the first and the last action of a stretch, and both are in it: --from 5 --to 8 is the actions 5, 6, 7
    and 8, and the states that they lead to. A time begins it behind the last action that is earlier, and ends it with the last
    one that is not later; a day is in it as a whole. So stretches of time that follow each other hold each action once, also
    where a clock was set back.
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

  /// Reads the two options.
  ///
  /// A time at the beginning is that of the first action or before it, so there may be no action: then the stretch ends one action
  /// before it begins.
  ///
  /// - Throws: A usage error when it ends before it begins; what a point throws that is not in the log.
  init(_ context: CommandContext, reader: LogReader) throws {
    let resolver = PointResolver(context, reader: reader)
    let from = context.arguments.value(of: .from)
    first = try from.map { text in try resolver.firstAction(text) } ?? 0
    let to = context.arguments.value(of: .to)
    // What is recorded while the log is read belongs to its end, and what damage hides, too.
    last = try to == "end" ? .max : to.map(resolver.lastAction) ?? .max
    guard try first <= last || from.map(resolver.revision) ?? 0 <= last else {
      throw ToolFailure.usage("--from (revision \(first)) lies behind --to (revision \(last))")
    }
  }

  /// The revisions of its states, up to the last one that can be read.
  ///
  /// - Returns: `nil` when no action lies in it.
  func revisions(in reader: LogReader) throws(LogError) -> ClosedRange<Int>? {
    let end = min(last, try reader.extent().lastSeq)
    return first <= end ? first...end : nil
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
