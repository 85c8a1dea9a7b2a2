import ActionLog

/// Which logs lie where: for errors that name the path that was meant.
///
/// Some options take the folder above a log, others the log itself, and each is easily taken for the other.
package struct LogPlaces: Sendable {
  private let fileSystem: any LogFileSystem

  /// So many are named in an error.
  private static let namedLimit = 5

  /// Looks at the disk of a command.
  package init(_ context: CommandContext) {
    self.init(context.files)
  }

  init(_ fileSystem: any LogFileSystem) {
    self.fileSystem = fileSystem
  }

  /// Whether a log lies at a path itself. What cannot be read is none.
  func isLog(_ path: String) -> Bool {
    // A segment is named by the revision that it begins with, in sixteen digits.
    names(in: path).contains { name in
      let digits = name.hasSuffix(".jsonl") ? name.dropLast(".jsonl".count) : ""
      return digits.count == 16 && digits.allSatisfy { digit in ("0"..."9").contains(digit) }
    }
  }

  /// The logs that lie in a folder, by their paths.
  func logs(in folder: String) -> [String] {
    let start = folder.hasSuffix("/") ? folder : folder + "/"
    return Array(names(in: folder).lazy.map { name in start + name }.filter(isLog).prefix(Self.namedLimit))
  }

  /// Refuses a log where the folder above one is wanted.
  ///
  /// - Parameters:
  ///   - path: What was given.
  ///   - option: The name of the option that gave it.
  /// - Throws: A usage error that names the folder.
  package func requireFolder(_ path: String, option: String) throws(ToolFailure) {
    guard isLog(path) else { return }
    throw .usage(
      "--\(option) takes the folder above a log, and '\(path)' is a log itself",
      advice: "Give --\(option) \(Self.folder(above: path)). Nothing was changed.")
  }

  /// Refuses the folder above a log where the log itself is wanted.
  ///
  /// - Parameters:
  ///   - path: What was given.
  ///   - option: The name of the option that gave it.
  /// - Throws: A usage error that names the logs in it.
  package func requireLog(_ path: String, option: String) throws(ToolFailure) {
    guard !isLog(path), let advice = advice(on: path) else { return }
    throw .usage(
      "--\(option) takes a log itself, and '\(path)' is the folder above one", advice: "\(advice) Nothing was changed.")
  }

  /// What to give instead of a folder that is no log; `nil` when no log lies in it.
  func advice(on folder: String) -> String? {
    let logs = logs(in: folder)
    guard !logs.isEmpty else { return nil }
    return logs.count == 1
      ? "A log lies in it: '\(logs[0])'."
      : "Logs lie in it: \(logs.map { log in "'\(log)'" }.joined(separator: ", "))."
  }

  /// The folder in which something lies.
  static func folder(above path: String) -> String {
    let trimmed = path.count > 1 && path.hasSuffix("/") ? path.dropLast() : path[...]
    guard let slash = trimmed.lastIndex(of: "/") else { return "." }
    return slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
  }

  private func names(in path: String) -> [String] {
    do { return try fileSystem.names(in: path) } catch { return [] }
  }
}
