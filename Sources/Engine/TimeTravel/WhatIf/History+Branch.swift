public import ActionLog
public import EventSourcing

extension History {
  /// Makes a log of what would be: a log of its own, which names this one and the last revision that both have in common as its
  /// parent. This log is not changed.
  ///
  /// What both have in common is copied. Behind it actions keep their times and remarks; one whose number is another has the old one
  /// in `meta.was`, and one that an edit put where it is says in `meta.whatIf` whether it was `inserted`, `replaced` or `moved`. One
  /// that was inserted has the time of the action before it. A `meta.cause` is the number in the branch, and is left out when the
  /// branch does not have that action before. Actions that the reducer refuses are left out. Without an edit it is a log that
  /// ends earlier. At its end stands a digest of its last state.
  ///
  /// - Parameters:
  ///   - edits: What would be otherwise.
  ///   - path: Where the log is to lie: a path at which nothing lies, or an empty directory.
  ///   - revision: The last revision of this log that counts; `nil` is the end.
  ///   - environment: Clock and identifier of the new log.
  ///   - options: Whether snapshots are used, and whom to tell of the progress.
  /// - Returns: Where it lies, what it comes from, and what is different in it.
  /// - Throws: As `whatIf`; `LogError` with code `exists`, `locked`, `invalidArgument`, `noSpace`, `inputOutput`
  ///   when it cannot be made. Nothing is at the path then: the log is made beside it, as `PATH.unfinished`, and gets its name
  ///   when it is whole.
  /// - Complexity: O(length of the history).
  public func branch(
    _ edits: [HistoryEdit] = [], to path: String, upTo revision: Int? = nil, environment: LogEnvironment = .live,
    options: ReplayOptions = ReplayOptions()
  ) throws -> BranchReport<M.State> {
    let plan = try BranchPlan(edits, of: self, upTo: revision)
    return try write(plan, foldedBy: self, stem: plan.stem, to: path, environment, options)
  }

  /// Makes a log of what would be, had another model folded the history: a log of that model.
  ///
  /// - Parameters:
  ///   - edits: What would be otherwise besides.
  ///   - path: Where the log is to lie: a path at which nothing lies, or an empty directory.
  ///   - model: The other model.
  ///   - revision: The last revision of this log that counts; `nil` is the end.
  ///   - environment: Clock and identifier of the new log.
  ///   - options: Whom to tell of the progress.
  /// - Returns: Where it lies, what it comes from, and what is different in it.
  /// - Throws: As the other `branch`.
  /// - Complexity: O(length of the history), which is walked twice; see `whatIf`.
  public func branch<Other: Model>(
    _ edits: [HistoryEdit] = [], to path: String, foldedBy model: Other.Type, upTo revision: Int? = nil,
    environment: LogEnvironment = .live, options: ReplayOptions = ReplayOptions()
  ) throws -> BranchReport<Other.State> {
    let other = try read(by: Other.self)
    let plan = try BranchPlan(edits, of: other, upTo: revision)
    // Its first line says how far it goes with its parent, which is not known before every action was tried.
    let refusal = try BranchComparison(self, plan, foldedBy: other).run(options).refusals.first
    let stem = refusal.map { refusal in min(plan.stem, refusal.isEdited ? refusal.revision : refusal.revision - 1) }
    return try write(plan, foldedBy: other, stem: stem ?? plan.stem, to: path, environment, options)
  }

  private func write<Other: Model>(
    _ plan: BranchPlan<Other>, foldedBy other: History<Other>, stem: Int, to path: String,
    _ environment: LogEnvironment, _ options: ReplayOptions
  ) throws -> BranchReport<Other.State> {
    let isSameModel = M.self == Other.self
    let parent = LogHeader.Parent(
      log: reader.header.log, seq: stem, crc: try reader.anchor(at: stem).checksum)
    let comparison = try BranchComparison(self, plan, foldedBy: other)
    var sink = try BranchSink(
      from: reader, to: path, model: isSameModel ? reader.header.model : Other.name, parent: parent,
      environment: environment)
    do {
      // Of another model every action must be tried; what the log begins with is there in any case.
      try sink.copy(reader, upTo: isSameModel ? stem : 0, keepsDigests: isSameModel)
    } catch {
      sink.discard()
      throw error
    }
    comparison.write(to: BranchLog(sink, stem: stem, last: plan.last))
    do {
      let answer = try comparison.run(options)
      let lastRevision = try comparison.finish(answer.state)
      return BranchReport(path: path, parent: parent, lastRevision: lastRevision, answer: answer)
    } catch {
      comparison.discard()
      throw error
    }
  }
}
