internal import Platform

/// The file system that a log uses: every byte to and from the disk passes through it.
///
/// The protocol is small, so that other implementations can replace the disk. `ActionLogTesting` has one in memory and one
/// whose calls fail, for tests. Paths are strings separated by `/`. All calls block; none may be made on the cooperative thread
/// pool.
public protocol LogFileSystem: Sendable {
  /// Returns the status of a path without following a symbolic link.
  ///
  /// - Returns: `nil` if the path does not exist.
  func status(of path: String) throws(FileSystemError) -> FileStatus?

  /// Returns the names in a directory without `.` and `..`, sorted by their bytes.
  func names(in directory: String) throws(FileSystemError) -> [String]

  /// Creates a directory that only its owner can enter (mode 0700). Its parent must exist.
  ///
  /// - Throws: ``FileSystemError/Code/exists`` if the path exists.
  func createDirectory(_ path: String) throws(FileSystemError)

  /// Opens a regular file. Refuses a symbolic link as the last component, devices and pipes.
  func open(_ path: String, for access: FileAccess) throws(FileSystemError) -> any LogFile

  /// Renames a file or directory atomically. A file replaces a file; a directory replaces an empty directory.
  func rename(_ path: String, to newPath: String) throws(FileSystemError)

  /// Renames a file to an unused path, with the check and the rename as one atomic operation.
  ///
  /// - Throws: ``FileSystemError/Code/exists``, with the new path, if it exists. Both files are unchanged then.
  func renameWithoutReplacing(_ path: String, to newPath: String) throws(FileSystemError)

  /// Removes a file or an empty directory.
  ///
  /// - Throws: ``FileSystemError/Code/notEmpty`` for a directory that is not empty.
  func remove(_ path: String) throws(FileSystemError)

  /// Returns the absolute path without symbolic links, `.` and `..`, which shows whether one path is inside another.
  ///
  /// Trailing components that do not exist are kept unchanged. The default implementation suits a file system without
  /// symbolic links whose relative paths begin at its root.
  func canonicalPath(of path: String) throws(FileSystemError) -> String

  /// Gives a file the permissions of another one, and its owner and group as far as the process may set them.
  ///
  /// The default implementation does nothing, for a file system without permissions.
  func copyPermissions(from path: String, to newPath: String) throws(FileSystemError)

  /// Makes the entries of a directory durable: files created, renamed and removed in it.
  func syncDirectory(_ path: String) throws(FileSystemError)

  /// Waits until everything written to the files is on the device, like ``LogFile/sync(_:)`` of each.
  ///
  /// The default implementation syncs one file after another.
  func sync(_ files: [any LogFile], _ strength: SyncStrength) throws(FileSystemError)

  /// Acquires the exclusive lock on a directory without waiting.
  ///
  /// The lock ends with ``DirectoryLock/unlock()``, with the last reference to the value, or with the process.
  ///
  /// - Throws: ``FileSystemError/Code/locked``, with the holder's process ID if the system reports it.
  func lock(directory: String) throws(FileSystemError) -> any DirectoryLock
}

/// The access mode of an open file.
public enum FileAccess: Sendable, CaseIterable {
  /// Reading. The file must exist.
  case read
  /// Reading, and appending. The file must exist.
  case append
  /// Reading, and appending. The file must not exist; it is created with mode 0600.
  case create
  /// Reading, and writing at any offset. The file is created with mode 0600 if it does not exist; it is not
  /// truncated.
  case overwrite
}

/// The status of a file or directory.
public struct FileStatus: Equatable, Sendable {
  /// The kinds that the engine distinguishes.
  public enum Kind: Sendable {
    /// A regular file.
    case file
    /// A directory.
    case directory
    /// A symbolic link, device, pipe or socket, which the engine never opens.
    case other
  }

  /// The kind.
  public var kind: Kind
  /// The length in bytes of a regular file.
  public var sizeBytes: Int
  /// The identity; `nil` if the file system has no identities.
  public var identity: FileIdentity?
  /// Whether it is a symbolic link, so that an error can say so.
  package var isSymbolicLink = false

