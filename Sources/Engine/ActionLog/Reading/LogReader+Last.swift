/// The last records of a log that somebody wants.
public struct LastRecords: Sendable {
  /// The records, oldest first.
  public internal(set) var records: [LogRecord] = []
  /// The last revision that can be read, wanted or not.
  public internal(set) var lastSeq: Int
  /// How the log ends.
  public internal(set) var ending: LogEnding
  /// Damage in the midst of the log that was met on the way back. The records are those that lie behind it, and behind whatever else
  /// does not check up to the end.
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
  /// - Returns: The records, and the damage that was met before there were enough; what was found behind the damage is there all the
  ///   same, from the first line on from which every line follows the one before it. Damage directly behind the last action of
  ///   `range` is behind what was asked for, and not told.
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
      // Behind the last stretch lies what was not asked for. Behind any other lies one that was read from its first action on, so
      // that what does not check is between the two: a control record, at the seam of two segments for instance.
      stretch.mayEndInDamage = stretches.isEmpty
      try stretch.read(self, from: found.bytesRead, progress, isWanted)
      found.bytesRead += stretch.bytesRead
      missing -= stretch.records.count
      stretches.append(stretch.records)
      // What lies before damage is not next to what lies behind it.
      if let damage = stretch.damage {
        found.damage = missing > 0 ? damage : nil
        break
      }
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
