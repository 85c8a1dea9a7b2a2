import Platform

/// A new directory that appears at its path completely or not at all.
///
/// It is filled as `TARGET.unfinished/log` and renamed when everything in it is durable. So a full disk, a killed
/// process or a power cut never leaves an incomplete log at the target, which would open as a shorter log. The outer
/// directory is locked, so that the next attempt can distinguish leftovers from work in progress.
package struct NewDirectory: Sendable {
  /// The path of the directory while it is filled.
  package let path: String

  private let target: String
  private let outer: String
  private let fileSystem: any LogFileSystem
  private let lock: any DirectoryLock
  /// Whether it was renamed or removed. After that, files next to the target belong to others.
  private let hasEnded = Locked(false)

  static let suffix = LogFormat.unfinishedSuffix
  private static let innerName = "log"

  /// Returns the path of the outer directory for a target.
  package static func outer(of target: String) -> String { LogFolder.trimmed(target) + suffix }

  package init(at target: String, _ fileSystem: any LogFileSystem) throws(FileSystemError) {
    let target = LogFolder.trimmed(target)
    self.target = target
    self.fileSystem = fileSystem
    outer = Self.outer(of: target)
    path = outer + "/" + Self.innerName
    try Self.checkFree(target, fileSystem)
    if let status = try fileSystem.status(of: outer) {
      // A symbolic link could lead to foreign files.
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

  /// Creates the directory and removes the leftovers of an earlier attempt.
  package init(at target: String, _ fileSystem: any LogFileSystem, failure: String) throws(LogError) {
    do throws(FileSystemError) { try self.init(at: target, fileSystem) } catch {
      throw LogError.making(error, failure, path: target)
    }
  }

  /// Renames the directory to the target. Everything in it must be durable.
  ///
  /// - Throws: ``LogError``. The target does not exist then, unless the last step failed, which makes the name
  ///   durable: then the complete directory is there, but a power cut can remove it.
  package func finish(failure: String) throws(LogError) {
    try LogError.files(failure, at: target) { () throws(FileSystemError) in
      try fileSystem.syncDirectory(path)
      try Self.checkFree(target, fileSystem)
      try fileSystem.rename(path, to: target)
      try fileSystem.syncDirectory(LogFolder.parent(of: target))
    }
    // The target is durable; an empty directory next to it does no harm.
    end { () throws(FileSystemError) in try fileSystem.remove(outer) }
  }

  /// Removes the unfinished directory, unless it was renamed or removed already.
  ///
  /// Removal is tried once and its errors are ignored: the error that counts is the one that ended the work, and the
  /// next attempt removes the leftovers.
  package func discard() {
    end { () throws(FileSystemError) in
      try remove(path)
      try fileSystem.remove(outer)
    }
  }

  /// Cleans up and releases the lock, on the first call.
  private func end(_ clearUp: () throws(FileSystemError) -> Void) {
    let isFirst = hasEnded.withLock { hasEnded in
      defer { hasEnded = true }
      return !hasEnded
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

  /// Removes a file, or a directory with its contents. The directory holds only the files of an unfinished log.
  private func remove(_ path: String) throws(FileSystemError) {
    guard let status = try fileSystem.status(of: path) else { return }
    if status.kind == .directory {
      for name in try fileSystem.names(in: path) { try remove(path + "/" + name) }
    }
    try fileSystem.remove(path)
  }
}