  /// Creates a status.
  public init(kind: Kind, sizeBytes: Int, identity: FileIdentity? = nil) {
    self.kind = kind
    self.sizeBytes = sizeBytes
    self.identity = identity
  }
}

/// An open regular file.
public protocol LogFile: AnyObject, Sendable {
  /// Returns the current length in bytes.
  func size() throws(FileSystemError) -> Int

  /// Returns the identity of the open file, whatever is at its path now.
  ///
  /// The default implementation returns `nil`: without identities, a replaced file is not detected.
  ///
  /// - Returns: The same value as ``FileStatus/identity``.
  func identity() throws(FileSystemError) -> FileIdentity?

  /// Reads up to `buffer.count` bytes from `offset`.
  ///
  /// - Returns: The number of bytes read: fewer than requested only at the end of the file, 0 past it.
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemError) -> Int

  /// Appends bytes with one system call, repeated only after a short write. Requires ``FileAccess/append`` or
  /// ``FileAccess/create``.
  ///
  /// - Throws: After an error, the file may have any part of the bytes.
  func append(_ bytes: UnsafeRawBufferPointer) throws(FileSystemError)

  /// Writes bytes at an offset. Requires ``FileAccess/overwrite``.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileSystemError)

  /// Truncates the file, or extends it with zeros. Not for files opened with ``FileAccess/read``.
  func truncate(toBytes count: Int) throws(FileSystemError)

  /// Waits until everything written to the file is on the device.
  ///
  /// After a failure, the state of all bytes written since the last success is unknown; a second call proves nothing.
  func sync(_ strength: SyncStrength) throws(FileSystemError)

  /// Asks the system to begin storing what was written, without waiting. A later ``sync(_:)`` is faster then, and
  /// reports errors.
  ///
  /// The default implementation does nothing.
  func startWriteback()

  /// Asks the system to drop its cache of the file, so that later reads come from the device.
  func discardCache()

  /// Closes the file. Further calls are programmer errors.
  func close()
}

/// The extent of a sync.
public enum SyncStrength: Sendable {
  /// Data and length, in order: `fdatasync`; on Apple platforms `F_BARRIERFSYNC`.
  case data
  /// Like ``data``, including the drive's cache: `fdatasync`; on Apple platforms `F_FULLFSYNC`.
  case full
}

/// The exclusive lock on a directory.
public protocol DirectoryLock: AnyObject, Sendable {
  /// The identity of the locked directory, whatever is at its path now; the same value as ``FileStatus/identity``.
  /// `nil` by default, for a file system without identities.
  var identity: FileIdentity? { get }

  /// Releases the lock. Further calls have no effect.
  func unlock()
}

/// The identity of a file or directory, which no other one has at the same time, whatever its path.
///
/// A writer detects with it that its files were replaced. It is public because file systems of other packages return it: one that
/// forwards to another file system forwards identities, too.
public struct FileIdentity: Equatable, Sendable {
  /// The device number of its file system.
  public var device: UInt64
  /// The inode number, unique while the file has a name or is open.
  public var inode: UInt64

  /// Creates an identity.
  public init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }
}

extension LogFile {
  /// Returns `nil`: the file system has no identities.
  public func identity() throws(FileSystemError) -> FileIdentity? { nil }

  /// Does nothing: it is only a hint.
  public func startWriteback() {}
}

extension DirectoryLock {
  /// Returns `nil`: the file system has no identities.
  public var identity: FileIdentity? { nil }
}

/// Convenience methods that use arrays, for bytes that are few or read once.
extension LogFile {
  /// Returns up to `count` bytes from `offset`: fewer only at the end of the file.
  package func bytes(at offset: Int, count: Int) throws(FileSystemError) -> [UInt8] {
    var outcome = Result<Int, FileSystemError>.success(0)
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
      outcome = Result { () throws(FileSystemError) in try read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
      }
      if case .success(let read) = outcome { initializedCount = read }
    }
    _ = try outcome.get()
    return bytes
  }

  package func append(_ bytes: [UInt8]) throws(FileSystemError) {
    try bytes.withUnsafeBytesTyped { (buffer) throws(FileSystemError) in try append(buffer) }
  }

  package func write(_ bytes: [UInt8], at offset: Int) throws(FileSystemError) {
    try bytes.withUnsafeBytesTyped { (buffer) throws(FileSystemError) in try write(buffer, at: offset) }
  }
}

