import ActionLog
import EventSourcing
import JSONCoding
import TimeTravel

/// The actions that a command selects: a range, a filter, a chain of causes, and values of the state that they
/// changed.
///
/// Every command with these options uses this implementation. The actions of the range are folded only for a
/// condition on the state, or for values of it.
struct ActionSelection {
  static let touching = CommandOption.value(
    "touching", "POINTER", isRepeatable: true, "only actions that changed this value of the state, or one within it")
  /// The options that exclude actions, without those of the range.
  static let filters = RecordFilter.filters + [touching, CausalChain.option]

  /// The number of actions between two updates of the progress, which read the clock. A power of two.
  private static let progressInterval = 8

  struct Outcome {
    /// The end of the log, if it was reached.
    var ending: LogEnding?
    /// The error that cut the range short.
    var damage: (any Error)?
    var work: QuestionWork?
  }

  let range: PointRange
  let filter: RecordFilter
  let chain: CausalChain?
  let pointers: [JSONPointer]
  /// The history to fold; `nil` if no option concerns the state.
  let history: (any HistoryHandle)?
  private let reader: LogReader
  private let context: CommandContext

  /// - Parameters:
  ///   - includesControl: Whether control records are selected, unless an option excludes actions.
  ///   - sharedFilter: The filter that the selections of many logs share, so that hints concern all of them; `nil` for that of the
  ///     options. The range then ends where a log ends, even if a bound is a later revision.
  init(
    _ context: CommandContext, reader: LogReader, range: PointRange? = nil,
    includesControl: Bool = false, usesModel: Bool = false, sharing sharedFilter: RecordFilter? = nil
  ) throws {
    let arguments = context.arguments
    filter = try sharedFilter ?? Self.filter(arguments, includesControl: includesControl)
    self.range = try range ?? PointRange(context, reader: reader, isOneOfMany: sharedFilter != nil)
    try context.warnOfBeginning(of: reader, self.range)
    chain = try context.causalChain(in: reader)
    pointers = try arguments.values(of: Self.touching).map(context.pointer)
    let readsStates = !pointers.isEmpty || filter.stateCondition != nil
    for option in [CommandOption.model, .unknownTypes, .projection]
    where !readsStates && !usesModel && arguments.has(option) {
      throw ToolFailure.usage("\(option: option) needs an option that concerns the state")
    }
    guard !readsStates || !arguments.has(RecordFilter.all) else {
      throw ToolFailure.usage(
        "\(option: RecordFilter.all) shows control records, which have no state: leave out \(option: RecordFilter.all) or the options that concern the state"
      )
    }
    history = try readsStates ? context.history(of: reader) : nil
    self.reader = reader
    self.context = context
  }

  static func filter(_ arguments: ParsedArguments, includesControl: Bool) throws -> RecordFilter {
    try RecordFilter(arguments, includesControl: includesControl && !filters.contains(where: arguments.has))
  }

  var readsStates: Bool { history != nil }

  func matches(_ record: LogRecord) throws -> Bool {
    try filter.matches(record) && chain?.contains(record) ?? true
  }

  /// - Returns: The other results. The caller throws the damage after printing the intact part.
  func forEach(_ label: String, _ take: (LogRecord) throws -> Bool) throws -> Outcome {
    if let history { return try fold(history, take) }
    var outcome = Outcome()
    let progress = context.progress(label, unit: .bytes)
    let totalBytes = reader.sizeBytes
    var records = try reader.batches(from: range.first, chunkBytes: RecordBatch.defaultChunkBytes)
    let screen = filter.screen(upTo: range.last)
    func next() -> RecordBatch? {
      do throws(LogError) { return try records.nextBatch(unless: screen) } catch {
        // Damage after the range does not concern it.
        if records.lastLink?.revision ?? 0 < range.last { outcome.damage = error }
        return nil
      }
    }
    var isEnded = false
    while !isEnded, let batch = next() {
      try Task.checkCancellation()
      for (index, entry) in batch.entries.enumerated() {
        isEnded = entry.revision > range.last
        if isEnded { break }
        // Also for actions that do not match: a rare match can take long.
        if index & (Self.progressInterval - 1) == 0 { try progress.update(done: records.bytesRead, total: totalBytes) }
        guard entry.revision >= range.first else { continue }
        let record = batch.record(at: index)
        isEnded = try matches(record) && !take(record)
        if isEnded { break }
      }
      try progress.update(done: records.bytesRead, total: totalBytes)
      records.recycle(batch)
    }
    try progress.finish()
    outcome.ending = records.ending
    return outcome
  }

