/// The last records of a log that somebody wants.
public struct LastRecords: Sendable {
  /// The records, oldest first.
  public internal(set) var records: [LogRecord] = []
  /// The last revision that can be read, wanted or not.
  public internal(set) var lastSeq: Int
  /// How the log ends.
  public internal(set) var ending: LogEnding
  /// Damage in the midst of the log that was met on the way back. The records are those that lie behind it.
  public internal(set) var damage: LogError?
  /// How many bytes were read from files to find the records, the look at the end of the log not counted.
  public internal(set) var bytesRead = 0
}

extension LogReader {
  /// Finds the last records that are wanted, from the end of the log back.
  ///
  /// Stretches of actions are read, the last one first, each twice as long as the one behind it. So what lies further back than
  /// the records does not matter, however long it is.
  ///
  /// - Parameters:
  ///   - count: How many records are wanted, at most.
  ///   - range: The revisions to look at; from 0 on, the control records before the first action count. Control records have the
  ///     `seq` of the action before them.
  ///   - progress: Is told how many bytes were read by now.
  ///   - isWanted: Whether a record counts. It is asked in order within a stretch, of a later stretch before an earlier one.
  /// - Returns: The records, and the damage that was met; what was found behind the damage is there all the same. Damage directly
  ///   behind the last action of `range` is behind what was asked for, and not told.
  /// - Throws: ``LogError`` when the log cannot be read; what `progress` and `isWanted` throw.
  /// - Complexity: O(length of the last segment, to find the end + length of the log behind the first record that is returned);
  ///   memory O(`count` records).
  public func lastRecords(
    _ count: Int, in range: ClosedRange<Int> = 0 ... .max, progress: (_ bytesRead: Int) throws -> Void = { _ in },
    where isWanted: (LogRecord) throws -> Bool
  ) throws -> LastRecords {
    let extent = try extent()
    var found = LastRecords(lastSeq: extent.lastSeq, ending: extent.ending)
    var stretches: [ArraySlice<LogRecord>] = []
    var missing = max(0, count)
    var length = min(max(missing, LogReader.firstStretch), LogReader.longestFirstStretch)
    // The first action behind the stretch.
    var end = min(range.upperBound, extent.lastSeq) + 1
    let lowest = max(0, range.lowerBound)
    while missing > 0, end > lowest {
      let isLast = end - lowest <= length
      var stretch = RecordStretch(from: isLast ? lowest : end - length, before: end, keeping: missing)
      do {
        try stretch.read(self, from: found.bytesRead, progress, isWanted)
      } catch let error as LogError where error.code == .damaged {
        // Behind the last stretch lies what was not asked for. Behind any other lies one that was read from its first action on, so
        // that what does not check is between the two: a control record, at the seam of two segments for instance.
        if !stretch.isWhole || !stretches.isEmpty { found.damage = error }
      }
      found.bytesRead += stretch.bytesRead
      // What lies before damage is not next to what lies behind it.
      guard found.damage == nil else { break }
      missing -= stretch.records.count
      stretches.append(stretch.records)
      end = stretch.first
      length = length > .max / 2 ? .max : 2 * length
      if isLast { break }
    }
    found.records = stretches.reversed().flatMap(\.self)
    return found
  }

  /// 256 lines are read about as soon as one is found.
  private static let firstStretch = 256
  /// Whoever wants more is unlikely to want just the last.
  private static let longestFirstStretch = 1 << 20
}

/// Some actions in order, and the control records behind each.
private struct RecordStretch {
  let first: Int
  let end: Int
  /// At most this many records are kept, the last ones.
  let limit: Int
  private(set) var bytesRead = 0
  private var kept: [LogRecord] = []

  init(from first: Int, before end: Int, keeping limit: Int) {
    self.first = first
    self.end = end
    self.limit = limit
  }

  var records: ArraySlice<LogRecord> { kept.suffix(limit) }

  /// Whether the last action of the stretch was read, so that what cannot be read lies behind it.
  private(set) var isWhole = false

  mutating func read(
    _ reader: LogReader, from bytesBefore: Int, _ progress: (Int) throws -> Void,
    _ isWanted: (LogRecord) throws -> Bool
  ) throws {
    var records = try reader.records(from: first)
    defer { bytesRead = records.bytesRead }
    while let record = try records.next(), record.seq < end {
      try progress(bytesBefore + records.bytesRead)
      if record.seq == end - 1 { isWhole = true }
      guard record.seq >= first, try isWanted(record) else { continue }
      kept.append(record)
      // Now and then, so that it costs nothing.
      if kept.count / 2 >= limit, kept.count >= 1_024 { kept.removeFirst(kept.count - limit) }
    }
  }
}
