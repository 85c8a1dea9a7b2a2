/// Finds the end of a log that exists, and cuts off what a crash has left there.
struct LogRecovery {
  let opener: LogOpener
  let folder: LogFolder
  let head: LogHead?

  /// Recovers the log.
  ///
  /// Everything is looked at before anything is changed, so that a refusal leaves the files alone.
  ///
  /// - Complexity: O(length of the last segment + number of segments).
  func recover() throws(LogError) -> LogOpener.Ground {
    // The opener has seen that there is a segment.
    let active = folder.segments[folder.segments.count - 1]
    let seam = try SealedSegments(fileSystem: opener.fileSystem).check(folder.segments)
    let file = try openActive(active)
    do throws(LogError) {
      let chain = ChainState(
        beforeSegment: ChainState.Expectation(
          first: active.first, log: seam.header?.log, model: seam.header?.model),
        after: seam.link)
      let scan = try SegmentScan(SourceFile(file, path: active.path), chain)
      let isTorn = try judge(scan, file, active)
      try checkFit(scan, active)
      try removeUnfinished()
      let recovered = isTorn ? try cut(scan, file, active) : nil
      return try ground(scan, file, active, seam, recovered)
    } catch {
      file.close()
      throw error
    }
  }

  /// Opens the active segment so that what is read from it is what the device holds.
  ///
  /// After a failed synchronisation the system may keep pages in memory that the device never got. The entries of the
  /// directory are made durable, too: whoever named the segment may have been killed before that, or have failed at it.
  private func openActive(_ active: LogFolder.Segment) throws(LogError) -> any LogFile {
    do throws(FileSystemError) {
      let file = try opener.fileSystem.open(active.path, for: .append)
      do throws(FileSystemError) {
        try file.synchronize(opener.configuration.durability.strength)
        try opener.fileSystem.synchronizeDirectory(opener.path)
      } catch {
        file.close()
        throw error
      }
      file.discardCache()
      return file
    } catch {
      let what = "the active segment cannot be opened and synchronised"
      // It is about writing otherwise: of what can be read it says nothing.
      throw error.code == .notARegularFile
        ? LogError.segment(error, what, path: active.path).behind(active.first - 1, firstRead: nil)
        : LogError.files(error, what, path: active.path)
    }
  }

  /// - Returns: Whether the end is a torn tail that may be cut off.
  private func judge(
    _ scan: SegmentScan, _ file: any LogFile, _ active: LogFolder.Segment
  ) throws(LogError) -> Bool {
    let source = SourceFile(file, path: active.path)
    let evidence = try scan.evidence(source, segment: active.first, head: head)
    switch evidence.verdict() {
    case .clean: return false
    case .damaged(let reason): throw scan.damage(reason, evidence, of: active)
    case .torn:
      guard opener.configuration.recovery == .standard else {
        throw LogError(
          .tornTail, "the log ends in a torn line (\(scan.sizeBytes - scan.goodBytes) bytes)", path: active.path,
          line: scan.lineCount + 1, byteOffset: scan.goodBytes, seq: evidence.lastSeq + 1,
          advice: LogError.intact(from: active.first, through: evidence.lastSeq)
            + " 'action-log repair' cuts the torn bytes off.")
      }
      return true
    }
  }

  /// Refuses a log that is not for this program.
  private func checkFit(_ scan: SegmentScan, _ active: LogFolder.Segment) throws(LogError) {
    guard let header = scan.chain.header else {
      throw LogError.fault(
        .misplacedHeader, path: active.path, line: 1, byteOffset: 0, lastSeq: active.first - 1, firstRead: nil)
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
    guard scan.chain.epoch < LogFormat.seqLimit else {
      throw LogError(
        .beyondLimit, "the log had its last writer: they are numbered up to \(LogFormat.seqLimit)", path: opener.path,
        advice: "It can be read. 'action-log salvage' makes a new log of it, which counts from 1.")
    }
  }

  /// Removes what writers that died have left of segments they were making.
  private func removeUnfinished() throws(LogError) {
    do throws(FileSystemError) {
      for path in folder.unfinished { try opener.fileSystem.remove(path) }
    } catch {
      throw LogError.files(error, "what is left of a segment that was being made cannot be removed")
    }
  }

  /// Moves the torn bytes to the quarantine.
  private func cut(
    _ scan: SegmentScan, _ file: any LogFile, _ active: LogFolder.Segment
  ) throws(LogError) -> LogOpening.Recovered {
    let bytes = scan.sizeBytes - scan.goodBytes
    let lastSeq = scan.chain.link?.seq ?? active.first - 1
    let report = Quarantine.Report(
      segment: SegmentName.text(first: active.first), byteOffset: scan.goodBytes, bytes: bytes, lastSeq: lastSeq,
      time: opener.configuration.environment.now(), reason: scan.fault?.fault.message ?? "")
    let quarantine = Quarantine(fileSystem: opener.fileSystem, directory: opener.path)
    do throws(FileSystemError) {
      let kept = try quarantine.keep(file, segment: active, from: scan.goodBytes, bytes: bytes, report: report)
      try file.truncate(toBytes: scan.goodBytes)
      try file.synchronize(opener.configuration.durability.strength)
      return LogOpening.Recovered(bytes: bytes, file: kept)
    } catch {
      var failure = LogError.files(error, "the torn end cannot be moved to the quarantine", path: error.path)
      failure.advice =
        "The log can be read. " + LogError.intact(from: active.first, through: lastSeq) + " "
        + quarantine.advice(on: error)
      throw failure
    }
  }

  private func ground(
    _ scan: SegmentScan, _ file: any LogFile, _ active: LogFolder.Segment, _ seam: SealedSegments.Seam,
    _ recovered: LogOpening.Recovered?
  ) throws(LogError) -> LogOpener.Ground {
    // Both are there: the fit was checked.
    guard var header = scan.chain.header, let link = scan.chain.link else {
      throw LogError.fault(
        .misplacedHeader, path: active.path, line: 1, byteOffset: 0, lastSeq: active.first - 1, firstRead: nil)
    }
    let firstHeader = seam.header ?? header
    header.epoch = scan.chain.epoch + 1
    header.schema = opener.schema
    let identity: FileIdentity?
    do throws(FileSystemError) { identity = try file.identity() } catch {
      throw LogError.files(error, "the active segment cannot be looked at")
    }
    let position = WriterPosition(
      seq: link.seq, crc: link.crc, segment: active.first, bytes: scan.goodBytes, holdsAction: scan.chain.holdsAction,
      schema: scan.chain.schema)
    return LogOpener.Ground(
      file: file, path: active.path, identity: identity, position: position, header: header, firstHeader: firstHeader,
      wasClosed: scan.chain.isClosed, recovered: recovered)
  }
}

extension SegmentScan {
  /// The error for an end that the recovery rule calls damaged.
  func damage(_ reason: DamageReason, _ evidence: TailEvidence, of segment: LogFolder.Segment) -> LogError {
    LogError.damage(
      reason, fault?.fault, path: segment.path, line: fault?.line ?? lineCount + 1, byteOffset: goodBytes,
      lastSeq: evidence.lastSeq, firstRead: segment.first)
  }
}
