import ActionLog
import EventSourcing
import JSONCoding
import TerminalUI

/// Finds the logs in a directory and its subdirectories.
///
/// A log is a directory with a segment file, or with the `HEAD` of a log whose segments are missing. A log is not searched for
/// other logs. Symbolic links are not followed, so a loop cannot occur and no log is found twice; a path that the user gives may
/// be a link. Unfinished copies (`*.unfinished`) and the folder `_logs` of a lake are skipped. The order is that of the names' bytes.
package struct LogSearch {
  enum Item {
    case log(String)
    /// A directory that cannot be searched. The search continues.
    case failure(String, ToolFailure)
  }

  /// Fan-out by a hash takes two to four levels; a deeper tree is not a folder of logs.
  package static let depthLimit = 32
  /// The paths of so many logs take about 100 MB.
  static let logLimit = 1_000_000
  /// Reading so many names takes minutes: the path is probably a mistake, such as `/`.
  static let entryLimit = 20_000_000

  private static let lakeFolder = "_logs"

  private let fileSystem: any LogFileSystem
  private var entryCount = 0
  private(set) var logCount = 0
  /// The number of skipped symbolic links that lead to directories.
  private(set) var skippedLinkCount = 0

  init(_ fileSystem: any LogFileSystem) {
    self.fileSystem = fileSystem
  }

  static func isLog(_ names: [String], at path: String, _ fileSystem: any LogFileSystem) -> Bool {
    if names.contains(where: { name in SegmentName.first(of: name) != nil }) { return true }
    guard names.contains(LogFormat.headName) else { return false }
    // Other programs also have files of this name, for example Git.
    do throws(FileSystemError) {
      let head = try fileSystem.contents(of: Self.path(of: LogFormat.headName, in: path), limitBytes: 4_096)
      return LogHead(parsing: head) != nil
    } catch {
      return false
    }
  }

  mutating func forEach(in directory: String, _ body: (Item) throws -> Void) throws {
    try visit(directory, depth: 0, body)
  }

  private mutating func visit(_ path: String, depth: Int, _ body: (Item) throws -> Void) throws {
    let names: [String]
    do throws(FileSystemError) { names = try fileSystem.names(in: path) } catch {
      // A directory that was removed in the meantime.
      if error.code == .notFound, depth > 0 { return }
      return try body(.failure(path, ToolFailure.unsearchable(path, error)))
    }
    if Self.isLog(names, at: path, fileSystem) {
      logCount += 1
      guard logCount <= Self.logLimit else {
        throw Self.beyond("contains more than \(HumanText.count(Self.logLimit)) logs", path)
      }
      return try body(.log(path))
    }
    entryCount += names.count
    guard entryCount <= Self.entryLimit else {
      throw Self.beyond("contains more than \(HumanText.count(Self.entryLimit)) files and folders", path)
    }
    for name in names where !name.hasSuffix(LogFormat.unfinishedSuffix) && name != Self.lakeFolder {
      let child = Self.path(of: name, in: path)
      do throws(FileSystemError) {
        switch try fileSystem.status(of: child)?.kind {
        case .directory: break
        case .other:
          if isDirectory(child) { skippedLinkCount += 1 }
          continue
        case .file, nil: continue
        }
      } catch {
        try body(.failure(child, ToolFailure.unsearchable(child, error)))
        continue
      }
      guard depth < Self.depthLimit else {
        let failure = ToolFailure(
          "beyondLimit", .limit, "the folder is more than \(Self.depthLimit) levels deep and was not searched",
          path: child,
          advice: "Name it to search it.")
        try body(.failure(child, failure))
        continue
      }
      try visit(child, depth: depth + 1, body)
    }
  }

  /// Whether a link leads to a directory. An unreadable one is not followed either.
  private func isDirectory(_ path: String) -> Bool {
    do throws(FileSystemError) {
      _ = try fileSystem.names(in: path)
      return true
    } catch {
      return false
    }
  }

  static func path(of name: String, in directory: String) -> String {
    directory.hasSuffix("/") ? directory + name : directory + "/" + name
  }

  private static func beyond(_ message: String, _ path: String) -> ToolFailure {
    ToolFailure(
      "beyondLimit", .limit, "the folder \(message)", path: path,
      advice: "Name folders inside it, or pass paths on standard input: 'find … | action-log each - -- VERB'.")
  }
}

struct NamedLogs {
  /// The paths of the logs: in the order of the arguments, and within a directory in the order of their names.
  private(set) var paths: [String] = []
  private(set) var failures: [(path: String, failure: ToolFailure)] = []
  private(set) var skippedLinkCount = 0
  /// The path of the only log, as it was named; `nil` for several, and for a directory of logs.
  private(set) var only: String?

