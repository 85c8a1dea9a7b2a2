public import ActionLog
import ActionLogMaintenance
import JSONCoding

/// A new log made of imported actions.
///
/// The log appears at its path when it is complete. Until then it is at `TARGET.unfinished/log`, where it can be read.
/// Actions are renumbered. If an action had another revision in the log that it was exported from, `meta.was` has the
/// old one, unless the member exists: the first number is kept. `meta.cause` becomes the new revision of the cause, and
/// is removed if the cause was not imported; a `meta.cause` that names no earlier action is unchanged. So an exported
/// complete log is imported as the same actions. A skipped action becomes a `@rejected` record, which is kept and never
/// folded.
public struct LogImport {
  /// The number of imported actions, not counting skipped ones.
  public var actionCount: Int { sink.lastRevision }
  /// The number of skipped actions.
  package private(set) var skippedCount = 0
  /// The number of revisions missing between those of the imported text.
  package var missingCount: Int { numbers.missingCount - skippedNumbers.count { old in numbers.isMissing(old) } }
  /// The path of the log until it is complete.
  public var unfinishedPath: String { sink.path }

  private var sink: LogSink
  /// The mappings from old to new revisions, and from revisions to lines.
  private var numbers = Renumbering()
  private var lines = Renumbering()
  private var schemaCount = 0
  /// Every change begins a segment, and a writer lists all segments. No model has had so many.
  private static let schemaLimit = 200
  /// The old revisions of skipped actions, which are not missing.
  private var skippedNumbers: Set<Int> = []

  /// Creates a log.
  ///
  /// - Parameters:
  ///   - target: A path that does not exist, or an empty directory.
  ///   - model: The name of the model.
  ///   - schema: The schema of the first actions, at least 1.
  ///   - base: The initial state in JSON; `nil` for the model's own.
  ///   - fileSystem: The file system.
  ///   - environment: The clock and identifier of the log.
  public init(
    to target: String, model: String, schema: Int, base: [UInt8]? = nil,
    fileSystem: any LogFileSystem = POSIXFileSystem(), environment: LogEnvironment = .live
  ) throws(LogError) {
    sink = try LogSink(
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

  /// Appends an action.
  public mutating func append(_ action: ImportedAction) throws {
    func failure(_ code: InterchangeError.Code, _ message: String) -> InterchangeError {
      InterchangeError(
        code, message, line: action.line, byteOffset: action.byteOffset, pointer: action.pointer)
    }
    let number = sink.lastRevision + 1
    if let revision = action.revision, !(1...LogFormat.revisionLimit).contains(revision) {
      throw failure(.wrongShape, "\(revision) is the number of no action")
    }
    let schema = action.schema ?? sink.schema
    guard action.isSkipped || schema >= sink.schema else {
      throw failure(
        .wrongShape, "the action was written in schema \(schema), and one before it in schema \(sink.schema)")
    }
    if !action.isSkipped, schema > sink.schema {
      guard schema <= LogFormat.revisionLimit else {
        throw failure(.wrongShape, "there is no schema \(schema)")
      }
      guard schemaCount < Self.schemaLimit else {
        throw failure(.beyondLimit, "the schema grows with more than \(Self.schemaLimit) actions")
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
      // A record that may be too long is written at once, because its revision decides to the byte whether it is.
      try sink.append(draft, schema: action.isSkipped ? sink.schema : schema)
    } catch {
      switch error.code {
      case .beyondLimit: throw failure(.beyondLimit, error.message)
      case .invalidRecord: throw failure(.wrongShape, error.message)
      default: throw error
      }
    }
    if action.isSkipped {
      skippedCount += 1
      if let revision = action.revision { skippedNumbers.insert(revision) }
    } else {
      if let revision = action.revision { numbers.append(revision, as: number) }
      if let line = action.line { lines.append(number, as: line) }
    }
  }

  /// Returns the line of the action that became a revision; `nil` for a format without lines.
  public func line(of revision: Int) -> Int? { lines.new(for: revision) }

  /// Writes all actions to the file system, so that the log can be read at ``unfinishedPath``.
  public mutating func flush() throws(LogError) { try sink.flush() }

  /// Makes the log durable and renames it to its final path.
  public mutating func finish() throws(LogError) { try sink.finish() }

  /// Makes the log durable and renames it to its final path.
  package mutating func finish(_ digest: DigestRecord) throws(LogError) {
    try sink.append(LogDraft(digest), schema: sink.schema)
    try sink.finish()
  }

  /// Removes the incomplete log.
  public func discard() { sink.discard() }

  private func meta(of action: ImportedAction, number: Int) -> [UInt8]? {
    var meta = action.meta
    if let revision = action.revision {
      if revision != number, !action.isSkipped, meta["was"] == nil { meta["was"] = .number(JSONNumber(revision)) }
      if case .number(let cause)? = meta["cause"], let old = cause.int {
        if old >= 1, old < revision {
          let new = numbers.new(for: old)
          if new != old { meta["cause"] = new.map { new in .number(JSONNumber(new)) } }
        } else if old >= 1, old < number {
          // It named no action, and would now name an unrelated one.
          meta["cause"] = nil
        }
      }
    }
    return meta.isEmpty ? nil : JSONValue.object(meta).bytes()
  }
}
