import JSONCoding

extension CommandContext {
  /// The sentence of a help page.
  static let manyLogsForm = "With - as LOG, paths are read from standard input, one a line."

  /// What to do instead with a command that takes one log.
  static let manyLogsAdvice =
    "- stands for paths on standard input in 'list', 'tail', 'stats', 'verify' and 'replay'. A log of that name is './-'."

  /// Whether the log is given as `-`: many logs, whose paths come on standard input.
  var isForManyLogs: Bool { arguments.positional(0) == "-" }

  /// Runs a job for each path on standard input, and goes on when one fails.
  ///
  /// - Returns: The worst status: that of a log that could not be read counts more than a negative answer.
  func forEachPath(_ job: (String) throws -> ExitStatus) throws -> ExitStatus {
    var reader = LineReader(environment.standardInput, stop: environment.stop)
    var worst = ExitStatus.success
    while let lines = try reader.next() {
      for case .bytes(let bytes) in lines where !bytes.isEmpty {
        let path = String(decoding: bytes, as: UTF8.self)
        do {
          worst = max(worst, try job(path))
        } catch {
          if error is ToolStreamError { throw error }
          let failure = ToolFailure(any: error)
          worst = max(worst, failure.status)
          try output.json(["path": .string(path), "error": FailureReport(failure).json])
        }
      }
      try output.flush()
    }
    return worst
  }
}
