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
  mutating func summarise(
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
