import ActionLog
import EventSourcing

/// The actions that one action follows from, that action, and those that follow from it, by their `meta.cause`.
struct CausalChain: Sendable {
  static let option = CommandOption.value(
    "cause", "N", "only action N, what it follows from, and what follows from it (by meta.cause)")

  /// The action.
  let revision: Int
  /// Those that it follows from.
  private var causes: Set<Int> = []
  /// Those that follow from the action, and the action.
  private var effects: Set<Int>
  /// Where the chain begins, when the action there names a cause that leads nowhere.
  private(set) var looseEnd: LooseEnd?

  /// An action, and what it names as its cause.
  struct LooseEnd: Sendable, CustomStringConvertible {
    var revision: Int
    var cause: Int

    var description: String {
      let reason =
        switch cause {
        case revision: "is itself"
        case (revision + 1)...: "is not before it"
        default: "is not in the log"
        }
      return "the cause that action \(revision) names, \(cause), \(reason): the chain begins there"
    }
  }

  /// Follows the causes.
  ///
  /// A cause is an action before its effect; one that says otherwise leads nowhere, and is a loose end.
  ///
  /// - Throws: What reading throws; `LogError.Code.revisionOutOfRange` for an action that is not in the log.
  /// - Complexity: O(length of the log behind the action), and O(log *n*) for each action before it in the chain.
  init(of revision: Int, in reader: LogReader) throws {
    self.revision = revision
    effects = [revision]
    var earlier = try reader.record(at: revision)
    while let cause = try RecordMeta.cause(of: earlier) {
      // A segment by itself begins with a later action than the first.
      guard cause >= (reader.isSingleSegment ? reader.header.first : 1), cause < earlier.seq else {
        looseEnd = LooseEnd(revision: earlier.seq, cause: cause)
        break
      }
      causes.insert(cause)
      earlier = try reader.record(at: cause)
    }
    var records = try reader.records(from: revision)
    while let record = try records.next() { try take(record) }
  }

  /// Looks whether an action follows from one of them. Each must come behind those that were taken.
  mutating func take(_ record: LogRecord) throws {
    guard !record.isControl, let meta = record.meta, meta.indexOf(Self.name) != nil,
      let cause = try RecordMeta.cause(of: record), cause < record.seq, effects.contains(cause)
    else { return }
    effects.insert(record.seq)
  }

  /// A record without this in its remarks names no cause, and they need not be parsed.
  private static let name = Array(#""cause""#.utf8)

  func contains(_ record: LogRecord) -> Bool {
    !record.isControl && (causes.contains(record.seq) || effects.contains(record.seq))
  }
}

extension CommandContext {
  /// The chain that `--cause` asks for; `nil` when it is not given.
  func causalChain(in reader: LogReader) throws -> CausalChain? {
    guard let text = arguments.value(of: CausalChain.option) else { return nil }
    let revision = try PointResolver(self, reader: reader).revision(text)
    guard revision > 0 else { throw ToolFailure.usage("no action leads to revision 0") }
    let chain = try CausalChain(of: revision, in: reader)
    if let end = chain.looseEnd { try hint("\(end)") }
    return chain
  }
}
