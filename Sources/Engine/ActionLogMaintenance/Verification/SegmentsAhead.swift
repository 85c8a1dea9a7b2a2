import ActionLog
import Platform

extension LogVerifier {
  /// State shared by the threads that read ahead and the caller, who adds their findings.
  private struct Ahead: Sendable {
    var needsLeaves: Bool
    var bytesRead = 0
  }

  /// Reads all segments, each by itself on one of several threads, and adds the findings in order.
  ///
  /// - Returns: `false` if the system provides no thread. Nothing was read then.
  static func readAhead(
    _ verification: inout Verification, width: Int, _ progress: (Int, Int) -> Void
  ) throws(LogError) -> Bool {
    let (plan, fileSystem) = (verification.plan, verification.fileSystem)
    let ahead = Locked(Ahead(needsLeaves: verification.needsLeaves))
    var shown = 0
    func show(_ bytesRead: Int, _ bytesTotal: Int) {
      // A segment that is read again does not count again.
      shown = max(shown, bytesRead)
      progress(shown, max(bytesTotal, shown))
    }
    func showAhead() { show(ahead.withLock { ahead in ahead.bytesRead }, plan.totalBytes) }
    var index = 0
    let ending = try OrderedJobs<Verification?>.run(
      plan.segments.count, width: width, waiting: showAhead,
      { index, output in try output.pass(part(index, plan, fileSystem, ahead)) },
      consume: { (part) throws(LogError) -> Bool in
        showAhead()
        let isAdded = part.map { part in verification.add(part) } ?? false
        if !isAdded { try verification.read(segment: index, show) }
        index += 1
        ahead.withLock { ahead in ahead.needsLeaves = verification.needsLeaves }
        return true
      })
    if case .noThread = ending { return false }
    return true
  }

  /// Reads a segment by itself. Called on a thread.
  ///
  /// - Returns: `nil` if it cannot be read. It is read again in its turn, which reports the error.
  private static func part(
    _ index: Int, _ plan: VerificationPlan, _ fileSystem: any LogFileSystem, _ ahead: Locked<Ahead>
  ) -> Verification? {
    let needsLeaves = ahead.withLock { ahead in ahead.needsLeaves }
    var part = Verification(ofSegment: index, plan, fileSystem, needsLeaves: needsLeaves)
    var counted = 0
    do throws(LogError) {
      try part.read(segment: index) { read, _ in
        ahead.withLock { ahead in ahead.bytesRead += read - counted }
        counted = read
      }
    } catch {
      return nil
    }
    part.endReading()
    return part
  }
}

// MARK: - One segment

extension Verification {
  /// Creates a verification of one segment, ahead of the others.
  ///
  /// - Parameter needsLeaves: Whether its lines are compared with a checkpoint.
  init(ofSegment index: Int, _ plan: VerificationPlan, _ fileSystem: any LogFileSystem, needsLeaves: Bool) {
    self.plan = plan
    self.fileSystem = fileSystem
    ahead = index
    chain = ChainState(beforeSegment: ChainState.Expectation(), after: nil)
    warnings = VerificationWarnings(head: plan.headFile.head)
    // Relative to the first line of the segment.
    redactions = RedactionCheck(firstIndex: 0)
    leaves = needsLeaves ? LineLeaves() : nil
  }

  /// Adds the findings in a segment that was read ahead, as if its lines were read now.
  ///
  /// - Returns: Whether they were added. Otherwise nothing changed, and the segment has to be read now: it has a problem, it does
  ///   not follow the one before it, or one of its lines has to be compared with the end of the tiles.
  mutating func add(_ part: Verification) -> Bool {
    guard let index = part.ahead, part.report.verdict == .clean, let segment = part.report.segments.first,
      let header = part.report.header, let beginning = part.beginning, let last = part.chain.link,
      header.log == report.header?.log ?? plan.base?.log ?? header.log,
      header.model == report.header?.model ?? plan.base?.model ?? header.model,
      follows(beginning), warnings.canAdd(part.warnings),
      !isIntact || checkpoints?.canAdd(part.leaves, count: segment.recordCount) ?? true
    else { return false }
    redactions.add(part.redactions, segment: plan.segments[index].first)
    prunings.add(part.prunings)
    warnings.add(part.warnings)
    if isIntact {
      checkpoints?.add(part.leaves, count: segment.recordCount)
      report.lastRevision = last.revision
    }
    if let range = part.schemaRange {
      recordSchema(range.schema, of: range.first)
      schemaRange?.last = range.last
    }
    chain = part.chain
    report.header = report.header ?? header
    report.segments.append(segment)
    report.largestBufferBytes = max(report.largestBufferBytes, part.report.largestBufferBytes)
    bytesBefore += part.bytesBefore
    return true
  }

  /// Whether the first line of a segment follows the last line.
  private func follows(_ first: (checksum: UInt32, revision: Int, synced: Int)) -> Bool {
    guard let link = chain.link else { return true }
    return first.checksum == link.crc && first.revision == link.revision && first.synced >= link.synced
  }

  /// Whether the next lines are compared with a checkpoint.
  var needsLeaves: Bool { isIntact && checkpoints?.needsLeaves ?? false }

  /// Releases the memory that only reading needs.
  mutating func endReading() { spare = [] }
}
