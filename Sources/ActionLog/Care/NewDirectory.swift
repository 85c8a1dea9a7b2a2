/// A directory that appears at its path whole or not at all.
///
/// It is filled as `TARGET.unfinished/log` and gets its name by one renaming when everything in it is durable. So what a
/// full disk, a killed process or a power cut leaves behind can never be taken for the whole: a copy that ends early
/// would open as a shorter log. The outer directory is locked, so that the next attempt can tell remains from work.
struct NewDirectory {
  /// Where it is filled.
  let path: String

  private let target: String
  private let outer: String
  private let fileSystem: any LogFileSystem
  private let lock: any DirectoryLock

  /// The end of the name of the outer directory.
  static let suffix = ".unfinished"
  private static let innerName = "log"

  /// Begins a directory, and clears away what an earlier attempt has left.
  ///
  /// - Parameter target: A path at which nothing lies, or an empty directory.
  /// - Throws: ``FileSystemError/Code/exists`` when anything else lies there or at the path of the outer directory;
  ///   ``FileSystemError/Code/locked`` while another process fills it.
  init(at target: String, _ fileSystem: any LogFileSystem) throws(FileSystemError) {
    self.target = target
    self.fileSystem = fileSystem
    outer = target + Self.suffix
    path = outer + "/" + Self.innerName
    try Self.checkFree(target, fileSystem)
    if try fileSystem.status(of: outer) == nil { try fileSystem.createDirectory(outer) }
    lock = try fileSystem.lock(directory: outer)
    do throws(FileSystemError) {
      guard try fileSystem.names(in: outer).allSatisfy({ name in name == Self.innerName }) else {
        throw FileSystemError(code: .exists, operation: "mkdir", path: outer)
      }
      try remove(path)
      try fileSystem.createDirectory(path)
    } catch {
      lock.unlock()
      throw error
    }
  }

  /// Gives the directory its name. Everything in it must be durable.
  func finish() throws(FileSystemError) {
    try fileSystem.synchronizeDirectory(path)
    try Self.checkFree(target, fileSystem)
    try fileSystem.rename(path, to: target)
    try fileSystem.synchronizeDirectory(LogFolder.parent(of: target))
    try fileSystem.remove(outer)
    lock.unlock()
  }

  /// Removes what there is of it, once: the error that counts is the one that ended the work, and the next attempt
  /// clears away what is left.
  func discard() {
    do throws(FileSystemError) {
      try remove(path)
      try fileSystem.remove(outer)
    } catch {}
    lock.unlock()
  }

  private static func checkFree(_ target: String, _ fileSystem: any LogFileSystem) throws(FileSystemError) {
    guard let status = try fileSystem.status(of: target) else { return }
    guard status.kind == .directory, try fileSystem.names(in: target).isEmpty else {
      throw FileSystemError(code: .exists, operation: "mkdir", path: target)
    }
  }

  /// Removes a file, or a directory with what it holds. Only what this type made lies there: a log, two levels deep.
  private func remove(_ path: String) throws(FileSystemError) {
    guard let status = try fileSystem.status(of: path) else { return }
    if status.kind == .directory {
      for name in try fileSystem.names(in: path) { try remove(path + "/" + name) }
    }
    try fileSystem.remove(path)
  }
}
