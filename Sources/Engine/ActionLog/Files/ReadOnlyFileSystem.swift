internal import Platform

/// A view of a file system that shows other files than it has. Calls that change files fail.
protocol ReadOnlyFileSystem: LogFileSystem {}

extension ReadOnlyFileSystem {
  func createDirectory(_ path: String) throws(FileSystemError) { throw refusal("mkdir", path) }
  func rename(_ path: String, to newPath: String) throws(FileSystemError) { throw refusal("rename", path) }
  func renameWithoutReplacing(_ path: String, to newPath: String) throws(FileSystemError) {
    throw refusal("rename", path)
  }
  func remove(_ path: String) throws(FileSystemError) { throw refusal("remove", path) }
  func syncDirectory(_ path: String) throws(FileSystemError) { throw refusal("fsync", path) }
  func lock(directory: String) throws(FileSystemError) -> any DirectoryLock { throw refusal("flock", directory) }

  func refusal(_ operation: String, _ path: String) -> FileSystemError {
    FileSystemError(code: .readOnlyFileSystem, operation: operation, path: path)
  }
}
