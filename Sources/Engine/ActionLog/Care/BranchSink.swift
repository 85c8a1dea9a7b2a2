/// A new log that is filled with records of another one.
package protocol LogSink {
  /// The schema in force. Records of an older schema cannot follow.
  var schema: Int { get }

  /// The revision of the last appended action.
  var lastRevision: Int { get }

  /// Appends a record.
  ///
  /// - Parameters:
  ///   - draft: The record.
  ///   - schema: The schema of the record, not older than the one in force.
  mutating func append(_ draft: LogDraft, schema: Int) throws(LogError)

  /// Makes everything durable and renames the log to its path.
  mutating func finish() throws(LogError)

  /// Removes the unfinished log.
  func discard()
}

/// A new log for a branch or for imported actions: the records shared with a parent are copied, the others are
/// appended.
///
/// It gets its path when it is complete. Nothing is acknowledged earlier, so everything is made durable at the end.
package struct BranchSink: LogSink {
  /// The revision of the last appended action.
  package private(set) var lastRevision: Int

  private let directory: NewDirectory
  private let target: String
  private let fileSystem: any LogFileSystem
  /// The message of errors that prevent the log from being made.
  private let failure: String
  private var writer: UnitWriter
  /// The actions that a redaction of the parent excludes from the fold, in the numbers of the branch.
  private var skipped: Set<Int> = []

  /// The schema in force. Records of an older schema cannot follow.
  package var schema: Int { writer.schema }

  /// Begins a branch next to its path, in `TARGET.unfinished`. A branch of a pruned log begins with the same base.
  ///
  /// - Parameters:
  ///   - reader: The parent log, which also provides the file system.
  ///   - target: A path that does not exist, or an empty directory; not inside the parent log.
  ///   - model: The name of the model.
  ///   - parent: The parent log and the last revision that both share.
  ///   - environment: The clock and the identifier of the new log.
  /// - Throws: ``LogError`` with code `exists`, `locked`, `invalidArgument`, `notFound`, `noSpace`, `inputOutput`.
  package init(
    from reader: LogReader, to target: String, model: String, parent: LogHeader.Parent, environment: LogEnvironment
  ) throws(LogError) {
    let target = LogFolder.trimmed(target)
    try LogFolder.check(target, isOutside: reader.path, reader.fileSystem, "a branch")
    try self.init(
      to: target, model: model, schema: reader.header.schema, parent: parent,
      inheriting: try reader.contents().base.map { base in InheritedBase(base: base, log: reader.path) },
      isRedactable: try reader.isRedactable(), fileSystem: reader.fileSystem, environment: environment)
  }

  /// Begins a log next to its path, in `TARGET.unfinished`.
  ///
  /// - Parameters:
  ///   - target: A path that does not exist, or an empty directory.
  ///   - model: The name of the model.
  ///   - schema: The schema of the first actions.
  ///   - parent: The log that it is derived from, if any.
  ///   - inherited: The base that it begins with, that of a pruned parent.
  ///   - isRedactable: Whether its lines have salts.
  ///   - fileSystem: The file system.
  ///   - environment: The clock and the identifier of the new log.
  /// - Throws: ``LogError`` with code `exists`, `locked`, `notFound`, `noSpace`, `inputOutput`.
  package init(
    to target: String, model: String, schema: Int, parent: LogHeader.Parent? = nil,
    inheriting inherited: InheritedBase? = nil,
    isRedactable: Bool = false, fileSystem: any LogFileSystem, environment: LogEnvironment
  ) throws(LogError) {
    let target = LogFolder.trimmed(target)
    self.target = target
    self.fileSystem = fileSystem
    lastRevision = inherited?.base.revision ?? 0
    failure = "the \(parent == nil ? "log" : "branch") cannot be created"
    directory = try NewDirectory(at: target, fileSystem, failure: failure)
    do throws(LogError) {
      writer = try UnitWriter(
        at: directory.path, model: model, schema: schema, parent: parent, inheriting: inherited,
        fileSystem: fileSystem,
        configuration: LogConfiguration(durability: .written, environment: environment, redactable: isRedactable))
    } catch {
      directory.discard()
      throw error
    }
  }

  /// Copies the actions up to a revision, and the control records among them that concern the state.
  ///
  /// - Parameters:
  ///   - reader: The log to copy from.
  ///   - last: The last revision.
  ///   - keepsDigests: Whether the branch has the same model as the digests.
  /// - Complexity: O(length of the log up to that revision).
  package mutating func copy(_ reader: LogReader, upTo last: Int, keepsDigests: Bool) throws(LogError) {
    var records = try reader.records(from: 0)
    while let record = try records.next(), record.revision <= last {
      if record.isControl {
        guard let type = record.controlType, !type.isStructural else { continue }
        if type == .digest, !keepsDigests { continue }
      }
      try append(
        LogDraft(copying: record, meta: record.meta), schema: record.schema)
    }
  }

  /// Appends a record.
  ///
  /// - Parameters:
  ///   - draft: The record.
  ///   - schema: The schema of the record. A newer one than that in force begins a new segment; an older one must be
  ///     migrated before.
  package mutating func append(_ draft: LogDraft, schema: Int) throws(LogError) {
    guard schema >= self.schema || draft.isControl else {
      throw LogError.olderSchema(schema, inForce: self.schema, revision: lastRevision + 1, path: target)
    }
    try writer.raiseSchema(to: schema)
    if !draft.isControl { lastRevision += 1 }
    if draft.isSkipped { skipped.insert(lastRevision) }
    try writer.append(draft)
  }

  /// Makes everything durable and renames the log to its path.
  package mutating func finish() throws(LogError) {
    try writer.close()
    try LogRedaction.skip(
      skipped, at: directory.path, fileSystem: fileSystem, environment: writer.configuration.environment)
    try directory.finish(failure: failure)
  }

  /// Removes the unfinished log.
  package func discard() {
    writer.abandon()
    directory.discard()
  }

  /// The path of the unfinished log.
  package var path: String { directory.path }

  /// Writes all appended records (level `written`).
  package mutating func flush() throws(LogError) { try writer.flush() }
}

