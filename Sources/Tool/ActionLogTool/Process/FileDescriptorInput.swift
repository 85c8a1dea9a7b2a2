import Platform

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

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
