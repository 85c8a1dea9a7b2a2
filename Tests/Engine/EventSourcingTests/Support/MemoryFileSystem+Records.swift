import ActionLog

extension MemoryFileSystem {
  /// Every record of the log `log`, control records included.
  func records() throws -> [LogRecord] {
    var records = try LogReader.open("log", fileSystem: self).records(from: 0)
    var all: [LogRecord] = []
    while let record = try records.next() { all.append(record) }
    return all
  }
}
