#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

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
