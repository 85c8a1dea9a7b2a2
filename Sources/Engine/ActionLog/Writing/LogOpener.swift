internal import Platform

/// Opens a log for writing: lock, recover, announce the writer.
struct LogOpener {
  let path: String
  let model: String
  let schema: Int
  let parent: LogHeader.Parent?
  let fileSystem: any LogFileSystem
  let configuration: LogConfiguration
  /// Whether the writer begins a new segment, so that every action before it is in a sealed one.
  var beginsSegment = false

  /// What the segments hold before the writer adds anything.
  struct Ground {
    /// The active segment, open for appending.
    var file: any LogFile
    var path: String
    var identity: FileIdentity?
    var position: WriterPosition
    /// What new segments say; its epoch and schema are those of the new writer.
    var header: LogHeader
    /// What the log's first line says.
    var firstHeader: LogHeader
    var isNew = false
    var wasClosed = true
    var recovered: LogOpening.Recovered?
  }

  /// Opens the log, making it when there is none.
  func open() throws(LogError) -> LogWriter {
    try checkArguments()
    try makeDirectory()
    let lock: any DirectoryLock
    do throws(FileSystemError) { lock = try fileSystem.lock(directory: path) } catch {
      throw LogError.files(error, "the log cannot be locked", path: path)
    }
    do throws(LogError) {
      return try start(try ground(), lock)
    } catch {
      lock.unlock()
      throw error
    }
  }

  private func checkArguments() throws(LogError) {
    guard (1...LogFormat.modelLimitBytes).contains(model.utf8.count) else {
      throw LogError(.invalidArgument, "the name of a model has 1 to \(LogFormat.modelLimitBytes) bytes")
    }
    guard (1...LogFormat.seqLimit).contains(schema) else {
      throw LogError(.invalidArgument, "schemas are numbered from 1")
    }
    guard configuration.segmentLimitBytes > 0, configuration.bufferLimitBytes > 0 else {
      throw LogError(.invalidArgument, "the limits of segments and buffers are positive numbers of bytes")
    }
  }

  /// Makes the directory durable in the one above, so that a power cut cannot take the whole log.
  ///
  /// Also when it is there already: who made it may have been killed before that, or have failed at it.
  private func makeDirectory() throws(LogError) {
    do throws(FileSystemError) {
      if let status = try fileSystem.status(of: path) {
        guard status.kind == .directory else {
          throw FileSystemError(code: .notADirectory, operation: "open", path: path)
        }
      } else {
        do throws(FileSystemError) { try fileSystem.createDirectory(path) } catch  where error.code == .exists {
          // Another process wants a log there too, and was faster; the lock decides.
        }
      }
      do throws(FileSystemError) {
        try fileSystem.syncDirectory(LogFolder.parent(of: path))
      } catch  where error.code == .permissionDenied {
        // Who may not read the directory above has not made this one, and cannot be asked to make it durable.
      }
    } catch {
      throw LogError.making(error, "the log's directory cannot be made", path: path)
    }
  }

  private func ground() throws(LogError) -> Ground {
    let evidence = try HeadEvidence.forWriting(path, fileSystem)
    let folder: LogFolder
    do throws(FileSystemError) {
      folder = try LogFolder(path, fileSystem)
    } catch {
      throw LogError.files(error, "the log cannot be read", path: path)
    }
    if folder.segments.isEmpty { return try newGround(folder) }
    return try LogRecovery(opener: self, folder: folder, head: evidence.head).recover()
  }

  /// Announces the writer and hands it over.
  private func start(_ ground: Ground, _ lock: any DirectoryLock) throws(LogError) -> LogWriter {
    let opening = LogOpening(
      isNew: ground.isNew, recovered: ground.recovered, epoch: ground.header.epoch, header: ground.firstHeader,
      lastSeq: ground.position.seq, wasClosed: ground.wasClosed)
    var queue = WriterQueue(header: ground.header, at: ground.position, configuration: configuration)
    if beginsSegment, ground.position.holdsAction { try queue.roll(at: configuration.environment.now()) }
    // A newer schema begins with this writer's first record. Until then an older program can open the log again.
    var open = openRecord(ground)
    try queue.add(open, time: configuration.environment.now())
    (open.schema, open.recovered) = (schema, nil)
    queue.schemaChange = open
    var state = WriterState(queue: queue, file: ground.file, path: ground.path, identity: ground.identity)
    state.written = ground.position
    state.synced = ground.position
    let head: (any LogFile)?
    do throws(FileSystemError) { head = try openHead() } catch {
      state.headFailure = LogError.files(error, "HEAD cannot be opened")
      head = nil
    }
    let writer = LogWriter(
      path: path, opening: opening, state: state, head: head, directoryLock: lock, fileSystem: fileSystem,
      configuration: configuration)
    do throws(LogError) { try writer.announce() } catch {
      writer.release()
      throw error
    }
    return writer
  }

