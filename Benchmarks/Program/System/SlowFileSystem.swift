import ActionLog
import Foundation

/// A file system whose syncs take longer, as those of slower devices do.
struct SlowFileSystem: LogFileSystem {
  private let base: any LogFileSystem
  private let delay: Duration

  /// Adds a delay to each sync of a file.
  init(_ base: any LogFileSystem, addedToSync delay: Duration) {
    self.base = base
    self.delay = delay
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

  func open(_ path: String, for access: FileAccess) throws(FileSystemError) -> any LogFile {
    SlowFile(try base.open(path, for: access), delay)
  }
}

/// A file whose syncs take longer.
private final class SlowFile: LogFile {
  private let base: any LogFile
  private let delay: Duration

  init(_ base: any LogFile, _ delay: Duration) {
    self.base = base
    self.delay = delay
  }

  func size() throws(FileSystemError) -> Int { try base.size() }
  func identity() throws(FileSystemError) -> FileIdentity? { try base.identity() }
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemError) -> Int {
    try base.read(at: offset, into: buffer)
  }
  func append(_ bytes: UnsafeRawBufferPointer) throws(FileSystemError) { try base.append(bytes) }
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileSystemError) {
    try base.write(bytes, at: offset)
  }
  func truncate(toBytes count: Int) throws(FileSystemError) { try base.truncate(toBytes: count) }
  func discardCache() { base.discardCache() }
  func close() { base.close() }

  func sync(_ strength: SyncStrength) throws(FileSystemError) {
    try base.sync(strength)
    // The thread sleeps as it does while a device works.
    if delay > .zero { usleep(UInt32(delay.nanoseconds / 1_000)) }
  }
}

extension Duration {
  fileprivate var nanoseconds: Double {
    Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9
  }
}