/// Writes the records of a new log in large units, with a segment for each newer schema.
struct UnitWriter {
  /// The size of a unit that is written at once.
  private static let unitBytes = 1 << 20

  let configuration: LogConfiguration
  /// The schema in force.
  private(set) var schema: Int

  private let path: String
  private let model: String
  private let fileSystem: any LogFileSystem
  private var writer: LogWriter
  private var drafts: [LogDraft] = []
  private var draftBytes = 0

  /// Begins a log; see ``LogWriter/open(at:model:schema:parent:fileSystem:configuration:)``.
  init(
    at path: String, model: String, schema: Int, parent: LogHeader.Parent?, inheriting inherited: InheritedBase?,
    fileSystem: any LogFileSystem, configuration: LogConfiguration
  ) throws(LogError) {
    self.path = path
    self.model = model
    self.schema = schema
    self.fileSystem = fileSystem
    self.configuration = configuration
    writer = try LogWriter.open(
      at: path, model: model, schema: schema, parent: parent, inheriting: inherited, fileSystem: fileSystem,
      configuration: configuration)
  }

  /// The revision of the last written action, which appended ones may follow.
  var lastWrittenRevision: Int { writer.status.lastRevision }

  /// Appends a record of the schema in force.
  mutating func append(_ draft: LogDraft) throws(LogError) {
    drafts.append(draft)
    draftBytes += WriterQueue.room(for: draft, isSalted: configuration.redactable)
    if draftBytes >= Self.unitBytes { try flush() }
  }

  /// Changes to a newer schema, which needs a new writer and a new segment. Does nothing for any other.
  mutating func raiseSchema(to next: Int) throws(LogError) {
    guard next > schema else { return }
    try close()
    schema = next
    writer = try LogWriter.open(
      at: path, model: model, schema: schema, fileSystem: fileSystem, configuration: configuration)
  }

  /// Writes all appended records (level `written`).
  mutating func flush() throws(LogError) {
    guard !drafts.isEmpty else { return }
    _ = try writer.writeNow(drafts)
    drafts.removeAll(keepingCapacity: true)
    draftBytes = 0
  }

  /// Writes and syncs all appended records, and closes the log.
  mutating func close() throws(LogError) {
    try flush()
    try writer.closeNow()
  }

  /// Abandons the log as a killed process would.
  func abandon() { writer.abandon() }
}
