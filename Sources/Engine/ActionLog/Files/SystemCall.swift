import CSystem
import Platform

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The calls of the C library that concern files. Each is repeated when a signal interrupts it, except syncs, and its
/// error number becomes a ``FileSystemError``. `Records/LogTime.swift` has the other calls.
package enum SystemCall {
  /// The maximum size of one read or write: Darwin refuses 2 GiB and more, Linux shortens them.
  static let transferLimitBytes = 1 << 30

  package static var processID: Int32 { getpid() }

  /// The limit on the open descriptors of this process (`ulimit -n`); `nil` if it is unknown.
  package static var descriptorLimit: Int? {
    var limit = rlimit()
    #if canImport(Glibc)
    let result = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    #else
    let result = getrlimit(RLIMIT_NOFILE, &limit)
    #endif
    return result == 0 ? Int(clamping: limit.rlim_cur) : nil
  }

  /// Raises the limit on open descriptors to what the system allows the process. Failure changes nothing.
  package static func raiseDescriptorLimit() {
    var limit = rlimit()
    #if canImport(Glibc)
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    let resource = RLIMIT_NOFILE
    #endif
    guard getrlimit(resource, &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    _ = setrlimit(resource, &limit)
  }

  /// Writes a line to standard error in one call, with its control characters escaped. A failure is ignored: there is no other place
  /// to report it.
  package static func writeToStandardError(_ line: String) {
    let bytes = Array((EscapedText.escaping(line) + "\n").utf8)
    _ = bytes.withUnsafeBytes { bytes in write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
  }

  /// Returns the system's message for an error number.
  ///
  /// `strerror` shares a buffer only for unknown numbers.
  package static func message(for errorNumber: Int32) -> String {
    strerror(errorNumber).map { text in String(cString: text) } ?? "error \(errorNumber)"
  }

  /// Whether an error number reports a shortage of file descriptors or memory, which does not concern a particular
  /// file.
  static func isShortage(_ errorNumber: Int32) -> Bool {
    isDescriptorShortage(errorNumber) || errorNumber == ENOMEM
  }

  /// Whether an error number reports a symbolic link that is not followed, or too many of them.
  static func isSymbolicLink(_ errorNumber: Int32) -> Bool { errorNumber == ELOOP }

  /// Whether an error number reports that no file descriptor is left.
  static func isDescriptorShortage(_ errorNumber: Int32) -> Bool { errorNumber == EMFILE || errorNumber == ENFILE }
}

// MARK: - Paths

extension SystemCall {
  /// `lstat`; `nil` if the path does not exist.
  static func status(of path: String) throws(FileSystemError) -> FileStatus? {
    try checkPath(path, operation: "lstat")
    var entry = stat()
    while lstat(path, &entry) != 0 {
      let number = errno
      if number == ENOENT { return nil }
      if number != EINTR { throw error(number, "lstat", path) }
    }
    var status = FileStatus(kind: kind(of: entry), sizeBytes: Int(entry.st_size), identity: identity(of: entry))
    status.isSymbolicLink = entry.st_mode & S_IFMT == S_IFLNK
    return status
  }

  /// Returns the names in a directory, in the order of the file system.
  static func names(in directory: String) throws(FileSystemError) -> [String] {
    try checkPath(directory, operation: "opendir")
    guard let stream = try uninterrupted("opendir", directory, { opendir(directory) }) else {
      throw error(EIO, "opendir", directory)
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = try uninterrupted("readdir", directory, { readdir(stream) }) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        String(cString: UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self))
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  /// `realpath`; `nil` if the path does not exist.
  static func realPath(of path: String) throws(FileSystemError) -> String? {
    try checkPath(path, operation: "realpath")
    do throws(FileSystemError) {
      guard let found = try uninterrupted("realpath", path, { realpath(path, nil) }) else { return nil }
      // The caller of `realpath` owns the text.
      defer { free(found) }
      return String(cString: found)
    } catch {
      if error.code == .notFound { return nil }
      throw error
    }
  }

  static func makeDirectory(_ path: String) throws(FileSystemError) {
    try checkPath(path, operation: "mkdir")
    try repeating("mkdir", path) { mkdir(path, 0o700) }
  }

  static func move(_ path: String, to newPath: String) throws(FileSystemError) {
    try checkPath(path, operation: "rename")
    try checkPath(newPath, operation: "rename")
    try repeating("rename", path) { rename(path, newPath) }
  }

  /// Renames a file unless the new path exists.
  static func moveWithoutReplacing(_ path: String, to newPath: String) throws(FileSystemError) {
    try checkPath(path, operation: "rename")
    try checkPath(newPath, operation: "rename")
    let number = csystem_rename_without_replacing(path, newPath)
    if number != 0 { throw error(number, "rename", number == EEXIST ? newPath : path) }
  }

  static func removeFile(_ path: String) throws(FileSystemError) {
    try checkPath(path, operation: "unlink")
    try repeating("unlink", path) { unlink(path) }
  }

  static func removeDirectory(_ path: String) throws(FileSystemError) {
    try checkPath(path, operation: "rmdir")
    try repeating("rmdir", path) { rmdir(path) }
  }
}

// MARK: - Descriptors

extension SystemCall {
  /// Opens a regular file. Refuses anything else without waiting for it.
  static func openFile(_ path: String, for access: FileAccess) throws(FileSystemError) -> Int32 {
    // Without O_NONBLOCK, opening a pipe would wait for its other end.
    let common = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY
    let flags =
      switch access {
      case .read: O_RDONLY
      case .append: O_RDWR | O_APPEND
      case .create: O_RDWR | O_APPEND | O_CREAT | O_EXCL
      case .overwrite: O_RDWR | O_CREAT
      }
    let descriptor = try openDescriptor(path, flags | common)
    do throws(FileSystemError) {
      guard kind(of: try entry(of: descriptor, path)) == .file else {
        throw FileSystemError(code: .notARegularFile, operation: "open", path: path)
      }
    } catch {
      closeDescriptor(descriptor)
      throw error
    }
    return descriptor
  }

  static func openDirectory(_ path: String) throws(FileSystemError) -> Int32 {
    try openDescriptor(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK)
  }

  /// Closes a descriptor. Errors have no consequence: durable bytes were synced before, and after `EINTR` the
  /// descriptor is closed, too.
  static func closeDescriptor(_ descriptor: Int32) {
    _ = close(descriptor)
  }

  static func size(of descriptor: Int32, _ path: String) throws(FileSystemError) -> Int {
    Int(try entry(of: descriptor, path).st_size)
  }

  /// Returns the device and inode numbers, by which the system's lock table identifies a directory.
  static func identity(of descriptor: Int32, _ path: String) throws(FileSystemError) -> FileIdentity {
    identity(of: try entry(of: descriptor, path))
  }

  /// `fchown` and `fchmod` with what another file has. What the process may not set is left out, and then the group has no access.
  static func copyPermissions(
    of source: Int32, _ path: String, to descriptor: Int32, _ newPath: String
  ) throws(FileSystemError) {
    let entry = try entry(of: source, path)
    var mode = entry.st_mode & 0o777
    func isDone(_ operation: String, _ call: () -> Int32) throws(FileSystemError) -> Bool {
      do throws(FileSystemError) { try repeating(operation, newPath, call) } catch {
        // Not permitted, or without a meaning on this file system.
        guard error.code == .permissionDenied || [EINVAL, ENOTSUP, ENOSYS].contains(error.errorNumber) else {
          throw error
        }
        return false
      }
      return true
    }
    // The mode follows, because a change of the owner can clear bits of it.
    _ = try isDone("fchown") { fchown(descriptor, entry.st_uid, uid_t.max) }
    if try !isDone("fchown", { fchown(descriptor, uid_t.max, entry.st_gid) }) { mode &= ~0o070 }
    _ = try isDone("fchmod") { fchmod(descriptor, mode) }
  }

  /// `pread` until the buffer is full or the file ends.
  static func read(
    _ descriptor: Int32, _ path: String, at offset: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws(FileSystemError) -> Int {
    var done = 0
    while done < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count = try transfer("pread", path) {
        pread(descriptor, rest.baseAddress, min(rest.count, transferLimitBytes), off_t(offset + done))
      }
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// `write`, repeated for what a short count left over.
  static func append(
    _ descriptor: Int32, _ path: String, _ bytes: UnsafeRawBufferPointer
  ) throws(FileSystemError) {
    try transferAll("write", path, bytes) { rest, _ in
      write(descriptor, rest.baseAddress, min(rest.count, transferLimitBytes))
    }
  }

  /// `pwrite`, repeated for what a short count left over.
  static func overwrite(
    _ descriptor: Int32, _ path: String, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(FileSystemError) {
    try transferAll("pwrite", path, bytes) { rest, done in
      pwrite(descriptor, rest.baseAddress, min(rest.count, transferLimitBytes), off_t(offset + done))
    }
  }

  static func truncate(_ descriptor: Int32, _ path: String, toBytes count: Int) throws(FileSystemError) {
    try repeating("ftruncate", path) { ftruncate(descriptor, off_t(count)) }
  }

  static func sync(
    _ descriptor: Int32, _ path: String, _ strength: SyncStrength
  ) throws(FileSystemError) {
    let number = csystem_synchronize(descriptor, strength == .full)
    if number != 0 { throw error(number, "fdatasync", path) }
  }

  static func syncDirectory(_ descriptor: Int32, _ path: String) throws(FileSystemError) {
    let number = csystem_synchronize_directory(descriptor)
    if number != 0 { throw error(number, "fsync", path) }
  }

  static func startWriteback(_ descriptor: Int32) {
    csystem_start_writeback(descriptor)
  }

  static func discardCache(_ descriptor: Int32) {
    csystem_discard_cache(descriptor)
  }

  /// Acquires the lock; returns `false` if another open descriptor has it.
  static func lock(_ descriptor: Int32, _ path: String) throws(FileSystemError) -> Bool {
    let number = csystem_lock(descriptor)
    if number == 0 { return true }
    if number == EWOULDBLOCK { return false }
    throw error(number, "flock", path)
  }

  static func unlock(_ descriptor: Int32) {
    csystem_unlock(descriptor)
  }
}

// MARK: - Errors

extension SystemCall {
  /// Returns the error for a system error number.
  static func error(_ number: Int32, _ operation: String, _ path: String) -> FileSystemError {
    FileSystemError(code: code(for: number), operation: operation, path: path, errorNumber: number)
  }

  private static func code(for number: Int32) -> FileSystemError.Code {
    switch number {
    case ENOENT: .notFound
    case EEXIST: .exists
    case ENOTDIR: .notADirectory
    case ENOTEMPTY: .notEmpty
    // A symbolic link with O_NOFOLLOW; a directory opened for writing or replaced by a file; a socket, or a device
    // without a driver.
    case ELOOP, EISDIR, ENXIO, ENODEV: .notARegularFile
    case EACCES, EPERM: .permissionDenied
    case EROFS: .readOnlyFileSystem
    case ENOSPC, EDQUOT: .noSpace
    case EFBIG: .fileTooLarge
    case EWOULDBLOCK: .locked
    default: .inputOutput
    }
  }

  /// Refuses a path with a NUL byte, where C would end it.
  private static func checkPath(_ path: String, operation: String) throws(FileSystemError) {
    // Reads the contiguous bytes: iterating a string's view calls a function for each byte, and a writer checks paths
    // often.
    let holdsNUL = path.utf8.withContiguousStorageIfAvailable { bytes in bytes.contains(0) } ?? path.utf8.contains(0)
    if holdsNUL { throw error(EINVAL, operation, path) }
  }

  private static func kind(of entry: stat) -> FileStatus.Kind {
    switch entry.st_mode & S_IFMT {
    case S_IFREG: .file
    case S_IFDIR: .directory
    default: .other
    }
  }

  private static func identity(of entry: stat) -> FileIdentity {
    FileIdentity(
      device: UInt64(truncatingIfNeeded: entry.st_dev), inode: UInt64(truncatingIfNeeded: entry.st_ino))
  }

  private static func entry(of descriptor: Int32, _ path: String) throws(FileSystemError) -> stat {
    var entry = stat()
    try repeating("fstat", path) { fstat(descriptor, &entry) }
    return entry
  }

  private static func openDescriptor(_ path: String, _ flags: Int32) throws(FileSystemError) -> Int32 {
    try checkPath(path, operation: "open")
    let descriptor = Int32(try transfer("open", path) { Int(open(path, flags, 0o600)) })
    guard descriptor <= STDERR_FILENO else { return descriptor }
    // The process has closed a standard stream. What is printed must not be written into a log.
    defer { closeDescriptor(descriptor) }
    return Int32(try transfer("fcntl", path) { Int(fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)) })
  }

  /// Makes a call that returns `nil` and sets `errno` on failure, and repeats it when a signal interrupts it.
  ///
  /// - Returns: `nil` if the call returned `nil` without an error, as `readdir` does at the end.
  package static func uninterrupted<Value>(
    _ operation: String, _ path: String, _ call: () -> Value?
  ) throws(FileSystemError) -> Value? {
    while true {
      errno = 0
      if let value = call() { return value }
      if errno == 0 { return nil }
      if errno != EINTR { throw error(errno, operation, path) }
    }
  }

  /// Makes a call that returns 0 or sets `errno`, and repeats it when a signal interrupts it.
  private static func repeating(
    _ operation: String, _ path: String, _ call: () -> Int32
  ) throws(FileSystemError) {
    while call() != 0 {
      if errno != EINTR { throw error(errno, operation, path) }
    }
  }

  /// Makes a call that returns a count or sets `errno`, and repeats it when a signal interrupts it.
  private static func transfer(
    _ operation: String, _ path: String, _ call: () -> Int
  ) throws(FileSystemError) -> Int {
    while true {
      let count = call()
      if count >= 0 { return count }
      if errno != EINTR { throw error(errno, operation, path) }
    }
  }

  private static func transferAll(
    _ operation: String, _ path: String, _ bytes: UnsafeRawBufferPointer,
    _ call: (_ rest: UnsafeRawBufferPointer, _ done: Int) -> Int
  ) throws(FileSystemError) {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = try transfer(operation, path) { call(rest, done) }
      // A device that accepts nothing and reports no error would loop here forever.
      if count == 0 { throw error(EIO, operation, path) }
      done += count
    }
  }
}
