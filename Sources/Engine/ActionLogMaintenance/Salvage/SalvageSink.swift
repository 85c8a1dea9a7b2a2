import ActionLog
import JSONCoding

/// The new log that a salvage writes, with the file of records from past gaps.
struct SalvageSink {
  /// The final path of the new log.
  private let target: String
  private let fileSystem: any LogFileSystem
  private var sink: LogSink
  private var afterGap: (any LogFile)?
  private var report = SalvageReport(
    lastRevision: 0, afterGapCount: 0, afterGapPath: nil, gaps: [], skippedCount: 0)

  init(
    to target: String, _ source: SalvageSource, _ fileSystem: any LogFileSystem, _ environment: LogEnvironment
  ) throws(LogError) {
    self.target = target
    self.fileSystem = fileSystem
    sink = try LogSink(
      to: target, "new log", model: source.model, schema: source.firstSchema, parent: source.parent,
      inheriting: source.inherited, key: source.key, isRedactable: source.isRedactable, fileSystem: fileSystem,
      environment: environment)
    report.firstRevision = source.base?.revision ?? 0
  }

  /// Appends an intact record: actions and their control records, but not those of the old writers.
  mutating func append(intact record: LogRecord) throws(LogError) {
    if record.isControl {
      // That of a writer without actions, too.
      try sink.raiseSchema(to: record.schema)
      guard let type = record.controlType else {
        report.skippedCount += 1
        return
      }
      if !type.isCopied { return }
    }
    try sink.append(LogDraft(copying: record, meta: record.meta), schema: record.schema)
  }

  /// Makes everything durable, and gives the log its path.
  ///
  /// - Parameter complete: Adds to the directory of the log before.
  mutating func finish(
    _ gaps: [SalvageReport.Gap], completing complete: (_ directory: String, SalvageReport) throws(LogError) -> Void
  ) throws(LogError) -> SalvageReport {
    report.lastRevision = sink.lastRevision
    report.gaps = gaps
    if let afterGap {
      try LogError.files("the records past the gap cannot be kept") { () throws(FileSystemError) in
        try afterGap.sync(.full)
        try fileSystem.syncDirectory(sink.path)
      }
      afterGap.close()
    }
    try sink.finish { (directory) throws(LogError) in try complete(directory, report) }
    return report
  }

  func abandon() {
    afterGap?.close()
    sink.discard()
  }
}

extension SalvageSink {
  /// Keeps a line from past a gap in the file next to the log.
  mutating func keep(_ line: ArraySlice<UInt8>) throws(LogError) {
    do throws(FileSystemError) {
      let file: any LogFile
      if let afterGap {
        file = afterGap
      } else {
        let name = sink.path + "/" + LogFormat.afterGapName
        file = try fileSystem.open(name, for: .create)
        afterGap = file
        report.afterGapPath = target + "/" + LogFormat.afterGapName
      }
      try file.append(Array(line) + [UInt8(ascii: "\n")])
      report.afterGapCount += 1
    } catch {
      throw LogError.files(error, "the records past the gap cannot be kept")
    }
  }
}
