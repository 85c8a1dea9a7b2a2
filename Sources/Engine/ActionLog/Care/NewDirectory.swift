import Platform

/// A directory that appears at its path whole or not at all.
///
/// It is filled as `TARGET.unfinished/log` and gets its name by one renaming when everything in it is durable. So what a
/// full disk, a killed process or a power cut leaves behind can never be taken for the whole: a copy that ends early
/// would open as a shorter log. The outer directory is locked, so that the next attempt can tell remains from work.
package struct NewDirectory: Sendable {
  /// Where it is filled.
  package let path: String

  private let target: String
  private let outer: String
  private let fileSystem: any LogFileSystem
  private let lock: any DirectoryLock
  /// Whether it has its name, or was taken away: from then on whatever lies beside the target is somebody else's.
  private let isOver = Locked(false)

  /// The end of the name of the outer directory.
  static let suffix = LogFormat.unfinishedSuffix
  private static let innerName = "log"

  /// The outer directory of what gets its name at a path.
  static func outer(of target: String) -> String { LogFolder.trimmed(target) + suffix }

  /// Begins a directory, and clears away what an earlier attempt has left.
  ///
  /// - Parameters:
  ///   - target: A path at which nothing lies, or an empty directory.
  ///   - fileSystem: The door to the disk.
  /// - Throws: ``FileSystemError/Code/exists`` when anything else lies there or at the path of the outer directory;
  ///   ``FileSystemError/Code/locked`` while another process fills it.
  init(at target: String, _ fileSystem: any LogFileSystem) throws(FileSystemError) {
    let target = LogFolder.trimmed(target)
    self.target = target
    self.fileSystem = fileSystem
    outer = Self.outer(of: target)
    path = outer + "/" + Self.innerName
    try Self.checkFree(target, fileSystem)
    if let status = try fileSystem.status(of: outer) {
      // A link would lead to what others have there.
      guard status.kind == .directory else { throw FileSystemError(code: .exists, operation: "mkdir", path: outer) }
    } else {
      try fileSystem.createDirectory(outer)
    }
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

  /// Begins a directory, and clears away what an earlier attempt has left.
  ///
  /// - Parameters:
  ///   - target: A path at which nothing lies, or an empty directory.
  ///   - fileSystem: The door to the disk.
  ///   - failure: What cannot be done when this fails, for instance `the log cannot be copied`.
  /// - Throws: ``LogError`` with code `exists`, `locked`, `notFound` when the directory above does not exist, `noSpace`,
  ///   `inputOutput`.
  package init(at target: String, _ fileSystem: any LogFileSystem, failure: String) throws(LogError) {
    do throws(FileSystemError) { try self.init(at: target, fileSystem) } catch {
      throw LogError.making(error, failure, path: target)
    }
  }

  /// Gives the directory its name. Everything in it must be durable.
  ///
  /// - Throws: ``FileSystemError``. Nothing lies at the target then, but where the last step failed, which makes the name
  ///   durable: then the whole directory does, until a power cut perhaps.
  func finish() throws(FileSystemError) {
    try fileSystem.syncDirectory(path)
    try Self.checkFree(target, fileSystem)
    try fileSystem.rename(path, to: target)
    try fileSystem.syncDirectory(LogFolder.parent(of: target))
    // What was asked for is there to stay; an empty directory beside it does no harm.
    end { () throws(FileSystemError) in try fileSystem.remove(outer) }
  }

  /// Gives the directory its name. Everything in it must be durable.
  ///
  /// - Parameter failure: What cannot be done when this fails.
  /// - Throws: ``LogError``. Nothing lies at the target then, but where the last step failed, which makes the name durable.
  package func finish(failure: String) throws(LogError) {
    do throws(FileSystemError) { try finish() } catch { throw LogError.files(error, failure, path: target) }
  }

  /// Removes what there is of it, unless it has its name or was removed already.
  ///
  /// It is tried once: the error that counts is the one that ended the work, and the next attempt clears away what is left.
  package func discard() {
    end { () throws(FileSystemError) in
      try remove(path)
      try fileSystem.remove(outer)
    }
  }

  /// Clears up and gives the lock back, the first time it is called.
  private func end(_ clearUp: () throws(FileSystemError) -> Void) {
    let isFirst = isOver.withLock { isOver in
      defer { isOver = true }
      return !isOver
    }
    guard isFirst else { return }
    do throws(FileSystemError) { try clearUp() } catch {}
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
