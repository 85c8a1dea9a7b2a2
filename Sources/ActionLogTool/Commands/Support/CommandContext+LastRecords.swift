import ActionLog

extension CommandContext {
  /// Finds the last records of a stretch that are wanted, from its end back, with progress meanwhile.
  func lastRecords(
    _ count: Int, of reader: LogReader, in range: PointRange, where isWanted: (LogRecord) throws -> Bool
  ) throws -> LastRecords {
    let progress = progress("reading", unit: .bytes)
    let totalBytes = reader.sizeBytes
    let found = try reader.lastRecords(
      count, in: range.first...max(range.first, range.last),
      progress: { bytesRead in try progress.update(done: bytesRead, total: totalBytes) },
      // A stretch of times can be empty.
      where: { record in record.seq <= range.last ? try isWanted(record) : false })
    try progress.finish()
    return found
  }
}

extension LastRecords {
  /// The damage that keeps the answer from being one about all of a stretch.
  func damage(in range: PointRange) -> (any Error)? {
    if let damage { return damage }
    return range.last > lastSeq ? ending.damage : nil
  }

  /// How the log ends, if the stretch goes up to there.
  func ending(in range: PointRange) -> LogEnding? { range.last >= lastSeq ? ending : nil }
}

extension LogReader {
  /// What all segments have together, as of the opening.
  var sizeBytes: Int { segments.reduce(0) { sum, segment in sum + segment.sizeBytes } }
}
