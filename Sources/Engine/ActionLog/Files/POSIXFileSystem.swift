internal import CSystem
internal import Dispatch
internal import Platform

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The file system of the machine.
///
/// Every call blocks until the system responds; a sync takes milliseconds. Do not call it on the cooperative thread
/// pool. Calls interrupted by a signal are repeated, except syncs: the system reports a failed write-back once, so a
/// repeated sync could report success for data that is lost.
///
/// Files are opened with `O_NOFOLLOW`, `O_NONBLOCK` and `O_CLOEXEC`, and refused unless they are regular files: a
/// pipe named like a segment cannot block the program. Directories may be reached through symbolic links. File names
/// that are not UTF-8 are listed with replacement characters and cannot be opened.
///
/// Growing a file beyond the process's limit (`RLIMIT_FSIZE`) raises `SIGXFSZ`, which ends the program unless it
/// ignores that signal; this library does not change signal handlers.
public struct POSIXFileSystem: LogFileSystem {
  /// Creates an interface to the machine's file system. It has no state.
  public init() {}

  /// Returns the status of a path: `lstat`.
  ///
  /// - Throws: ``FileSystemError`` if a component of the path is a file, or a directory on the way cannot be
  ///   searched.
  public func status(of path: String) throws(FileSystemError) -> FileStatus? {
    try SystemCall.checkPath(path, operation: "lstat")
    var entry = stat()
    while lstat(path, &entry) != 0 {
      let number = errno
      if number == ENOENT { return nil }
      if number != EINTR { throw SystemCall.error(number, "lstat", path) }
    }
    var status = FileStatus(kind: entry.kind, sizeBytes: Int(entry.st_size), identity: entry.identity)
    status.isSymbolicLink = entry.st_mode & S_IFMT == S_IFLNK
    return status
  }

  /// Returns the names in a directory, sorted by their bytes: `readdir`.
  ///
  /// - Throws: ``FileSystemError/Code/notFound``, ``FileSystemError/Code/notADirectory``,
  ///   ``FileSystemError/Code/permissionDenied``.
  /// - Complexity: O(*n* log *n*) for *n* names.
  public func names(in directory: String) throws(FileSystemError) -> [String] {
    try SystemCall.checkPath(directory, operation: "opendir")
    guard let stream = try SystemCall.uninterrupted("opendir", directory, { opendir(directory) }) else {
      throw SystemCall.error(EIO, "opendir", directory)
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = try SystemCall.uninterrupted("readdir", directory, { readdir(stream) }) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        String(cString: UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self))
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted { first, second in first.utf8.lexicographicallyPrecedes(second.utf8) }
  }

  /// Creates a directory: `mkdir` with mode 0700.
  ///
  /// - Throws: ``FileSystemError/Code/exists`` if the path exists, ``FileSystemError/Code/notFound`` if its parent
  ///   does not.
  public func createDirectory(_ path: String) throws(FileSystemError) {
    try SystemCall.checkPath(path, operation: "mkdir")
    try SystemCall.repeating("mkdir", path) { mkdir(path, 0o700) }
  }

  /// Opens a file: `open`, and `fstat` to check that it is a regular file.
  ///
  /// - Throws: ``FileSystemError/Code/notARegularFile`` for a symbolic link, directory, device, pipe or socket.
  public func open(_ path: String, for access: FileAccess) throws(FileSystemError) -> any LogFile {
    try POSIXFile(path, for: access)
  }

  /// Renames a file or directory: `rename`. A file replaces a file; a directory replaces an empty directory.
  ///
  /// - Throws: ``FileSystemError/Code/notFound``, ``FileSystemError/Code/notEmpty`` for a directory that is not
  ///   empty. Both are unchanged then.
  public func rename(_ path: String, to newPath: String) throws(FileSystemError) {
    try SystemCall.move(path, to: newPath)
  }

  /// Renames a file to an unused path: `renameat2` with `RENAME_NOREPLACE`, on Apple platforms `renamex_np` with
  /// `RENAME_EXCL`; `link` and `unlink` on file systems that support neither.
  ///
  /// - Throws: ``FileSystemError/Code/exists``, with the new path, if it exists; ``FileSystemError/Code/notFound``.
  ///   Also on file systems that support none of these calls.
  public func renameWithoutReplacing(_ path: String, to newPath: String) throws(FileSystemError) {
    for path in [path, newPath] { try SystemCall.checkPath(path, operation: "rename") }
    let number = csystem_rename_without_replacing(path, newPath)
    if number != 0 { throw SystemCall.error(number, "rename", number == EEXIST ? newPath : path) }
  }

  /// Removes a file (`unlink`) or an empty directory (`rmdir`).
  ///
  /// - Throws: ``FileSystemError/Code/notFound``, ``FileSystemError/Code/notEmpty``.
  public func remove(_ path: String) throws(FileSystemError) {
    if try status(of: path)?.kind == .directory {
      try SystemCall.repeating("rmdir", path) { rmdir(path) }
    } else {
      try SystemCall.repeating("unlink", path) { unlink(path) }
    }
  }

