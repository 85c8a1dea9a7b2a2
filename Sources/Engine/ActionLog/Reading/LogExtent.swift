/// How far a log goes.
public struct LogExtent: Sendable {
  /// An action, without its contents.
  public struct LastAction: Sendable, Equatable {
    /// Its revision.
    public var seq: Int
    /// When it was recorded.
    public var time: LogTime
    /// The checksum of its line.
    public var crc: UInt32
  }

  /// The last revision that can be read; 0 when there is no action.
  public var lastSeq: Int
  /// The action at that revision.
  public var lastAction: LastAction?
  /// The schema in force at the end.
  public var schema: Int
  /// How it ends.
  public var ending: LogEnding
  /// The first action of those up to the last that were read, and not only taken from the seams between segments.
  var firstRead = 1
}

/// How a log ends, as far as it can be read.
public enum LogEnding: Sendable {
  /// With a whole line that is not `@close`: a writer is at work, or died without having torn anything.
  case clean
  /// With `@close`.
  case closed
  /// With bytes that are no whole line: a batch that a crash has cut, or that a live writer is just writing. None of it
  /// was acknowledged.
  case torn(bytes: Int, place: LogPlace)
  /// With damage: the error says where. What comes after is not read.
  case damaged(LogError)

  /// The damage, if that is how it ends.
  public var damage: LogError? {
    if case .damaged(let error) = self { return error }
    return nil
  }
}

/// Where reading a log in order stopped, with all that decides how the log ends there.
struct ReadingEnd {
  var file: SourceFile
  /// The first action of the segment, by its name.
  var segment: Int
  /// The end of the last good line in the file.
  var goodBytes: Int
  /// How many lines of the segment are good; `nil` when reading began in the middle of it.
  var lineCount: Int?
  /// Behind the last good line.
  var chain: ChainState
  /// What `HEAD` said before the log was read.
  var head: LogHead?
  var hasNewerSegment: Bool
  /// The first action that was read.
  var firstRead: Int?

  /// How the log ends, by the recovery rule of the format.
  ///
  /// - Parameter fault: What is wrong with the first line that is not good; `nil` when there is none.
  /// - Complexity: O(bytes after the last good line), and with a damaged line whose number is not known O(bytes before it).
  func judge(_ fault: LineFault?) throws(LogError) -> LogEnding {
    var evidence = TailEvidence(
      segment: segment, sizeBytes: goodBytes, goodBytes: goodBytes, lastSeq: chain.link?.seq ?? segment - 1)
    evidence.head = head
    evidence.hasHeader = chain.header != nil
    evidence.hasNewerSegment = hasNewerSegment
    if let fault {
      // At least one byte is bad, even if the file was cut since.
      evidence.sizeBytes = max(try file.size(), goodBytes + 1)
      try evidence.scan(after: fault, in: file)
    }
    switch evidence.verdict() {
    case .clean:
      return chain.isClosed ? .closed : .clean
    case .torn:
      let place = LogPlace(path: file.path, byteOffset: goodBytes, line: lineCount.map { count in count + 1 })
      return .torn(bytes: evidence.sizeBytes - goodBytes, place: place)
    case .damaged(let reason):
      return .damaged(try damage(reason, fault, evidence.lastSeq))
    }
  }

  private func damage(_ reason: DamageReason, _ fault: LineFault?, _ lastSeq: Int) throws(LogError) -> LogError {
    let number = if let lineCount { lineCount + 1 } else { try LineScanner.lineNumber(at: goodBytes, in: file) }
    return LogError.damage(
      reason, fault, path: file.path, line: number, byteOffset: goodBytes, lastSeq: lastSeq, firstRead: firstRead)
  }
}

extension RecordCursor {
  /// What is left of the log, without its contents.
  struct Summary {
    var lastSeq: Int?
    var lastAction: LogExtent.LastAction?
  }

  /// Reads to the end, which is then in ``ending``, damage included.
  ///
  /// - Parameter limit: A place at or behind which to stop before the end, for a log that grows while it is read.
  /// - Throws: ``LogError`` when the files cannot be read.
  mutating func summarize(
    upTo limit: (segmentIndex: Int, byteOffset: Int) = (.max, .max)
  ) throws(LogError) -> Summary {
    var summary = Summary()
    do throws(LogError) {
      while !isPast(limit.segmentIndex, limit.byteOffset), let batch = try nextBatch() {
        summary.lastSeq = batch.entries.last?.seq
        if let last = batch.entries.last(where: { entry in !entry.isControl }) {
          summary.lastAction = LogExtent.LastAction(seq: last.seq, time: last.time, crc: last.crc)
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
  /// How far the log goes, and how it ends.
  ///
  /// The last segment is read whole, of the others the seams: the first and last lines. Where a seam does not check, everything is
  /// read, to say where the damage begins.
  ///
  /// - Throws: ``LogError`` when the files cannot be read. Damage is part of what is returned.
  /// - Complexity: O(length of the last segment + number of segments).
  public func extent() throws(LogError) -> LogExtent {
    let listing = try listing()
    let last = listing.segments.count - 1
    guard last > 0 else { return try extent(from: try start(ofSegment: 0, listing), listing) }
    var start: ReadingStart
    do throws(LogError) {
      let seam = try SealedSegments(fileSystem: fileSystem).check(listing.segments)
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
      self, listing, from: start, target: nil, chunkBytes: RecordBatchIterator.defaultChunkBytes)
    let summary = try records.summarize()
    let before = start.chain.link?.seq ?? listing.segments[start.segmentIndex].first - 1
    var extent = LogExtent(
      lastSeq: summary.lastSeq ?? before, lastAction: summary.lastAction, schema: records.schema,
      ending: records.ending ?? .clean, firstRead: listing.segments[start.segmentIndex].first)
    let first = isSingleSegment ? header.first : 1
    if extent.lastAction == nil, extent.lastSeq >= first {
      var earlier = try self.records(from: extent.lastSeq)
      if let record = try earlier.next(), record.seq == extent.lastSeq {
        extent.lastAction = LogExtent.LastAction(seq: record.seq, time: record.time, crc: record.crc)
      }
    }
    return extent
  }
}
