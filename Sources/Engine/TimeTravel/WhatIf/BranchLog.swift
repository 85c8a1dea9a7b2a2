import ActionLog
import EventSourcing
import JSONCoding

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
    let digest: JSONObject = [
      "state": .string(try StateDigest(of: state).hexadecimal), "reducer": .string(fingerprint),
    ]
    try append(control: LogDraft(type: "@digest", data: JSONValue.object(digest).bytes()))
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
