extension LogError {
  /// An error of the file system, with what was being done.
  static func files(_ error: FileSystemError, _ what: String, path: String? = nil) -> LogError {
    let path = path ?? error.path
    switch error.code {
    case .notFound:
      return LogError(.notFound, "\(what): the path does not exist", path: path, underlying: error)
    case .notADirectory:
      return LogError(.notALog, "\(what): the path is not a directory", path: path, underlying: error)
    case .notARegularFile:
      return LogError(.notALog, "\(what): not a regular file", path: path, underlying: error)
    case .exists:
      return LogError(.exists, "\(what): the path already exists", path: path, underlying: error)
    case .noSpace:
      return LogError(.noSpace, "\(what): no space is left", path: path, underlying: error)
    case .locked:
      let holder = error.holder.map { process in " (process \(process))" } ?? ""
      return LogError(
        .locked, "another writer holds the log\(holder)", path: path,
        advice: "Readers are not kept out; a second writer has to wait until the first one closes.", underlying: error)
    case .fileTooLarge:
      return LogError(
        .inputOutput, "\(what) (\(error))", path: path, advice: adviceOnFileLimit, underlying: error)
    case .notEmpty, .permissionDenied, .readOnlyFileSystem, .inputOutput:
      return LogError(.inputOutput, "\(what) (\(error))", path: path, underlying: error)
    }
  }

  /// An error of opening or reading a segment of a log.
  ///
  /// What lies at the name of a segment and is no regular file is damage: the segment is missing.
  static func segment(_ error: FileSystemError, _ what: String, path: String) -> LogError {
    switch error.code {
    case .notARegularFile:
      return LogError(
        .damaged, "the segment is not a regular file", path: path,
        advice: "Links are not followed: put the segment itself there, if there is a copy. "
          + "Run 'action-log verify' for the full report.", underlying: error)
    case .permissionDenied:
      var failure = files(error, what, path: path)
      failure.advice = "Whoever owns it can let it be read. 'action-log verify' says what of the rest is good."
      return failure
    case .inputOutput where error.concernsFile:
      var failure = files(error, what, path: path)
      failure.advice = "'action-log verify' says what of the log is good, and 'action-log salvage' saves it."
      return failure
    default:
      return files(error, what, path: path)
    }
  }

  /// The same error, with the revision that it stands at and what is good before it.
  ///
  /// - Parameters:
  ///   - lastSeq: The last revision before the place.
  ///   - firstRead: The first action of those up to it that were all read; `nil` when none was.
  func behind(_ lastSeq: Int, firstRead: Int?) -> LogError {
    guard seq == nil, underlying is FileSystemError, let advice else { return self }
    var copy = self
    copy.seq = min(lastSeq, LogFormat.seqLimit - 1) + 1
    copy.advice = Self.intact(from: firstRead, through: lastSeq) + " " + advice
    return copy
  }

  /// What to do when the system refuses to let a file grow. Room is not what is lacking.
  static let adviceOnFileLimit =
    "The process ('ulimit -f') or the file system limits the size of one file: raise the limit, or let segments be smaller."

  /// An error for what is neither a log nor a segment, whatever it holds.
  static func neitherDirectoryNorFile(_ path: String) -> LogError {
    LogError(
      .notALog, "what lies there is neither a directory nor a regular file", path: path,
      advice: "Symbolic links are not followed: give the path that the link leads to.")
  }

  /// An error of making a directory: that nothing lies at its path is no fault, that nothing lies above it is one.
  static func making(_ error: FileSystemError, _ what: String, path: String? = nil) -> LogError {
    guard error.code == .notFound else { return files(error, what, path: path) }
    return LogError(
      .notFound, "\(what): the directory above it does not exist", path: path ?? error.path,
      advice: "Make that directory first.", underlying: error)
  }

  /// An error for a line that does not check, in a place.
  ///
  /// Its `seq` is what the line would have been: the revision after the last good one.
  ///
  /// - Parameter firstRead: The first action of those up to the last good one that were all read; `nil` when none was.
  static func damage(
    _ message: String, path: String, line: Int?, byteOffset: Int, lastSeq: Int, firstRead: Int?
  ) -> LogError {
    LogError(
      .damaged,
      message,
      path: path,
      line: line,
      byteOffset: byteOffset,
      seq: min(lastSeq, LogFormat.seqLimit - 1) + 1,
      advice: intact(from: firstRead, through: lastSeq) + " Run 'action-log verify' for the full report.")
  }

  /// An error for a line that is not a record, or not the one that follows.
  static func fault(
    _ fault: LineFault, path: String, line: Int?, byteOffset: Int, lastSeq: Int, firstRead: Int?
  ) -> LogError {
    if case .unsupportedFormat = fault {
      return LogError(
        .unsupportedFormat, fault.message, path: path, line: line, byteOffset: byteOffset,
        advice: "A newer version of the engine wrote it.")
    }
    return damage(
      fault.message, path: path, line: line, byteOffset: byteOffset, lastSeq: lastSeq, firstRead: firstRead)
  }

  /// The error for an end that the recovery rule calls damaged.
  static func damage(
    _ reason: DamageReason, _ fault: LineFault?, path: String, line: Int?, byteOffset: Int, lastSeq: Int,
    firstRead: Int?
  ) -> LogError {
    if let fault {
      return LogError.fault(
        fault, path: path, line: line, byteOffset: byteOffset, lastSeq: lastSeq, firstRead: firstRead)
    }
    let message =
      reason == .noHeader ? "the segment is empty" : "the log is shorter than it was (\(reason.message))"
    return damage(message, path: path, line: line, byteOffset: byteOffset, lastSeq: lastSeq, firstRead: firstRead)
  }

  /// The error for an action that cannot stand behind those of a newer schema.
  static func olderSchema(_ schema: Int, inForce: Int, seq: Int, path: String) -> LogError {
    LogError(
      .invalidRecord,
      "action \(seq) is of schema \(schema), and one before it of schema \(inForce): it would be misread",
      path: path, seq: seq,
      advice: "No writer of this engine goes back to an older schema. 'action-log compat' shows what the log holds.")
  }

  /// For instance `Actions 1…46 are intact.`: no more than what was read.
  ///
  /// - Parameters:
  ///   - first: The first action that was read with all that follow it; `nil` when none was.
  ///   - last: The last action that is good.
  static func intact(from first: Int?, through last: Int) -> String {
    guard let first, first <= last else {
      return last <= 0 ? "No action was read before it." : "The actions before it were not looked at."
    }
    let text = first == last ? "Action \(last) is intact" : "Actions \(first)…\(last) are intact"
    return text + (first > 1 ? "; those before were not looked at." : ".")
  }
}
