/// The one door through which every byte of a log goes to and from the disk.
///
/// It is small on purpose, so that a twin in memory (``MemoryFileSystem``) and a faulty one can stand in for the disk
/// and every failure can be tried in a loop. Paths are strings with `/` between their parts. All calls block; none may
/// be made on the cooperative thread pool.
public protocol LogFileSystem: Sendable {
  /// What lies at a path, a symbolic link not followed.
  ///
  /// - Returns: `nil` when nothing lies there.
  func status(of path: String) throws(FileSystemError) -> FileStatus?

  /// The names in a directory, without `.` and `..`, sorted by their bytes.
  func names(in directory: String) throws(FileSystemError) -> [String]

  /// Makes a directory that only its owner can enter (mode 0700). Its parent must exist.
  ///
  /// - Throws: ``FileSystemError/Code/exists`` when something lies there already.
  func createDirectory(_ path: String) throws(FileSystemError)

  /// Opens a regular file, never through a symbolic link in its last part, never a device or a pipe.
  func open(_ path: String, for access: FileAccess) throws(FileSystemError) -> any LogFile

  /// Renames a file or directory, atomically. A file replaces a file, a directory an empty directory.
  func rename(_ path: String, to newPath: String) throws(FileSystemError)

  /// Renames a file to a name that is free, the check and the renaming in one act: nothing is ever replaced.
  ///
  /// - Throws: ``FileSystemError/Code/exists``, with the new path, when something lies there already. Both are as they were then.
  func renameWithoutReplacing(_ path: String, to newPath: String) throws(FileSystemError)

  /// Removes a file or an empty directory.
  ///
  /// - Throws: ``FileSystemError/Code/notEmpty`` for a directory that holds something.
  func remove(_ path: String) throws(FileSystemError)

  /// The way to a path from the root on, without symbolic links, `.` and `..`: what tells whether one path lies within another.
  ///
  /// Names at the end of the path at which nothing lies yet stand in it as they are. There is a default, for a file system that
  /// has no symbolic links and whose relative paths begin at its root.
  func canonicalPath(of path: String) throws(FileSystemError) -> String

  /// Makes the entries of a directory durable: files created, renamed and removed in it.
  func syncDirectory(_ path: String) throws(FileSystemError)

  /// Takes the exclusive lock on a directory, without waiting.
  ///
  /// The lock ends with ``DirectoryLock/unlock()``, with the last reference to the value, or with the process.
  ///
  /// - Throws: ``FileSystemError/Code/locked``, with the holder's process id where the system tells it.
  func lock(directory: String) throws(FileSystemError) -> any DirectoryLock
}

/// What a file is opened for.
public enum FileAccess: Sendable, CaseIterable {
  /// Reading. The file must exist.
  case read
  /// Reading, and writing at the end only. The file must exist.
  case append
  /// Reading, and writing at the end only. The file must not exist; it is made with mode 0600.
  case create
  /// Reading, and writing anywhere. The file is made with mode 0600 when it does not exist; it is not truncated.
  case overwrite
}

/// What lies at a path.
public struct FileStatus: Equatable, Sendable {
  /// The kinds of thing that the engine tells apart.
  public enum Kind: Sendable {
    /// A regular file.
    case file
    /// A directory.
    case directory
    /// A symbolic link, device, pipe or socket: nothing that the engine opens.
    case other
  }

  /// What kind of thing it is.
  public var kind: Kind
  /// Its length in bytes (of a regular file).
  public var sizeBytes: Int
  /// Which one it is; `nil` where the file system cannot tell files apart.
  public var identity: FileIdentity?

  /// Makes a status from its parts.
  public init(kind: Kind, sizeBytes: Int, identity: FileIdentity? = nil) {
    self.kind = kind
    self.sizeBytes = sizeBytes
    self.identity = identity
  }
}

/// An open regular file.
public protocol LogFile: AnyObject, Sendable {
  /// The length in bytes at this moment.
  func size() throws(FileSystemError) -> Int

  /// Which file it is, whatever lies at its path by now.
  ///
  /// There is a default, for a file system that cannot tell files apart: that one was replaced is not noticed there.
  ///
  /// - Returns: As ``FileStatus/identity`` has it.
  func identity() throws(FileSystemError) -> FileIdentity?