  /// Returns the absolute path: `realpath` of its existing part.
  ///
  /// - Throws: ``FileSystemError`` if a directory on the way cannot be searched or is not a directory.
  /// - Complexity: O(number of components): one system call for each that does not exist, and one more.
  public func canonicalPath(of path: String) throws(FileSystemError) -> String {
    var existing = LogFolder.trimmed(path)
    var rest = ""
    while true {
      if let found = try realPath(of: existing) { return PathNames.joined(found + rest) }
      let parent = LogFolder.parent(of: existing)
      guard parent != existing else { throw FileSystemError(code: .notFound, operation: "realpath", path: path) }
      rest = "/" + (existing.split(separator: "/").last ?? "") + rest
      existing = parent
    }
  }

  private func realPath(of path: String) throws(FileSystemError) -> String? {
    try SystemCall.checkPath(path, operation: "realpath")
    do throws(FileSystemError) {
      guard let found = try SystemCall.uninterrupted("realpath", path, { realpath(path, nil) }) else { return nil }
      // The caller of `realpath` owns the text.
      defer { free(found) }
      return String(cString: found)
    } catch {
      if error.code == .notFound { return nil }
      throw error
    }
  }

  /// Gives a file the mode, owner and group of another one: `fchown` and `fchmod`.
  ///
  /// A group that the process may not set gets no access. A file system that refuses modes keeps its own.
  ///
  /// - Throws: ``FileSystemError/Code/notFound``.
  public func copyPermissions(from path: String, to newPath: String) throws(FileSystemError) {
    let entry = try POSIXFile(path, for: .read).entry()
    try POSIXFile(newPath, for: .read).setPermissions(like: entry)
  }

  /// Makes the entries of a directory durable: `fsync` of the directory, on Apple platforms `F_FULLFSYNC`.
  ///
  /// - Throws: Also on file systems that cannot sync a directory (some network and FUSE file systems): a log could
  ///   not keep its guarantees there.
  public func syncDirectory(_ path: String) throws(FileSystemError) {
    let descriptor = try SystemCall.openDirectory(path)
    defer { SystemCall.closeDescriptor(descriptor) }
    let number = csystem_synchronize_directory(descriptor)
    if number != 0 { throw SystemCall.error(number, "fsync", path) }
  }

  /// Syncs files on up to four threads: syncs that wait at the same time share commits of the file system and flushes
  /// of the device's cache.
  ///
  /// - Throws: The error of the first file, in the order of the array, whose sync fails. All others are synced.
  public func sync(_ files: [any LogFile], _ strength: SyncStrength) throws(FileSystemError) {
    let failures = Locked<[Int: FileSystemError]>([:])
    let group = DispatchGroup()
    for part in 0..<min(files.count, Self.syncThreadLimit) {
      group.enter()
      Self.syncThreads.async {
        for index in stride(from: part, to: files.count, by: Self.syncThreadLimit) {
          do throws(FileSystemError) { try files[index].sync(strength) } catch {
            failures.withLock { failures in failures[index] = error }
          }
        }
        group.leave()
      }
    }
    group.wait()
    let first = failures.withLock { failures in failures.min { one, other in one.key < other.key } }
    if let first { throw first.value }
  }

  private static let syncThreadLimit = 4
  private static let syncThreads = ThreadPool(threadLimit: syncThreadLimit)

  /// Acquires the exclusive lock on a directory without waiting: `flock` on a descriptor of the directory.
  ///
  /// The lock is advisory. It belongs to the open descriptor, not to the process, so a second one in the same process
  /// is refused; it disappears with the process. The holder's process ID is known on Linux only, from `/proc/locks`.
  ///
  /// - Throws: ``FileSystemError/Code/locked``, with the holder if it is known; ``FileSystemError/Code/notFound``.
  public func lock(directory: String) throws(FileSystemError) -> any DirectoryLock {
    let descriptor = try SystemCall.openDirectory(directory)
    do throws(FileSystemError) {
      // The system's table of locks identifies the directory by it.
      let identity = try SystemCall.entry(of: descriptor, directory).identity
      let number = csystem_lock(descriptor)
      if number == 0 { return POSIXDirectoryLock(descriptor: descriptor, identity: identity) }
      guard number == EWOULDBLOCK else { throw SystemCall.error(number, "flock", directory) }
      let holder = LockTable.holder(of: identity)
      throw FileSystemError(code: .locked, operation: "flock", path: directory, holder: holder)
    } catch {
      SystemCall.closeDescriptor(descriptor)
      throw error
    }
  }
}

final class POSIXFile: LogFile {
  private let path: String
  private let access: FileAccess
  /// The descriptor; `nil` after closing. The lock protects the number only, not the calls: reads run concurrently.
  private let descriptor: Locked<Int32?>

  /// Opens a regular file. Refuses anything else without waiting for it.
  init(_ path: String, for access: FileAccess) throws(FileSystemError) {
    self.path = path
    self.access = access
    // Without O_NONBLOCK, opening a pipe would wait for its other end.
    let common = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY
    let flags =
      switch access {
      case .read: O_RDONLY
      case .append: O_RDWR | O_APPEND
      case .create: O_RDWR | O_APPEND | O_CREAT | O_EXCL
      case .overwrite: O_RDWR | O_CREAT
      }
    descriptor = Locked(try SystemCall.openDescriptor(path, flags | common))
    guard try entry().kind == .file else {
      throw FileSystemError(code: .notARegularFile, operation: "open", path: path)
    }
  }

