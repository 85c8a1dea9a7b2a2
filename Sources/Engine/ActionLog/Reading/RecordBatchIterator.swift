/// Goes through the records of a log in order, in batches of whole lines.
///
/// ```swift
/// var batches = try reader.batches(from: 1)
/// while let batch = try batches.next() { … }
/// ```
///
/// It has the answers of ``LogRecordIterator``, which stands on the same ``RecordCursor``: the same records, and then the
/// same end or the same error. Memory is that of the batches that are kept, each of one chunk or of the longest line. It
/// may be handed from one thread to another.
package struct RecordBatchIterator: Sendable {
  private var cursor: RecordCursor

  /// 256 KiB: a chunk that stays in the processor's second cache while it is checked and decoded.
  package static let defaultChunkBytes = 1 << 18

  init(_ cursor: RecordCursor) {
    self.cursor = cursor
  }

  /// How the log ends; `nil` while there may be more.
  package var ending: LogEnding? { cursor.ending }

  /// How many bytes were read from files, those of finding the first record included.
  package var bytesRead: Int { cursor.bytesRead }

  /// The largest stretch of memory that lines were read into.
  package var largestBufferBytes: Int { cursor.largestBufferBytes }

  /// The schema in force at the last record.
  package var schema: Int { cursor.schema }

  /// The next records, control records included.
  ///
  /// - Returns: At least one record; `nil` at the end of the log, also when that is a torn tail; ``ending`` then says
  ///   which.
  /// - Throws: ``LogError`` with code `damaged` at a line that does not check and that no crash explains, after all good
  ///   records before it; then again at every call.
  /// - Complexity: O(bytes).
  package mutating func next() throws(LogError) -> RecordBatch? {
    do throws(LogError) { return try cursor.nextBatch() } catch { throw cursor.explained(error) }
  }

  /// The next records, whose actions go into a sink, which is empty before.
  mutating func next(_ sink: ActionSink) throws(LogError) -> RecordBatch? {
    do throws(LogError) { return try cursor.nextBatch(sink) } catch { throw cursor.explained(error) }
  }

  /// Takes back the memory of a batch that nobody needs any more, to read into it next.
  package mutating func recycle(_ batch: consuming RecordBatch) { cursor.recycle(batch) }
}

extension LogReader {
  /// The records of the log in order, in batches.
  ///
  /// - Parameters:
  ///   - seq: 0 for the whole log, from its first line. Otherwise the first action to return, then everything after it;
  ///     nothing, when the log ends before it.
  ///   - chunkBytes: How much is read at a time, once reading is under way.
  /// - Throws: ``LogError`` when the files cannot be opened. Damage is thrown by the iterator, when it is reached.
  /// - Complexity: O(log(length of a segment)) to find the first record.
  package func batches(
    from seq: Int = 0, chunkBytes: Int = RecordBatchIterator.defaultChunkBytes
  ) throws(LogError) -> RecordBatchIterator {
    try batches(from: seq, chunkBytes: chunkBytes, listing())
  }

  /// The records in the segments that were there when the reader was opened, without another look at the directory, which takes
  /// longer than finding a record.
  ///
  /// It is for a few records that are known to be there. Where they are not found, or anything is wrong, ``batches(from:chunkBytes:)``
  /// looks at everything and says what.
  package func knownBatches(from seq: Int, chunkBytes: Int) throws(LogError) -> RecordBatchIterator {
    try batches(from: seq, chunkBytes: chunkBytes, knownListing)
  }

  private func batches(
    from seq: Int, chunkBytes: Int, _ listing: Listing
  ) throws(LogError) -> RecordBatchIterator {
    let start = try seq <= 0 ? start(ofSegment: 0, listing) : start(near: seq, listing)
    return RecordBatchIterator(
      RecordCursor(self, listing, from: start, target: seq <= 0 ? nil : seq, chunkBytes: chunkBytes))
  }
}
