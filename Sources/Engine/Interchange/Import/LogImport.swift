public import ActionLog
import JSONCoding

/// A log in the making, of actions that another program's text has.
///
/// It appears at its path when it is whole; until then it lies beside it, as `TARGET.unfinished/log`, and can be read
/// there. Actions are numbered anew. One that had another number in the log that it was exported from keeps the old one
/// in `meta.was`, unless that member exists: the first number stays. Its `meta.cause` becomes the number that the cause has
/// here, and is dropped if the cause is not among the actions; a `meta.cause` that names no earlier action stays as it is. So the
/// export of a complete log becomes the same actions. A skipped action becomes a `@rejected` record, which is kept and never
/// folded.
public struct LogImport {
  /// How many actions were taken, skipped ones not included.
  public var actionCount: Int { sink.lastSeq }
  /// How many skipped ones were.
  public private(set) var skippedCount = 0
  /// How many revisions are missing between those that the text had.
  ///
  /// - Complexity: O(skipped actions × log gaps).
  public var missingCount: Int { numbers.missingCount - skippedNumbers.count { old in numbers.isMissing(old) } }
  /// Where the log lies until it is whole.
  public var unfinishedPath: String { sink.path }

  private var sink: BranchSink
  /// New revisions for old ones, and for revisions the line.
  private var numbers = Renumbering()
  private var lines = Renumbering()
  /// How often the schema has changed.
  private var schemaCount = 0
  /// 1 000: each begins another segment, and a writer looks at all that there are. No model has had so many.
  private static let schemaLimit = 1_000
  /// The numbers that skipped actions had: those are not missing.
  private var skippedNumbers: Set<Int> = []

  /// Begins a log.
  ///
  /// - Parameters:
  ///   - target: A path at which nothing lies, or an empty directory.
  ///   - model: The name of the model.
  ///   - schema: The schema of the first actions, at least 1.
  ///   - base: The state that the log begins with, as JSON; `nil` for the model's own.
  ///   - fileSystem: The door to the disk.
  ///   - environment: Clock and identifier of the log.
  /// - Throws: `LogError` with code `exists`, `locked`, `invalidArgument`, `notFound`, `noSpace`, `inputOutput`,
  ///   `beyondLimit`.
  public init(
    to target: String, model: String, schema: Int, base: [UInt8]? = nil, fileSystem: any LogFileSystem,
    environment: LogEnvironment
  ) throws(LogError) {
    sink = try BranchSink(
      to: target, model: model, schema: schema, fileSystem: fileSystem, environment: environment)
    guard let base else { return }
    let draft = LogDraft(BaseRecord(json: base))
    do throws(LogError) {
      try LogWriter.check([draft])
      try sink.append(draft, schema: schema)
    } catch {
      sink.discard()
      throw error
    }
  }

  /// Takes the next action.
  ///
  /// - Parameter action: What an import read.
  /// - Throws: ``InterchangeError`` for an action that a log cannot hold; `LogError` for what the disk says.
  /// - Complexity: O(size of the action).
  public mutating func append(_ action: ImportedAction) throws {
    let number = sink.lastSeq + 1
    if let seq = action.seq, !(1...LogFormat.seqLimit).contains(seq) {
      throw Self.placed(InterchangeError(.wrongShape, "\(seq) is the number of no action"), action)
    }
    let schema = action.schema ?? sink.schema
    guard action.isSkipped || schema >= sink.schema else {
      throw Self.placed(
        InterchangeError(
          .wrongShape, "the action was written in schema \(schema), and one before it in schema \(sink.schema)"),
        action)
    }
    if !action.isSkipped, schema > sink.schema {
      guard schema <= LogFormat.seqLimit else {
        throw Self.placed(InterchangeError(.wrongShape, "there is no schema \(schema)"), action)
      }
      guard schemaCount < Self.schemaLimit else {
        throw Self.placed(
          InterchangeError(.beyondLimit, "the schema grows with more than \(Self.schemaLimit) actions"), action)
      }
      schemaCount += 1
    }
    let meta = meta(of: action, number: number)
    let draft =
      action.isSkipped
      ? LogDraft(SkippedAction.record(type: action.type, data: action.data), meta: meta, time: action.time)
      : LogDraft(type: action.type, data: action.data, meta: meta, time: action.time)
    do throws(LogError) {
      try LogWriter.checkForm(of: [draft])
      // One that is too long is written at once, and refused: whether it is, its number decides to the byte.
      try sink.append(draft, schema: action.isSkipped ? sink.schema : schema)
    } catch {
      switch error.code {
      case .beyondLimit: throw Self.placed(InterchangeError(.beyondLimit, error.message), action)
      case .invalidRecord: throw Self.placed(InterchangeError(.wrongShape, error.message), action)
      default: throw error
      }
    }
    if action.isSkipped {
      skippedCount += 1
      if let seq = action.seq { skippedNumbers.insert(seq) }
    } else {
      if let seq = action.seq { numbers.append(seq, as: number) }
      if let line = action.line { lines.append(number, as: line) }
    }
  }

  /// The line of the action that became a revision.
  ///
  /// - Parameter revision: A revision of the new log.
  /// - Returns: `nil` for a format that has no lines.
  /// - Complexity: O(log gaps).
  public func line(of revision: Int) -> Int? { lines.new(for: revision) }

  /// Hands everything to the system, so that the log can be read at ``unfinishedPath``.
  public mutating func flush() throws(LogError) { try sink.flush() }

  /// Makes everything durable, and gives the log its name.
  ///
  /// - Throws: `LogError`.
  public mutating func finish() throws(LogError) { try sink.finish() }

  /// Makes everything durable, and gives the log its name.
  ///
  /// - Parameter digest: The digest of the last state.
  /// - Throws: `LogError`.
  package mutating func finish(_ digest: DigestRecord) throws(LogError) {
    try sink.append(LogDraft(digest), schema: sink.schema)
    try sink.finish()
  }

  /// Removes what there is of it.
  public func discard() { sink.discard() }

  private func meta(of action: ImportedAction, number: Int) -> [UInt8]? {
    var meta = action.meta
    if let seq = action.seq {
      if seq != number, !action.isSkipped, meta["was"] == nil { meta["was"] = .number(JSONNumber(seq)) }
      if case .number(let cause)? = meta["cause"], let old = cause.int {
        if old >= 1, old < seq {
          let new = numbers.new(for: old)
          if new != old { meta["cause"] = new.map { new in .number(JSONNumber(new)) } }
        } else if old >= 1, old < number {
          // It named no action, and would name one that has nothing to do with it.
          meta["cause"] = nil
        }
      }
    }
    return meta.isEmpty ? nil : JSONValue.object(meta).bytes()
  }

  private static func placed(_ error: InterchangeError, _ action: ImportedAction) -> InterchangeError {
    var placed = error
    placed.line = action.line
    placed.pointer = action.pointer
    placed.byteOffset = action.byteOffset
    return placed
  }
}