  deinit { close() }

  func entry() throws(FileSystemError) -> stat { try SystemCall.entry(of: openDescriptor, path) }
  func size() throws(FileSystemError) -> Int { Int(try entry().st_size) }
  func identity() throws(FileSystemError) -> FileIdentity? { try entry().identity }

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemError) -> Int {
    let descriptor = openDescriptor
    var done = 0
    while done < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count = try SystemCall.transfer("pread", path) {
        pread(descriptor, rest.baseAddress, min(rest.count, SystemCall.transferLimitBytes), off_t(offset + done))
      }
      if count == 0 { break }
      done += count
    }
    return done
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws(FileSystemError) {
    precondition(access == .append || access == .create, "append to a file that was not opened for appending")
    try SystemCall.append(openDescriptor, path, bytes)
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileSystemError) {
    // Linux would append and ignore the offset.
    precondition(access == .overwrite, "write at an offset of a file that was not opened for overwriting")
    let descriptor = openDescriptor
    try SystemCall.transferAll("pwrite", path, bytes) { rest, done in
      pwrite(descriptor, rest.baseAddress, min(rest.count, SystemCall.transferLimitBytes), off_t(offset + done))
    }
  }

  func truncate(toBytes count: Int) throws(FileSystemError) {
    precondition(access != .read, "truncation of a file that was opened for reading")
    let descriptor = openDescriptor
    try SystemCall.repeating("ftruncate", path) { ftruncate(descriptor, off_t(count)) }
  }

  func sync(_ strength: SyncStrength) throws(FileSystemError) {
    let number = csystem_synchronize(openDescriptor, strength == .full)
    if number != 0 { throw SystemCall.error(number, "fdatasync", path) }
  }

  func startWriteback() {
    // The writer may have closed the file in the meantime, when it began a new segment.
    if let open = descriptor.withLock({ descriptor in descriptor }) { csystem_start_writeback(open) }
  }

  func discardCache() {
    csystem_discard_cache(openDescriptor)
  }

  /// `fchown` and `fchmod` with what another file has. What the process may not set is left out, and then the group has no access.
  func setPermissions(like other: stat) throws(FileSystemError) {
    let descriptor = openDescriptor
    var mode = other.st_mode & 0o777
    func isDone(_ operation: String, _ call: () -> Int32) throws(FileSystemError) -> Bool {
      do throws(FileSystemError) { try SystemCall.repeating(operation, path, call) } catch {
        // Not permitted, or without a meaning on this file system.
        guard error.code == .permissionDenied || [EINVAL, ENOTSUP, ENOSYS].contains(error.errorNumber) else {
          throw error
        }
        return false
      }
      return true
    }
    // The mode follows, because a change of the owner can clear bits of it.
    _ = try isDone("fchown") { fchown(descriptor, other.st_uid, uid_t.max) }
    if try !isDone("fchown", { fchown(descriptor, uid_t.max, other.st_gid) }) { mode &= ~0o070 }
    _ = try isDone("fchmod") { fchmod(descriptor, mode) }
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

/// A lock that belongs to the descriptor of a directory.
final class POSIXDirectoryLock: DirectoryLock {
  private let descriptor: Locked<Int32?>
  let identity: FileIdentity?

  /// Takes ownership of a descriptor that holds the lock.
  init(descriptor: Int32, identity: FileIdentity) {
    self.descriptor = Locked(descriptor)
    self.identity = identity
  }

  deinit { unlock() }

  func unlock() {
    descriptor.withLock { descriptor in
      guard let open = descriptor else { return }
      // Closing alone would leave the lock with a child process that inherited the descriptor by fork.
      csystem_unlock(open)
      SystemCall.closeDescriptor(open)
      descriptor = nil
    }
  }
}

/// Linux's table of locks, which shows the process that holds one.
package enum LockTable {
  /// The limit of bytes to read: a line has about 60 bytes, a table of this size 17 000 locks.
  private static let limitBytes = 1 << 20

  /// Returns the process that holds the lock on a directory; `nil` if the system does not report it.
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
  /// A process of another container is shown as 0 or less, which is useless here.
  package static func holder(inTable table: String, major: UInt32, minor: UInt32, inode: UInt64) -> Int32? {
    for line in table.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count >= 6, fields[1] == "FLOCK", fields[3] == "WRITE" else { continue }
      let position = fields[5].split(separator: ":")
      guard position.count == 3, UInt32(position[0], radix: 16) == major, UInt32(position[1], radix: 16) == minor,
        UInt64(position[2]) == inode, let process = Int32(fields[4]), process > 0
      else { continue }
      return process
    }
    return nil
  }

  #if os(Linux)
  /// Returns the table, or an empty string: the holder is optional, and failing to find it must not hide the refusal.
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
