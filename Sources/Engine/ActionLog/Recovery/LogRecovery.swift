internal import JSONCoding

/// Recovers an existing log: finds its end by the recovery rule and truncates a torn tail.
struct LogRecovery {
  let opener: LogOpener
  let folder: LogFolder
  let head: LogHead?

  /// Recovers the log.
  ///
  /// Everything is read before anything is changed, so that a refused log keeps all its bytes.
  func recover() throws(LogError) -> LogOpener.StartingPoint {
    // The opener has checked that there is a segment.
    let active = folder.segments[folder.segments.count - 1]
    try folder.checkBeginning()
    // The message about a base that does not fit is clearer than that about the line.
    if folder.base != nil { _ = try LogReader.header(ofFirstIn: folder, opener.fileSystem) }
    let boundary = try SealedSegments(fileSystem: opener.fileSystem).check(folder.segments, after: folder.base)
    let file = try openActive(active)
    do throws(LogError) {
      // This precedes the reading: pages that leave the cache between two reads would be read differently.
      try rewriteUnconfirmed(file, active)
      let scan = try SegmentScan(
        SourceFile(file, path: active.path), boundary.chain(before: active), last: active, head: head)
      let isTorn = try judge(scan, file, active)
      try checkEdge(scan, active)
      let header = try checkFit(scan, active)
      try removeUnfinished(isPruning: scan.chain.ending == .pruning)
      let recovered = isTorn ? try truncate(scan, file, active) : nil
      return try startingPoint(scan, header, file, active, boundary, recovered)
    } catch {
      file.close()
      throw error
    }
  }

  /// Opens the active segment so that reads return what the device has, as far as the system allows.
  ///
  /// After a failed sync the system may cache pages that the device does not have. The directory is synced, too: the
  /// writer that named the segment may have been killed before that sync, or the sync may have failed.
  private func openActive(_ active: LogFolder.Segment) throws(LogError) -> any LogFile {
    do throws(FileSystemError) {
      let file = try opener.fileSystem.open(active.path, for: .append)
      do throws(FileSystemError) {
        try file.sync(opener.configuration.durability.strength)
        try opener.fileSystem.syncDirectory(opener.path)
      } catch {
        file.close()
        throw error
      }
      file.discardCache()
      return file
    } catch {
      throw unusable(error, active)
    }
  }

  /// Rewrites and syncs the end of the segment that `HEAD` does not confirm as durable.
  ///
  /// Not every system discards cached pages on request (Darwin does not), and after a failed sync the system counts
  /// them as written, so the next sync succeeds without storing them. Rewritten pages are dirty again: the sync
  /// either stores them or fails.
  ///
  /// A log with a tail that is too long for a torn one is left as it is, because it is damaged.
  private func rewriteUnconfirmed(_ file: any LogFile, _ active: LogFolder.Segment) throws(LogError) {
    let source = SourceFile(file, path: active.path)
    let size = try source.size()
    var offset = 0
    if let head, head.segment == active.first { offset = head.bytes }
    guard offset < size else { return }
    if try source.endsInGap(from: offset) { return }
    func writing<Value>(_ calls: () throws(FileSystemError) -> Value) throws(LogError) -> Value {
      do throws(FileSystemError) { return try calls() } catch { throw unusable(error, active) }
    }
    // A file that is open for appending cannot be written at an offset.
    let target = try writing { () throws(FileSystemError) in
      try opener.fileSystem.open(active.path, for: .overwrite)
    }
    defer { target.close() }
    var chunks = try source.reading { (file) throws(FileSystemError) in try FileChunks(file, from: offset, to: size) }
    while let bytes = try source.reading({ (_) throws(FileSystemError) in try chunks.next() }) {
      try writing { () throws(FileSystemError) in try target.write(bytes, at: chunks.offset - bytes.count) }
    }
    try writing { () throws(FileSystemError) in try target.sync(opener.configuration.durability.strength) }
  }

  private func unusable(_ error: FileSystemError, _ active: LogFolder.Segment) -> LogError {
    let message = "the active segment cannot be opened and synced"
    // Other errors concern writing and do not affect reading.
    return error.code == .notARegularFile
      ? LogError.segment(error, message, path: active.path).positioned(after: active.first - 1, firstRead: nil)
      : LogError.files(error, message, path: active.path)
  }

  /// Applies the recovery rule.
  ///
  /// - Returns: Whether the log ends in a torn tail that may be truncated.
  private func judge(
    _ scan: SegmentScan, _ file: any LogFile, _ active: LogFolder.Segment
  ) throws(LogError) -> Bool {
    let end = scan.end(of: SourceFile(file, path: active.path), active, head: head)
    switch try end.ending(after: scan.fault) {
    case .clean, .closed: return false
    case .damaged(let error): throw error
    case .torn: return true
    }
  }