  /// Reads up to `buffer.count` bytes from `offset`.
  ///
  /// - Returns: The number of bytes read: less than asked for only at the end of the file, 0 past it.
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemError) -> Int

  /// Writes bytes at the end: one system call, repeated only for what a short count left over. Only for a file opened
  /// for ``FileAccess/append`` or ``FileAccess/create``.
  ///
  /// - Throws: When it throws, any part of the bytes may be in the file.
  func append(_ bytes: UnsafeRawBufferPointer) throws(FileSystemError)

  /// Writes bytes at an offset. Only for a file opened for ``FileAccess/overwrite``.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileSystemError)

  /// Cuts the file to a length, or lengthens it with zeros. Not for a file opened for ``FileAccess/read``.
  func truncate(toBytes count: Int) throws(FileSystemError)

  /// Waits until everything written to the file is on the device.
  ///
  /// A failure says that nothing is known of what was written since the last success; trying again proves nothing.
  func sync(_ strength: SyncStrength) throws(FileSystemError)

  /// Asks the system to forget what it holds of the file in memory, so that later reads come from the device.
  func discardCache()

  /// Closes the file. Later calls are programmer errors.
  func close()
}

/// How much a sync waits for.
public enum SyncStrength: Sendable {
  /// Data and length, in order: `fdatasync`; on Apple platforms `F_BARRIERFSYNC`.
  case data
  /// The same, the drive's own cache included: `fdatasync`; on Apple platforms `F_FULLFSYNC`.
  case full
}

/// The exclusive right to write into a directory.
public protocol DirectoryLock: AnyObject, Sendable {
  /// Which directory is locked, whatever lies at its path by now; as ``FileStatus/identity`` has it. There is a default, for a file
  /// system that cannot tell directories apart.
  var identity: FileIdentity? { get }

  /// Gives the right back. Calling it twice does nothing more.
  func unlock()
}

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

/// Arrays in place of raw buffers, for what is small or read once.
extension LogFile {
  /// The bytes from `offset`, at most `count` of them: fewer only at the end of the file.
  ///
  /// - Complexity: O(`count`), in memory too, however short the file is: the caller bounds `count`.
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

  /// Writes bytes at the end.
  package func append(_ bytes: [UInt8]) throws(FileSystemError) {
    let outcome = bytes.withUnsafeBytes { buffer in
      Result { () throws(FileSystemError) in try append(buffer) }
    }
    try outcome.get()
  }

  /// Writes bytes at an offset.
  package func write(_ bytes: [UInt8], at offset: Int) throws(FileSystemError) {
    let outcome = bytes.withUnsafeBytes { buffer in
      Result { () throws(FileSystemError) in try write(buffer, at: offset) }
    }
    try outcome.get()
  }
}

extension LogFileSystem {
  /// All bytes of a small file.
  ///
  /// - Parameter limitBytes: The longest file that is read.
  /// - Throws: ``FileSystemError/Code/fileTooLarge`` beyond the limit.
  /// - Complexity: O(length of the file), in memory too.
  package func contents(of path: String, limitBytes: Int) throws(FileSystemError) -> [UInt8] {
    let file = try open(path, for: .read)
    defer { file.close() }
    let size = try file.size()
    guard size <= limitBytes else {
      throw FileSystemError(code: .fileTooLarge, operation: "read", path: path)
    }
    return try file.bytes(at: 0, count: size)
  }
}

extension LogFileSystem {
  /// The names of a path, from the root on, without `.` and `..`.
  ///
  /// - Throws: Nothing: the names alone decide.
  /// - Complexity: O(length of the path).
  public func canonicalPath(of path: String) throws(FileSystemError) -> String { PathNames.joined(path) }

  /// Makes a directory and those above it, as far as they are missing; the names of those that it makes are durable then.
  ///
  /// - Throws: ``FileSystemError``, with code `notADirectory` and the path of a file that lies in the way.
  package func makeDirectories(_ path: String) throws(FileSystemError) {
    var made = path.hasPrefix("/") ? "/" : ""
    for name in path.split(separator: "/") {
      made += (made.isEmpty || made == "/" ? "" : "/") + name
      do throws(FileSystemError) { try createDirectory(made) } catch {
        // It was there, another process was faster, or it may not be made and is there all the same, as those near the root are.
        guard let status = try status(of: made) else { throw error }
        guard status.kind != .file else {
          throw FileSystemError(code: .notADirectory, operation: "mkdir", path: made)
        }
        continue
      }
      try syncDirectory(LogFolder.parent(of: made))
    }
  }

  /// Whether a path lies within a directory, at whatever depth; the directory itself does not.
  ///
  /// - Throws: ``FileSystemError`` when a part of the paths cannot be looked at.
  package func path(_ path: String, isWithin directory: String) throws(FileSystemError) -> Bool {
    let inner = try canonicalPath(of: path)
    let outer = try canonicalPath(of: directory)
    // By their bytes: Swift takes the two normal forms of `é` for equal, file systems do not.
    return inner.utf8.count > outer.utf8.count && inner.utf8.starts(with: (outer == "/" ? outer : outer + "/").utf8)
  }
}

/// The names that a path is made of.
enum PathNames {
  /// A path of the same names from the root on, `.` and `..` resolved as if no name were a symbolic link.
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
