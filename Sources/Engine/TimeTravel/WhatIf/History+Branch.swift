public import ActionLog
import ActionLogMaintenance
public import EventSourcing
import JSONCoding

extension History {
  /// Writes an edited history as a new log, which names this log and the last common revision as its parent. This log does not
  /// change.
  ///
  /// The common part is copied. Later actions keep their times and metadata. An action with a new number has the old one in
  /// `meta.was`, and an action that an edit put there has `inserted`, `replaced` or `moved` in `meta.whatIf`. An inserted
  /// action has the time of the action before it. A `meta.cause` is renumbered, and omitted if the branch does not have the
  /// action before. Refused actions are omitted. Without edits the branch is a shorter log. It ends with a digest of its last
  /// state. A branch of a pruned log begins with the same base.
  ///
  /// - Parameter path: A path without a file, or an empty directory.
  /// - Throws: As `whatIf`; `LogError` with code `exists`, `locked`, `invalidArgument`, `noSpace`, `inputOutput` if the log
  ///   cannot be created. Then there is nothing at the path: the log is written as `PATH.unfinished` and renamed when it is
  ///   complete.
  /// - Complexity: O(length of the history).
  public func branch(
    _ edits: [HistoryEdit] = [], to path: String, upTo revision: Int? = nil, environment: LogEnvironment = .live,
    options: ReplayOptions = ReplayOptions()
  ) throws -> BranchReport<M.State> {
    try M.requireOwnState(for: "a branch", path: self.path)
    let plan = try BranchPlan(edits, of: self, upTo: revision)
    return try write(plan, foldedBy: self, stem: plan.stem, to: path, environment, options)
  }

  /// Writes the history of another model as a new log of that model.
  ///
  /// - Parameter path: A path without a file, or an empty directory.
  /// - Throws: As the other `branch`.
  /// - Complexity: O(length of the history), which is walked twice; see `whatIf`.
  public func branch<Other: Model>(
    _ edits: [HistoryEdit] = [], to path: String, foldedBy model: Other.Type, upTo revision: Int? = nil,
    environment: LogEnvironment = .live, options: ReplayOptions = ReplayOptions()
  ) throws -> BranchReport<Other.State> {
    try Other.requireOwnState(for: "a branch", path: self.path)
    let other = try read(by: Other.self)
    let plan = try BranchPlan(edits, of: other, upTo: revision)
    // The first line names the last common revision, which is known only after every action was tried.
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
      log: reader.header.log, revision: stem, crc: try reader.anchor(at: stem).checksum)
    let comparison = try BranchComparison(self, plan, foldedBy: other)
    var sink = try LogSink(
      from: reader, to: path, model: isSameModel ? reader.header.model : Other.name, parent: parent,
      environment: environment)
    do {
      // Another model must try every action. Only the initial records are copied.
      try sink.copy(reader, upTo: isSameModel ? stem : firstRevision, keepsDigests: isSameModel)
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

/// A log that was made of a branch.
public struct BranchReport<State: Sendable>: Sendable {
  /// The path of the log.
  public let path: String
  /// The parent log, and the last common revision.
  public let parent: LogHeader.Parent
  /// The last revision of the log.
  public let lastRevision: Int
  /// The differences from the history.
  public let answer: WhatIfAnswer<State>
}

/// Writes the log of a branch or of a range: each action with its metadata, in the numbers of the branch.
///
/// An action with a new number has the old one in `meta.was`, and an action that an edit put there has `inserted`, `replaced`
/// or `moved` in `meta.whatIf`. A `cause` is renumbered, and omitted if the branch does not have that action before.
struct BranchLog<M: Model> {
  private var sink: LogSink
  private let stem: Int
  /// Whether the branch has the actions up to the stem.
  private let hasStem: Bool
  /// The revision in the branch of each action after the stem; 0 for those that it does not have.
  private var numbers: [Int]

  init(_ sink: LogSink, stem: Int, last: Int, hasStem: Bool = true) {
    self.sink = sink
    self.stem = stem
    self.hasStem = hasStem
    numbers = Array(repeating: 0, count: last - stem)
  }

  var lastRevision: Int { sink.lastRevision }

  mutating func append(_ record: LogRecord, _ actions: [M.Action], isOpaque: Bool, isMoved: Bool = false) throws {
    // After an action of a newer schema all actions have that schema.
    let isLifted = record.schema < sink.schema && !isOpaque
    let meta = try meta(of: record, isMoved: isMoved)
    if record.revision > stem, !isLifted || !actions.isEmpty {
      numbers[record.revision - stem - 1] = sink.lastRevision + 1
    }
    if isLifted {
      for action in actions {
        try sink.append(
          LogDraft(try ActionCoding.encode(action), meta: meta, time: record.time), schema: sink.schema)
      }
    } else {
      try sink.append(
        LogDraft(copying: record, meta: meta),
        schema: max(record.schema, sink.schema))
    }
  }

  mutating func append(_ step: BranchStep<M.Action>) throws {
    switch step {
    case .moved(let recorded):
      try append(recorded.record, recorded.actions, isOpaque: recorded.isOpaque, isMoved: true)
    case .given(_, let action, let time, let replaced):
      var meta = RecordMeta()
      meta.other["whatIf"] = .string(replaced == nil ? "inserted" : "replaced")
      if let replaced, replaced != sink.lastRevision + 1 { meta.other["was"] = .number(JSONNumber(replaced)) }
      if let replaced { numbers[replaced - stem - 1] = sink.lastRevision + 1 }
      // Encoded again, as if it had been recorded.
      try sink.append(
        LogDraft(try ActionCoding.encode(action), meta: meta.bytes, time: time), schema: max(M.schema, sink.schema))
    }
  }

  mutating func append(control draft: LogDraft) throws(LogError) { try sink.append(draft, schema: sink.schema) }

  /// The number in the branch of an action of the history, or of the last one before it that the branch has.
  func number(of revision: Int) -> Int {
    guard revision > stem else { return hasStem ? revision : 0 }
    return numbers.prefix(revision - stem).last { number in number > 0 } ?? (hasStem ? stem : 0)
  }

  /// Adds a digest of the last state.
  mutating func appendDigest(of state: M.State, fingerprint: String) throws {
    let digest = DigestRecord(state: try StateDigest(of: state).hexadecimal, reducer: fingerprint)
    try append(control: LogDraft(digest))
  }

  mutating func finish() throws(LogError) { try sink.finish() }

  func discard() { sink.discard() }

  private func meta(of record: LogRecord, isMoved: Bool) throws -> [UInt8]? {
    let number = sink.lastRevision + 1
    guard record.meta != nil || isMoved || number != record.revision else { return nil }
    var meta = try RecordMeta(of: record)
    let old = meta
    if number != record.revision { meta.other["was"] = .number(JSONNumber(record.revision)) }
    if isMoved { meta.other["whatIf"] = "moved" }
    if let cause = meta.cause, cause <= stem {
      if !hasStem { meta.cause = nil }
    } else if let cause = meta.cause {
      meta.cause = cause - stem <= numbers.count && numbers[cause - stem - 1] > 0 ? numbers[cause - stem - 1] : nil
    }
    return meta == old ? record.meta : meta.bytes
  }
}
