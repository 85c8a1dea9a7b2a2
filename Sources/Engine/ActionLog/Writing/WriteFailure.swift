/// The outcome of a batch that was not written.
enum WriteFailure: Error {
  /// None of the batch is in the log.
  case rejected(LogError)
  /// It is unknown whether the batch is in the log.
  case failed(LogError)
}

extension LogError {
  /// The error for a segment whose length differs from what its writer wrote.
  static func foreignWrite(_ found: Int, _ expected: Int, _ path: String) -> LogError {
    LogError(
      .failed, "another program wrote to the segment: it has \(found) bytes, expected \(expected)",
      path: path, advice: "This writer writes nothing more. Run \(.verify) before the log is opened again.")
  }

  /// The error for a rejected batch.
  static func rejected(_ error: FileSystemError, path: String) -> LogError {
    let isFull = error.code == .noSpace
    return LogError(
      isFull ? .noSpace : .rejected,
      isFull ? "no space is left for the batch" : "the batch could not be written (\(error))",
      path: path,
      intact: "None of it is in the log.",
      advice: .sentences(
        "Appending works again once the cause is removed.", error.code == .fileTooLarge ? fileSizeAdvice : nil),
      underlying: error)
  }

  /// The error for pending units when a sync fails.
  static func syncFailed(_ error: FileSystemError, path: String) -> LogError {
    LogError(
      .failed, "a sync failed (\(error)): it is unknown whether the batch is durable", path: path,
      advice: "This writer writes nothing more. Reopen the log to read what the device has.",
      underlying: error)
  }
}