  private func openRecord(_ ground: Ground) -> OpenRecord {
    let environment = configuration.environment
    return OpenRecord(
      epoch: ground.header.epoch, schema: ground.position.schema, program: environment.program,
      processID: environment.processID,
      host: environment.hostName,
      recovered: ground.recovered.map { recovered in
        OpenRecord.Recovered(bytes: recovered.bytes, file: recovered.file)
      })
  }

  /// Opens `HEAD` and cuts off what a strange hand may have added: it is exactly 128 bytes.
  private func openHead() throws(FileSystemError) -> any LogFile {
    let head = try fileSystem.open(path + "/" + LogFormat.headName, for: .overwrite)
    if try head.size() > LogFormat.headSizeBytes { try head.truncate(toBytes: LogFormat.headSizeBytes) }
    return head
  }
}

// MARK: - A new log

extension LogOpener {
  /// Makes the first segment.
  private func newGround(_ folder: LogFolder) throws(LogError) -> Ground {
    let strange = folder.names.filter { name in !SegmentName.isUnfinished(name) }
    if folder.hasHead {
      throw LogError(
        .damaged, "the directory holds HEAD and no segment", path: path,
        advice: "The segments are missing. Run 'action-log verify' for the full report.")
    }
    guard strange.isEmpty else {
      throw LogError(
        .notALog, "the directory holds no segment, but other files, for instance '\(strange[0])'", path: path,
        advice: "A new log needs a directory that is empty or does not exist.")
    }
    let now = configuration.environment.now()
    let header = LogHeader(
      log: configuration.environment.makeLogID(), model: model, schema: schema, first: 1, epoch: 1, created: now,
      parent: parent)
    guard LogHeader.isLogID(header.log) else {
      throw LogError(.invalidArgument, "the identifier of a log is a UUID in lower case, not '\(header.log)'")
    }
    var line: [UInt8] = []
    var encoder = LineEncoder()
    let crc = encoder.append(
      seq: 0, time: now, type: LogHeader.controlType.rawValue, synced: 0, prev: 0, data: header.data(), to: &line)
    let (file, identity) = try makeFirstSegment(line, folder)
    let position = WriterPosition(seq: 0, crc: crc, segment: 1, bytes: line.count, holdsAction: false, schema: schema)
    return Ground(
      file: file, path: path + "/" + SegmentName.text(first: 1), identity: identity, position: position,
      header: header, firstHeader: header, isNew: true)
  }

  private func makeFirstSegment(
    _ line: [UInt8], _ folder: LogFolder
  ) throws(LogError) -> (file: any LogFile, identity: FileIdentity?) {
    let maker = SegmentMaker(
      fileSystem: fileSystem, directory: path, strength: configuration.durability.strength)
    let outcome = line.withUnsafeBytes { bytes in
      Result { () throws(SegmentMaker.Failure) in try maker.make(first: 1, line: bytes) }
    }
    do throws(SegmentMaker.Failure) { return try outcome.get() } catch {
      throw LogError.files(error.error, "the first segment cannot be made")
    }
  }
}

/// What a writer found when it opened a log.
public struct LogOpening: Sendable, Equatable {
  /// A torn tail that was cut off.
  public struct Recovered: Sendable, Equatable {
    /// How many bytes.
    public var bytes: Int
    /// The file that keeps them, as a path within the log's directory.
    public var file: String

    /// Makes it from its parts.
    public init(bytes: Int, file: String) {
      self.bytes = bytes
      self.file = file
    }
  }

  /// Whether the log was made by this opening.
  public var isNew: Bool
  /// What was cut off, if a crash had torn the end.
  public var recovered: Recovered?
  /// The number of this writer, from 1.
  public var epoch: Int
  /// What the first line of the log says.
  public var header: LogHeader
  /// The last revision.
  public var lastSeq: Int
  /// Whether the writer before this one closed the log; true for a new log.
  public var wasClosed: Bool
}
