import ActionLog

/// Takes relative paths from a directory other than the process's own, so that everything that is said of a file names
/// it as it was typed.
struct RebasedFileSystem: LogFileSystem {
  let base: any LogFileSystem
  let directory: String

  private func absolute(_ path: String) -> String {
    path.hasPrefix("/") ? path : directory + "/" + path
  }

  func status(of path: String) throws(FileSystemError) -> FileStatus? {
    try base.status(of: absolute(path))
  }

  func names(in directory: String) throws(FileSystemError) -> [String] {
    try base.names(in: absolute(directory))
  }

  func createDirectory(_ path: String) throws(FileSystemError) {
    try base.createDirectory(absolute(path))
  }

  func open(_ path: String, for access: FileAccess) throws(FileSystemError) -> any LogFile {
    try base.open(absolute(path), for: access)
  }

  func rename(_ path: String, to newPath: String) throws(FileSystemError) {
    try base.rename(absolute(path), to: absolute(newPath))
  }

  func renameWithoutReplacing(_ path: String, to newPath: String) throws(FileSystemError) {
    try base.renameWithoutReplacing(absolute(path), to: absolute(newPath))
  }

  func remove(_ path: String) throws(FileSystemError) {
    try base.remove(absolute(path))
  }

  func canonicalPath(of path: String) throws(FileSystemError) -> String {
    try base.canonicalPath(of: absolute(path))
  }

  func synchronizeDirectory(_ path: String) throws(FileSystemError) {
    try base.synchronizeDirectory(absolute(path))
  }

  func lock(directory: String) throws(FileSystemError) -> any DirectoryLock {
    try base.lock(directory: absolute(directory))
  }
}
