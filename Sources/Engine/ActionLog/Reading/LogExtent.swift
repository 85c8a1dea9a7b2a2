internal import Platform

/// The extent of a log: its last revision and how it ends.
public struct LogExtent: Sendable {
  /// The metadata of an action.
  public struct LastAction: Sendable, Equatable {
    /// The revision.
    public var revision: Int
    /// The time at which it was recorded.
    public var time: LogTime
    package var crc: UInt32
  }

  /// The revision that the log begins with: 0, or that of the base of a pruned log.
  public var firstRevision = 0
  /// The last revision that can be read; ``firstRevision`` if there is no action.
  public var lastRevision: Int
  /// The action at that revision.
  public var lastAction: LastAction?
  /// The schema in force at the end.
  public var schema: Int
  /// The way the log ends.
  public var ending: LogEnding
  /// The first action of the range up to the last one that was read completely, not only at the seams between segments.
  package var firstRead = 1
}

/// The ways a log can end, as far as it can be read.
public enum LogEnding: Sendable {
  /// The last line is complete and is not `@close`: a writer is active, or was terminated without leaving a torn tail.
  case clean
  /// The last line is `@close`.
  case closed
  /// The last line is incomplete: a batch that a crash truncated or that a writer is appending. None of it was
  /// acknowledged.
  case torn(bytes: Int, place: LogPlace)
  /// The log is damaged at the position in the error. Nothing after it is read.
  case damaged(LogError)

  /// The damage; `nil` for any other ending.
  public var damage: LogError? {
    if case .damaged(let error) = self { return error }
    return nil
  }
}

/// The state in which reading stopped, from which the ending is determined.
struct ReadingEnd {
  var file: SourceFile
  /// The first action of the segment, from its name.
  var segment: Int
  /// The offset after the last valid line in the file.
  var goodBytes: Int
  /// The number of valid lines in the segment; `nil` if reading began in the middle of it.
  var lineCount: Int?
  /// The state after the last valid line.
  var chain: ChainState
  var head: LogHead?
  var hasNewerSegment: Bool
  var firstRead: Int?

  /// Determines how the log ends, by the recovery rule of the format.
  ///
  /// - Parameter fault: The fault of the first invalid line; `nil` if there is none.
  func ending(after fault: LineFault?) throws(LogError) -> LogEnding {
    let evidence = try evidence(after: fault)
    switch evidence.verdict() {
    case .clean:
      return chain.isClosed ? .closed : .clean
    case .torn:
      let place = LogPlace(path: file.path, byteOffset: goodBytes, line: lineCount.map { count in count + 1 })
      return .torn(bytes: evidence.sizeBytes - goodBytes, place: place)
    case .damaged(let reason):
      return .damaged(try damage(reason, fault, evidence.lastRevision))
    }
  }

  func evidence(after fault: LineFault?) throws(LogError) -> TailEvidence {
    var evidence = TailEvidence(
      segment: segment, sizeBytes: goodBytes, goodBytes: goodBytes, lastRevision: chain.link?.revision ?? segment - 1)
    evidence.head = head
    evidence.hasHeader = chain.header != nil
    evidence.hasNewerSegment = hasNewerSegment
    if let fault {
      // At least one byte is invalid, even if the file was truncated in the meantime.
      evidence.sizeBytes = max(try file.size(), goodBytes + 1)
      try evidence.scan(after: fault, in: file)
    }
    return evidence
  }

  private func damage(_ reason: DamageReason, _ fault: LineFault?, _ lastRevision: Int) throws(LogError) -> LogError {
    let number = if let lineCount { lineCount + 1 } else { try LineScanner.lineNumber(at: goodBytes, in: file) }
    return LogError.damage(
      reason, fault, path: file.path, line: number, byteOffset: goodBytes, lastRevision: lastRevision,
      firstRead: firstRead)
  }
}

extension RecordCursor {
  /// The rest of a log, without its contents.
  package struct Summary {
    package var lastRevision: Int?
    package var lastAction: LogExtent.LastAction?
  }

  /// Reads to the end. ``ending`` then has the result, including damage.
  ///
  /// - Parameter limit: A position at which to stop before the end, for a log that grows while it is read.
  package mutating func summarize(
    upTo limit: (segmentIndex: Int, byteOffset: Int) = (.max, .max)
  ) throws(LogError) -> Summary {
    var summary = Summary()
    do throws(LogError) {
      while !isPast(limit.segmentIndex, limit.byteOffset), let batch = try readBatch() {
        summary.lastRevision = batch.entries.last?.revision
        if let last = batch.entries.last(where: { entry in !entry.isControl }) {
          summary.lastAction = LogExtent.LastAction(revision: last.revision, time: last.time, crc: last.crc)
        }
        recycle(batch)
      }
    } catch {
      guard ending?.damage != nil else { throw explained(error) }
    }
    return summary
  }
}

