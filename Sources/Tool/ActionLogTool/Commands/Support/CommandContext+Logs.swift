package import ActionLog
import EventSourcing
import JSONCoding

extension CommandOption {
  static let model = value("model", letter: "m", "MODEL", "fold with this model, instead of the one that the log names")
  static let projection = value("projection", "NAME", "the state of this projection, instead of the model's")
  static let unknownTypes = choice(
    "unknown-types", of: ["refuse", "keep"],
    "the policy for actions of unknown types (default: the model's)")
}

extension CommandContext {
  /// The file system of the logs, with paths relative to the environment's directory. A shipped log looks like any other.
  package var files: any LogFileSystem { LakeFileSystem(rawFiles) }

  /// The same file system without that view, for commands that write to a lake.
  var rawFiles: any LogFileSystem {
    guard let directory = environment.currentDirectory else { return environment.fileSystem }
    return RebasedFileSystem(base: environment.fileSystem, directory: directory)
  }

  func startCommand() throws(ToolFailure) -> @Sendable (ToolCommandLine) throws -> any ToolCommand {
    if let start = environment.startCommand { return start }
    throw ToolFailure("noProgram", .environment, "this program cannot start other programs")
  }

  /// The path of the command's log: its first argument, or the one at `index`. A log of a set can be named by the set and its key.
  func logPath(_ index: Int = 0) throws(ToolFailure) -> String {
    guard let text = arguments.positional(index), !text.isEmpty else { throw .usage("the path of the log is empty") }
    return LogSetFolder.directory(named: text, in: files) ?? text
  }

  /// The options that name the model or the projection in a command line that asks the same.
  var modelOptions: [String] {
    [CommandOption.model, .projection, .unknownTypes].flatMap { option in
      arguments.value(of: option).map { name in ["--" + option.name, name] } ?? []
    }
  }

  var unknownTypes: UnknownTypePolicy? {
    arguments.value(of: .unknownTypes).flatMap(UnknownTypePolicy.init(rawValue:))
  }

  package func openReader() throws -> LogReader { try openReader(logPath()) }

  /// Opens a log for reading, and warns if its `HEAD` is unreadable.
  func openReader(_ path: String) throws -> LogReader {
    let reader = try LogReader.open(at: path, fileSystem: files)
    if let failure = try reader.headFailure() {
      try warn(
        "\(failure.message): \(failure.path ?? path); the log is read without it, and cannot be opened for writing")
    }
    return reader
  }

  /// Opens a log for reading, which must not be a single segment.
  func openCompleteLog(_ path: String, toRead contents: String) throws -> LogReader {
    let reader = try openReader(path)
    try requireCompleteLog(reader, toRead: contents)
    return reader
  }

  func requireCompleteLog(_ reader: LogReader, toRead contents: String) throws(LogError) {
    guard reader.isSingleSegment else { return }
    throw LogError(
      .invalidArgument, "\(contents) are stored in a log's directory, not in a single segment", path: reader.path,
      advice: "Give the directory of the log.")
  }

  /// Finds a model by name.
  func model(named name: String) throws(ToolFailure) -> RegisteredModel {
    if let model = tool.models.first(where: { model in model.name == name }) { return model }
    let names = tool.models.map(\.name)
    let known: MessageText =
      names.isEmpty ? "This tool knows no models." : "This tool knows \(names.joined(separator: ", "))."
    throw ToolFailure(
      "unknownModel", .usage, "there is no model '\(name)'",
      advice: .sentences(known, Suggestion.sentence(for: name, among: names)))
  }

  /// The model to fold a log with: the one that `--model` names, or the one that the log names.
  func model(of reader: LogReader) throws(ToolFailure) -> RegisteredModel {
    if let name = arguments.value(of: .model) { return try model(named: name) }
    return try model(named: reader.header.model, of: reader)
  }

