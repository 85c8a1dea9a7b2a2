package import ActionLog

extension LogReader {
  /// What a snapshot at a revision names: time and checksum of the action's line, or of the log's first line at
  /// revision 0.
  package func anchor(at revision: Int) throws(LogError) -> (time: LogTime, checksum: UInt32) {
    let record = try revision > 0 ? record(at: revision) : first()
    return (time: record.time, checksum: record.crc)
  }

  private func first() throws(LogError) -> LogRecord {
    var records = try records(from: 0)
    guard let first = try records.next() else {
      throw LogError(.notALog, "the log has no first line", path: path)
    }
    return first
  }
}
