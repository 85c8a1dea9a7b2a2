import ActionLog

/// Where a demo's log lies: a place that is cleaned up again, or the one that was asked for.
struct DemoDirectory: Sendable {
  let path: String
  private let parent: String?
  private let fileSystem: any LogFileSystem

  /// How deep a log's directories are nested, and one more: removing goes no deeper.
  private static let depthLimit = 3

  /// A directory of its own for a log that is thrown away.
  static func temporary(in environment: ToolEnvironment) throws(FileSystemError) -> DemoDirectory {
    let base = environment.temporaryDirectory
    for number in 1...1_000 {
      let parent = "\(base)/action-log-demo-\(environment.logEnvironment.processID)-\(number)"
      do throws(FileSystemError) {
        try environment.fileSystem.createDirectory(parent)
        return DemoDirectory(path: parent + "/my-log", parent: parent, fileSystem: environment.fileSystem)
      } catch  where error.code == .exists {
        continue
      }
    }
    throw FileSystemError(code: .exists, operation: "mkdir", path: base)
  }

  /// The directory that the person wants to keep.
  static func kept(at path: String, in fileSystem: any LogFileSystem) throws -> DemoDirectory {
    if try fileSystem.status(of: path) != nil {
      throw LogError(
        .exists, "there is something already", path: path, advice: "Name a directory that does not exist yet.")
    }
    return DemoDirectory(path: path, parent: nil, fileSystem: fileSystem)
  }

  /// Removes what is not to be kept.
  func cleanUp() throws(FileSystemError) {
    if let parent { try remove(parent, depth: 0) }
  }

  private func remove(_ path: String, depth: Int) throws(FileSystemError) {
    if depth < Self.depthLimit, try fileSystem.status(of: path)?.kind == .directory {
      for name in try fileSystem.names(in: path) { try remove(path + "/" + name, depth: depth + 1) }
    }
    try fileSystem.remove(path)
  }
}