  /// Visits the last of the selected actions, in order.
  func forEachOfLast(_ count: Int, _ take: (LogRecord) throws -> Void) throws -> Outcome {
    var outcome = Outcome()
    if readsStates {
      var kept: [LogRecord] = []
      outcome = try forEach("reading") { record in
        kept.append(record)
        // Seldom, because it moves the others.
        if kept.count > 2 * count { kept.removeFirst(kept.count - count) }
        return true
      }
      for record in kept.suffix(count) { try take(record) }
    } else {
      // Backward from the end, so that the log need not be read completely.
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
    if range.last > extent.lastRevision { outcome.damage = extent.ending.damage }
    guard let revisions = try range.revisions(in: reader) else { return outcome }
    do {
      outcome.work = try context.ask { options in
        try history.actions(
          where: filter.stateCondition, touching: pointers, in: revisions, options: options
        ) { record in try matches(record) ? take(record) : true }
      }
    } catch {
      // Standard output is closed, so nothing can be printed first.
      if error is ToolStreamError { throw error }
      outcome.damage = error
    }
    return outcome
  }

  /// Prints the notes that follow the actions: the work, hints on the query, and that nothing matched.
  func conclude(_ outcome: Outcome, count: Int) throws -> ExitStatus {
    if let work = outcome.work {
      try context.note(on: work)
      try context.printHints(of: work)
    }
    if let damage = outcome.damage { throw damage }
    try context.warnOfTornTail(outcome.ending)
    try context.printHints(filter.hints)
    return try context.statusOfSelection(count: count)
  }
}

/// An action, its causes, and its effects, as recorded in `meta.cause`.
struct CausalChain: Sendable {
  static let option = CommandOption.value(
    "cause", "N", kind: .point, "only action N, its causes and its effects (by meta.cause)")

  let revision: Int
  /// The cause of each action of the chain; 0 for the first one.
  private var causes: [Int: Int]
  /// A sentence on the start of the chain, if the action there names an invalid cause.
  private(set) var invalidCause: String?

  /// Finds the causes and effects of an action.
  init(of revision: Int, in reader: LogReader) throws {
    try self.init(causesOf: revision, in: reader)
    var records = try reader.records(from: revision)
    while let record = try records.next() { try take(record) }
  }

  /// Finds the causes of an action.
  ///
  /// A cause precedes its effect. Any other cause is invalid, and the chain begins there.
  init(causesOf revision: Int, in reader: LogReader, limit: Int = .max) throws {
    self.revision = revision
    causes = [:]
    var earlier = try reader.record(at: revision)
    while causes.count < limit, let cause = try RecordMeta.cause(of: earlier) {
      // A single segment can begin with a later action than the first.
      guard cause >= (reader.isSingleSegment ? reader.header.first : reader.firstRevision + 1), cause < earlier.revision
      else {
        let (revision, distance) = (earlier.revision, cause - earlier.revision)
        let reason = distance == 0 ? "is the action itself" : distance > 0 ? "is not before it" : "is not in the log"
        invalidCause = "the cause that action \(revision) names, \(cause), \(reason): the chain begins there"
        break
      }
      causes[earlier.revision] = cause
      earlier = try reader.record(at: cause)
    }
    causes[earlier.revision] = 0
  }

  /// Adds an action if it is an effect. The actions have to come in order.
  mutating func take(_ record: LogRecord) throws {
    guard !record.isControl, let meta = record.meta, meta.indexOf(Self.name) != nil,
      let cause = try RecordMeta.cause(of: record)
    else { return }
    take(record.revision, cause: cause)
  }

  /// Adds an action if its cause is the chain's action or one of its effects. The actions have to come in order.
  mutating func take(_ effect: Int, cause: Int) {
    guard cause < effect, cause >= revision, causes[cause] != nil else { return }
    causes[effect] = cause
  }

  /// Metadata without this name has no cause, and need not be parsed.
  private static let name = Array(#""cause""#.utf8)

  func contains(_ record: LogRecord) -> Bool {
    !record.isControl && causes[record.revision] != nil
  }

  var count: Int { causes.count }

  var hint: MessageText? {
    guard count == 1, invalidCause == nil else { return nil }
    return "action \(revision) names no cause (meta.cause), and no later action names it as its cause"
  }

  /// The actions as a tree, depth first: each one before its effects, which are in order.
  func tree() -> [(revision: Int, depth: Int)] {
    let effects = Dictionary(grouping: causes.keys.sorted(by: >)) { revision in causes[revision] ?? 0 }
    var waiting = (effects[0] ?? []).map { revision in (revision: revision, depth: 0) }
    var tree: [(revision: Int, depth: Int)] = []
    while let next = waiting.popLast() {
      tree.append(next)
      waiting += (effects[next.revision] ?? []).map { effect in (revision: effect, depth: next.depth + 1) }
    }
    return tree
  }
}

extension CommandContext {
  /// The status of a number of selected actions: none in a part of the log is a negative answer.
  func statusOfSelection(count: Int) throws(ToolStreamError) -> ExitStatus {
    guard count == 0 else { return .success }
    let isSelective = (ActionSelection.filters + [.from, .to]).contains(where: arguments.has)
    try note(isSelective ? "no action matches" : "no actions")
    return isSelective ? .negative : .success
  }

  func causalChain(in reader: LogReader) throws -> CausalChain? {
    guard let text = arguments.value(of: CausalChain.option) else { return nil }
    let revision = try PointResolver(self, reader: reader).revision(text)
    guard revision > 0 else { throw ToolFailure.usage("revision 0 has no action") }
    let chain = try CausalChain(of: revision, in: reader)
    if let end = chain.invalidCause { try hint("\(end)") }
    if let hint = chain.hint { try self.hint(hint) }
    return chain
  }
}
