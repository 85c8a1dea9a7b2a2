package import ActionLog

/// Which logs lie where: for errors that name the path that was meant.
///
/// Some options take the folder above a log, others the log itself, and each is easily taken for the other.
package struct LogPlaces: Sendable {
  private let fileSystem: any LogFileSystem

  /// So many are named in an error.
  private static let namedLimit = 5
  /// So many names of a folder are looked at: each is a directory to be read, and an error must not wait for a whole disk.
  private static let lookedAtLimit = 1_000

  /// Looks at the disk of a command.
  package init(_ context: CommandContext) {
    self.init(context.files)
  }

  /// Looks at a disk.
  package init(_ fileSystem: any LogFileSystem) {
    self.fileSystem = fileSystem
  }

  /// Whether a log lies at a path itself. What cannot be read is none.
  func isLog(_ path: String) -> Bool {
    names(in: path).contains { name in SegmentName.first(of: name) != nil }
  }

  /// The logs that lie in a folder, by their paths.
  func logs(in folder: String) -> [String] {
    let start = folder.hasSuffix("/") ? folder : folder + "/"
    var logs: [String] = []
    for name in names(in: folder).prefix(Self.lookedAtLimit) where logs.count < Self.namedLimit {
      // Looked at once: a lazy filter would read each directory again to count what it finds.
      if isLog(start + name) { logs.append(start + name) }
    }
    return logs
  }

  /// Refuses a log where the folder above one is wanted.
  ///
  /// - Parameters:
  ///   - path: What was given.
  ///   - option: The name of the option that gave it.
  /// - Throws: A usage error that names the folder; also for no path at all, below which the root of the disk would lie.
  package func requireFolder(_ path: String, option: String) throws(ToolFailure) {
    guard !path.isEmpty else { throw .usage("--\(option) needs the path of a directory") }
    guard isLog(path) else { return }
    throw .usage(
      "--\(option) takes the folder above a log, and '\(path)' is a log itself",
      advice: "Give '--\(option) \(ShellWord(Self.folder(above: path)))'. Nothing was changed.")
  }

  /// Refuses the folder above a log where the log itself is wanted.
  ///
  /// - Parameters:
  ///   - path: What was given.
  ///   - option: The name of the option that gave it.
  /// - Throws: A usage error that names the logs in it; also for no path at all.
  package func requireLog(_ path: String, option: String) throws(ToolFailure) {
    guard !path.isEmpty else { throw .usage("--\(option) needs the path of a log") }
    guard !isLog(path), let advice = advice(on: path) else { return }
    throw .usage(
      "--\(option) takes a log itself, and '\(path)' is the folder above one", advice: "\(advice) Nothing was changed.")
  }

  /// What to give instead of a folder that is no log; `nil` when no log lies in it.
  package func advice(on folder: String) -> String? {
    let logs = logs(in: folder)
    guard !logs.isEmpty else { return nil }
    return logs.count == 1
      ? "A log lies in it: '\(logs[0])'."
      : "Logs lie in it: \(logs.map { log in "'\(log)'" }.joined(separator: ", "))."
  }

  /// What to do with a folder that `ship` has filled; `nil` for another one.
  func adviceOnShipped(_ folder: String) -> String? {
    let parts = ["model=", "log=", "date="]
    guard names(in: folder).contains(where: { name in parts.contains(where: name.hasPrefix) }) else { return nil }
    return "'ship' has filled it: the segments lie deeper, each a file that 'list', 'cat' and 'verify' take by itself. "
      + "'action-log verify -' takes the paths that 'find \(ShellWord(folder)) -name \"0*.jsonl\"' prints."
  }

  /// The folder in which something lies.
  package static func folder(above path: String) -> String {
    var parts = path.split(separator: "/")
    guard let last = parts.popLast() else { return path.isEmpty ? "." : "/" }
    // What these names mean only the disk knows, and it knows what lies above it.
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
