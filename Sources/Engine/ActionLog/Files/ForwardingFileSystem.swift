/// A file system that forwards to another one what it does not do itself.
package protocol ForwardingFileSystem: LogFileSystem {
  var base: any LogFileSystem { get }
  func basePath(of path: String) -> String
  /// Returns the path in the other file system of a file or directory to be changed or locked. A view that cannot be changed throws
  /// ``FileSystemError/readOnly(_:_:)``.
  func basePath(toChange path: String, _ operation: String) throws(FileSystemError) -> String
}

extension ForwardingFileSystem {
  package func basePath(of path: String) -> String { path }
  package func basePath(toChange path: String, _ operation: String) throws(FileSystemError) -> String {
    basePath(of: path)
  }

  package func status(of path: String) throws(FileSystemError) -> FileStatus? {
    try base.status(of: basePath(of: path))
  }
  package func names(in directory: String) throws(FileSystemError) -> [String] {
    try base.names(in: basePath(of: directory))
  }
  package func createDirectory(_ path: String) throws(FileSystemError) {
    try base.createDirectory(basePath(toChange: path, "mkdir"))
  }
  package func open(_ path: String, for access: FileAccess) throws(FileSystemError) -> any LogFile {
    try base.open(access == .read ? basePath(of: path) : basePath(toChange: path, "open"), for: access)
  }
  package func rename(_ path: String, to newPath: String) throws(FileSystemError) {
    try base.rename(basePath(toChange: path, "rename"), to: basePath(toChange: newPath, "rename"))
  }
  package func renameWithoutReplacing(_ path: String, to newPath: String) throws(FileSystemError) {
    try base.renameWithoutReplacing(basePath(toChange: path, "rename"), to: basePath(toChange: newPath, "rename"))
  }
  package func remove(_ path: String) throws(FileSystemError) {
    try base.remove(basePath(toChange: path, "remove"))
  }
  package func canonicalPath(of path: String) throws(FileSystemError) -> String {
    try base.canonicalPath(of: basePath(of: path))
  }
  package func copyPermissions(from path: String, to newPath: String) throws(FileSystemError) {
    try base.copyPermissions(from: basePath(of: path), to: basePath(toChange: newPath, "chmod"))
  }
  package func syncDirectory(_ path: String) throws(FileSystemError) {
    try base.syncDirectory(basePath(toChange: path, "fsync"))
  }
  package func sync(_ files: [any LogFile], _ strength: SyncStrength) throws(FileSystemError) {
    try base.sync(files, strength)
  }
  package func lock(directory: String) throws(FileSystemError) -> any DirectoryLock {
    try base.lock(directory: basePath(toChange: directory, "flock"))
  }
}

/// An open file that forwards to another one what it does not do itself.
package protocol ForwardingFile: LogFile {
  var base: any LogFile { get }
}

extension ForwardingFile {
  package func size() throws(FileSystemError) -> Int { try base.size() }
  package func identity() throws(FileSystemError) -> FileIdentity? { try base.identity() }
  package func read(
    at offset: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws(FileSystemError) -> Int {
    try base.read(at: offset, into: buffer)
  }
  package func append(_ bytes: UnsafeRawBufferPointer) throws(FileSystemError) { try base.append(bytes) }
  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileSystemError) {
    try base.write(bytes, at: offset)
  }
  package func truncate(toBytes count: Int) throws(FileSystemError) { try base.truncate(toBytes: count) }
  package func sync(_ strength: SyncStrength) throws(FileSystemError) { try base.sync(strength) }
  package func startWriteback() { base.startWriteback() }
  package func discardCache() { base.discardCache() }
  package func close() { base.close() }
}

extension FileSystemError {
  /// The error of a view of files that cannot be changed.
  package static func readOnly(_ operation: String, _ path: String) -> FileSystemError {
    FileSystemError(code: .readOnlyFileSystem, operation: operation, path: path)
  }
}
