/// What tells a file or directory from every other that there is at the same time, whatever its path is.
public struct FileIdentity: Equatable, Sendable {
  /// The file system that it lies in.
  public var device: UInt64
  /// Its number there, which no other has as long as it has a name or is open.
  public var inode: UInt64

  /// Makes an identity from its parts.
  public init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }
}

extension LogFile {
  /// No identity: the file system cannot tell files apart.
  public func identity() throws(FileSystemError) -> FileIdentity? { nil }
}

extension DirectoryLock {
  /// No identity: the file system cannot tell directories apart.
  public var identity: FileIdentity? { nil }
}
