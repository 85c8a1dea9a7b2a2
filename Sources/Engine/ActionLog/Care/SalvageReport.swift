/// What a salvage found and wrote.
public struct SalvageReport: Sendable, Equatable {
  /// A stretch of a log that cannot be read, or is not there.
  public struct Gap: Sendable, Equatable {
    /// What is wrong with its first line.
    public var message: String
    /// The file.
    public var path: String
    /// Where it begins in the file.
    public var byteOffset: Int
    /// How many bytes it has; 0 when lines are missing altogether.
    public var sizeBytes: Int
    /// The highest revision before it.
    public var lastSeqBefore: Int
    /// The first revision after it; `nil` when none is left.
    public var firstSeqAfter: Int?
  }

  /// Actions from beyond a gap that follow each other in both logs.
  public struct JoinedStretch: Sendable, Equatable {
    /// Their revisions in the old log.
    public internal(set) var oldRevisions: ClosedRange<Int>
    /// The revision of the first of them in the new log.
    public var firstRevision: Int
  }

  /// How many actions the new log holds.
  public var lastSeq: Int
  /// The actions 1 to this one are those of the old log.
  public var intactSeq: Int
  /// The actions from beyond gaps that were put behind them, with new numbers, in the order of both logs.
  public internal(set) var joined: [JoinedStretch]
  /// How many actions from beyond gaps were to be joined and were not: they stand behind actions with higher numbers, or under an
  /// older schema, so that nothing says where they belong. They are among the records beyond the first gap.
  public internal(set) var unjoinedCount = 0
  /// How many good records lie beyond the first gap.
  public var afterGapCount: Int
  /// The file that holds them, in the new log's directory; `nil` when there are none.
  public var afterGapPath: String?
  /// What is missing, in the order of the log.
  public var gaps: [Gap]
  /// Control records that this version does not know and did not take over.
  public var skippedCount: Int
}

extension SalvageReport {
  /// How many actions from beyond gaps were put behind the intact ones.
  ///
  /// - Complexity: O(number of gaps).
  public var joinedCount: Int { joined.reduce(0) { count, stretch in count + stretch.oldRevisions.count } }

  /// The revision that an action of the old log has in the new one.
  ///
  /// - Parameter old: Its revision in the old log.
  /// - Returns: `nil` when the new log does not hold it.
  /// - Complexity: O(log(number of gaps)).
  public func revision(ofOld old: Int) -> Int? {
    if old <= intactSeq { return old >= 0 ? old : nil }
    // The last stretch that does not begin behind it lies before `end`.
    var (start, end) = (0, joined.count)
    while start < end {
      let middle = start + (end - start) / 2
      if joined[middle].oldRevisions.lowerBound <= old { start = middle + 1 } else { end = middle }
    }
    guard end > 0, joined[end - 1].oldRevisions.contains(old) else { return nil }
    return joined[end - 1].firstRevision + (old - joined[end - 1].oldRevisions.lowerBound)
  }

  /// Notes that the next action of the new log is one from beyond a gap, later in the old log than those before it.
  mutating func noteJoined(_ old: Int) {
    if let last = joined.last, last.oldRevisions.upperBound + 1 == old {
      joined[joined.count - 1].oldRevisions = last.oldRevisions.lowerBound...old
    } else {
      let last = joined.last.map { stretch in stretch.firstRevision + stretch.oldRevisions.count - 1 } ?? intactSeq
      joined.append(JoinedStretch(oldRevisions: old...old, firstRevision: last + 1))
    }
  }
}
