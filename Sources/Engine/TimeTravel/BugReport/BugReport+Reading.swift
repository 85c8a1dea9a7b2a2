public import ActionLog

extension BugReport {
  /// Reads what a bug report says of itself.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - fileSystem: Where it lies.
  /// - Throws: `LogError` when it is no log or cannot be read; ``TimeTravelError/Code/invalidReport`` when it is not a bug report, or
  ///   not a whole one.
  /// - Complexity: O(length of the file).
  public init(reading path: String, fileSystem: any LogFileSystem = POSIXFileSystem()) throws {
    let reader = try LogReader.open(path, fileSystem: fileSystem)
    guard reader.isSingleSegment, reader.header.first == 1 else {
      throw TimeTravelError(.invalidReport, "a bug report is one file, which begins with the first action")
    }
    var records = try reader.records(from: 0)
    var found: LogRecord?
    while let record = try records.next() {
      if record.type == "@report" {
        found = record
      } else if !record.isControl {
        found = nil
      }
    }
    guard let found else {
      throw TimeTravelError(
        .invalidReport,
        "there is no report behind the last action: the file is not a bug report, or lacks its end")
    }
    try self.init(found)
  }

  /// Makes a bug report a log in a directory, with its marks.
  ///
  /// Every byte of the file is checked before the log gets its name. Nothing is written anywhere else, whatever the file says.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - target: Where the log is to lie: a path at which nothing lies, or an empty directory.
  ///   - fileSystem: Where both lie.
  /// - Returns: What the report says of itself.
  /// - Throws: As ``init(reading:fileSystem:)``; `LogError` with code `damaged` when a byte does not check, with code `exists`,
  ///   `locked`, `noSpace`, `inputOutput` when the log cannot be made. Nothing is at the target then.
  /// - Complexity: O(length of the file).
  @discardableResult
  public static func unpack(
    _ path: String, to target: String, fileSystem: any LogFileSystem = POSIXFileSystem()
  ) throws -> BugReport {
    // A first look tells of what is no bug report before anything is made.
    var report = try BugReport(reading: path, fileSystem: fileSystem)
    try SegmentFile.unpack(path, to: target, fileSystem: fileSystem) { copy in
      let verification = try LogVerifier.verify(copy, fileSystem: fileSystem)
      guard verification.verdict == .clean, verification.isClosed else {
        let problem = verification.problems.first
        throw LogError(
          .damaged, problem?.message ?? "the file ends before its last record", path: path, line: problem?.line,
          byteOffset: problem?.byteOffset, seq: problem?.seq,
          advice: "Ask for the bug report again; 'list' and 'state' read what is intact of this file.")
      }
      // What counts is the copy: the file may be another one by now.
      report = try BugReport(reading: copy, fileSystem: fileSystem)
      return report.marks.flatMap { mark in MarkLine.bytes(of: mark, isRemoved: false, time: mark.time) }
    }
    return report
  }
}
