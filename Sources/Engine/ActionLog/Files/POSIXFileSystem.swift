internal import CSystem
internal import Platform

/// The file system of the machine.
///
/// Every call blocks until the system has answered, a sync for milliseconds: none may be made on the
/// cooperative thread pool. Calls that a signal interrupts are made again, syncs excepted: the system
/// reports a failed write-back once, so that a repetition could report success for data that is lost.
///
/// Files are opened with `O_NOFOLLOW`, `O_NONBLOCK` and `O_CLOEXEC`, and are refused unless they are regular files: a
/// pipe named like a segment cannot hold the program up. Directories may be reached through symbolic links. File names
/// that are not UTF-8 are listed with replacement characters and cannot be opened.
///
/// Growing a file beyond the limit of the process (`RLIMIT_FSIZE`) raises `SIGXFSZ`, which ends the program unless the
/// program ignores that signal; this library touches no signals.
public struct POSIXFileSystem: LogFileSystem {
  /// Makes a door to the file system of the machine. It has no state.
  public init() {}

  /// What lies at a path: `lstat`.
  ///
  /// - Throws: ``FileSystemError`` when a part of the path is a file, or a directory on the way cannot be searched.
  public func status(of path: String) throws(FileSystemError) -> FileStatus? {
    try SystemCall.status(of: path)
  }

  /// The names in a directory, sorted by their bytes: `readdir`.
  ///
  /// - Throws: ``FileSystemError/Code/notFound``, ``FileSystemError/Code/notADirectory``,
  ///   ``FileSystemError/Code/permissionDenied``.
  /// - Complexity: O(*n* log *n*) for *n* names.
  public func names(in directory: String) throws(FileSystemError) -> [String] {
    try SystemCall.names(in: directory).sorted { first, second in first.utf8.lexicographicallyPrecedes(second.utf8) }
  }

  /// Makes a directory: `mkdir` with mode 0700.
  ///
  /// - Throws: ``FileSystemError/Code/exists`` when something lies there already, ``FileSystemError/Code/notFound`` when its parent
  ///   does not exist.
  public func createDirectory(_ path: String) throws(FileSystemError) {
    try SystemCall.makeDirectory(path)
  }

  /// Opens a file: `open`, and `fstat` to see that it is a regular one.
  ///
  /// - Throws: ``FileSystemError/Code/notARegularFile`` for a symbolic link, directory, device, pipe or socket.
  public func open(_ path: String, for access: FileAccess) throws(FileSystemError) -> any LogFile {
    POSIXFile(descriptor: try SystemCall.openFile(path, for: access), path: path, access: access)
  }

  /// Renames a file or directory: `rename`. Replaces a file, or an empty directory by a directory.
  ///
  /// - Throws: ``FileSystemError/Code/notFound``, ``FileSystemError/Code/notEmpty`` for a directory that holds something. Both are
  ///   as they were then.
  public func rename(_ path: String, to newPath: String) throws(FileSystemError) {
    try SystemCall.move(path, to: newPath)
  }

  /// Renames a file to a name that is free: `renameat2` with `RENAME_NOREPLACE`, on Apple platforms `renamex_np` with `RENAME_EXCL`;
  /// `link` and `unlink` on file systems that know neither.
  ///
  /// - Throws: ``FileSystemError/Code/exists``, with the new path, when something lies there already, whatever it is;
  ///   ``FileSystemError/Code/notFound``. Also on file systems that can do none of these.
  public func renameWithoutReplacing(_ path: String, to newPath: String) throws(FileSystemError) {
    try SystemCall.moveWithoutReplacing(path, to: newPath)
  }

  /// Removes a file (`unlink`) or an empty directory (`rmdir`).
  ///
  /// - Throws: ``FileSystemError/Code/notFound``, ``FileSystemError/Code/notEmpty``.
  public func remove(_ path: String) throws(FileSystemError) {
    if try SystemCall.status(of: path)?.kind == .directory {
      try SystemCall.removeDirectory(path)
    } else {
      try SystemCall.removeFile(path)
    }
  }

  /// The way to a path from the root on: `realpath` of what there is of it.
  ///
  /// - Throws: ``FileSystemError`` when a directory on the way cannot be searched, or is none.
  /// - Complexity: O(number of names), a call of the system for each that is not there, and one more.
  public func canonicalPath(of path: String) throws(FileSystemError) -> String {
    var existing = LogFolder.trimmed(path)
    var rest = ""
    while true {
      if let found = try SystemCall.realPath(of: existing) { return PathNames.joined(found + rest) }
      let parent = LogFolder.parent(of: existing)
      guard parent != existing else { throw FileSystemError(code: .notFound, operation: "realpath", path: path) }
      rest = "/" + (existing.split(separator: "/").last ?? "") + rest
      existing = parent
    }
  }

  /// Makes the entries of a directory durable: `fsync` of the directory, on Apple platforms `F_FULLFSYNC`.
  ///
  /// - Throws: Also on file systems that cannot sync a directory (some network and FUSE ones): there a log could
  ///   not keep its promises.
  public func syncDirectory(_ path: String) throws(FileSystemError) {
    let descriptor = try SystemCall.openDirectory(path)
    defer { SystemCall.closeDescriptor(descriptor) }
    try SystemCall.syncDirectory(descriptor, path)
  }

