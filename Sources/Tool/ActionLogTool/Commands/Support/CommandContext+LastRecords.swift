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
  /// The damage that keeps the answer from being one about all of a stretch: what is shown, what is not, and how to see that.
  func damage(in range: PointRange, of reader: LogReader) -> (any Error)? {
    if var damage {
      let shown = records.isEmpty ? "Nothing of what lies behind it is shown." : "What is shown lies behind it."
      // Whether everything up to there is intact is not known: nobody has read it.
      let last = (damage.seq ?? 1) - 1
      let before =
        last > 0 ? "'action-log list \(ShellWord(reader.path)) --to \(last)' shows what lies before it." : nil
      damage.advice = [shown, before, Self.report].compactMap { sentence in sentence }.joined(separator: " ")
      return damage
    }
    guard range.last > lastSeq, var damage = ending.damage else { return nil }
    damage.advice = ["What lies behind it is not shown.", damage.advice].compactMap { sentence in sentence }
      .joined(separator: " ")
    return damage
  }

  private static let report = "Run 'action-log verify' for the full report."

  /// How the log ends, if the stretch goes up to there.
  func ending(in range: PointRange) -> LogEnding? { range.last >= lastSeq ? ending : nil }
}

extension LogReader {
  /// What all segments have together, as of the opening.
  var sizeBytes: Int { segments.reduce(0) { sum, segment in sum + segment.sizeBytes } }
}
