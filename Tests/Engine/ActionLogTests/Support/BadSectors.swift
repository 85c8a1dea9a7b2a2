import ActionLog
import Platform

/// A file system in which some bytes of some files cannot be read, like a failing device.
final class BadSectors: LogFileSystem {
  private let base: any LogFileSystem
  private let bad: [String: [Range<Int>]]
  private let attempts = Locked(0)

  /// - Parameter bad: The unreadable bytes of each file.
  init(_ base: any LogFileSystem, _ bad: [String: [Range<Int>]]) {
    self.base = base
    self.bad = bad
  }

  /// The number of failed reads.
  var failureCount: Int { attempts.withLock { attempts in attempts } }

  func open(_ path: String, for access: FileAccess) throws(FileSystemError) -> any LogFile {
    BadSectorFile(try base.open(path, for: access), path: path, of: self)
  }

  func check(_ range: Range<Int>, of path: String) throws(FileSystemError) {
    guard bad[path]?.contains(where: range.overlaps) == true else { return }
    attempts.withLock { attempts in attempts += 1 }
    throw FileSystemError(code: .inputOutput, operation: "pread", path: path, errorNumber: 5)
  }

  func status(of path: String) throws(FileSystemError) -> FileStatus? { try base.status(of: path) }
  func names(in directory: String) throws(FileSystemError) -> [String] { try base.names(in: directory) }
  func createDirectory(_ path: String) throws(FileSystemError) { try base.createDirectory(path) }
  func rename(_ path: String, to newPath: String) throws(FileSystemError) { try base.rename(path, to: newPath) }
  func renameWithoutReplacing(_ path: String, to newPath: String) throws(FileSystemError) {
    try base.renameWithoutReplacing(path, to: newPath)
  }
  func remove(_ path: String) throws(FileSystemError) { try base.remove(path) }
  func canonicalPath(of path: String) throws(FileSystemError) -> String { try base.canonicalPath(of: path) }
  func syncDirectory(_ path: String) throws(FileSystemError) { try base.syncDirectory(path) }
  func lock(directory: String) throws(FileSystemError) -> any DirectoryLock { try base.lock(directory: directory) }
}

/// An open file of ``BadSectors``.
private final class BadSectorFile: LogFile {
  private let base: any LogFile
  private let path: String
  private let files: BadSectors

  init(_ base: any LogFile, path: String, of files: BadSectors) {
    self.base = base
    self.path = path
    self.files = files
  }

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemError) -> Int {
    try files.check(offset..<min(offset + buffer.count, max(base.size(), offset)), of: path)
    return try base.read(at: offset, into: buffer)
  }

  func size() throws(FileSystemError) -> Int { try base.size() }
  func identity() throws(FileSystemError) -> FileIdentity? { try base.identity() }
  func append(_ bytes: UnsafeRawBufferPointer) throws(FileSystemError) { try base.append(bytes) }
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileSystemError) {
    try base.write(bytes, at: offset)
  }
  func truncate(toBytes count: Int) throws(FileSystemError) { try base.truncate(toBytes: count) }
  func sync(_ strength: SyncStrength) throws(FileSystemError) { try base.sync(strength) }
  func discardCache() { base.discardCache() }
  func close() { base.close() }
}
