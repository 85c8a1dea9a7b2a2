import ActionLog

/// Where a demo's log lies: a place that is cleaned up again, or beside the one that was asked for, until the log is whole.
struct DemoDirectory: Sendable {
  /// Where the log is recorded.
  let path: String
  private let end: End
  private let fileSystem: any LogFileSystem

  /// What becomes of the log.
  private enum End: Sendable {
    /// It is removed with the directory around it.
    case removal(parent: String)
    /// It gets its name.
    case name(NewDirectory)
  }

  /// How deep a log's directories are nested, and one more: removing goes no deeper.
  private static let depthLimit = 3
  private static let failure = "the log cannot be kept"

  /// A directory of its own for a log that is thrown away.
  static func temporary(in environment: ToolEnvironment) throws(FileSystemError) -> DemoDirectory {
    let base = environment.temporaryDirectory
    for number in 1...1_000 {
      let parent = "\(base)/action-log-demo-\(environment.logEnvironment.processID)-\(number)"
      do throws(FileSystemError) {
        try environment.fileSystem.createDirectory(parent)
        return DemoDirectory(
          path: parent + "/my-log", end: .removal(parent: parent), fileSystem: environment.fileSystem)
      } catch  where error.code == .exists {
        continue
      }
    }
    throw FileSystemError(code: .exists, operation: "mkdir", path: base)
  }

  /// The directory that the person wants to keep.
  static func kept(at path: String, in fileSystem: any LogFileSystem) throws -> DemoDirectory {
    try checkFree(path, in: fileSystem)
    let directory = try NewDirectory(at: path, fileSystem, failure: failure)
    return DemoDirectory(path: directory.path, end: .name(directory), fileSystem: fileSystem)
  }

  /// Refuses a path at which anything lies, an empty directory too.
  static func checkFree(_ path: String, in fileSystem: any LogFileSystem) throws {
    guard try fileSystem.status(of: path) != nil else { return }
    throw LogError(
      .exists, "there is something already", path: path, advice: "Name a directory that does not exist.")
  }

  /// Gives what is to be kept its name, and removes what is not.
  func finish() throws {
    switch end {
    case .removal(let parent): try remove(parent, depth: 0)
    case .name(let directory): try directory.finish(failure: Self.failure)
    }
  }

  /// Removes what there is of it, once: the error that counts is the one that ended the demo.
  func discard() {
    switch end {
    case .removal(let parent): do throws(FileSystemError) { try remove(parent, depth: 0) } catch {}
    case .name(let directory): directory.discard()
    }
  }

  private func remove(_ path: String, depth: Int) throws(FileSystemError) {
    if depth < Self.depthLimit, try fileSystem.status(of: path)?.kind == .directory {
      for name in try fileSystem.names(in: path) { try remove(path + "/" + name, depth: depth + 1) }
    }
    try fileSystem.remove(path)
  }
}
