/// A file system that forwards to another one what it does not do itself.
package protocol ForwardingFileSystem: LogFileSystem {
  var base: any LogFileSystem { get }
  /// Returns the path of a file in the other file system.
  func basePath(of path: String) -> String
}

extension ForwardingFileSystem {
  package func basePath(of path: String) -> String { path }

  package func status(of path: String) throws(FileSystemError) -> FileStatus? {
    try base.status(of: basePath(of: path))
  }
  package func names(in directory: String) throws(FileSystemError) -> [String] {
    try base.names(in: basePath(of: directory))
  }
  package func createDirectory(_ path: String) throws(FileSystemError) {
    try base.createDirectory(basePath(of: path))
  }
  package func open(_ path: String, for access: FileAccess) throws(FileSystemError) -> any LogFile {
    try base.open(basePath(of: path), for: access)
  }
  package func rename(_ path: String, to newPath: String) throws(FileSystemError) {
    try base.rename(basePath(of: path), to: basePath(of: newPath))
  }
  package func renameWithoutReplacing(_ path: String, to newPath: String) throws(FileSystemError) {
    try base.renameWithoutReplacing(basePath(of: path), to: basePath(of: newPath))
  }
  package func remove(_ path: String) throws(FileSystemError) { try base.remove(basePath(of: path)) }
  package func canonicalPath(of path: String) throws(FileSystemError) -> String {
    try base.canonicalPath(of: basePath(of: path))
  }
  package func copyPermissions(from path: String, to newPath: String) throws(FileSystemError) {
    try base.copyPermissions(from: basePath(of: path), to: basePath(of: newPath))
  }
  package func syncDirectory(_ path: String) throws(FileSystemError) { try base.syncDirectory(basePath(of: path)) }
  package func sync(_ files: [any LogFile], _ strength: SyncStrength) throws(FileSystemError) {
    try base.sync(files, strength)
  }
  package func lock(directory: String) throws(FileSystemError) -> any DirectoryLock {
    try base.lock(directory: basePath(of: directory))
  }
}
