internal import Platform

/// A view of a file system that shows other files than it has. Calls that change files fail.
package protocol ReadOnlyFileSystem: LogFileSystem {}

extension ReadOnlyFileSystem {
  package func createDirectory(_ path: String) throws(FileSystemError) { throw refusal("mkdir", path) }
  package func rename(_ path: String, to newPath: String) throws(FileSystemError) { throw refusal("rename", path) }
  package func renameWithoutReplacing(_ path: String, to newPath: String) throws(FileSystemError) {
    throw refusal("rename", path)
  }
  package func remove(_ path: String) throws(FileSystemError) { throw refusal("remove", path) }
  package func syncDirectory(_ path: String) throws(FileSystemError) { throw refusal("fsync", path) }
  package func lock(directory: String) throws(FileSystemError) -> any DirectoryLock {
    throw refusal("flock", directory)
  }

  package func refusal(_ operation: String, _ path: String) -> FileSystemError {
    FileSystemError(code: .readOnlyFileSystem, operation: operation, path: path)
  }
}