extension LogFileSystem {
  /// Does nothing: the file system has no permissions.
  public func copyPermissions(from path: String, to newPath: String) throws(FileSystemError) {}

  /// Returns the absolute path without `.` and `..`.
  ///
  /// - Throws: Never: only the names decide.
  /// - Complexity: O(length of the path).
  public func canonicalPath(of path: String) throws(FileSystemError) -> String { PathNames.joined(path) }

  /// Syncs one file after another.
  ///
  /// - Throws: The error of the first sync that fails; the files after it are not synced.
  public func sync(_ files: [any LogFile], _ strength: SyncStrength) throws(FileSystemError) {
    for file in files { try file.sync(strength) }
  }

  /// Acquires the exclusive lock on a directory, like ``lock(directory:)``, and checks that the directory is still at its path.
  ///
  /// Between opening a directory and locking it, another process can remove it and create another one. The lock of the removed one keeps
  /// no one out of the files at the path.
  ///
  /// - Throws: ``FileSystemError/Code/notFound`` if the directory was removed or replaced.
  package func lockPresent(directory: String) throws(FileSystemError) -> any DirectoryLock {
    let lock = try lock(directory: directory)
    let status: FileStatus?
    do throws(FileSystemError) { status = try self.status(of: directory) } catch {
      lock.unlock()
      throw error
    }
    // A symbolic link to the directory has an identity of its own.
    let isPresent = status.map { status in status.kind != .directory || status.identity == lock.identity } ?? false
    if isPresent || lock.identity == nil { return lock }
    lock.unlock()
    throw FileSystemError(code: .notFound, operation: "flock", path: directory)
  }

  /// Creates a directory unless the path exists, also if another process creates it at the same time.
  ///
  /// - Returns: Whether the path did not exist.
  @discardableResult
  package func createDirectoryIfMissing(_ path: String) throws(FileSystemError) -> Bool {
    guard try status(of: path) == nil else { return false }
    do throws(FileSystemError) { try createDirectory(path) } catch {
      guard error.code == .exists else { throw error }
    }
    return true
  }

  /// Creates a directory and its missing parents, and makes their names durable.
  package func makeDirectories(_ path: String) throws(FileSystemError) {
    var made = path.hasPrefix("/") ? "/" : ""
    for name in path.split(separator: "/") {
      made += (made.isEmpty || made == "/" ? "" : "/") + name
      do throws(FileSystemError) { try createDirectory(made) } catch {
        // The directory existed before, or another process created it; directories near the root may not be created
        // but exist.
        guard let status = try status(of: made) else { throw error }
        guard status.kind != .file else {
          throw FileSystemError(code: .notADirectory, operation: "mkdir", path: made)
        }
        continue
      }
      try syncDirectory(LogFolder.parent(of: made))
    }
  }

  /// Whether a path is inside a directory, at any depth; the directory itself is not.
  package func path(_ path: String, isWithin directory: String) throws(FileSystemError) -> Bool {
    let inner = try canonicalPath(of: path)
    let outer = try canonicalPath(of: directory)
    // Compared by bytes: to Swift the two normal forms of `é` are equal, to file systems they are not.
    return inner.utf8.count > outer.utf8.count && inner.utf8.starts(with: (outer == "/" ? outer : outer + "/").utf8)
  }
}

enum PathNames {
  /// Returns the absolute path with `.` and `..` resolved as if no component were a symbolic link.
  static func joined(_ path: String) -> String {
    var names: [Substring.UTF8View] = []
    for name in path.utf8.split(separator: UInt8(ascii: "/")) {
      switch Substring(name) {
      case ".": continue
      case "..": _ = names.popLast()
      default: names.append(name)
      }
    }
    return "/" + names.map { name in String(Substring(name)) }.joined(separator: "/")
  }
}

extension [UInt8] {
  @inlinable package func withUnsafeBytesTyped<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafeBufferPointer { (bytes) throws(Failure) in try body(UnsafeRawBufferPointer(bytes)) }
  }
}
