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
    return getrlimit(openFiles, &limit) == 0 ? Int(clamping: limit.rlim_cur) : nil
  }

  #if canImport(Glibc)
  private static let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
  private static let openFiles = RLIMIT_NOFILE
  #endif

  /// Raises the limit on open descriptors to what the system allows the process. Failure changes nothing.
  package static func raiseDescriptorLimit() {
    var limit = rlimit()
    guard getrlimit(openFiles, &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    _ = setrlimit(openFiles, &limit)
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

// MARK: - Calls whose names methods of file systems and files have

extension SystemCall {
  static func move(_ path: String, to newPath: String) throws(FileSystemError) {
    for path in [path, newPath] { try checkPath(path, operation: "rename") }
    try repeating("rename", path) { rename(path, newPath) }
  }

  static func openDescriptor(_ path: String, _ flags: Int32) throws(FileSystemError) -> Int32 {
    try checkPath(path, operation: "open")
    let descriptor = Int32(try transfer("open", path) { Int(open(path, flags, 0o600)) })
    guard descriptor <= STDERR_FILENO else { return descriptor }
    // The process has closed a standard stream. What is printed must not be written into a log.
    defer { closeDescriptor(descriptor) }
    return Int32(try transfer("fcntl", path) { Int(fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)) })
  }

  static func openDirectory(_ path: String) throws(FileSystemError) -> Int32 {
    try openDescriptor(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK)
  }

  /// Closes a descriptor. Errors have no consequence: durable bytes were synced before, and after `EINTR` the
  /// descriptor is closed, too.
  static func closeDescriptor(_ descriptor: Int32) {
    _ = close(descriptor)
  }

  static func entry(of descriptor: Int32, _ path: String) throws(FileSystemError) -> stat {
    var entry = stat()
    try repeating("fstat", path) { fstat(descriptor, &entry) }
    return entry
  }

  static func append(
    _ descriptor: Int32, _ path: String, _ bytes: UnsafeRawBufferPointer
  ) throws(FileSystemError) {
    try transferAll("write", path, bytes) { rest, _ in
      write(descriptor, rest.baseAddress, min(rest.count, transferLimitBytes))
    }
  }
}

extension stat {
  var kind: FileStatus.Kind {
    switch st_mode & S_IFMT {
    case S_IFREG: .file
    case S_IFDIR: .directory
    default: .other
    }
  }

  var identity: FileIdentity {
    FileIdentity(device: UInt64(truncatingIfNeeded: st_dev), inode: UInt64(truncatingIfNeeded: st_ino))
  }
}

// MARK: - Errors

extension SystemCall {
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
  static func checkPath(_ path: String, operation: String) throws(FileSystemError) {
    // Reads the contiguous bytes: iterating a string's view calls a function for each byte, and a writer checks paths
    // often.
    let holdsNUL = path.utf8.withContiguousStorageIfAvailable { bytes in bytes.contains(0) } ?? path.utf8.contains(0)
    if holdsNUL { throw error(EINVAL, operation, path) }
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
  static func repeating(
    _ operation: String, _ path: String, _ call: () -> Int32
  ) throws(FileSystemError) {
    while call() != 0 {
      if errno != EINTR { throw error(errno, operation, path) }
    }
  }

  /// Makes a call that returns a count or sets `errno`, and repeats it when a signal interrupts it.
  static func transfer(
    _ operation: String, _ path: String, _ call: () -> Int
  ) throws(FileSystemError) -> Int {
    while true {
      let count = call()
      if count >= 0 { return count }
      if errno != EINTR { throw error(errno, operation, path) }
    }
  }

  static func transferAll(
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
