import Foundation
import Platform
import TestSupport

/// One end of a pipe; closed when the value goes.
final class PipeEnd: Sendable {
  private let descriptor: Locked<Int32?>

  private init(_ descriptor: Int32) {
    self.descriptor = Locked(descriptor)
  }

  deinit { close() }

  /// Makes a pipe whose ends no other process inherits, as long as all processes start under ``Spawn/lock``.
  static func pair() throws -> (reading: PipeEnd, writing: PipeEnd) {
    var ends: [Int32] = [-1, -1]
    try Spawn.lock.withLock { _ in
      guard pipe(&ends) == 0 else { throw SystemFailure("pipe") }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }
    return (PipeEnd(ends[0]), PipeEnd(ends[1]))
  }

  func close() {
    let open = descriptor.withLock { descriptor -> Int32? in
      defer { descriptor = nil }
      return descriptor
    }
    if let open { _ = Foundation.close(open) }
  }

  /// The descriptor, as long as the end is open. No other code may close it.
  func withDescriptor<Result>(_ body: (Int32) throws -> Result) throws -> Result {
    guard let open = descriptor.withLock({ descriptor in descriptor }) else { throw SystemFailure("pipe", EBADF) }
    return try body(open)
  }

  /// Makes the pipe hold so little that its reader gets its input in small portions. Where the system cannot, the
  /// portions are larger.
  func shrink() throws {
    #if os(Linux)
    // F_SETPIPE_SZ, which Swift's view of the C library leaves out. A page is the least there is.
    let setPipeSize: Int32 = 1_031
    try withDescriptor { descriptor in
      guard fcntl(descriptor, setPipeSize, 4_096) >= 0 else { throw SystemFailure("fcntl") }
    }
    #endif
  }

  /// Writes all the bytes, waiting for room. `SIGPIPE` must be ignored.
  ///
  /// - Returns: Whether the pipe had a reader.
  func write(_ bytes: [UInt8]) throws -> Bool {
    try withDescriptor { descriptor in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { buffer in Foundation.write(descriptor, buffer.baseAddress, buffer.count) }
        if count >= 0 {
          rest = rest.dropFirst(count)
        } else if errno == EPIPE {
          return false
        } else if errno != EINTR {
          throw SystemFailure("write")
        }
      }
      return true
    }
  }

  /// Waits for bytes.
  ///
  /// - Returns: The available bytes; none at the end.
  func read() throws -> [UInt8] {
    try withDescriptor { descriptor in
      while true {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = Foundation.read(descriptor, &buffer, buffer.count)
        if count >= 0 { return Array(buffer.prefix(count)) }
        guard errno == EINTR else { throw SystemFailure("read") }
      }
    }
  }
}
