import ActionLog
import EventSourcing
import TimeTravel

/// Picks actions out of those that come while a log is followed, as ``ActionSelection`` picks them out of those that are there.
struct FollowedSelection {
  private let selection: ActionSelection
  private let reader: LogReader
  private var chain: CausalChain?
  /// What is asked of the states; `nil` before the first action.
  private var question: (any FollowedQuestionHandle)?

  /// - Parameters:
  ///   - selection: Which are meant.
  ///   - reader: The log.
  init(_ selection: ActionSelection, of reader: LogReader) {
    self.selection = selection
    self.reader = reader
    chain = selection.chain
  }

  /// Those of some records that are meant. Each call has the records that follow those of the call before.
  mutating func pick(_ records: [LogRecord]) throws -> [LogRecord] {
    let fitting = try fittingRevisions(of: records)
    return try records.filter { record in
      try chain?.take(record)
      guard try selection.filter.matches(record), chain?.contains(record) ?? true else { return false }
      return fitting.map { revisions in !record.isControl && revisions.contains(record.seq) } ?? true
    }
  }

  /// The writer took back what had come last: nothing that was made of it counts.
  mutating func beginAgain() throws {
    question = nil
    if let revision = chain?.revision { chain = try CausalChain(of: revision, in: reader) }
  }

  /// The revisions of the actions that lead to states of which what is asked is true; `nil` where nothing is asked of states.
  private mutating func fittingRevisions(of records: [LogRecord]) throws -> Set<Int>? {
    guard let history = selection.history else { return nil }
    let actions = records.lazy.filter { record in !record.isControl }
    guard let first = actions.first?.seq, let last = records.last(where: { record in !record.isControl })?.seq else {
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
      // The writer took them back just now: the follower finds that next.
      self.question = nil
      return []
    }
  }
}
