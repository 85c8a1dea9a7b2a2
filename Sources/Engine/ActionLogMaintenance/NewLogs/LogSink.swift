package import ActionLog

/// A new log that is filled with records of another one: a branch, imported or salvaged actions, or the range of a bug report.
///
/// It gets its path when it is complete. Nothing is acknowledged earlier, so everything is made durable at the end. Records are
/// written a megabyte at a time.
package struct LogSink {
  /// The schema in force. Actions of an older schema cannot follow.
  package private(set) var schema: Int
  package private(set) var lastRevision: Int

  private let directory: NewDirectory
  private let target: String
  private let isSingleFile: Bool
  private let model: String
  private let fileSystem: any LogFileSystem
  private let configuration: LogConfiguration
  /// The message of errors that prevent the log from being made.
  private let failure: String
  private var writer: LogWriter
  private var drafts: [LogDraft] = []
  private var draftBytes = 0
  /// The actions that a redaction of the other log excludes from the fold, in the numbers of this one.
  private var skipped: Set<Int> = []

  /// The size of a unit that is written at once.
  private static let unitBytes = 1 << 20

  /// Begins a branch next to its path, in `TARGET.unfinished`. A branch of a pruned log begins with the same base.
  ///
  /// - Parameter target: A path that does not exist, or an empty directory; not inside the parent log.
  package init(
    from reader: LogReader, to target: String, model: String, parent: LogHeader.Parent, environment: LogEnvironment
  ) throws(LogError) {
    try LogFolder.check(LogFolder.trimmed(target), isOutside: reader.path, reader.fileSystem, "a branch")
    try self.init(
      to: target, "branch", model: model, schema: reader.header.schema, parent: parent,
      inheriting: try reader.listing().base.map { base in InheritedBase(base: base, log: reader.path) },
      isRedactable: try reader.isRedactable(), fileSystem: reader.fileSystem, environment: environment)
  }

  /// Begins a log next to its path, in `TARGET.unfinished`.
  ///
  /// - Parameters:
  ///   - isSingleFile: Whether the log is a file of one segment, which has one schema, instead of a directory.
  ///   - isRedactable: Whether its lines have salts.
  package init(
    to target: String, _ what: String = "log", isSingleFile: Bool = false, model: String, schema: Int,
    parent: LogHeader.Parent? = nil, inheriting inherited: InheritedBase? = nil, key: String? = nil,
    isRedactable: Bool = false, fileSystem: any LogFileSystem, environment: LogEnvironment
  ) throws(LogError) {
    let target = LogFolder.trimmed(target)
    self.target = target
    self.isSingleFile = isSingleFile
    self.model = model
    self.schema = schema
    self.fileSystem = fileSystem
    configuration = LogConfiguration(
      durability: .written, segmentLimitBytes: isSingleFile ? .max : LogConfiguration.defaultSegmentLimitBytes,
      environment: environment, key: key, redactable: isRedactable)
    lastRevision = inherited?.base.revision ?? 0
    failure = "the \(what) cannot be created"
    do throws(FileSystemError) {
      // An empty directory is no file to replace.
      if isSingleFile, try fileSystem.status(of: target) != nil {
        throw FileSystemError(code: .exists, operation: "open", path: target)
      }
      directory = try NewDirectory(at: target, fileSystem)
    } catch {
      throw Self.failure(error, failure, target, isSingleFile: isSingleFile)
    }
    do throws(LogError) {
      writer = try LogWriter.open(
        at: directory.path, model: model, schema: schema, parent: parent, beginningWith: inherited?.base,
        fileSystem: fileSystem, configuration: configuration)
    } catch {
      directory.discard()
      throw Self.failure(error, failure, target)
    }
    do throws(LogError) {
      if let inherited { try EvidenceStore(log: writer.path, fileSystem: fileSystem).inheritTiles(of: inherited) }
    } catch {
      discard()
      throw Self.failure(error, failure, target)
    }
  }

  /// The path of the log while it is filled.
  package var path: String { isSingleFile ? directory.path + "/" + SegmentName.text(first: 1) : directory.path }

  private static func failure(
    _ error: FileSystemError, _ what: String, _ target: String, isSingleFile: Bool
  ) -> LogError {
    var failure = Self.failure(LogError.making(error, what, path: target), what, target)
    if isSingleFile, failure.code == .exists { failure.advice = "Name a file that does not exist yet." }
    return failure
  }

  /// The error of the writer. Its advice on a full disk is for a log that is continued.
  private static func failure(_ error: LogError, _ what: String, _ target: String) -> LogError {
    guard error.code == .noSpace else { return error }
    return LogError(
      .noSpace, "\(what): no space is left", path: target, intact: "No other log was changed, and there is no new one.",
      advice: "Free space, or name a path on another disk, and repeat the command.", underlying: error)
  }

  /// Returns the error of another file of the log, for which the disk may be full, too.
  func failure(_ error: FileSystemError, _ what: String) -> LogError {
    Self.failure(LogError.files(error, what), failure, target)
  }

  private func writing<Result>(_ step: () throws(LogError) -> Result) throws(LogError) -> Result {
    do throws(LogError) { return try step() } catch { throw Self.failure(error, failure, target) }
  }
}

