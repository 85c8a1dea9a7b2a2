import ActionLog
import JSONCoding

extension Command {
  static let mcp = Command(
    "mcp",
    group: .exchange,
    summary: "answer the questions of a client of the Model Context Protocol",
    details: """
      Speaks JSON-RPC 2.0 over standard input and output, one message a line, until its input ends. It supports the revisions
      \(ContextRevision.names) of the protocol.
      The tools are overview, list, show, state, diff, blame, history, find, minimize, what_if and test. Their answers are those of the
      commands with --json, of bounded size.
      It only reads, and only the logs that --log names: no file outside their directories, and none through a symbolic link.
      A client is configured with the command line: the program, 'mcp', and the options.
      """,
    examples: [
      .init("mcp --log my-log", "one log, named my-log"),
      .init("mcp --log shop=/var/lib/shop/log --log bug=bug.jsonl", "two logs, by names of their own"),
    ],
    options: [MCPCommand.log],
    rules: [.requires(MCPCommand.log)],
    schema: AnswerSchema([
      "description": "A line for each message of the Model Context Protocol.", "type": "object",
      "required": ["jsonrpc"], "properties": ["jsonrpc": ["const": "2.0"]], "additionalProperties": true,
    ]),
    asynchronous: { context in try await MCPCommand(context: context).run() }
  )
}

private struct MCPCommand {
  static let log = CommandOption.value(
    "log", "NAME=PATH", isRepeatable: true, "serve this log; without NAME= it has the last name of its path")

  let context: CommandContext

  func run() async throws -> ExitStatus {
    let logs = try ServedLogs(context.arguments.values(of: Self.log), files: context.files)
    return try await ContextServer(context, logs).run()
  }
}

/// The logs that a server answers questions about, by name.
struct ServedLogs: Sendable {
  /// Bounds the list of logs in the tools' schemas.
  private static let countLimit = 256
  private static let nameLimitBytes = 64

  let names: [String]
  private let paths: [String: String]
  /// A view of the file system with these logs and nothing else.
  let files: ServedLogFiles

  /// Reads the values of `--log`: `NAME=PATH` or `PATH`. Whether a path is a log is found out by the first question.
  init(_ texts: [String], files: any LogFileSystem) throws(ToolFailure) {
    guard texts.count <= Self.countLimit else { throw .usage("'mcp' serves at most \(Self.countLimit) logs") }
    var names: [String] = []
    var paths: [String: String] = [:]
    for text in texts {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      // A path may contain the sign.
      let isNamed = parts.count == 2 && !parts[0].contains("/")
      let path = isNamed ? parts[1] : text
      let name = isNamed ? parts[0] : path.split(separator: "/").last.map(String.init) ?? ""
      guard !path.isEmpty else { throw .usage("--log \(text) has no path") }
      guard !name.isEmpty, name.utf8.count <= Self.nameLimitBytes, name.allSatisfy(Self.isPlain), name.first != "-"
      else {
        throw .usage(
          "'\(name)' is no name for a log",
          advice: "Give --log NAME=PATH, with letters, digits, '.', '_' and '-' in NAME.")
      }
      guard paths.updateValue(path, forKey: name) == nil else {
        throw .usage("two logs have the name '\(name)'", advice: "Name one of them with --log NAME=PATH.")
      }
      names.append(name)
    }
    (self.names, self.paths) = (names, paths)
    self.files = ServedLogFiles(base: files, paths: Array(paths.values))
  }

  private static func isPlain(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || "._-".contains(character))
  }

  func path(of name: String) throws(ToolFailure) -> String {
    if let path = paths[name] { return path }
    let suggestion = Suggestion.sentence(for: name, among: names).map { sentence in " " + sentence } ?? ""
    throw ToolFailure(
      "unknownLog", .usage, "there is no log '\(name)'",
      advice: "The logs are \(names.prefix(20).joined(separator: ", "))\(names.count > 20 ? ", …" : "").\(suggestion)")
  }
}

/// A view of a file system that has only the files of some logs, and refuses to write. Every path is resolved first, so that neither
/// `..` nor a symbolic link leads out of a log.
struct ServedLogFiles: ForwardingFileSystem {
  let base: any LogFileSystem
  let paths: [String]

  private func hasFile(_ path: String) throws(FileSystemError) -> Bool {
    for log in paths {
      if try base.path(path, isWithin: log) { return true }
      if try base.canonicalPath(of: path) == base.canonicalPath(of: log) { return true }
    }
    return false
  }

  func status(of path: String) throws(FileSystemError) -> FileStatus? {
    try hasFile(path) ? base.status(of: path) : nil
  }

  func names(in directory: String) throws(FileSystemError) -> [String] {
    guard try hasFile(directory) else { throw FileSystemError(code: .notFound, operation: "opendir", path: directory) }
    return try base.names(in: directory)
  }

  func open(_ path: String, for access: FileAccess) throws(FileSystemError) -> any LogFile {
    guard access == .read else { throw .readOnly("open", path) }
    guard try hasFile(path) else { throw FileSystemError(code: .notFound, operation: "open", path: path) }
    return try base.open(path, for: .read)
  }

  func basePath(toChange path: String, _ operation: String) throws(FileSystemError) -> String {
    throw .readOnly(operation, path)
  }
}
