package import ActionLog

/// A redaction in a log: its record, the number of its line, and whether it was carried out.
package struct LoggedRedaction: Equatable {
  package var index: Int
  package var record: RedactRecord
  package var isFinished: Bool

  package init(index: Int, record: RedactRecord, isFinished: Bool) {
    (self.index, self.record, self.isFinished) = (index, record, isFinished)
  }
}

extension LogReader {
  /// Returns the redactions of the log with the numbers of their lines.
  package func redactions() throws(LogError) -> [LoggedRedaction] {
    let list = try redactionList()
    return try list.entries.map { (entry) throws(LogError) in
      LoggedRedaction(index: try list.index(of: entry), record: entry.record, isFinished: entry.isFinished)
    }
  }
}
