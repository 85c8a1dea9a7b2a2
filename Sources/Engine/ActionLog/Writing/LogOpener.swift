internal import Platform

/// Opens a log for writing: locks the directory, recovers or creates the log, and appends `@open`.
package struct LogOpener {
  let path: String
  let model: String
  let schema: Int
  let parent: LogHeader.Parent?
  let fileSystem: any LogFileSystem
  let configuration: LogConfiguration
  /// Whether the writer begins a new segment, which seals all earlier actions.
  package var beginsSegment = false
  /// The state that a new log begins with, taken from a pruned log; `nil` if it begins with its first action. Its identifier and model
  /// become those of the new log.
  var base: LogBase?

  /// The end of the log that the writer continues from.
  struct StartingPoint {
    var file: any LogFile
    var path: String
    var identity: FileIdentity?
    var position: WriterPosition
    /// The header of new segments, with the epoch and schema of the new writer.
    var header: LogHeader
    /// The header of the first segment.
    var firstHeader: LogHeader
    var isNew = false
    /// The base of a new log, which a `@prune` record must name.
    var newBase: LogBase?
    var wasClosed = true
    /// Whether the last record is `@prune`, so that the pruning was not finished.
    var endsInPruning = false
    var recovered: LogOpening.Recovered?
    /// Whether the log ends with a `@redact` record, whose redaction must be completed before anything is appended.
    var endsInRedaction = false
  }

  /// A log that is locked and recovered, and to which nothing was appended yet.
  package struct Acquired {
    fileprivate var origin: StartingPoint
    fileprivate var lock: any DirectoryLock
    /// The time at which the opening began; `nil` without an observer.
    fileprivate var begin: Duration?

    package func release() {
      origin.file.close()
      lock.unlock()
    }
  }

  package func open() throws(LogError) -> LogWriter { try start(try acquire()) }

  /// Locks and recovers the log, or creates it if there is none.
  package func acquire() throws(LogError) -> Acquired {
    let begin = configuration.observer.map { _ in configuration.environment.uptime() }
    try checkArguments()
    guard try !LakeFileSystem.isShippedLog(path, fileSystem) else {
      throw LogError(
        .invalidArgument, "a shipped log cannot be written", path: path,
        advice: "\(.operation("restore")) makes a log of it, which can be.")
    }
    let lock = try lockDirectory()
    do throws(LogError) {
      var origin = try recoverOrCreate()
      var isActiveReplaced = false
      do throws(LogError) { isActiveReplaced = try finishRedaction(origin) } catch {
        origin.file.close()
        throw error
      }
      if isActiveReplaced {
        origin.file.close()
        let wasRecovered = origin.recovered
        origin = try recoverOrCreate(isPruningFinished: true)
        origin.recovered = wasRecovered
      }
      return Acquired(origin: origin, lock: lock, begin: begin)
    } catch {
      lock.unlock()
      throw error
    }
  }

  /// Creates the writer of a log and appends its `@open` record.
  package func start(_ acquired: Acquired) throws(LogError) -> LogWriter {
    do throws(LogError) {
      return try makeWriter(acquired)
    } catch {
      acquired.lock.unlock()
      throw error
    }
  }

  private func checkArguments() throws(LogError) {
    guard (1...LogFormat.modelLimitBytes).contains(model.utf8.count) else {
      throw LogError(.invalidArgument, "the name of a model has 1 to \(LogFormat.modelLimitBytes) bytes")
    }
    guard (1...LogFormat.revisionLimit).contains(schema) else {
      throw LogError(.invalidArgument, "schemas are numbered from 1")
    }
    guard configuration.key.map(LogFormat.isKey) ?? true else {
      throw LogError(.invalidArgument, "the key of a log has 1 to \(LogFormat.keyLimitBytes) bytes")
    }
    guard configuration.segmentLimitBytes > 0, configuration.bufferLimitBytes > 0 else {
      throw LogError(.invalidArgument, "the limits of segments and buffers are positive numbers of bytes")
    }
  }

  /// The maximum number of attempts to lock the log while other processes remove it.
  private static let lockAttemptLimit = 8

  /// Locks the directory, and creates it if it is missing, or was removed before it was locked.
  private func lockDirectory() throws(LogError) -> any DirectoryLock {
    var attempt = 1
    while true {
      try makeDirectory()
      do throws(FileSystemError) { return try fileSystem.lockPresent(directory: path) } catch {
        guard error.code == .notFound, attempt < Self.lockAttemptLimit else {
          throw LogError.files(error, "the log cannot be locked", path: path)
        }
        attempt += 1
      }
    }
  }

  /// Creates the directory if it is missing, and syncs its entry in the parent directory, so that a power cut cannot
  /// remove the log.
  ///
  /// An existing directory is synced, too: its creator may have been killed before that, or the sync may have failed.
  private func makeDirectory() throws(LogError) {
    let failure = "the log's directory cannot be created"
    var odd: FileStatus?
    do throws(FileSystemError) {
      let status = try fileSystem.status(of: path)
      switch status?.kind {
      case .directory: break
      case .file: throw FileSystemError(code: .notADirectory, operation: "open", path: path)
      case .other: odd = status
      case nil:
        do throws(FileSystemError) { try fileSystem.createDirectory(path) } catch  where error.code == .exists {
          // Another process has just created it; the lock decides who writes.
        }
      }
      do throws(FileSystemError) {
        if odd == nil { try fileSystem.syncDirectory(LogFolder.parent(of: path)) }
      } catch  where error.code == .permissionDenied {
        // A process that may not read the parent directory has not created this one and cannot sync the parent.
      }
    } catch {
      throw LogError.making(error, failure, path: path)
    }
    if let odd { throw .oddPath(path, odd, failure) }
  }

  /// - Parameter isPruningFinished: Whether an interrupted pruning was finished already.
  private func recoverOrCreate(isPruningFinished: Bool = false) throws(LogError) -> StartingPoint {
    let headFile = try HeadFile.forWriting(path, fileSystem)
    var folder: LogFolder
    do throws(FileSystemError) {
      folder = try LogFolder(path, fileSystem)
    } catch {
      throw LogError.files(error, "the log cannot be read", path: path)
    }
    try folder.readBase(fileSystem)
    if folder.segments.isEmpty { return try createLog(folder) }
    let origin = try LogRecovery(opener: self, folder: folder, head: headFile.head).recover()
    guard origin.endsInPruning, !isPruningFinished else { return origin }
    origin.file.close()
    let reader = try LogReader.open(at: path, fileSystem: fileSystem)
    if let pruning = try reader.lastPruning(), pruning.isLastRecord {
      try PruningEnd(pruning.record, at: path, fileSystem).run()
    }
    // The log may begin elsewhere now.
    return try recoverOrCreate(isPruningFinished: true)
  }

  /// Completes a redaction whose writer was interrupted. Any record after `@redact` states that it is complete.
  ///
  /// - Returns: Whether the active segment was replaced.
  private func finishRedaction(_ origin: StartingPoint) throws(LogError) -> Bool {
    guard origin.endsInRedaction else { return false }
    let redactions = try LogReader.open(at: path, fileSystem: fileSystem).redactionList()
    guard let last = redactions.entries.last, !last.isFinished else {
      throw LogError(
        .damaged, "the log ends with a @redact record that is not at the beginning of its segment", path: path)
    }
    return try RedactionRun(
      path: path, fileSystem: fileSystem, redactions: [(try redactions.index(of: last), last.record)]
    ).run()
  }

  /// Creates the writer and appends its `@open` record.
  private func makeWriter(_ acquired: Acquired) throws(LogError) -> LogWriter {
    let origin = acquired.origin
    let opening = LogOpening(
      isNew: origin.isNew, recovered: origin.recovered, epoch: origin.header.epoch, header: origin.firstHeader,
      lastRevision: origin.position.revision, wasClosed: origin.wasClosed, isRedactable: origin.header.isSalted,
      finishedRedaction: origin.endsInRedaction)
    var queue = WriterQueue(header: origin.header, at: origin.position, configuration: configuration)
    // A log that gets salts gets them at once: lines without one can never be redacted.
    let beginsSalting = origin.header.isSalted && !origin.position.isSalted
    // A newer schema takes effect with this writer's first record. Until then an older program can open the log.
    if beginsSegment || beginsSalting, origin.position.holdsAction {
      try queue.roll(at: configuration.environment.now(), schema: origin.position.schema)
    }
    var open = openRecord(origin)
    // No segment can follow one without an action, so `@open` announces the salts there.
    open.isSalted = beginsSalting && !queue.encoded.isSalted
    try queue.add(open, time: configuration.environment.now())
    (open.schema, open.recovered, open.isSalted) = (schema, nil, false)
    queue.schemaChange = open
    if let base = origin.newBase {
      try queue.add(
        beginning: PruneRecord(inheriting: base), actor: nil, time: configuration.environment.now())
    }
    let core = WriterCore(
      queue: queue, segment: WriterCore.Segment(file: origin.file, path: origin.path, identity: origin.identity),
      written: origin.position, durability: configuration.durability)
    let writer = LogWriter(
      path: path, opening: opening, core: core, directoryLock: acquired.lock, fileSystem: fileSystem,
      environment: configuration.environment,
      events: LogEvents(
        configuration.observer, log: path, key: opening.header.key, uptime: configuration.environment.uptime))
    writer.events?.add(since: acquired.begin) { duration in .opened(opening, duration: duration) }
    do throws(LogError) { try writer.drain() } catch {
      writer.abandon()
      throw error
    }
    writer.events?.deliver()
    return writer
  }

  private func openRecord(_ origin: StartingPoint) -> OpenRecord {
    let environment = configuration.environment
    return OpenRecord(
      epoch: origin.header.epoch, schema: origin.position.schema, program: environment.program,
      processID: environment.processID,
      host: environment.hostName,
      recovered: origin.recovered)
  }
}