  /// Refuses a log that ends before the line with which the tiles in `proofs` end, or has another line there: it was durable.
  ///
  /// Only the active segment is compared. A file that cannot be read proves nothing; `verify` and `checkpoint` report it.
  private func checkEdge(_ scan: SegmentScan, _ active: LogFolder.Segment) throws(LogError) {
    let edge: EvidenceEdge?
    do throws(LogError) {
      edge = try EvidenceStore(log: opener.path, fileSystem: opener.fileSystem).edge()
    } catch {
      guard error.concernsFile else { throw error }
      return
    }
    guard let edge, edge.segment >= active.first else { return }
    let isSameLine = edge.line != scan.lineCount || edge.last == scan.chain.link?.crc
    guard edge.segment > active.first || edge.line > scan.lineCount || !isSameLine else { return }
    let lastRevision = scan.chain.link?.revision ?? active.first - 1
    throw LogError(
      .damaged,
      isSameLine
        ? "the log ends before line \(edge.line) of the segment \(SegmentName.text(first: edge.segment)), "
          + "which the tiles in 'proofs' cover" : "the line is not the one that the tiles in 'proofs' end with",
      path: active.path, line: scan.lineCount + (isSameLine ? 1 : 0), revision: edge.revision,
      intact: LogError.intact(from: active.first, through: lastRevision),
      advice:
        "Restore the log from a backup. To continue it without its end, move 'proofs' away. Kept checkpoints then report it."
    )
  }

  /// Refuses a log that this program cannot write.
  private func checkFit(_ scan: SegmentScan, _ active: LogFolder.Segment) throws(LogError) -> LogHeader {
    guard let header = scan.chain.header else {
      throw LogError.fault(
        .misplacedHeader, path: active.path, line: 1, byteOffset: 0, lastRevision: active.first - 1, firstRead: nil)
    }
    guard header.model == opener.model else {
      throw LogError(
        .wrongModel, "the log holds actions of the model '\(header.model)', not '\(opener.model)'", path: opener.path)
    }
    guard scan.chain.schema <= opener.schema else {
      throw LogError(
        .schemaTooNew, "the log has schema \(scan.chain.schema), the program has \(opener.schema)", path: opener.path,
        advice: "A newer version of the program can write to it.")
    }
    guard scan.chain.epoch < LogFormat.revisionLimit else {
      throw LogError(
        .beyondLimit, "the log has reached the last writer number, \(LogFormat.revisionLimit)", path: opener.path,
        intact: "It can be read.", advice: "\(.salvage) copies it to a new log, which counts from 1.")
    }
    return header
  }

  /// Removes unfinished segments of earlier writers, and the base of a pruning that was not recorded.
  private func removeUnfinished(isPruning: Bool) throws(LogError) {
    try LogError.files("an unfinished segment of an earlier writer cannot be removed") { () throws(FileSystemError) in
      for path in folder.unfinished { try opener.fileSystem.remove(path) }
      if folder.hasUnfinishedBase, !isPruning {
        try opener.fileSystem.remove(PruningEnd.unfinishedPath(in: opener.path))
      }
    }
  }

  private func truncate(
    _ scan: SegmentScan, _ file: any LogFile, _ active: LogFolder.Segment
  ) throws(LogError) -> LogOpening.Recovered {
    let bytes = scan.sizeBytes - scan.goodBytes
    let lastRevision = scan.chain.link?.revision ?? active.first - 1
    let report: JSONObject = [
      "segment": .string(SegmentName.text(first: active.first)), "byte": .number(JSONNumber(scan.goodBytes)),
      "bytes": .number(JSONNumber(bytes)), "after": .number(JSONNumber(lastRevision)),
      "time": .string("\(opener.configuration.environment.now())"), "reason": .string(scan.fault?.message ?? ""),
    ]
    let quarantine = Quarantine(fileSystem: opener.fileSystem, directory: opener.path)
    do throws(FileSystemError) {
      let kept = try quarantine.keep(file, segment: active, from: scan.goodBytes, bytes: bytes, report: report)
      try file.truncate(toBytes: scan.goodBytes)
      try file.sync(opener.configuration.durability.strength)
      return LogOpening.Recovered(bytes: bytes, file: kept)
    } catch {
      var failure = LogError.files(error, "the torn tail cannot be moved to the quarantine", path: error.path)
      failure.intact = "The log can be read. " + LogError.intact(from: active.first, through: lastRevision)
      failure.advice = quarantine.advice(on: error)
      throw failure
    }
  }

