extension LogReader {
  /// The default size of a read: 1 MiB.
  public static let defaultChunkBytes = LineScanner.defaultChunkBytes

  /// Returns a cursor over the records of the log, including control records.
  ///
  /// - Parameters:
  ///   - revision: 0 for the complete log, from its first line. Otherwise the first action to return, followed by
  ///     everything after it; if the log ends before that action, there are no records. The revision of ``base`` stands for the first
  ///     line, too.
  ///   - chunkBytes: The size of a read after the first few.
  /// - Throws: ``LogError`` if the files cannot be opened, with code `pruned` if the action is before the base of a pruned log. The
  ///   cursor throws damage when it reaches it.
  /// - Complexity: O(log(length of a segment)) to find the first record.
  public func records(
    from revision: Int = 0, chunkBytes: Int = LogReader.defaultChunkBytes
  ) throws(LogError) -> RecordCursor {
    try listingAgain { (listing) throws(LogError) in
      try records(from: revision, chunkBytes: chunkBytes, listing)
    }
  }

  /// Returns a cursor like ``records(from:chunkBytes:)``, with chunks of a size for batches.
  package func batches(
    from revision: Int = 0, chunkBytes: Int = RecordBatch.defaultChunkBytes
  ) throws(LogError) -> RecordCursor {
    try records(from: revision, chunkBytes: chunkBytes)
  }

  /// Returns a cursor like ``records(from:chunkBytes:)`` over the segments of a listing.
  package func records(from revision: Int, chunkBytes: Int, _ listing: Listing) throws(LogError) -> RecordCursor {
    let (start, target) = try start(from: revision, listing)
    return RecordCursor(self, listing, from: start, target: target, chunkBytes: chunkBytes)
  }

  /// Returns the action of a revision.
  ///
  /// - Throws: ``LogError`` with code `revisionOutOfRange` if there is no such revision, `pruned` if a pruned log begins after it, or
  ///   `damaged` if it cannot be read.
  /// - Complexity: O(log(length of a segment)).
  public func record(at revision: Int) throws(LogError) -> LogRecord {
    if revision >= 1 {
      if let record = knownRecord(at: revision) { return record }
      var records = try records(from: revision)
      if let record = try records.next(), !record.isControl, record.revision == revision { return record }
    }
    let extent = try extent()
    if let damage = extent.ending.damage, revision > extent.lastRevision { throw damage }
    throw outOfRange(revision, lastRevision: extent.lastRevision)
  }

  /// Returns the revisions of the actions that were decided together with an action; `nil` if it was decided alone.
  ///
  /// - Throws: ``LogError`` if the lines before the action cannot be read.
  /// - Complexity: O(1): it reads at most as many lines as the largest decision has.
  package func decision(of revision: Int) throws(LogError) -> ClosedRange<Int>? {
    let begin = revision - UnitRecord.limit
    var records = try records(from: begin > knownListing.firstRevision ? begin : 0)
    var decision: ClosedRange<Int>?
    while let record = try records.next(), record.isControl || record.revision < revision {
      guard let unit = record.unit else { continue }
      decision = record.revision + 1...record.revision + unit.actions
    }
    return decision?.contains(revision) == true ? decision : nil
  }

  /// Returns the line number of a record, even if reading began in the middle of its segment.
  ///
  /// - Parameter place: The position of a record of this log.
  /// - Returns: The number, starting at 1.
  /// - Throws: ``LogError`` if the segment cannot be read.
  /// - Complexity: O(bytes before the line), or O(1) if `place` has the number.
  public func lineNumber(of place: LogPlace) throws(LogError) -> Int {
    if let line = place.line { return line }
    let file = try SourceFile(place.path, fileSystem)
    defer { file.close() }
    return try LineScanner.lineNumber(at: place.byteOffset, in: file)
  }

  /// Finds an action in the segments at the time the reader was opened, without listing the directory.
  ///
  /// - Returns: `nil` if it is not found or anything fails. The caller then lists the directory and reports the reason.
  private func knownRecord(at revision: Int) -> LogRecord? {
    let known = knownListing
    do throws(LogError) {
      let start = try start(near: revision, known)
      var cursor = RecordCursor(self, known, from: start, target: revision, chunkBytes: LogReader.seekChunkBytes)
      guard let record = try cursor.readRecord(), record.revision == revision else { return nil }
      return record
    } catch {
      return nil
    }
  }

  /// 4 KiB: the usual distance between the end of a search and the action.
  private static let seekChunkBytes = 4_096

  private func outOfRange(_ revision: Int, lastRevision: Int) -> LogError {
    if let base = currentBase, (0...base.revision).contains(revision) { return pruned(revision) }
    guard revision != 0 else {
      return LogError(
        .revisionOutOfRange, "revision 0 has no action", path: path, advice: "It is the state before any action.")
    }
    return MissingRevision(revision, of: revisions(upTo: lastRevision)).error(in: path)
  }

  /// Returns the revisions of a log that ends with the given one. They start with 0, with the base of a pruned log, or with the
  /// first action of a later segment that was opened without the rest of its log.
  ///
  /// - Returns: `nil` if such a segment has no action.
  package func revisions(upTo last: Int) -> ClosedRange<Int>? {
    let first = isSingleSegment && header.first > 1 ? header.first : currentBase?.revision ?? 0
    return first <= last ? first...last : nil
  }
}

/// A requested revision that is not in the log, and the messages about it.
package struct MissingRevision: Sendable {
  package let revision: String
  /// The available revisions; `nil` if there are none.
  package let available: ClosedRange<Int>?
  /// Whether the log had the revision before it was pruned.
  package let isPruned: Bool

  /// Creates the value for a revision.
  ///
  /// - Parameter available: The available revisions; `nil` if there are none.
  package init(_ revision: Int, of available: ClosedRange<Int>?) {
    self.revision = "\(revision)"
    self.available = available
    isPruned = revision >= 0 && revision < available?.lowerBound ?? 0
  }

  /// Creates the value for a distance from the end that is greater than the number of actions.
  ///
  /// - Parameter available: The available revisions; `nil` if there are none.
  package init(beforeEnd count: Int, of available: ClosedRange<Int>?) {
    // A negative distance would be after the end.
    revision = count > 0 ? "-\(count)" : "\(count)"
    self.available = available
    isPruned = count >= 0 && count <= available?.upperBound ?? -1 && available?.lowerBound ?? 0 > 0
  }

  package var message: String {
    guard isPruned, let available else { return "revision \(revision) is not in the log" }
    return PrunedLog.message(revision, of: available.lowerBound)
  }

  package var advice: MessageText {
    switch available {
    case nil: "The log holds no action."
    case 0...0: "The log has only revision 0 and no actions."
    case let known?: "The log holds the revisions \(known.lowerBound)…\(known.upperBound). Name one of them, or 'end'."
    }
  }

  /// Message and available revisions in one fragment, for errors without advice.
  package var sentence: String {
    switch available {
    case _ where isPruned: message
    case nil: "\(message), which holds no action"
    case 0...0: "\(message), which has only revision 0 and no actions"
    case let known?: "\(message), which holds the revisions \(known.lowerBound)…\(known.upperBound)"
    }
  }

  package func error(in path: String) -> LogError {
    LogError(.revisionOutOfRange, message, path: path, advice: advice)
  }
}
