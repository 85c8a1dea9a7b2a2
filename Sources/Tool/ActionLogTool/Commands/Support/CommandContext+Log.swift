package import ActionLog
import EventSourcing

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