  /// Takes the exclusive lock on a directory, without waiting: `flock` on a descriptor of the directory.
  ///
  /// The lock is advisory, belongs to the opening and not to the process (so a second one in the same process is
  /// refused), and leaves nothing behind when the process dies. The holder's process id is known on Linux only, from
  /// `/proc/locks`.
  ///
  /// - Throws: ``FileSystemError/Code/locked``, with the holder where it is known; ``FileSystemError/Code/notFound``.
  public func lock(directory: String) throws(FileSystemError) -> any DirectoryLock {
    let descriptor = try SystemCall.openDirectory(directory)
    do throws(FileSystemError) {
      let identity = try SystemCall.identity(of: descriptor, directory)
      if try SystemCall.lock(descriptor, directory) {
        return POSIXDirectoryLock(descriptor: descriptor, identity: identity)
      }
      let holder = LockTable.holder(of: identity)
      throw FileSystemError(code: .locked, operation: "flock", path: directory, holder: holder)
    } catch {
      SystemCall.closeDescriptor(descriptor)
      throw error
    }
  }
}

/// An open file of the machine's file system.
final class POSIXFile: LogFile {
  private let path: String
  private let access: FileAccess
  /// `nil` once the file was closed. The lock covers the number only, not the calls: reads run side by side.
  private let descriptor: Locked<Int32?>

  /// Takes over an open descriptor.
  init(descriptor: Int32, path: String, access: FileAccess) {
    self.descriptor = Locked(descriptor)
    self.path = path
    self.access = access
  }

  deinit { close() }

  func size() throws(FileSystemError) -> Int {
    try SystemCall.size(of: openDescriptor, path)
  }

  func identity() throws(FileSystemError) -> FileIdentity? {
    try SystemCall.identity(of: openDescriptor, path)
  }

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemError) -> Int {
    try SystemCall.read(openDescriptor, path, at: offset, into: buffer)
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws(FileSystemError) {
    precondition(access == .append || access == .create, "append to a file that was not opened for appending")
    try SystemCall.append(openDescriptor, path, bytes)
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileSystemError) {
    // Linux would append, whatever the offset says.
    precondition(access == .overwrite, "write at an offset of a file that was not opened for overwriting")
    try SystemCall.overwrite(openDescriptor, path, bytes, at: offset)
  }

  func truncate(toBytes count: Int) throws(FileSystemError) {
    precondition(access != .read, "truncation of a file that was opened for reading")
    try SystemCall.truncate(openDescriptor, path, toBytes: count)
  }

  func sync(_ strength: SyncStrength) throws(FileSystemError) {
    try SystemCall.sync(openDescriptor, path, strength)
  }

  func discardCache() {
    SystemCall.discardCache(openDescriptor)
  }

  func close() {
    descriptor.withLock { descriptor in
      if let open = descriptor { SystemCall.closeDescriptor(open) }
      descriptor = nil
    }
  }
}

extension POSIXFile {
  private var openDescriptor: Int32 {
    guard let open = descriptor.withLock({ descriptor in descriptor }) else {
      preconditionFailure("a call on a closed file")
    }
    return open
  }
}

/// A lock that lives in the descriptor of a directory.
final class POSIXDirectoryLock: DirectoryLock {
  /// `nil` once the lock was given back.
  private let descriptor: Locked<Int32?>
  let identity: FileIdentity?

  /// Takes over a descriptor that holds the lock.
  init(descriptor: Int32, identity: FileIdentity) {
    self.descriptor = Locked(descriptor)
    self.identity = identity
  }

  deinit { unlock() }

  func unlock() {
    descriptor.withLock { descriptor in
      guard let open = descriptor else { return }
      // Closing alone would leave the lock with a child process that inherited the descriptor by fork.
      SystemCall.unlock(open)
      SystemCall.closeDescriptor(open)
      descriptor = nil
    }
  }
}

/// Linux's table of locks, which names the process that holds one.
package enum LockTable {
  /// The most that is read of the table: a line has some 60 bytes, a table of this size 17 000 locks.
  private static let limitBytes = 1 << 20

  /// The process that holds the lock on a directory; `nil` where the system does not tell.
  static func holder(of directory: FileIdentity) -> Int32? {
    #if os(Linux)
    holder(
      inTable: contents(),
      major: csystem_device_major(directory.device),
      minor: csystem_device_minor(directory.device),
      inode: directory.inode
    )
    #else
    nil
    #endif
  }

  /// Finds the holder in lines such as `3: FLOCK  ADVISORY  WRITE 4711 fe:00:131203 0 EOF`.
  ///
  /// A process of another container shows as 0 or less, which is of no use to anybody here.
  package static func holder(inTable table: String, major: UInt32, minor: UInt32, inode: UInt64) -> Int32? {
    for line in table.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count >= 6, fields[1] == "FLOCK", fields[3] == "WRITE" else { continue }
      let place = fields[5].split(separator: ":")
      guard place.count == 3, UInt32(place[0], radix: 16) == major, UInt32(place[1], radix: 16) == minor,
        UInt64(place[2]) == inode, let process = Int32(fields[4]), process > 0
      else { continue }
      return process
    }
    return nil
  }

  #if os(Linux)
  /// The table, or nothing: who holds a lock is a courtesy, and failing to tell must not hide the refusal itself.
  private static func contents() -> String {
    do throws(FileSystemError) {
      let table = try POSIXFileSystem().open("/proc/locks", for: .read)
      defer { table.close() }
      return String(decoding: try table.bytes(at: 0, count: limitBytes), as: UTF8.self)
    } catch {
      return ""
    }
  }
  #endif
}