extension LogSink {
  /// Copies the actions up to a revision, and the control records among them that concern the state.
  ///
  /// - Parameter keepsDigests: Whether the branch has the same model as the digests.
  package mutating func copy(_ reader: LogReader, upTo last: Int, keepsDigests: Bool) throws(LogError) {
    var records = try reader.records(from: 0)
    while let record = try records.next(), record.revision <= last {
      if record.isControl {
        guard let type = record.controlType, type.isCopied else { continue }
        if type == .digest, !keepsDigests { continue }
      }
      try append(LogDraft(copying: record, meta: record.meta), schema: record.schema)
    }
  }

  /// Appends a record.
  ///
  /// - Parameter schema: The schema of the record. A newer one than that in force begins a new segment; an older one must be
  ///   migrated before.
  package mutating func append(_ draft: LogDraft, schema: Int) throws(LogError) {
    guard schema >= self.schema || draft.isControl else {
      throw LogError.olderSchema(schema, inForce: self.schema, revision: lastRevision + 1, path: target)
    }
    try raiseSchema(to: schema)
    if draft.isSkipped {
      guard !isSingleFile else {
        throw LogError(
          .invalidArgument,
          "a redaction excludes action \(lastRevision + 1) of the range from replays, which a single file cannot state",
          path: target, advice: "Choose a range without it.")
      }
      skipped.insert(lastRevision + 1)
    }
    drafts.append(draft)
    draftBytes += WriterQueue.room(for: draft, isSalted: configuration.redactable)
    if !draft.isControl { lastRevision += 1 }
    if draftBytes >= Self.unitBytes { try flush() }
  }

  /// Begins a segment for a newer schema than that in force.
  mutating func raiseSchema(to next: Int) throws(LogError) {
    guard next > schema else { return }
    precondition(!isSingleFile, "a single segment has one schema")
    try flush()
    try writing { () throws(LogError) in try writer.closeNow() }
    schema = next
    writer = try writing { () throws(LogError) in
      try LogWriter.open(
        at: directory.path, model: model, schema: schema, fileSystem: fileSystem, configuration: configuration)
    }
  }

  /// Writes the records that were appended.
  package mutating func flush() throws(LogError) {
    guard !drafts.isEmpty else { return }
    _ = try writing { () throws(LogError) in try writer.writeNow(drafts) }
    drafts.removeAll(keepingCapacity: true)
    draftBytes = 0
  }

  /// Makes everything durable and renames the log to its path.
  ///
  /// - Parameter complete: Adds to the directory of the log before it gets its path.
  package mutating func finish(
    completing complete: (_ directory: String) throws(LogError) -> Void = { _ throws(LogError) in }
  ) throws(LogError) {
    try flush()
    try writing { () throws(LogError) in try writer.closeNow() }
    guard !isSingleFile else { return try renameFile() }
    try writing { () throws(LogError) in
      try LogRedaction.skip(skipped, at: path, fileSystem: fileSystem, environment: configuration.environment)
    }
    // It says itself what cannot be added.
    try complete(path)
    try writing { () throws(LogError) in try directory.finish(failure: failure) }
  }

  private func renameFile() throws(LogError) {
    do throws(FileSystemError) {
      try fileSystem.renameWithoutReplacing(path, to: target)
      try fileSystem.syncDirectory(LogFolder.parent(of: target))
    } catch {
      throw Self.failure(error, failure, target, isSingleFile: true)
    }
    directory.discard()
  }

  package func discard() {
    writer.abandon()
    directory.discard()
  }
}

/// The base of a pruned log, with which a log that is made of it begins.
package struct InheritedBase: Sendable {
  let base: LogBase
  let log: String
}

extension LogReader {
  /// Returns what opens the log with its own model and schema.
  ///
  /// - Throws: `LogError` if the log is damaged, and if it cannot be read.
  func opener(_ environment: LogEnvironment) throws(LogError) -> LogOpener {
    let extent = try extent()
    if let damage = extent.ending.damage { throw damage }
    return LogOpener(maintaining: self, extent, environment)
  }
}

extension LogFolder {
  /// Refuses a path for new files inside the directory of a log. Also refuses a log that is itself the remains of an
  /// interrupted attempt at that path, which would be removed.
  static func check(
    _ path: String, isOutside log: String, _ fileSystem: any LogFileSystem, _ what: String
  ) throws(LogError) {
    let isInside = try LogError.making("\(what) cannot be created", at: path) { () throws(FileSystemError) in
      if try fileSystem.path(log, isWithin: NewDirectory.outer(of: path)) {
        throw FileSystemError(code: .exists, operation: "mkdir", path: NewDirectory.outer(of: path))
      }
      return try fileSystem.path(path, isWithin: log)
    }
    guard isInside else { return }
    throw LogError(
      .invalidArgument, "\(what) cannot be inside the log that it comes from", path: path,
      advice: "Use a directory next to it.")
  }
}