  /// The model that a log names.
  func model(named name: String, of reader: LogReader) throws(ToolFailure) -> RegisteredModel {
    do {
      return try model(named: name)
    } catch {
      var failure = error
      failure.message = "the log belongs to the model '\(reader.header.model)', which this tool does not know"
      failure.path = reader.path
      failure.advice = .sentences(
        failure.advice, "Name one with \(option: .model), or use the tool of that model.")
      throw failure
    }
  }
}

extension CommandContext {
  /// The projections of a log's model that the tool knows.
  func projections(of reader: LogReader) -> [any Projection.Type] {
    tool.models.first { model in model.name == reader.header.model }?.projections ?? []
  }

  /// Finds a projection of a log by name.
  func projection(named name: String, of reader: LogReader) throws(ToolFailure) -> any Projection.Type {
    // A model that the tool does not know has another error.
    _ = try model(named: reader.header.model, of: reader)
    let projections = projections(of: reader)
    if let projection = projections.first(where: { projection in projection.name == name }) {
      return projection
    }
    let names = projections.map { projection in projection.name }
    let known: MessageText =
      names.isEmpty
      ? "This tool knows no projections of '\(reader.header.model)'."
      : "This tool knows \(names.joined(separator: ", "))."
    throw ToolFailure(
      "unknownProjection", .usage, "the model '\(reader.header.model)' has no projection '\(name)'",
      advice: .sentences(known, Suggestion.sentence(for: name, among: names)))
  }
}

/// A file system with paths relative to a directory other than that of the process, so that messages show paths as
/// they were typed.
struct RebasedFileSystem: ForwardingFileSystem {
  let base: any LogFileSystem
  let directory: String

  func basePath(of path: String) -> String { path.hasPrefix("/") ? path : directory + "/" + path }
}

extension CommandContext {
  static let mergedLogsForm = """
    Several logs, or a directory of logs, are merged by time, and each row names its log. Points apply to each log; a log without
    that revision contributes what it has. A directory is searched for logs; symbolic links in it are not followed.
    """

  static let manyLogsForm =
    "With - as LOG, the logs are those that standard input names, one a line; the status is 1 if it names none."

  static let manyLogsAdvice: MessageText =
    "- means paths on standard input in 'list', 'stats', 'verify', 'fleet' and 'each'. A log of that name is './-'."

  /// Whether the log is given as `-`: the paths of many logs are on standard input.
  var isForManyLogs: Bool { arguments.positional(0) == "-" }
}

extension CommandContext {
  func lastRecords(
    _ count: Int, of reader: LogReader, in range: PointRange, where isWanted: (LogRecord) throws -> Bool
  ) throws -> LastRecords {
    let progress = progress("reading", unit: .bytes)
    let totalBytes = reader.sizeBytes
    let found = try reader.lastRecords(
      count, in: range.first...max(range.first, range.last),
      progress: { bytesRead in try progress.update(done: bytesRead, total: totalBytes) },
      // A range of times can be empty.
      where: { record in record.revision <= range.last ? try isWanted(record) : false })
    try progress.finish()
    return found
  }
}

extension LastRecords {
  /// The damage that makes the answer incomplete, with advice on the missing part.
  func damage(in range: PointRange, of reader: LogReader) -> (any Error)? {
    if var damage {
      let shown = records.isEmpty ? "No action after it is shown." : "The shown actions are after it."
      // The earlier actions were not read, so they may be damaged, too.
      let last = (damage.revision ?? 1) - 1
      let before =
        last > 0
        ? "\(command: .list, .path(reader.path), .option(.to, "\(last)")) shows the actions before it." as MessageText
        : nil
      damage.intact = shown
      damage.advice = .sentences(before, .fullReport)
      return damage
    }
    guard range.last > lastRevision, var damage = ending.damage else { return nil }
    damage.intact = ["The actions after it are not shown.", damage.intact].compactMap(\.self).joined(separator: " ")
    return damage
  }

  /// The end of the log, if the range reaches it.
  func ending(in range: PointRange) -> LogEnding? { range.last >= lastRevision ? ending : nil }
}

extension LogReader {
  var sizeBytes: Int { segments.reduce(0) { sum, segment in sum + segment.sizeBytes } }
}
