internal import Dispatch
internal import Platform

/// The counts of a verification on several threads.
package struct VerificationWork: Equatable, Sendable {
  /// The segments whose findings were added after they were read ahead of their turn.
  package var aheadCount = 0
  /// The segments that were read in their turn, because the findings could not be added.
  package var inTurnCount = 0
  /// The largest number of segments that were being read, or had been read and not added yet.
  package var largestLead = 0
}

/// Verifies the segments of a log by themselves, on several threads ahead of the caller, who takes the results in order.
///
/// Memory is bounded: a thread that is far ahead of the caller waits.
final class SegmentsAhead: Sendable {
  private struct Contents: Sendable {
    /// The index of the next segment to read.
    var next = 0
    /// The number of segments that were taken.
    var taken = 0
    /// The segments that were read and not taken; `nil` for one that could not be read.
    var finished: [Int: Verification?] = [:]
    var runningThreads = 0
    var isStopped = false
    var needsLeaves: Bool
    var bytesRead = 0
    var largestLead = 0
  }

  private let plan: VerificationPlan
  private let fileSystem: any LogFileSystem
  private let contents: Locked<Contents>
  /// The number of segments that may be begun.
  private let room = DispatchSemaphore(value: 0)
  /// Signaled when a segment was read, and when a thread ends.
  private let results = DispatchSemaphore(value: 0)

  /// The time after which a caller that waits shows its progress again.
  private static let patience = DispatchTimeInterval.milliseconds(200)

  init(_ plan: VerificationPlan, _ fileSystem: any LogFileSystem, needsLeaves: Bool) {
    self.plan = plan
    self.fileSystem = fileSystem
    contents = Locked(Contents(needsLeaves: needsLeaves))
  }

  /// Starts threads, as far as the system provides them.
  ///
  /// - Parameter count: Their number. At most twice as many segments are being read or wait to be taken.
  func start(threads count: Int) {
    for _ in 0..<2 * count { room.signal() }
    contents.withLock { contents in contents.runningThreads = count }
    var started = 0
    while started < count, SystemThread.start({ self.work() }) { started += 1 }
    contents.withLock { contents in contents.runningThreads -= count - started }
  }

  /// Takes the findings in the next segment.
  ///
  /// - Parameter waiting: Called periodically until it was read, with the number of bytes that the threads have read.
  /// - Returns: `nil` if the segment could not be read, or there is no thread to do so.
  func take(_ index: Int, needsLeaves: Bool, waiting: (_ bytesRead: Int) -> Void) -> Verification? {
    while true {
      let (found, bytesRead) = contents.withLock { contents -> (found: Verification??, bytesRead: Int) in
        contents.needsLeaves = needsLeaves
        let found = contents.finished.removeValue(forKey: index)
        if found != nil { contents.taken += 1 }
        return (found ?? (contents.runningThreads == 0 ? .some(nil) : nil), contents.bytesRead)
      }
      waiting(bytesRead)
      if let found {
        room.signal()
        return found
      }
      _ = results.wait(timeout: .now() + Self.patience)
    }
  }

  /// Begins no further segment, and waits for the threads.
  ///
  /// - Returns: The largest number of segments that were being read or waited to be taken.
  @discardableResult func end() -> Int {
    contents.withLock { contents in contents.isStopped = true }
    while true {
      let (running, largestLead) = contents.withLock { contents in (contents.runningThreads, contents.largestLead) }
      if running == 0 { return largestLead }
      // Wakes the threads that wait.
      for _ in 0..<running { room.signal() }
      _ = results.wait(timeout: .now() + Self.patience)
    }
  }

  /// Runs on a thread.
  private func work() {
    while let (index, needsLeaves) = begin() {
      var part = Verification(ofSegment: index, plan, fileSystem, needsLeaves: needsLeaves)
      var counted = 0
      var isRead = true
      do throws(LogError) {
        try part.read(segment: index) { read, _ in
          contents.withLock { contents in contents.bytesRead += read - counted }
          counted = read
        }
      } catch {
        // It is read again in its turn, which reports the error.
        isRead = false
      }
      part.endReading()
      let result = isRead ? part : nil
      contents.withLock { contents in contents.finished[index] = .some(result) }
      results.signal()
    }
    contents.withLock { contents in contents.runningThreads -= 1 }
    results.signal()
  }

  private func begin() -> (index: Int, needsLeaves: Bool)? {
    room.wait()
    return contents.withLock { contents in
      guard !contents.isStopped, contents.next < plan.segments.count else { return nil }
      defer { contents.next += 1 }
      contents.largestLead = max(contents.largestLead, contents.next + 1 - contents.taken)
      return (contents.next, contents.needsLeaves)
    }
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
  /// - Parameter part: A verification of the segment alone.
  /// - Returns: Whether they were added. Otherwise nothing changed, and the segment has to be read now: it has a problem, it does
  ///   not follow the one before it, or one of its lines has to be compared with the end of the tiles.
  /// - Complexity: O(number of redacted lines), and O(number of lines) up to the last checkpoint.
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
