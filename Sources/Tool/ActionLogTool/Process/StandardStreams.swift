import Platform

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The descriptors that the process was given as its standard streams.
///
/// A process may be started without some of them (`>&-` in a shell, a careless service manager). The next thing that
/// is opened then gets the number, and what was meant for the terminal is written into it: a log's segment, or a
/// descriptor of the runtime's own, which is at work before the first line of the program.
struct StandardDescriptors {
  /// Not a descriptor: using it is the error `EBADF`.
  static let missing: Int32 = -1

  let input: Int32
  let output: Int32
  /// Where messages go; nowhere when there is no standard error, because a recording must not fail for it.
  let messages: Int32

  /// Finds out which descriptors were handed over, and sees to it that nothing else gets the numbers of the others.
  static func take() -> StandardDescriptors {
    let given = [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].map { number in isInherited(number) ? number : missing }
    guard given.contains(missing) else { return StandardDescriptors(input: 0, output: 1, messages: 2) }
    let nowhere = fillHoles()
    return StandardDescriptors(
      input: given[0], output: given[1], messages: given[2] == missing ? nowhere : given[2])
  }

  /// Whether a descriptor comes from whoever started the process: what has to be closed by `exec` was opened after it.
  private static func isInherited(_ number: Int32) -> Bool {
    let flags = fcntl(number, F_GETFD)
    return flags >= 0 && flags & FD_CLOEXEC == 0
  }

  /// Opens `/dev/null` until it gets a number that is not a standard one.
  ///
  /// - Returns: That number.
  private static func fillHoles() -> Int32 {
    while true {
      let number = open("/dev/null", O_RDWR)
      guard number >= 0 else { return missing }
      guard number <= STDERR_FILENO else { return number }
    }
  }
}

/// A descriptor as input whose waiting ends when the tool is asked to stop.
///
/// It waits in `poll` for the descriptor and for the reading end of a pipe of its own; the request to stop writes one
/// byte into that pipe. A signal alone would not do: it may arrive just before the wait begins.
struct FileDescriptorInput: ToolInput {
  private let descriptor: Int32
  private let stop: StopRequest
  /// The reading end of the pipe, once there is one: commands that read nothing need none.
  private let wakeDescriptor = Locked<Int32?>(nil)

  init(descriptor: Int32, stop: StopRequest) {
    self.descriptor = descriptor
    self.stop = stop
  }

  /// The reading end of the pipe.
  ///
  /// - Throws: When the system has no descriptors left for it.
  private func wakingEnd() throws(ToolStreamError) -> Int32 {
    try wakeDescriptor.withLock { [stop] wakeDescriptor throws(ToolStreamError) in
      if let wakeDescriptor { return wakeDescriptor }
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { throw .failed(errorNumber: errno) }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      let writingEnd = ends[1]
      stop.onRequest {
        var byte: UInt8 = 0
        // A pipe that holds nothing takes one byte; there is nobody to tell if it did not.
        _ = write(writingEnd, &byte, 1)
      }
      wakeDescriptor = ends[0]
      return ends[0]
    }
  }

  func read(limit: Int) throws(ToolStreamError) -> [UInt8] {
    // `poll` passes over a descriptor that is none, and would wait for ever.
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
      if let bytes = try readAvailable(limit: limit) { return bytes }
    }
  }

  /// - Returns: `nil` when there was nothing after all.
  private func readAvailable(limit: Int) throws(ToolStreamError) -> [UInt8]? {
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      let result = systemRead(descriptor, buffer.baseAddress, buffer.count)
      count = max(0, result)
      failure = result < 0 ? errno : 0
    }
    switch failure {
    case 0: return bytes
    case EINTR, EAGAIN: return nil
    // The terminal went away: as much an end as any other.
    case EIO: return []
    default: throw .failed(errorNumber: failure)
    }
  }
}

/// The system's `read`, which ``FileDescriptorInput/read(limit:)`` hides inside the type.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  read(descriptor, buffer, count)
}

/// A descriptor as output. `SIGPIPE` must be ignored, so that a closed pipe is an error number and not a death.
struct FileDescriptorOutput: ToolOutput {
  let descriptor: Int32

  func write(_ bytes: [UInt8]) throws(ToolStreamError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { buffer in systemWrite(descriptor, buffer.baseAddress, buffer.count) }
      if written >= 0 {
        rest = rest.dropFirst(written)
        continue
      }
      switch errno {
      case EINTR: continue
      case EPIPE: throw .closed
      case EAGAIN: waitUntilWritable()
      case let number: throw .failed(errorNumber: number)
      }
    }
  }

  /// Somebody handed over a descriptor that does not block; wait as if it did.
  private func waitUntilWritable() {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    _ = poll(&entry, 1, -1)
  }
}

/// The system's `write`, which ``FileDescriptorOutput/write(_:)`` hides inside the type.
private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, buffer, count)
}