  /// The logs of several arguments. A log that is named twice counts once.
  init(
    _ arguments: [String], _ fileSystem: any LogFileSystem, unread: [(path: String, failure: ToolFailure)] = []
  ) throws {
    failures = unread
    var search = LogSearch(fileSystem)
    var known: Set<ExactName> = []
    for argument in arguments {
      guard !argument.isEmpty else { throw ToolFailure.usage("the path of a log is empty") }
      guard argument != "-" else {
        throw ToolFailure.usage("- means paths on standard input, and cannot be combined with other logs")
      }
      let trimmed = Self.trimmed(argument)
      let path = LogSetFolder.directory(named: trimmed, in: fileSystem) ?? trimmed
      var found: [String] = []
      let failureCount = failures.count
      if Self.isFolderOfLogs(path, fileSystem) {
        try search.forEach(in: path) { item in
          switch item {
          case .log(let log): found.append(log)
          case .failure(let path, let failure): failures.append((path, failure))
          }
        }
      }
      // A directory without logs is reported like a log that cannot be opened.
      if found.isEmpty, failures.count == failureCount {
        found = [path]
        if arguments.count == 1, failures.isEmpty { only = path == trimmed ? argument : path }
      }
      guard arguments.count > 1 else {
        paths = found
        break
      }
      for log in found where known.insert(ExactName(Self.identity(of: log, fileSystem))).inserted { paths.append(log) }
    }
    skippedLinkCount = search.skippedLinkCount
  }

  var sortedPaths: [String] { paths.sorted { left, right in left.utf8.lexicographicallyPrecedes(right.utf8) } }

  static func isFolderOfLogs(_ path: String, _ fileSystem: any LogFileSystem) -> Bool {
    do throws(FileSystemError) {
      return !LogSearch.isLog(try fileSystem.names(in: path), at: path, fileSystem)
    } catch {
      // Opening it as a log reports the reason.
      return false
    }
  }

  /// The path that identifies a log, whatever path it was reached by.
  private static func identity(of path: String, _ fileSystem: any LogFileSystem) -> String {
    do throws(FileSystemError) { return try fileSystem.canonicalPath(of: path) } catch { return path }
  }

  static func trimmed(_ path: String) -> String {
    var trimmed = path[...]
    while trimmed.count > 1, trimmed.hasSuffix("/") { trimmed = trimmed.dropLast() }
    return String(trimmed)
  }
}

extension CommandContext {
  func namedLogs() throws -> NamedLogs {
    _ = try logPath()
    return arguments.positionals == ["-"] ? try logsOnStandardInput() : try NamedLogs(arguments.positionals, files)
  }

  /// The logs that the lines of standard input name. A line that is no path is a log that cannot be read.
  func logsOnStandardInput() throws -> NamedLogs {
    var reader = LineReader(environment.standardInput, stop: environment.stop)
    var paths: [String] = []
    var failures: [(path: String, failure: ToolFailure)] = []
    while let lines = try reader.next() {
      for line in lines {
        guard paths.count + failures.count < LogSearch.logLimit else {
          throw ToolFailure(
            "beyondLimit", .limit, "standard input names more than \(HumanText.count(LogSearch.logLimit)) logs")
        }
        switch line {
        case .bytes(let bytes) where bytes.isEmpty: break
        case .bytes(let bytes):
          let path = String(decoding: bytes, as: UTF8.self)
          // Invalid bytes are replaced, and another log can have that name. String(validating:as:) needs macOS 15.
          if path.utf8.elementsEqual(bytes) {
            paths.append(path == "-" ? "./-" : path)
          } else {
            failures.append((path, .usage("the path is not UTF-8")))
          }
        case .tooLong:
          failures.append(
            (
              "-",
              ToolFailure(
                "beyondLimit", .limit,
                "a line of standard input is longer than \(HumanText.bytes(LineReader.lineLimitBytes))")
            ))
        }
      }
    }
    guard !paths.isEmpty || !failures.isEmpty else {
      throw ToolFailure("noLogs", .negative, "standard input names no log")
    }
    return try NamedLogs(paths, files, unread: failures)
  }

  func noteSkippedLinks(_ logs: NamedLogs) throws(ToolStreamError) {
    guard logs.skippedLinkCount > 0 else { return }
    let links = HumanText.count(logs.skippedLinkCount, "symbolic link")
    try note("\(links) to directories not followed: name a link to follow it")
  }

  /// - Returns: The worst status of a directory that cannot be searched.
  func reportUnfound(_ logs: NamedLogs, isRow: Bool = true) throws -> ExitStatus {
    try noteSkippedLinks(logs)
    return try logs.failures.reduce(.success) { status, unread in
      max(status, try reportUnread(unread.path, unread.failure, isRow: isRow))
    }
  }

  /// Reads one of many logs. Its error is reported, unless it concerns the command line, and the command continues.
  func read(_ path: String, _ status: inout ExitStatus, isRow: Bool = true, _ body: () throws -> Void) throws {
    do { try body() } catch {
      if (error as? ToolFailure)?.codeName == "usage" { throw error }
      status = max(status, try reportUnread(path, error, isRow: isRow))
    }
  }

  /// - Parameter isRow: Whether the answer has a row for each log or action: with `--json`, this row is on standard output, too.
  func reportUnread(_ path: String, _ error: any Error, isRow: Bool = true) throws -> ExitStatus {
    if error is ToolStreamError { throw error }
    var failure = ToolFailure(any: error)
    if isJSON {
      try (isRow ? output : messages).json(["path": .string(path), "error": FailureReport(failure, wording).json])
    } else {
      if failure.location == ErrorLocation() { failure.path = path }
      let text = failure.headline
      try messages.line(messages.style.red("error: ") + TerminalText.escaping(text))
    }
    return failure.status
  }
}

extension ToolFailure {
  fileprivate static func unsearchable(_ path: String, _ error: FileSystemError) -> ToolFailure {
    ToolFailure("inputOutput", .environment, "the folder cannot be searched: \(error)", path: path)
  }
}
