import ActionLog
import EventSourcing
import JSONCoding
import TimeTravel

/// Which actions of a log are meant: a stretch of it, a filter, a chain of causes, values of the state that they changed.
///
/// One implementation for every command that takes these options. A condition on the state, and values of it, make it fold the
/// actions of the stretch; nothing is folded without them.
struct ActionSelection {
  static let touching = CommandOption.value(
    "touching", "POINTER", isRepeatable: true, "only actions that changed this value of the state, or one within it")
  /// What leaves actions out, but for the stretch.
  static let filters = RecordFilter.filters + [touching, CausalChain.option]

  /// What was found beside the actions.
  struct Outcome {
    /// How the log ends, if it was read up to there.
    var ending: LogEnding?
    /// Why not all of the stretch could be read.
    var damage: (any Error)?
    /// What folding took.
    var work: QuestionWork?
  }

  /// Which control records are meant, besides actions.
  enum ControlRecords {
    /// Those that `--all` asks for.
    case asked
    /// All of them, unless an option leaves actions out.
    case ofWholeLog
    /// All that the options fit. No state is theirs, and they belong to no chain.
    case all
  }

  let range: PointRange
  let filter: RecordFilter
  let chain: CausalChain?
  let pointers: [JSONPointer]
  /// The history that is folded, if the states are asked about.
  let history: (any HistoryHandle)?
  private let reader: LogReader
  private let context: CommandContext

  /// Reads the options.
  ///
  /// - Parameters:
  ///   - context: The command.
  ///   - path: The log.
  ///   - reader: The same.
  ///   - range: The stretch; `nil` is the one of `--from` and `--to`.
  ///   - control: Which control records are meant, too.
  ///   - usesModel: Whether the command has another use for a model.
  /// - Throws: A usage error for what contradicts itself; what is wrong with a point, a condition, a pointer or the model.
  init(
    _ context: CommandContext, path: String, reader: LogReader, range: PointRange? = nil,
    control: ControlRecords = .asked, usesModel: Bool = false
  ) throws {
    let arguments = context.arguments
    let isSelective = Self.filters.contains(where: arguments.has)
    filter = try RecordFilter(arguments, includesControl: control == .all || (control == .ofWholeLog && !isSelective))
    self.range = try range ?? PointRange(context, reader: reader)
    chain = try context.causalChain(in: reader)
    pointers = try arguments.values(of: Self.touching).map(context.pointer)
    let looksAtStates = !pointers.isEmpty || filter.stateCondition != nil
    for option in [CommandOption.model, .unknownTypes]
    where !looksAtStates && !usesModel && arguments.has(option) {
      throw ToolFailure.usage("--\(option.name) belongs to a question about the state, and none is asked")
    }
    guard !looksAtStates || !arguments.has(RecordFilter.all) else {
      throw ToolFailure.usage(
        "--all shows control records, which lead to no state: leave it out, or ask nothing about the state")
    }
    history = try looksAtStates ? context.openHistory(path) : nil
    self.reader = reader
    self.context = context
  }

  /// Whether the actions have to be folded to know which are meant.
  var looksAtStates: Bool { history != nil }

  /// Whether a part of the log is meant, so that nothing found is a negative answer.
  var isSelective: Bool { (Self.filters + [.from, .to]).contains(where: context.arguments.has) }

  /// Whether an action is meant, as far as itself and the chain of causes say.
  func matches(_ record: LogRecord) throws -> Bool {
    try filter.matches(record) && chain?.contains(record) ?? true
  }

  /// Shows each action that is meant, in order, with progress meanwhile.
  ///
  /// - Parameters:
  ///   - label: What is done with them, for the progress.
  ///   - take: Takes each, and says whether to go on.
  /// - Returns: What else was found. Damage is for the caller to throw, once what is intact is printed.
  func forEach(_ label: String, _ take: (LogRecord) throws -> Bool) throws -> Outcome {
    if let history { return try fold(history, take) }
    var outcome = Outcome()
    let progress = context.progress(label, unit: .bytes)
    let totalBytes = reader.sizeBytes
    var records = try reader.records(from: range.first)
    var lastSeq = 0
    func next() -> LogRecord? {
      do throws(LogError) { return try records.next() } catch {
        // What does not check behind the last action of the stretch was not asked for.
        if lastSeq < range.last { outcome.damage = error }
        return nil
      }
    }
    while let record = next(), record.seq <= range.last {
      lastSeq = record.seq
      guard record.seq >= range.first else { continue }
      if try matches(record), try !take(record) { break }
      // Also where few are meant: then it takes long until there is something to be seen.
      try progress.update(done: records.bytesRead, total: totalBytes)
    }
    try progress.finish()
    outcome.ending = records.ending
    return outcome
  }

  /// Shows the last actions that are meant, in order.
  ///
  /// - Parameters:
  ///   - count: How many at most. So many are kept in memory.
  ///   - take: Takes each.
  /// - Returns: As ``forEach(_:_:)``.
  func forEachOfLast(_ count: Int, _ take: (LogRecord) throws -> Void) throws -> Outcome {
    var outcome = Outcome()
    if looksAtStates {
      var kept = RecentRecords(capacity: count)
      outcome = try forEach("reading") { record in
        kept.append(record)
        return true
      }
      for record in kept.records { try take(record) }
    } else {
      // From the end back: the log need not be read as a whole.
      let found = try context.lastRecords(count, of: reader, in: range, where: matches)
      for record in found.records { try take(record) }
      outcome.damage = found.damage(in: range, of: reader)
      outcome.ending = found.ending(in: range)
    }
    return outcome
  }

  private func fold(_ history: any HistoryHandle, _ take: (LogRecord) throws -> Bool) throws -> Outcome {
    let extent = try reader.extent()
    var outcome = Outcome(ending: extent.ending)
    if range.last > extent.lastSeq { outcome.damage = extent.ending.damage }
    guard let revisions = try range.revisions(in: reader) else { return outcome }
    do {
      outcome.work = try context.ask { options in
        try history.actions(
          where: filter.stateCondition, touching: pointers, in: revisions, options: options
        ) { record in try matches(record) ? take(record) : true }
      }
    } catch {
      // Where nobody reads any more there is nothing to be printed first.
      if error is ToolStreamError { throw error }
      outcome.damage = error
    }
    return outcome
  }

  /// Says, behind what was printed, what the answer took, what is wrong with the question, and that nothing was found.
  ///
  /// - Parameters:
  ///   - outcome: What ``forEach(_:_:)`` found.
  ///   - count: How many actions were meant.
  /// - Returns: The status: a part of the log in which there is no action is a negative answer.
  func conclude(_ outcome: Outcome, count: Int) throws -> ExitStatus {
    if let work = outcome.work, let history {
      try context.remark(on: work)
      try context.remarkOnHints(of: work, in: history, at: min(range.last, try reader.extent().lastSeq))
    }
    if let damage = outcome.damage { throw damage }
    try context.remarkOnEnding(outcome.ending)
    try context.remark(on: filter.hints)
    guard count == 0 else { return .success }
    try context.remark(isSelective ? "no action matches" : "no actions")
    return isSelective ? .negative : .success
  }
}

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
