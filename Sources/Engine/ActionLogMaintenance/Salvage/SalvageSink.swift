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
    lastRevision: 0, intactRevision: 0, joined: [], afterGapCount: 0, afterGapPath: nil, gaps: [], skippedCount: 0)
  /// The highest joined revision; repeated ones are not joined again.
  private var joinedRevision: Int

  init(
    to target: String, _ source: SalvageSource, _ fileSystem: any LogFileSystem, _ environment: LogEnvironment
  ) throws(LogError) {
    self.target = target
    self.fileSystem = fileSystem
    joinedRevision = source.lastRevision
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

  mutating func finishIntact() throws(LogError) {
    try sink.flush()
    report.intactRevision = sink.lastRevision
  }

  /// Keeps a line from past a gap in the file next to the log, and appends its action if it is to be joined.
  mutating func append(beyond line: SalvageSource.Line, join: Bool) throws(LogError) {
    try keep(line.bytes)
    // An action of an older schema would be misread in the new log.
    guard join, !line.parsed.isControl else { return }
    // An action that a redaction excludes would be folded.
    guard line.parsed.revision > joinedRevision, line.schema >= sink.schema, !line.parsed.isSkipped else {
      report.unjoinedCount += 1
      return
    }
    joinedRevision = line.parsed.revision
    let meta = line.parsed.meta.map { range in
      line.bytes[line.bytes.startIndex + range.lowerBound..<line.bytes.startIndex + range.upperBound]
    }
    let data = line.parsed.data
    report.noteJoined(line.parsed.revision)
    let draft = LogDraft(
      type: line.parsed.typeText(in: line.bytes),
      data: Array(line.bytes[line.bytes.startIndex + data.lowerBound..<line.bytes.startIndex + data.upperBound]),
      meta: Self.meta(meta, was: line.parsed.revision, report),
      time: line.parsed.time)
    do throws(LogError) { try sink.append(draft, schema: line.schema) } catch {
      guard error.code == .beyondLimit else { throw error }
      throw LogError(
        .beyondLimit, "the line of action \(line.parsed.revision) is too long to record its old revision",
        path: target, revision: line.parsed.revision,
        advice: "Salvage without joining: the action is then kept in \(LogFormat.afterGapName).",
        underlying: error)
    }
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
      do throws(FileSystemError) {
        try afterGap.sync(.full)
        try fileSystem.syncDirectory(sink.path)
      } catch {
        throw sink.failure(error, Self.afterGapFailure)
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
  private mutating func keep(_ line: ArraySlice<UInt8>) throws(LogError) {
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
      throw sink.failure(error, Self.afterGapFailure)
    }
  }

  private static let afterGapFailure = "the records past the gap cannot be kept"

  /// Returns an action's metadata with its old revision, and its cause translated to the new log or dropped.
  private static func meta(_ old: ArraySlice<UInt8>?, was revision: Int, _ report: SalvageReport) -> [UInt8] {
    var bytes = Array("{".utf8)
    // Room for the number and its member name.
    bytes.reserveCapacity((old?.count ?? 0) + 32)
    do throws(JSONError) {
      try old?.withUnsafeBufferPointer { (old) throws(JSONError) in
        try JSONTape.forEachMember(of: old) { member in
          if member.isNamed("was") { return }
          let cause = member.isNamed("cause") ? member.int() : nil
          let here = cause.flatMap { cause in cause < revision ? report.revision(ofOld: cause) : nil }
          if cause != nil, here == nil { return }
          bytes += old[member.nameRange]
          bytes.append(UInt8(ascii: ":"))
          if let here { JSONText.appendInt(here, to: &bytes) } else { bytes += old[member.valueRange] }
          bytes.append(UInt8(ascii: ","))
        }
      }
    } catch {
      // The line was parsed before, so its metadata is an object.
      bytes = Array("{".utf8)
    }
    bytes += Array(#""was":\#(revision)}"#.utf8)
    return bytes
  }
}