// MARK: - A new log

extension LogOpener {
  /// Creates a log with its first segment.
  private func createLog(_ folder: LogFolder) throws(LogError) -> StartingPoint {
    let otherNames = folder.names.filter { name in !SegmentName.isUnfinished(name) }
    if folder.hasHead || folder.hasBase {
      throw LogError(
        .damaged, folder.noSegmentMessage, path: path,
        advice: "The segments were removed: restore them from a backup. \(.verify) prints the full report.")
    }
    guard otherNames.isEmpty else {
      throw LogError(
        .notALog, "the directory has other files and no segment, for example '\(otherNames[0])'", path: path,
        advice: "Name a directory that is empty or does not exist.")
    }
    let now = configuration.environment.now()
    let header = LogHeader(
      log: configuration.environment.makeLogID(), model: model, schema: schema, first: base?.first ?? 1, epoch: 1,
      created: now,
      isSalted: configuration.redactable, parent: parent, key: configuration.key)
    guard LogHeader.isLogID(header.log) else {
      throw LogError(.invalidArgument, "the identifier of a log is a UUID in lower case, not '\(header.log)'")
    }
    let newBase = try makeBase(of: header)
    let before = newBase?.lastLine ?? .origin
    var line: [UInt8] = []
    var encoder = LineEncoder()
    let crc = encoder.append(
      revision: before.revision, time: now, type: LogHeader.controlType.rawValue, synced: before.synced,
      prev: before.crc, data: header.data(), to: &line)
    let (file, identity) = try makeFirstSegment(header.first, line)
    let position = WriterPosition(
      revision: before.revision, crc: crc, segment: header.first, created: now, bytes: line.count, holdsAction: false,
      schema: schema, isSalted: header.isSalted)
    return StartingPoint(
      file: file, path: path + "/" + SegmentName.text(first: header.first), identity: identity, position: position,
      header: header, firstHeader: header, isNew: true, newBase: newBase)
  }