  private func startingPoint(
    _ scan: SegmentScan, _ header: LogHeader, _ file: any LogFile, _ active: LogFolder.Segment,
    _ boundary: SealedSegments.Boundary, _ recovered: LogOpening.Recovered?
  ) throws(LogError) -> LogOpener.StartingPoint {
    // There is a line, the one with the header.
    let link = scan.chain.link ?? boundary.link
    var header = header
    let firstHeader = boundary.header ?? header
    header.epoch = scan.chain.epoch + 1
    // An older program writes segments without it.
    header.key = firstHeader.key
    let isSalted = header.isSalted
    header.isSalted = isSalted || firstHeader.isSalted || opener.configuration.redactable
    header.schema = opener.schema
    let identity = try LogError.files("the active segment cannot be inspected") { () throws(FileSystemError) in
      try file.identity()
    }
    let position = WriterPosition(
      revision: link.revision, crc: link.crc, segment: active.first, created: header.created, bytes: scan.goodBytes,
      holdsAction: scan.chain.holdsAction,
      schema: scan.chain.schema, isSalted: isSalted)
    return LogOpener.StartingPoint(
      file: file, path: active.path, identity: identity, position: position, header: header, firstHeader: firstHeader,
      wasClosed: scan.chain.isClosed, endsInPruning: scan.chain.ending == .pruning, recovered: recovered,
      endsInRedaction: scan.chain.ending == .redaction)
  }
}

struct Quarantine {
  let fileSystem: any LogFileSystem
  let directory: String

  /// Copies the bytes from an offset to the end of a segment to a new file, adds a report, and makes both durable.
  ///
  /// - Returns: The file, relative to the log's directory.
  func keep(
    _ file: any LogFile, segment: LogFolder.Segment, from byteOffset: Int, bytes: Int, report: JSONObject
  ) throws(FileSystemError) -> String {
    let name = try folderName()
    let folder = directory + "/" + name
    let stem = try freeStem("\(SegmentName.text(first: segment.first)).\(byteOffset)", in: folder)
    try fileSystem.createFile("\(folder)/\(stem).torn", sync: .data) { (target) throws(FileSystemError) in
      try target.append(file, byteOffset..<byteOffset + bytes)
    }
    let text = JSONValue.object(report).bytes() + [UInt8(ascii: "\n")]
    try fileSystem.createFile("\(folder)/\(stem).json", with: text, sync: .data)
    try fileSystem.syncDirectory(folder)
    return "\(name)/\(stem).torn"
  }

  /// The number of names to try: more than a log has foreign files.
  private static let folderLimit = 100

  /// Finds or creates the directory: `quarantine`, or the first of `quarantine-2`, `quarantine-3`, … that is not
  /// occupied by another file.
  ///
  /// Symbolic links are not followed: they would lead out of the log.
  private func folderName() throws(FileSystemError) -> String {
    for number in 1...Self.folderLimit {
      let name = number == 1 ? LogFormat.quarantineName : "\(LogFormat.quarantineName)-\(number)"
      let folder = directory + "/" + name
      guard let status = try fileSystem.status(of: folder) else {
        try fileSystem.createDirectory(folder)
        try fileSystem.syncDirectory(directory)
        return name
      }
      if status.kind == .directory { return name }
    }
    throw FileSystemError(code: .notADirectory, operation: "open", path: directory + "/" + LogFormat.quarantineName)
  }

  /// Returns advice for a failure to keep the bytes.
  func advice(on error: FileSystemError) -> MessageText {
    let folder = directory + "/" + LogFormat.quarantineName
    switch error.code {
    case .notADirectory, .notARegularFile, .exists:
      return
        "The torn bytes are kept in the directory '\(folder)': move the file at that path away, and open the log again."
    case .noSpace: return "Make room on the disk, and open the log again."
    case .permissionDenied, .readOnlyFileSystem:
      return "Make '\(folder)' writable, and open the log again."
    case .fileTooLarge: return LogError.fileSizeAdvice
    case .notFound, .notEmpty, .locked, .inputOutput:
      return "Remove the cause, and open the log again: nothing is truncated before the bytes are kept."
    }
  }

  /// Finds an unused name: the same offset can be torn twice, or an earlier attempt may have been interrupted.
  private func freeStem(_ stem: String, in folder: String) throws(FileSystemError) -> String {
    let names = Set(try fileSystem.names(in: folder))
    var candidate = stem
    var number = 2
    while names.contains(candidate + ".torn") || names.contains(candidate + ".json") {
      candidate = "\(stem)-\(number)"
      number += 1
    }
    return candidate
  }
}
