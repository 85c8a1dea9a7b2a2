extension LogReader {
  /// How much is read at a time unless a caller says otherwise: 1 MiB.
  public static let defaultChunkBytes = LineScanner.defaultChunkBytes

  /// The records of the log in order, control records included.
  ///
  /// - Parameters:
  ///   - seq: 0 for the whole log, from its first line. Otherwise the first action to return, then everything after it;
  ///     nothing, when the log ends before it.
  ///   - chunkBytes: How much is read at a time, once reading is under way.
  /// - Throws: ``LogError`` when the files cannot be opened. Damage is thrown by the iterator, when it is reached.
  /// - Complexity: O(log(length of a segment)) to find the first record.
  public func records(
    from seq: Int = 0, chunkBytes: Int = LogReader.defaultChunkBytes
  ) throws(LogError) -> LogRecordIterator {
    let listing = try listing()
    let start = try seq <= 0 ? start(ofSegment: 0, listing) : start(near: seq, listing)
    return LogRecordIterator(
      RecordCursor(self, listing, from: start, target: seq <= 0 ? nil : seq, chunkBytes: chunkBytes))
  }

  /// The action that leads to a revision.
  ///
  /// - Throws: ``LogError`` with code `revisionOutOfRange` when there is none, or `damaged` when it cannot be read.
  /// - Complexity: O(log(length of a segment)).
  public func record(at seq: Int) throws(LogError) -> LogRecord {
    if seq >= 1 {
      if let record = knownRecord(at: seq) { return record }
      var records = try records(from: seq)
      if let record = try records.next(), record.seq == seq { return record }
    }
    let extent = try extent()
    if let damage = extent.ending.damage, seq > extent.lastSeq { throw damage }
    throw outOfRange(seq, lastSeq: extent.lastSeq)
  }

  /// The number of the line of a segment that a record stands in, also where reading began in the midst of the segment.
  ///
  /// - Parameter place: Where a record of this log was read.
  /// - Returns: The number, from 1 on.
  /// - Throws: ``LogError`` when the segment cannot be read.
  /// - Complexity: O(bytes before the line), unless the place says it already.
  public func lineNumber(of place: LogPlace) throws(LogError) -> Int {
    if let line = place.line { return line }
    let file = try SourceFile(place.path, fileSystem)
    defer { file.close() }
    return try LineScanner.lineNumber(at: place.byteOffset, in: file)
  }

  /// An action in one of the segments that were there when the reader was opened, without another look at the directory.
  ///
  /// - Returns: `nil` when it is not found there, or anything is wrong: then a look at everything says what.
  private func knownRecord(at seq: Int) -> LogRecord? {
    let known = knownListing
    do throws(LogError) {
      let start = try start(near: seq, known)
      var cursor = RecordCursor(self, known, from: start, target: seq, chunkBytes: LogReader.seekChunkBytes)
      guard let record = try cursor.nextRecord(), record.seq == seq else { return nil }
      return record
    } catch {
      return nil
    }
  }

  /// 4 KiB: what is left between the place that a search ends at and the action, for lines of the usual length.
  private static let seekChunkBytes = 4_096

  private func outOfRange(_ seq: Int, lastSeq: Int) -> LogError {
    guard seq != 0 else {
      return LogError(
        .revisionOutOfRange, "revision 0 has no action", path: path, advice: "It is the state before any action.")
    }
    return MissingRevision(seq, of: revisions(upTo: lastSeq)).error(in: path)
  }

  /// The revisions that there are in a log that ends with one of them: from the state before any action on, or from the first
  /// action of a later segment that was opened by itself.
  ///
  /// - Returns: `nil` when such a segment has no action.
  package func revisions(upTo last: Int) -> ClosedRange<Int>? {
    let first = isSingleSegment && header.first > 1 ? header.first : 0
    return first <= last ? first...last : nil
  }
}

/// Goes through the records of a log in order.
///
/// ```swift
/// var records = try reader.records()
/// while let record = try records.next() { … }
/// ```
///
/// Memory is that of one chunk and of the longest line.
public struct LogRecordIterator {
  private var cursor: RecordCursor

  init(_ cursor: RecordCursor) {
    self.cursor = cursor
  }

  /// How the log ends; `nil` while there may be more.
  public var ending: LogEnding? { cursor.ending }

  /// How many bytes were read from files, those of finding the first record included.
  public var bytesRead: Int { cursor.bytesRead }

  /// The largest stretch of memory that lines were read into.
  package var largestBufferBytes: Int { cursor.largestBufferBytes }

  /// The schema in force at the record that was returned last.
  public var schema: Int { cursor.schema }

  /// The next record, control records included.
  ///
  /// - Returns: `nil` at the end of the log, also when that is a torn tail; ``ending`` then says which.
  /// - Throws: ``LogError`` with code `damaged` at a line that does not check and that no crash explains, after all good
  ///   records before it; then again at every call.
  /// - Complexity: O(length of the line).
  public mutating func next() throws(LogError) -> LogRecord? {
    do throws(LogError) { return try cursor.nextRecord() } catch { throw cursor.explained(error) }
  }
}

/// A revision that somebody asked for and a log does not have: its words, the same wherever it is asked for.
package struct MissingRevision: Sendable {
  /// The revision as it was written: `99`, or `-99` for so many before the end.
  package let revision: String
  /// The revisions that there are; `nil` when there are none.
  package let available: ClosedRange<Int>?

  /// A revision that is not among others.
  ///
  /// - Parameters:
  ///   - revision: The revision.
  ///   - available: The revisions that there are; `nil` when there are none.
  package init(_ revision: Int, of available: ClosedRange<Int>?) {
    self.revision = "\(revision)"
    self.available = available
  }

  /// A place that is more actions before the end than there are.
  ///
  /// - Parameters:
  ///   - count: How many actions before the end it is.
  ///   - available: The revisions that there are.
  package init(beforeTheEnd count: Int, of available: ClosedRange<Int>?) {
    // As it is written; what is below zero already would lie behind the end.
    revision = count > 0 ? "-\(count)" : "\(count)"
    self.available = available
  }

  /// What is wrong, without the place.
  package var message: String { "revision \(revision) is not in the log" }

  /// What there is, and what to do.
  package var advice: String {
    switch available {
    case nil: "The log holds no action."
    case 0...0: "The log has only revision 0 and no actions."
    case let known?: "The log holds the revisions \(known.lowerBound)…\(known.upperBound). Name one of them, or 'end'."
    }
  }

  /// All of it as one fragment, for errors that have a message alone.
  package var sentence: String {
    switch available {
    case nil: "\(message), which holds no action"
    case 0...0: "\(message), which has only revision 0 and no actions"
    case let known?: "\(message), which holds the revisions \(known.lowerBound)…\(known.upperBound)"
    }
  }

  /// The error for it.
  ///
  /// - Parameter path: The log.
  package func error(in path: String) -> LogError {
    LogError(.revisionOutOfRange, message, path: path, advice: advice)
  }
}
