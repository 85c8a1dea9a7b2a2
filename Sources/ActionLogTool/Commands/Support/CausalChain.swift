import ActionLog
import EventSourcing

/// The actions that one action follows from, that action, and those that follow from it, by their `meta.cause`.
struct CausalChain: Sendable {
  static let option = CommandOption.value(
    "cause", "N", "only action N, what it follows from, and what follows from it (by meta.cause)")

  private var revisions: Set<Int>

  /// Follows the causes.
  ///
  /// A cause is an action before its effect; one that says otherwise leads nowhere.
  ///
  /// - Throws: What reading throws; `LogError.Code.revisionOutOfRange` for an action that is not in the log.
  /// - Complexity: O(length of the log behind the action), and O(log *n*) for each action before it in the chain.
  init(of revision: Int, in reader: LogReader) throws {
    revisions = [revision]
    var earlier = try reader.record(at: revision)
    while let cause = try RecordMeta(of: earlier).cause, cause >= 1, cause < earlier.seq {
      revisions.insert(cause)
      earlier = try reader.record(at: cause)
    }
    var effects: Set<Int> = [revision]
    var records = try reader.records(from: revision)
    while let record = try records.next() {
      guard !record.isControl, let meta = record.meta, meta.indexOf(Self.name) != nil,
        let cause = try RecordMeta(of: record).cause, cause < record.seq, effects.contains(cause)
      else { continue }
      effects.insert(record.seq)
    }
    revisions.formUnion(effects)
  }

  /// A record without this in its remarks names no cause, and they need not be parsed.
  private static let name = Array(#""cause""#.utf8)

  func contains(_ record: LogRecord) -> Bool { !record.isControl && revisions.contains(record.seq) }
}

extension CommandContext {
  /// The chain that `--cause` asks for; `nil` when it is not given.
  func causalChain(in reader: LogReader) throws -> CausalChain? {
    guard let text = arguments.value(of: CausalChain.option) else { return nil }
    let revision = try PointResolver(self, reader: reader).revision(text)
    guard revision > 0 else { throw ToolFailure.usage("no action leads to revision 0") }
    return try CausalChain(of: revision, in: reader)
  }
}
