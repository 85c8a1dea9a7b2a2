extension RecordCursor {
  /// What is left of the log, without its contents.
  struct Summary {
    var lastSeq: Int?
    var lastAction: LogExtent.LastAction?
  }

  /// Reads to the end, which is then in ``ending``, damage included.
  ///
  /// - Throws: ``LogError`` when the files cannot be read.
  mutating func summarise() throws(LogError) -> Summary {
    var summary = Summary()
    do throws(LogError) {
      while let batch = try nextBatch() {
        summary.lastSeq = batch.entries.last?.seq
        if let last = batch.entries.last(where: { entry in !entry.isControl }) {
          summary.lastAction = LogExtent.LastAction(seq: last.seq, time: last.time, crc: last.crc)
        }
        recycle(batch)
      }
    } catch {
      guard ending?.damage != nil else { throw error }
    }
    return summary
  }
}