  /// Writes the base of a new log. The directory is new, and gets its name when the log is complete.
  private func makeBase(of header: LogHeader) throws(LogError) -> LogBase? {
    guard var base else { return nil }
    base.log = header.log
    base.model = header.model
    let bytes = base.bytes
    try LogError.files("the base of the log cannot be written") { () throws(FileSystemError) in
      try fileSystem.createFile(path + "/" + LogFormat.baseName, with: bytes)
      try fileSystem.syncDirectory(path)
    }
    return base
  }

  private func makeFirstSegment(
    _ first: Int, _ line: [UInt8]
  ) throws(LogError) -> (file: any LogFile, identity: FileIdentity?) {
    let maker = SegmentMaker(
      fileSystem: fileSystem, directory: path, strength: configuration.durability.strength)
    do throws(SegmentMaker.Failure) { return try maker.make(first: first, line: line[...]) } catch {
      throw LogError.files(error.error, "the first segment cannot be created")
    }
  }
}

extension LogOpener {
  /// Opens an existing log as the last writer did, to change something other than its actions.
  package init(maintaining reader: LogReader, _ extent: LogExtent, _ environment: LogEnvironment) {
    self.init(
      path: reader.path, model: reader.header.model, schema: extent.schema, parent: nil, fileSystem: reader.fileSystem,
      configuration: LogConfiguration(environment: environment))
  }
}

/// The result of opening a log for writing.
public struct LogOpening: Sendable, Equatable {
  /// A torn tail that was truncated.
  public struct Recovered: Sendable, Equatable {
    /// The number of bytes.
    public var bytes: Int
    /// The file that holds them, relative to the log's directory.
    public var file: String

    package init(bytes: Int, file: String) {
      self.bytes = bytes
      self.file = file
    }
  }

  /// Whether this call created the log.
  public var isNew: Bool
  /// The torn tail that was truncated, if there was one.
  public var recovered: Recovered?
  /// The number of this writer, counted from 1.
  public var epoch: Int
  /// The header of the first segment.
  public var header: LogHeader
  /// The last revision.
  public var lastRevision: Int
  /// Whether the previous writer closed the log; `true` for a new log.
  public var wasClosed: Bool
  /// Whether the lines of new segments have salts, so that their values can be redacted.
  public var isRedactable: Bool
  /// Whether this call completed a redaction that was interrupted.
  package var finishedRedaction = false
}
