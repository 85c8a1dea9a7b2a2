package import ActionLog
import EventSourcing
import JSONCoding

extension CommandOption {
  static let model = value("model", letter: "m", "MODEL", "fold with this model, not with the one that the log names")
  static let unknownTypes = choice(
    "unknown-types", of: ["refuse", "keep"],
    "what to do with actions of types that the model does not have (default: what the model says)")
}

extension CommandContext {
  /// The way to the logs, in which relative paths start from the environment's directory.
  package var files: any LogFileSystem {
    guard let directory = environment.currentDirectory else { return environment.fileSystem }
    return RebasedFileSystem(base: environment.fileSystem, directory: directory)
  }

  /// The path of the command's log, which is its first argument unless said otherwise.
  func logPath(_ index: Int = 0) throws(ToolFailure) -> String {
    guard let text = arguments.positional(index), !text.isEmpty else { throw .usage("the path of the log is empty") }
    return text
  }

  /// What is to be done with unknown types; `nil` is what the model says.
  var unknownTypes: UnknownTypePolicy? {
    arguments.value(of: .unknownTypes).flatMap(UnknownTypePolicy.init(rawValue:))
  }

  /// Opens the command's log for reading.
  func openReader() throws -> LogReader { try openReader(logPath()) }

  /// Opens a log for reading, and says if that is done without its `HEAD`.
  func openReader(_ path: String) throws -> LogReader {
    let reader = try LogReader.open(path, fileSystem: files)
    if let failure = try reader.headFailure() {
      try warn("\(failure.message): \(failure.path ?? path); the log is read without it, and takes no writer")
    }
    return reader
  }

  /// The model with a name.
  func model(named name: String) throws(ToolFailure) -> any ModelHandle {
    if let model = tool.models.first(where: { model in model.name == name }) { return model.handle }
    let names = tool.models.map(\.name)
    let known = names.isEmpty ? "This tool knows no models." : "This tool knows \(names.joined(separator: ", "))."
    let suggestion = Suggestion.sentence(for: name, among: names).map { sentence in " " + sentence } ?? ""
    throw ToolFailure("unknownModel", .usage, "there is no model '\(name)'", advice: known + suggestion)
  }

  /// The model that a log is folded with: the one that `--model` names, else the one that the log names.
  func model(of reader: LogReader) throws(ToolFailure) -> any ModelHandle {
    if let name = arguments.value(of: .model) { return try model(named: name) }
    do {
      return try model(named: reader.header.model)
    } catch {
      var failure = error
      failure.message = "the log belongs to the model '\(reader.header.model)', which this tool does not know"
      failure.path = reader.path
      failure.advice = (failure.advice ?? "") + " Name one with --model, or use the tool of that model."
      throw failure
    }
  }
}

/// Takes relative paths from a directory other than the process's own, so that everything that is said of a file names
/// it as it was typed.
struct RebasedFileSystem: LogFileSystem {
  let base: any LogFileSystem
  let directory: String

  private func absolute(_ path: String) -> String {
    path.hasPrefix("/") ? path : directory + "/" + path
  }

  func status(of path: String) throws(FileSystemError) -> FileStatus? {
    try base.status(of: absolute(path))
  }

  func names(in directory: String) throws(FileSystemError) -> [String] {
    try base.names(in: absolute(directory))
  }

  func createDirectory(_ path: String) throws(FileSystemError) {
    try base.createDirectory(absolute(path))
  }

  func open(_ path: String, for access: FileAccess) throws(FileSystemError) -> any LogFile {
    try base.open(absolute(path), for: access)
  }

  func rename(_ path: String, to newPath: String) throws(FileSystemError) {
    try base.rename(absolute(path), to: absolute(newPath))
  }

  func renameWithoutReplacing(_ path: String, to newPath: String) throws(FileSystemError) {
    try base.renameWithoutReplacing(absolute(path), to: absolute(newPath))
  }

  func remove(_ path: String) throws(FileSystemError) {
    try base.remove(absolute(path))
  }

  func canonicalPath(of path: String) throws(FileSystemError) -> String {
    try base.canonicalPath(of: absolute(path))
  }

  func syncDirectory(_ path: String) throws(FileSystemError) {
    try base.syncDirectory(absolute(path))
  }

  func lock(directory: String) throws(FileSystemError) -> any DirectoryLock {
    try base.lock(directory: absolute(directory))
  }
}

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

extension CommandContext {
  /// Finds the last records of a stretch that are wanted, from its end back, with progress meanwhile.
  func lastRecords(
    _ count: Int, of reader: LogReader, in range: PointRange, where isWanted: (LogRecord) throws -> Bool
  ) throws -> LastRecords {
    let progress = progress("reading", unit: .bytes)
    let totalBytes = reader.sizeBytes
    let found = try reader.lastRecords(
      count, in: range.first...max(range.first, range.last),
      progress: { bytesRead in try progress.update(done: bytesRead, total: totalBytes) },
      // A stretch of times can be empty.
      where: { record in record.seq <= range.last ? try isWanted(record) : false })
    try progress.finish()
    return found
  }
}

extension LastRecords {
  /// The damage that keeps the answer from being one about all of a stretch: what is shown, what is not, and how to see that.
  func damage(in range: PointRange, of reader: LogReader) -> (any Error)? {
    if var damage {
      let shown = records.isEmpty ? "Nothing of what lies behind it is shown." : "What is shown lies behind it."
      // Whether everything up to there is intact is not known: nobody has read it.
      let last = (damage.seq ?? 1) - 1
      let before =
        last > 0 ? "'action-log list \(ShellWord(reader.path)) --to \(last)' shows what lies before it." : nil
      damage.advice = [shown, before, Self.report].compactMap { sentence in sentence }.joined(separator: " ")
      return damage
    }
    guard range.last > lastSeq, var damage = ending.damage else { return nil }
    damage.advice = ["What lies behind it is not shown.", damage.advice].compactMap { sentence in sentence }
      .joined(separator: " ")
    return damage
  }

  private static let report = "Run 'action-log verify' for the full report."

  /// How the log ends, if the stretch goes up to there.
  func ending(in range: PointRange) -> LogEnding? { range.last >= lastSeq ? ending : nil }
}

extension LogReader {
  /// What all segments have together, as of the opening.
  var sizeBytes: Int { segments.reduce(0) { sum, segment in sum + segment.sizeBytes } }
}
