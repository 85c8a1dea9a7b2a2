import Platform

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The descriptors of the standard streams.
///
/// A process may be started without some of them (`>&-` in a shell, a careless service manager). The next opened file
/// then gets the number, and output for the terminal would be written into it: into a segment of the log, or into a
/// descriptor of the runtime, which opens some before `main`.
struct StandardDescriptors {
  /// An invalid descriptor: every use fails with `EBADF`.
  static let missing: Int32 = -1

  let input: Int32
  let output: Int32
  /// The descriptor for messages: `/dev/null` if there is no standard error, because a recording must not fail for
  /// it.
  let messages: Int32

  /// Finds the inherited descriptors, and occupies the numbers of the missing ones.
  static func take() -> StandardDescriptors {
    let given = [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].map { number in isInherited(number) ? number : missing }
    guard given.contains(missing) else { return StandardDescriptors(input: 0, output: 1, messages: 2) }
    let nowhere = fillHoles()
    return StandardDescriptors(
      input: given[0], output: given[1], messages: given[2] == missing ? nowhere : given[2])
  }

  /// Whether the parent process passed a descriptor. A descriptor with close-on-exec was opened later.
  private static func isInherited(_ number: Int32) -> Bool {
    let flags = fcntl(number, F_GETFD)
    return flags >= 0 && flags & FD_CLOEXEC == 0
  }

  /// Opens `/dev/null` until it gets a number above the standard ones.
  private static func fillHoles() -> Int32 {
    while true {
      let number = open("/dev/null", O_RDWR)
      guard number >= 0 else { return missing }
      guard number <= STDERR_FILENO else { return number }
    }
  }
}

/// A descriptor as input. A stop request ends a blocked read.
///
/// `poll` waits for the descriptor and for a pipe, into which the stop request writes a byte. A signal alone is not
/// enough: it may arrive just before the wait.
struct FileDescriptorInput: ToolInput {
  private let descriptor: Int32
  private let stop: StopRequest
  /// The reading end of the pipe, created by the first read.
  private let wakeDescriptor = Locked<Int32?>(nil)

  init(descriptor: Int32, stop: StopRequest) {
    self.descriptor = descriptor
    self.stop = stop
  }

  /// Returns the reading end of the pipe.
  private func wakingEnd() throws(ToolStreamError) -> Int32 {
    try wakeDescriptor.withLock { [stop] wakeDescriptor throws(ToolStreamError) in
      if let wakeDescriptor { return wakeDescriptor }
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { throw .failed(errorNumber: errno) }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      let writingEnd = ends[1]
      stop.onRequest {
        var byte: UInt8 = 0
        // An empty pipe always takes a byte.
        _ = write(writingEnd, &byte, 1)
      }
      wakeDescriptor = ends[0]
      return ends[0]
    }
  }

  func read(limit: Int) throws(ToolStreamError) -> [UInt8] {
    // `poll` ignores an invalid descriptor and would wait forever.
    guard descriptor != StandardDescriptors.missing else { throw .failed(errorNumber: EBADF) }
    let wakeDescriptor = try wakingEnd()
    while true {
      guard !stop.isRequested else { return [] }
      var entries = [
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wakeDescriptor, events: Int16(POLLIN), revents: 0),
      ]
      if poll(&entries, nfds_t(entries.count), -1) < 0 {
        guard errno == EINTR || errno == EAGAIN else { throw .failed(errorNumber: errno) }
        continue
      }
      guard entries[1].revents == 0 else { return [] }
      if let bytes = try DescriptorCall.bytes(of: descriptor, limit: limit) { return bytes }
    }
  }
}

/// The system's calls to read and write.
enum DescriptorCall {
  /// Returns the next bytes, and none at the end; `nil` if no byte is available, or the call was interrupted.
  static func bytes(of descriptor: Int32, limit: Int) throws(ToolStreamError) -> [UInt8]? {
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      let result = read(descriptor, buffer.baseAddress, buffer.count)
      count = max(0, result)
      failure = result < 0 ? errno : 0
    }
    switch failure {
    case 0: return bytes
    case EINTR, EAGAIN: return nil
    // The terminal was closed: the end of the input.
    case EIO: return []
    default: throw .failed(errorNumber: failure)
    }
  }

  /// Writes some bytes, and returns their number: 0 if none can be written now, or the call was interrupted.
  static func append(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) throws(ToolStreamError) -> Int {
    let written = bytes.withUnsafeBytes { buffer in write(descriptor, buffer.baseAddress, buffer.count) }
    if written >= 0 { return written }
    switch errno {
    case EINTR, EAGAIN: return 0
    case EPIPE: throw .closed
    case let number: throw .failed(errorNumber: number)
    }
  }
}

/// A descriptor as output. `SIGPIPE` must be ignored, so that writing to a closed pipe returns an error.
package struct FileDescriptorOutput: ToolOutput {
  package let descriptor: Int32

  package init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  package func write(_ bytes: [UInt8]) throws(ToolStreamError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = try DescriptorCall.append(rest, to: descriptor)
      if count == 0 { waitUntilWritable() }
      rest = rest.dropFirst(count)
    }
  }

  package var isClosed: Bool {
    var entry = pollfd(fd: descriptor, events: 0, revents: 0)
    return poll(&entry, 1, 0) > 0 && entry.revents & Int16(POLLERR | POLLHUP) != 0
  }

  private func waitUntilWritable() {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    _ = poll(&entry, 1, -1)
  }
}
