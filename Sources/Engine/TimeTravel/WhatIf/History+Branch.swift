public import ActionLog
public import EventSourcing
import JSONCoding

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
  ///   - options: Whether snapshots are used, and the callbacks for progress and cancellation.
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
  ///   - options: The callbacks for progress and cancellation.
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

/// A log that was made of a branch.
public struct BranchReport<State: Sendable>: Sendable {
  /// Where it lies.
  public let path: String
  /// The log that it comes from, and the last revision that both have in common.
  public let parent: LogHeader.Parent
  /// Its last revision.
  public let lastRevision: Int
  /// What is different in it.
  public let answer: WhatIfAnswer<State>
}

/// The log of a branch, or of a stretch, as it is written: each action with what the history said of it, in the numbers of the
/// branch.
///
/// Remarks say what an edit did: an action of another number has the old one in `meta.was`, and one that an edit put where it is
/// says in `meta.whatIf` whether it was `inserted`, `replaced` or `moved`. A `cause` becomes the number that it has in the branch,
/// and is left out when the branch does not have it before.
struct BranchLog<M: Model> {
  private var sink: any LogSink
  private let stem: Int
  /// Whether the branch has the actions of the stem.
  private let hasStem: Bool
  /// The revision in the branch of each action behind the stem; 0 for those that it does not have, or not yet.
  private var numbers: [Int]

  init(_ sink: any LogSink, stem: Int, last: Int, hasStem: Bool = true) {
    self.sink = sink
    self.stem = stem
    self.hasStem = hasStem
    numbers = Array(repeating: 0, count: last - stem)
  }

  /// The last revision of the branch.
  var lastRevision: Int { sink.lastSeq }

  /// Takes an action of the history.
  mutating func append(_ record: LogRecord, _ actions: [M.Action], isOpaque: Bool, isMoved: Bool = false) throws {
    // Behind an action of a newer schema everything is of that schema.
    let isLifted = record.schema < sink.schema && !isOpaque
    let meta = try meta(of: record, isMoved: isMoved)
    if record.seq > stem, !isLifted || !actions.isEmpty { numbers[record.seq - stem - 1] = sink.lastSeq + 1 }
    if isLifted {
      for action in actions {
        try sink.append(
          LogDraft(try ActionCoding.encode(action), meta: meta, time: record.time), schema: sink.schema)
      }
    } else {
      try sink.append(
        LogDraft(type: record.type, data: record.data, meta: meta, time: record.time),
        schema: max(record.schema, sink.schema))
    }
  }

  /// Takes an action that an edit put where it is.
  mutating func append(_ step: BranchStep<M.Action>) throws {
    switch step {
    case .moved(let recorded):
      try append(recorded.record, recorded.actions, isOpaque: recorded.isOpaque, isMoved: true)
    case .given(_, let action, let time, let replaced):
      var meta = RecordMeta()
      meta.other["whatIf"] = .string(replaced == nil ? "inserted" : "replaced")
      if let replaced, replaced != sink.lastSeq + 1 { meta.other["was"] = .number(JSONNumber(replaced)) }
      if let replaced { numbers[replaced - stem - 1] = sink.lastSeq + 1 }
      // Encoded anew, so that it stands there as if it had been recorded.
      try sink.append(
        LogDraft(try ActionCoding.encode(action), meta: meta.bytes, time: time), schema: max(M.schema, sink.schema))
    }
  }

  /// Takes a control record.
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

  /// Gives the log its name.
  mutating func finish() throws(LogError) { try sink.finish() }

  /// Gives it up.
  func discard() { sink.discard() }

  /// What is said of an action of the history in the branch.
  private func meta(of record: LogRecord, isMoved: Bool) throws -> [UInt8]? {
    let number = sink.lastSeq + 1
    guard record.meta != nil || isMoved || number != record.seq else { return nil }
    var meta = try RecordMeta(of: record)
    let old = meta
    if number != record.seq { meta.other["was"] = .number(JSONNumber(record.seq)) }
    if isMoved { meta.other["whatIf"] = "moved" }
    if let cause = meta.cause, cause <= stem {
      if !hasStem { meta.cause = nil }
    } else if let cause = meta.cause {
      meta.cause = cause - stem <= numbers.count && numbers[cause - stem - 1] > 0 ? numbers[cause - stem - 1] : nil
    }
    return meta == old ? record.meta : meta.bytes
  }
}
