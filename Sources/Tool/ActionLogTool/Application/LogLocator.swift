package import ActionLog
import Platform
import TimeTravel

/// Finds logs near a path, so that an error can name the path that was meant. Some options take the folder above a log and others the
/// log itself, and the two are easily confused.
package struct LogLocator: Sendable {
  private let fileSystem: any LogFileSystem

  private static let namedLimit = 5
  /// The number of directories to read in a folder: an error must not wait for an entire disk.
  private static let directoryLimit = 1_000

  package init(_ context: CommandContext) {
    self.init(context.files)
  }

  package init(_ fileSystem: any LogFileSystem) {
    self.fileSystem = fileSystem
  }

  /// Whether the path is a log. An unreadable path is not.
  func isLog(_ path: String) -> Bool {
    names(in: path).contains { name in SegmentName.first(of: name) != nil }
  }

  /// Whether a command accepts the path as a log: links are not followed.
  private func isUsable(_ path: String) -> Bool {
    guard isLog(path) else { return false }
    do { return try fileSystem.status(of: path)?.isSymbolicLink == false } catch { return false }
  }

  /// The paths of the logs in a folder, and of at most one more than an error names.
  func logs(in folder: String) -> [String] {
    let start = folder == "." ? "" : folder.hasSuffix("/") ? folder : folder + "/"
    var logs: [String] = []
    for name in names(in: folder).prefix(Self.directoryLimit) where logs.count <= Self.namedLimit {
      // Not a lazy filter, which would read each directory twice.
      if isUsable(start + name) { logs.append(start + name) }
    }
    return logs
  }

  /// Checks that a path is not a log, for an option that takes the folder above logs.
  package func requireFolder(_ path: String, option: String) throws(ToolFailure) {
    guard !path.isEmpty else { throw .usage("--\(option) needs the path of a directory") }
    guard isLog(path) else { return }
    throw .usage(
      "--\(option) takes the folder above a log, and '\(path)' is a log itself",
      advice: "Give '--\(option) \(ShellWord(Self.folder(above: path)))'. Nothing was changed.")
  }

  /// Checks that a path is not the folder above logs, for an option that takes a log.
  package func requireLog(_ path: String, option: String) throws(ToolFailure) {
    guard !path.isEmpty else { throw .usage("--\(option) needs the path of a log") }
    guard !isLog(path), let advice = advice(on: path) else { return }
    throw .usage(
      "--\(option) takes a log itself, and '\(path)' is the folder above one",
      advice: .sentences(advice, "Nothing was changed."))
  }

  /// Advice that names the logs in a folder; `nil` if it has none.
  package func advice(on folder: String, as name: String = "It") -> MessageText? {
    let logs = logs(in: folder)
    guard !logs.isEmpty else { return nil }
    let names = logs.prefix(Self.namedLimit).map { log in "'\(log)'" }.joined(separator: ", ")
    return logs.count == 1
      ? "\(name) contains the log \(names)."
      : "\(name) contains the logs \(names)\(logs.count > Self.namedLimit ? " and more" : "")."
  }

  /// Advice that names up to three logs whose names are nearly that of a missing one; `nil` if there is none.
  func advice(onMisspelled path: String) -> MessageText? {
    let start = path.split(separator: "/").last.map { name in path[..<name.startIndex] } ?? ""
    let name = String(path[start.endIndex...].prefix { character in character != "/" })
    var names = Set(names(in: Self.folder(above: path)))
    guard !names.contains(name) else { return nil }
    while case let near = NameSuggestion.suggestions(for: name, among: names), !near.isEmpty {
      let logs = near.map { name in start + name }.filter(isUsable)
      if !logs.isEmpty { return "Did you mean \(logs.map { log in "'\(log)'" }.joined(separator: " or "))?" }
      names.subtract(near)
    }
    return nil
  }

  /// Advice on a folder that `ship` has filled; `nil` for any other.
  func adviceOnShipped(_ folder: String) -> MessageText? {
    let parts = ["model=", "log="]
    guard names(in: folder).contains(where: { name in parts.contains(where: name.hasPrefix) }) else { return nil }
    return
      "It was filled by 'ship': each folder model=NAME/log=IDENTIFIER in it is a log. "
      + "\(command: .fleet, .path(folder)) lists them."
  }

  /// The path of the folder that contains `path`.
  package static func folder(above path: String) -> String {
    var parts = path.split(separator: "/")
    guard let last = parts.popLast() else { return path.isEmpty ? "." : "/" }
    // Only the file system can resolve these names, so the parent is appended.
    if last == "." || last == ".." {
      let isHere = last == "." && parts.isEmpty && !path.hasPrefix("/")
      parts += isHere ? [".."] : [last, ".."]
    }
    let start = path.hasPrefix("/") ? "/" : ""
    return parts.isEmpty && start.isEmpty ? "." : start + parts.joined(separator: "/")
  }

  private func names(in path: String) -> [String] {
    do { return try fileSystem.names(in: path) } catch { return [] }
  }
}

/// The directory of an application's data: that of `--data`, or one for each application in the system's folder for
/// user data.
///
/// - SeeAlso: XDG Base Directory Specification.
package struct DataFolder: Sendable {
  package static let option = CommandOption.value(
    "data", letter: "d", "DIR",
    "the folder above the application's logs, created if missing (default: a folder of its own in your data folder)")

  package let path: String
  let fileSystem: any LogFileSystem

  package static func open(_ context: CommandContext, name: String) async throws -> DataFolder {
    try await BlockingWork.run { try DataFolder(context, name: name) }
  }

  /// Finds the directory, and creates it if it is missing. Blocks; ``open(_:name:)`` does not.
  package init(_ context: CommandContext, name: String) throws {
    fileSystem = context.environment.fileSystem
    if let given = context.arguments.value(of: Self.option) {
      try LogLocator(fileSystem).requireFolder(given, option: Self.option.name)
      path = given
    } else {
      path = try Self.defaultPath(context.environment.variables) + "/" + name
    }
    do throws(FileSystemError) {
      try fileSystem.makeDirectories(path)
    } catch {
      var failure =
        error.code == .notADirectory
        ? ToolFailure("inputOutput", .environment, "the path is a file", path: error.path) : ToolFailure(any: error)
      failure.message = "the data directory cannot be created: " + failure.message
      failure.path = failure.path ?? path
      failure.advice = "Name another one with --data DIR, or make it writable. Nothing was changed."
      throw failure
    }
  }

  package func path(_ name: String) -> String { path + "/" + name }

  /// The folder for data that can be deleted at any time; `nil` if there is no home directory.
  static func cachePath(_ variables: [String: String]) -> String? {
    #if os(macOS)
    return userPath("XDG_CACHE_HOME", or: "Library/Caches", variables)
    #else
    return userPath("XDG_CACHE_HOME", or: ".cache", variables)
    #endif
  }

  private static func defaultPath(_ variables: [String: String]) throws(ToolFailure) -> String {
    #if os(macOS)
    let path = userPath("XDG_DATA_HOME", or: "Library/Application Support", variables)
    #else
    let path = userPath("XDG_DATA_HOME", or: ".local/share", variables)
    #endif
    if let path { return path }
    throw .usage("there is no home directory to keep data in", advice: "Name a directory with --data DIR.")
  }

  private static func userPath(_ name: String, or place: String, _ variables: [String: String]) -> String? {
    // The specification requires relative paths to be ignored.
    if let folder = variables[name], folder.hasPrefix("/") { return folder + "/action-log" }
    return variables["HOME"].flatMap { home in home.hasPrefix("/") ? "\(home)/\(place)/action-log" : nil }
  }
}
