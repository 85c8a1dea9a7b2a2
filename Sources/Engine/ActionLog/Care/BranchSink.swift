/// A log in the making that is filled with records of another one.
package protocol LogSink {
  /// The schema in force: records of an older one cannot follow.
  var schema: Int { get }

  /// The revision of the last action that was taken.
  var lastSeq: Int { get }

  /// Takes a line.
  ///
  /// - Parameters:
  ///   - draft: The line.
  ///   - schema: The schema that it is written in, not older than the one in force.
  mutating func append(_ draft: LogDraft, schema: Int) throws(LogError)

  /// Makes everything durable, and gives the log its name.
  mutating func finish() throws(LogError)

  /// Removes what there is of it.
  func discard()
}

/// A log in the making, of a branch or of actions from elsewhere: what it has in common with a parent is copied, the rest is appended.
///
/// It appears at its path when it is whole. What is promised before is nothing, so that the end makes everything durable at once.
package struct BranchSink: LogSink {
  /// How many bytes are written together.
  private static let unitBytes = 1 << 20

  /// The schema in force: records of an older one cannot follow.
  package private(set) var schema: Int
  /// The revision of the last action that was taken.
  package private(set) var lastSeq = 0

  private let directory: NewDirectory
  private let target: String
  private let model: String
  private let fileSystem: any LogFileSystem
  private let configuration: LogConfiguration
  /// What it says when the disk does not let it be made.
  private let failure: String
  private var writer: LogWriter
  private var drafts: [LogDraft] = []
  private var draftBytes = 0

  /// Begins a log beside its path, as `TARGET.unfinished`.
  ///
  /// - Parameters:
  ///   - reader: The log that it comes from, whose files it is made among.
  ///   - target: A path at which nothing lies, or an empty directory; not within the log that it comes from.
  ///   - model: The name of the model.
  ///   - parent: The log that it comes from, and the last revision that both have in common.
  ///   - environment: Clock and identifier of the new log.
  /// - Throws: ``LogError`` with code `exists`, `locked`, `invalidArgument`, `notFound`, `noSpace`, `inputOutput`.
  package init(
    from reader: LogReader, to target: String, model: String, parent: LogHeader.Parent, environment: LogEnvironment
  ) throws(LogError) {
    let target = LogFolder.trimmed(target)
    try LogFolder.check(target, isOutside: reader.path, reader.fileSystem, "a branch")
    try self.init(
      to: target, model: model, schema: reader.header.schema, parent: parent, fileSystem: reader.fileSystem,
      environment: environment)
  }

  /// Begins a log of its own beside its path, as `TARGET.unfinished`.
  ///
  /// - Parameters:
  ///   - target: A path at which nothing lies, or an empty directory.
  ///   - model: The name of the model.
  ///   - schema: The schema of its first actions.
  ///   - parent: The log that it comes from, if it comes from one.
  ///   - fileSystem: The door to the disk.
  ///   - environment: Clock and identifier of the new log.
  /// - Throws: ``LogError`` with code `exists`, `locked`, `notFound`, `noSpace`, `inputOutput`.
  package init(
    to target: String, model: String, schema: Int, parent: LogHeader.Parent? = nil, fileSystem: any LogFileSystem,
    environment: LogEnvironment
  ) throws(LogError) {
    let target = LogFolder.trimmed(target)
    self.target = target
    self.model = model
    self.fileSystem = fileSystem
    self.schema = schema
    failure = "the \(parent == nil ? "log" : "branch") cannot be made"
    configuration = LogConfiguration(durability: .flush, environment: environment)
    directory = try NewDirectory(at: target, fileSystem, failure: failure)
    do throws(LogError) {
      writer = try LogWriter.open(
        directory.path, model: model, schema: schema, parent: parent, fileSystem: fileSystem,
        configuration: configuration)
    } catch {
      directory.discard()
      throw error
    }
  }

  /// Copies the actions up to a revision, and the control records among them that say something of the state.
  ///
  /// - Parameters:
  ///   - reader: The log that they come from.
  ///   - last: The last revision.
  ///   - keepsDigests: Whether the model that folds the branch is the one that made the digests.
  /// - Complexity: O(length of the log up to there).
  package mutating func copy(_ reader: LogReader, upTo last: Int, keepsDigests: Bool) throws(LogError) {
    var records = try reader.records(from: 0)
    while let record = try records.next(), record.seq <= last {
      if record.isControl {
        guard let type = record.controlType, !type.isStructural else { continue }
        if type == .digest, !keepsDigests { continue }
      }
      try append(
        LogDraft(type: record.type, data: record.data, meta: record.meta, time: record.time), schema: record.schema)
    }
  }

  /// Takes a line.
  ///
  /// - Parameters:
  ///   - draft: The line.
  ///   - schema: The schema that it is written in. A newer one than that in force begins a new segment; an older one must be
  ///     lifted before.
  package mutating func append(_ draft: LogDraft, schema: Int) throws(LogError) {
    guard schema >= self.schema || draft.isControl else {
      throw LogError.olderSchema(schema, inForce: self.schema, seq: lastSeq + 1, path: target)
    }
    try follow(schema)
    drafts.append(draft)
    draftBytes += WriterQueue.room(for: draft)
    if !draft.isControl { lastSeq += 1 }
    if draftBytes >= Self.unitBytes { try flush() }
  }

  /// Makes everything durable, and gives the log its name.
  package mutating func finish() throws(LogError) {
    try flush()
    try writer.closeNow()
    try directory.finish(failure: failure)
  }

  /// Removes what there is of it.
  package func discard() {
    writer.abandon()
    directory.discard()
  }

  /// Where it lies until it has its name.
  package var path: String { directory.path }

  /// Hands everything that was taken to the system.
  package mutating func flush() throws(LogError) {
    guard !drafts.isEmpty else { return }
    _ = try writer.write(drafts)
    drafts.removeAll(keepingCapacity: true)
    draftBytes = 0
  }

  /// Goes over to a newer schema, which needs another writer, which begins a new segment.
  private mutating func follow(_ next: Int) throws(LogError) {
    guard next > schema else { return }
    try flush()
    try writer.closeNow()
    schema = next
    writer = try LogWriter.open(
      directory.path, model: model, schema: schema, fileSystem: fileSystem, configuration: configuration)
  }
}