extension LogReader {
  /// Returns the last revision of the log and how it ends.
  ///
  /// The last segment is read completely; of the others, only the first and last lines. If these do not match, the
  /// complete log is read to find the start of the damage. A later call returns the same extent without reading it again if
  /// the log has the same segments, `HEAD`, and last line.
  ///
  /// - Throws: ``LogError`` if the files cannot be read. Damage is part of the result.
  /// - Complexity: O(length of the last segment + number of segments); O(number of segments) if the log has not grown since the
  ///   last call.
  public func extent() throws(LogError) -> LogExtent {
    try listingAgain { (listing) throws(LogError) in
      if let known = knownExtent.withLock({ known in known }), known.isCurrent(listing, fileSystem) {
        return known.extent
      }
      return try extent(listing)
    }
  }

  private func extent(_ listing: Listing) throws(LogError) -> LogExtent {
    let last = listing.segments.count - 1
    guard last > 0 else { return try extent(from: try start(ofSegment: 0, listing), listing) }
    var start: ReadingStart
    do throws(LogError) {
      let seam = try SealedSegments(fileSystem: fileSystem).check(listing.segments, after: listing.base)
      start = try self.start(ofSegment: last, listing)
      start.chain = chain(before: listing.segments[last], after: seam.link)
    } catch {
      guard error.code == .damaged else { throw error }
      start = try self.start(ofSegment: 0, listing)
    }
    return try extent(from: start, listing)
  }

  /// Reads from a segment to the end.
  private func extent(from start: ReadingStart, _ listing: Listing) throws(LogError) -> LogExtent {
    var records = RecordCursor(
      self, listing, from: start, target: nil, chunkBytes: RecordBatch.defaultChunkBytes)
    let summary = try records.summarize()
    let before = start.chain.link?.revision ?? listing.segments[start.segmentIndex].first - 1
    var extent = LogExtent(
      firstRevision: listing.firstRevision, lastRevision: summary.lastRevision ?? before,
      lastAction: summary.lastAction, schema: records.schema,
      ending: records.ending ?? .clean, firstRead: listing.segments[start.segmentIndex].first)
    let first = isSingleSegment ? header.first : listing.firstRevision + 1
    if extent.lastAction == nil, extent.lastRevision >= first {
      var earlier = try self.records(from: extent.lastRevision)
      if let record = try earlier.next(), record.revision == extent.lastRevision {
        extent.lastAction = LogExtent.LastAction(revision: record.revision, time: record.time, crc: record.crc)
      }
    }
    let known = try KnownLogExtent(extent, listing, endingIn: records.lastFile, at: records.stop.byteOffset)
    knownExtent.withLock { current in current = known }
    return extent
  }
}

/// The extent of a log, and what shows later that the log has not changed.
struct KnownLogExtent: Sendable {
  let extent: LogExtent
  private let listing: LogReader.Listing
  private let identity: FileIdentity?
  private let sizeBytes: Int
  /// The commit mark of the last line. Its checksum depends on all lines before it.
  private let mark: [UInt8]

  /// Creates the value for an extent that was just read.
  ///
  /// - Returns: `nil` if the log does not end with a complete line: its writer may be about to complete it.
  init?(
    _ extent: LogExtent, _ listing: LogReader.Listing, endingIn file: SourceFile, at byteOffset: Int
  ) throws(LogError) {
    switch extent.ending {
    case .clean, .closed: break
    case .torn, .damaged: return nil
    }
    let count = min(byteOffset, LogFormat.markSizeBytes)
    (self.extent, self.listing, sizeBytes) = (extent, listing, byteOffset)
    identity = try file.identity()
    mark = try file.bytes(at: byteOffset - count, count: count)
  }

  /// Whether a log with these segments ends with the same line. A log that cannot be read is read again, to report the reason.
  func isCurrent(_ now: LogReader.Listing, _ fileSystem: any LogFileSystem) -> Bool {
    guard now.segments == listing.segments, now.base == listing.base, now.head == listing.head,
      let last = now.segments.last
    else { return false }
    do throws(LogError) {
      let file = try SourceFile(last.path, fileSystem)
      defer { file.close() }
      guard try file.size() == sizeBytes, try file.identity() == identity else { return false }
      return try file.bytes(at: sizeBytes - mark.count, count: mark.count) == mark
    } catch {
      return false
    }
  }
}
